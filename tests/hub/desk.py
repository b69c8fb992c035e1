"""A desk that asks the stand-in, and its answer to one line."""

from bot.ask import Answered, Desk, Hub, Refused, Replied
from bot.asking import known, looked_up
from bot.locale import load_locale
from bot.reading.options import Options
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())  # its vocabulary takes longest
PLAIN = Desk(load_locale(), load_catalog(), reader=READER)


def desk_of(hub: Hub | None) -> Desk:
    return Desk(load_locale(), load_catalog(), hub, reader=READER)


async def asked(hub: Hub, line: str, options: Options | None = None) -> Answered:
    """The answer to `line`, with the Hub where it takes that."""
    desk = desk_of(hub)
    found, unknown = await known(desk, line, options)
    return await looked_up(desk, found, line, options) if unknown else found


async def replied(hub: Hub, line: str, options: Options | None = None) -> Replied:
    """The same, where there has to be one."""
    found = await asked(hub, line, options)
    assert isinstance(found, Replied), found.document()["error"]
    return found


async def refused(hub: Hub, line: str) -> tuple[str, str]:
    """(code, sentence) of a refusal, where there has to be one."""
    found = await asked(hub, line)
    assert isinstance(found, Refused)
    assert found.refusal.lines
    return found.code, found.refusal.wrong
