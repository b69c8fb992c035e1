"""A question that may need the Hub: what is known is answered at once, the rest is looked up."""

from collections.abc import Awaitable, Callable

from bot.ask import Answered, Desk
from bot.reading.options import Options

Advise = Callable[[Desk, Answered], Awaitable[Answered]]


async def unadvised(_: Desk, found: Answered) -> Answered:
    """The answer alone."""
    return found


async def known(
    desk: Desk, text: str, options: Options | None = None, advise: Advise = unadvised
) -> tuple[Answered, bool]:
    """What can be said without the network; and whether the Hub would have to be asked.

    `advise` adds what would make it fit.
    """
    found = desk.ask(text, options)
    if not found.strange or desk.hub is None:
        return await advise(desk, found), False
    outcome = await desk.hub.recall(found.strange)
    if outcome is None:
        return found, True
    heard = desk.having_heard(outcome)
    return await advise(heard, heard.ask(text, options)), False


async def looked_up(
    desk: Desk,
    found: Answered,
    text: str,
    options: Options | None = None,
    advise: Advise = unadvised,
) -> Answered:
    """The answer to the same question after the Hub was asked."""
    if desk.hub is None:
        return await advise(desk, found)
    outcome = await desk.hub.look_up(found.strange)
    heard = desk.having_heard(outcome)
    return await advise(heard, heard.ask(text, options))


async def _at_once(desk: Desk, found: Answered) -> Answered:
    return desk.advised(found)


def ask_and_wait(desk: Desk, text: str) -> Answered:
    """The answer with advice, and the network if it takes that; for a terminal, which can wait."""
    found = desk.ask(text)
    if not found.strange or desk.hub is None:
        return desk.advised(found)
    import asyncio  # noqa: PLC0415  (a question about a known model does not wait for it)

    return asyncio.run(looked_up(desk, found, text, advise=_at_once))
