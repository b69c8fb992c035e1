"""One call about an interaction, tried once: how it went is for who asked to wait for.

discord.py's own adapter tries again by itself, a second and more later, and holds a lock of the
interaction meanwhile: of the three seconds that an answer has, it would sleep through those in
which Discord is back. So each call is one try here, and `bot.delivery` says when the next is.
"""

from collections.abc import Awaitable, Sequence
from time import monotonic
from typing import Any, TypeVar

import aiohttp
from discord import DiscordServerError, File, Forbidden, HTTPException, NotFound, RateLimited
from discord.http import Route, json_or_text
from discord.utils import _to_json
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

TOO_MANY = 429
UNSAID_S = 1.0  # to wait where whoever limits says not how long
MOST_BUCKETS = 256  # of which it is remembered that they are used up


T = TypeVar("T")
Bucket = tuple[int | str | None, str | None]


class NonsenseError(Exception):
    """Discord, or what stands before it, said what cannot be."""


async def sound(call: Awaitable[T]) -> T:
    """What comes of a call by discord.py's client; NonsenseError where it cannot read that."""
    try:
        return await call
    except (TypeError, KeyError, ValueError) as error:
        raise NonsenseError("not what is due") from error


class OneTry(AsyncWebhookAdapter):
    """Raises RateLimited for every 429, and NonsenseError for a page where JSON is due."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._free_at: dict[Bucket, float] = {}  # buckets that are used up

    async def request(
        self,
        route: Route,
        session: aiohttp.ClientSession,
        *,
        payload: dict[str, Any] | None = None,
        multipart: list[dict[str, Any]] | None = None,
        proxy: str | None = None,
        proxy_auth: aiohttp.BasicAuth | None = None,
        files: Sequence[File] | None = None,
        reason: str | None = None,
        auth_token: str | None = None,
        params: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401  (as discord.py has it)
        """What Discord said; nothing that this bot sends has a reason or a token of its own."""
        del files, reason, auth_token
        bucket = (route.webhook_id, route.webhook_token)
        self._wait_in_vain(bucket)
        headers: dict[str, str] = {}
        body: str | aiohttp.FormData | None = None
        if multipart:
            body = aiohttp.FormData(quote_fields=False)
            for part in multipart:
                body.add_field(**part)
        elif payload is not None:
            headers["Content-Type"] = "application/json"
            body = _to_json(payload)
        async with session.request(
            route.method,
            route.url,
            data=body,
            headers=headers,
            params=params,
            proxy=proxy,
            proxy_auth=proxy_auth,
        ) as response:
            said = await json_or_text(response)
        self._note(bucket, response.headers)
        return _judged(response, said)

    def _wait_in_vain(self, bucket: Bucket) -> None:
        """Not ask where the answer is known: that it was too often."""
        left_s = self._free_at.get(bucket, 0.0) - monotonic()
        if left_s > 0:
            raise RateLimited(left_s)

    def _note(self, bucket: Bucket, headers: Any) -> None:  # noqa: ANN401
        """Remember a bucket that is used up for as long as it is."""
        if headers.get("X-Ratelimit-Remaining") != "0":
            return
        now = monotonic()
        if len(self._free_at) >= MOST_BUCKETS:
            self._free_at = {one: at for one, at in self._free_at.items() if at > now}
        self._free_at[bucket] = now + _seconds(headers.get("X-Ratelimit-Reset-After"), 0.0)


def _judged(response: aiohttp.ClientResponse, said: Any) -> Any:  # noqa: ANN401  (any JSON)
    status = response.status
    if status < 300:  # noqa: PLR2004  (as HTTP has it)
        if said and isinstance(said, str):
            raise NonsenseError(f"{status}, and no JSON")
        return said
    if status == TOO_MANY:
        told = said.get("retry_after") if isinstance(said, dict) else None
        raise RateLimited(_seconds(told, _seconds(response.headers.get("Retry-After"), UNSAID_S)))
    kinds = {403: Forbidden, 404: NotFound}
    kind = DiscordServerError if status >= 500 else kinds.get(status, HTTPException)  # noqa: PLR2004
    raise kind(response, said)


def _seconds(said: object, otherwise: float) -> float:
    """A number of seconds, or `otherwise` where it is none."""
    try:
        seconds = float(said)  # type: ignore[arg-type]  # whatever was said
    except (TypeError, ValueError):
        return otherwise
    return seconds if 0 <= seconds < float("inf") else otherwise


_ONE_TRY = OneTry()


def try_once() -> None:
    """From here on, in this task, calls are tried once; another adapter's ways are left alone."""
    if type(async_context.get()) is AsyncWebhookAdapter:
        async_context.set(_ONE_TRY)
