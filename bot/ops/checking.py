"""What `python -m bot check` says: the settings that hold, and what the bot would do."""

from collections.abc import Sequence

from pydantic import BaseModel, SecretStr

from bot.config import SECTIONS, Settings
from bot.ops.sharding import shown_ids
from bot.ops.token import plain
from bot.store.address import DEFAULT_FILE, Kind

STEPS = """\
1. Make an application at https://discord.com/developers/applications. Under
   Bot press Reset Token, and copy the token.
2. Put the token into the environment variable DISCORD_TOKEN, or into a file
   that DISCORD_TOKEN_FILE names, or into config.toml: config.example.toml
   shows how.
3. Under Installation choose the scopes applications.commands and bot, and open
   the link there to invite it. Then run `python -m bot` again.
"""
CONNECTS = "With these settings `python -m bot` connects to Discord."
CALLED = (
    "Discord calls it at port {port} of {host}. In the developer portal, under General\n"
    "Information, the Interactions Endpoint URL is https://, your proxy's name, {path}\n"
    "It can be saved there while the bot runs."
)
BY_HTTP_ALONE = "With these settings `python -m bot` does not connect to Discord's gateway."
CONSOLE = "Without a token `python -m bot` is the console. To connect it to Discord:"
NO_FILE = "There is no config.toml here: these are the defaults."
AROUND = "Look at this, on this machine and for this user:"
LONGEST_IDS = 30  # characters
ABSENT = {
    "token": "none",
    "token_file": "none",
    "gateway_url": "as api_base says",
    "shard_ids": "all",
    "shards_per_process": "not said",
    "cache_file": "none",
    "url_file": "none",
    "public_key": "none",
    "identifies_file": "beside the store",
}


def describe(settings: Settings, trouble: Sequence[str] = ()) -> str:
    """Every setting with its value; of the token only where it came from.

    `trouble`: what is in the way on this machine.
    """
    file = f"Read from {plain(str(settings.file))}." if settings.file else NO_FILE
    sections = [_section(key, value, settings) for key, value in settings if key in SECTIONS]
    does = _does(settings) if settings.discord.token else f"{CONSOLE}\n\n{STEPS}"
    here = [f"{AROUND}\n" + "\n".join(f"- {one}" for one in trouble)] if trouble else []
    return "\n\n".join([file, *sections, *here, does.rstrip()]) + "\n"


def _does(settings: Settings) -> str:
    """What `python -m bot` would do with a token."""
    endpoint = settings.endpoint
    if not endpoint.enabled:
        return CONNECTS
    called = CALLED.format(port=endpoint.port, host=plain(endpoint.host), path=endpoint.path)
    return f"{CONNECTS if endpoint.gateway else BY_HTTP_ALONE}\n\n{called}"


def _section(name: str, section: BaseModel, settings: Settings) -> str:
    width = max(map(len, type(section).model_fields))
    rows = (f"{key:{width}}  {shown(key, value, settings)}" for key, value in section)
    return "\n".join([f"[{name}]", *rows])


def _kept(settings: Settings) -> str:
    """Where things are kept: with what, and who says so; the address itself may be a secret."""
    found = settings.store_address
    if found is None:
        return f"{Kind.SQLITE}, the file {DEFAULT_FILE} in the working folder"
    return f"{found.address.kind}, from {found.source}"


def _own_shards(settings: Settings) -> str:
    """This process's, as far as a line goes, and who says so."""
    shown = shown_ids(settings.discord.shard_ids or ())
    if len(shown) > LONGEST_IDS:
        shown = f"{shown[:LONGEST_IDS].rpartition(',')[0]}, …"
    return f"{shown} ({settings.shards_source or 'from the program that runs this'})"


def shown(key: str, value: object, settings: Settings) -> str:
    """A setting's value as it may be read by anyone who runs the bot."""
    match value:
        case _ if key == "url":
            return _kept(settings)
        case tuple() if key == "shard_ids":
            return _own_shards(settings)
        case None:
            return ABSENT[key]
        case SecretStr():
            return f"from {settings.token_source or 'the program that runs this'}"
        case bool():
            return str(value).lower()
        case tuple():
            return ", ".join(map(str, value)) or "none"
        case float():
            return f"{value:g}"
        case _:
            return plain(str(value))
