"""What `/vram status` says of the bot: numbers for whoever runs it, as words of their language."""

from collections.abc import Iterator
from math import inf
from time import time

from bot.config import SECTIONS, Settings
from bot.locale import Locale
from bot.ops.answering import Outcome
from bot.ops.checking import shown
from bot.ops.exposition import Vitals, versions
from bot.ops.memory import resident_bytes
from bot.ops.metrics import HUB, TRANSACTIONS
from bot.ops.recently import RECENTLY
from bot.store.chosen import address_of
from bot.version import VERSION
from estimator import MIB, THOUSAND

BEGUN = time()
NONE = "–"
ENDS = (Outcome.ANSWERED, Outcome.REFUSED, Outcome.FAILED)  # that are told each
HALF, MOST = 0.5, 0.99
MOST_SHOWN = 10  # shards that are not ready
STARTED, HAPPENED = "<t:{:.0f}:R>", "`{}` {} <t:{:.0f}:R>"  # Discord shows how long ago that is


def state_of(settings: Settings, now: Vitals, locale: Locale) -> str:
    """How the bot is, line by line; no secret is in it, and nothing that somebody asked."""
    return "\n".join(_lines(settings, now, locale))


def _lines(settings: Settings, now: Vitals, locale: Locale) -> Iterator[str]:
    def say(key: str, **values: object) -> str:
        return locale.say_on_discord(f"status_{key}", **values)

    library, python = versions()
    yield say(
        "version",
        version=VERSION,
        library=library,
        python=python,
        since=STARTED.format(BEGUN),
    )
    waited_for = [shard.id for shard in now.shards if not shard.is_ready]
    latencies = [one.latency_s for one in now.shards if one.latency_s is not None]
    yield say(
        "shards",
        ready=len(now.shards) - len(waited_for),
        known=len(now.shards),
        latency=_seconds(max(latencies)) if latencies else NONE,
        servers=now.guilds,
    )
    if waited_for:
        yield say("not_ready", shards=", ".join(map(str, waited_for[:MOST_SHOWN])))
    ends = RECENTLY.outcomes()
    known = {str(end): ends.pop(end, 0) for end in ENDS}
    yield say("hour", **known, other=ends.total())
    half, most = RECENTLY.within(HALF), RECENTLY.within(MOST)
    if half is None or most is None:
        yield say("no_speed")
    else:
        yield say("speed", half=_seconds(half), most=_seconds(most))
    yield say("memory", own=_size(resident_bytes()), drawing=_size(now.worker_bytes))
    yield _store(settings, locale)
    yield _hub(settings, locale)
    other = differing(settings)
    yield say("settings", settings=", ".join(other)) if other else say("defaults")
    incidents = [HAPPENED.format(one.id, one.what, one.at) for one in RECENTLY.incidents]
    yield say("incidents", incidents=", ".join(incidents)) if incidents else say("no_incidents")


def _store(settings: Settings, locale: Locale) -> str:
    if not settings.store.enabled:
        return locale.say_on_discord("status_store_off")
    done = int(TRANSACTIONS.values.get(("ok",), 0))
    faults = int(sum(TRANSACTIONS.values.values())) - done
    kind = address_of(settings).kind
    return locale.say_on_discord("status_store", kind=kind, done=done, faults=faults)


def _hub(settings: Settings, locale: Locale) -> str:
    if not settings.hub.enabled:
        return locale.say_on_discord("status_hub_off")
    counts = {
        name: f"{HUB.values.get((name,), 0):.0f}" for name in ("found", "hit", "unknown", "failed")
    }
    return locale.say_on_discord("status_hub", **counts)


def differing(settings: Settings) -> list[str]:
    """The settings that are not the defaults, without secrets: `[log] level = debug`."""
    return [
        f"`[{name}] {key} = {shown(key, value, settings)}`"
        for name, section in settings
        if name in SECTIONS
        for key, value in section
        if key not in HIDDEN and value != type(section).model_fields[key].default
    ]


HIDDEN = ("token", "token_file", "url", "url_file", "cache_file")  # where secrets are, too


def _seconds(seconds: float) -> str:
    if seconds == inf:
        return "> 3 s"
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * THOUSAND:.0f} ms"


def _size(size: int | None) -> str:
    return NONE if size is None else f"{size / MIB:.0f} MiB"
