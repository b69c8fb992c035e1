"""Events that cannot be parsed: logged and passed over, where discord.py would end.

Somebody waits for the answer to an interaction, so one that cannot be parsed is answered
all the same, as long as it says where to.
"""

import logging
from collections.abc import Callable, MutableMapping
from typing import Any

import discord
from discord.http import MultipartParameters
from discord.webhook.async_ import async_context

from bot.delivery import APOLOGY, deliver
from bot.ops.answering import Outcome, counted, heard, mark
from bot.ops.metrics import OTHER

log = logging.getLogger(__name__)

SESSION_EVENTS = ("READY", "RESUMED")  # without them there is no session to go on with
ANSWERABLE = (2, 3, 4, 5)  # types of interactions: a command, a component, a list, a form
LIST = 4
INTERACTION = "INTERACTION_CREATE"
TIMESTAMP = 22  # bits of an id below its time
MOST_DIGITS = 20  # of an id

Parse = Callable[[Any], None]


def survive(parsers: MutableMapping[str, Parse], client: discord.Client, text: str) -> None:
    """Let each parser of `client` go on after what it cannot parse; `text` is then answered."""
    for event, parse in parsers.items():
        if event not in SESSION_EVENTS:
            parsers[event] = _surviving(event, parse, client, text)


def _surviving(event: str, parse: Parse, client: discord.Client, text: str) -> Parse:
    def parsed(data: Any) -> None:  # noqa: ANN401  (whatever was sent)
        with heard(_shard_of(data, client.shard_count)):  # tasks that begin here are about it too
            try:
                if event == INTERACTION and not _has_asker(data):
                    raise ValueError("nobody who asks")  # noqa: TRY301  (as parsers do)
                parse(_without_polls(data))
            except Exception:
                log.exception("an event of the kind %s that cannot be parsed", event)
                if event == INTERACTION:
                    client.loop.create_task(apologise(client, data, text), name=APOLOGY)

    return parsed


def _shard_of(data: object, shards: int | None) -> int | None:
    """Which shard hears of a server.

    Source: https://discord.com/developers/docs/events/gateway#sharding
    """
    server = data.get("guild_id") if isinstance(data, dict) else None
    if not isinstance(server, str) or not server.isdecimal() or not shards:
        return None
    return (int(server[:MOST_DIGITS]) >> TIMESTAMP) % shards


def _has_asker(data: Any) -> bool:  # noqa: ANN401  (likewise)
    """Whether it is said who asks: a member of a server, or a person elsewhere."""
    return bool(data.get("member") or data.get("user"))


def _without_polls(data: Any) -> Any:  # noqa: ANN401  (whatever was sent)
    """`data` without the polls of its messages: discord.py breaks on those that never end."""
    match data:
        case {"data": {"resolved": {"messages": dict(messages)}}}:
            for message in messages.values():
                _without_polls(message)
        case {"referenced_message": dict(message)} | {"message": dict(message)}:
            _without_polls(message)
    if isinstance(data, dict):
        data.pop("poll", None)
    return data


async def apologise(client: discord.Client, data: object, text: str) -> None:
    """Answer `text` to an interaction of which nothing but where to answer may be known."""
    match data:
        case {"id": str(number), "token": str(token), "type": int(kind)} if (
            kind in ANSWERABLE and number.isdecimal()
        ):
            pass
        case _:
            return
    body = _empty_list() if kind == LIST else _private(text)
    params = MultipartParameters(payload=body, multipart=None, files=None)
    session = discord.Webhook.partial(client.application_id or 0, token, client=client).session

    async def send() -> None:
        adapter = async_context.get()
        await adapter.create_interaction_response(
            int(number), token, session=session, params=params
        )

    with counted("unparsed", OTHER):
        mark(Outcome.FAILED)
        await deliver(send, "what could not be parsed")


def _empty_list() -> dict[str, Any]:
    return {
        "type": discord.InteractionResponseType.autocomplete_result.value,
        "data": {"choices": []},
    }


def _private(text: str) -> dict[str, Any]:
    return {
        "type": discord.InteractionResponseType.channel_message.value,
        "data": {
            "content": text,
            "flags": discord.MessageFlags(ephemeral=True).value,
            "allowed_mentions": discord.AllowedMentions.none().to_dict(),
        },
    }
