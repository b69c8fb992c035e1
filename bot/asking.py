"""A question that may need the Hub: what is known is answered at once, the rest is looked up."""

from bot.ask import Desk, Refused, Replied, Weighed
from bot.planned import planned, wants_plan
from bot.reading.options import Options

Answered = Replied | Weighed | Refused


async def known(desk: Desk, text: str, options: Options | None = None) -> tuple[Answered, bool]:
    """What can be said without the network; and whether the Hub would have to be asked."""
    found = desk.ask(text, options)
    if not found.strange or desk.hub is None:
        return await planned_beside(desk, found), False
    outcome = await desk.hub.recall(found.strange)
    if outcome is None:
        return found, True
    heard = desk.having_heard(outcome)
    return await planned_beside(heard, heard.ask(text, options)), False


async def looked_up(
    desk: Desk, found: Answered, text: str, options: Options | None = None
) -> Answered:
    """The answer to the same question after the Hub was asked."""
    if desk.hub is None:
        return found
    heard = desk.having_heard(await desk.hub.look_up(found.strange))
    return await planned_beside(heard, heard.ask(text, options))


async def planned_beside(desk: Desk, found: Answered) -> Answered:
    """The answer with its plan, which is worked out beside the event loop: others go on."""
    if not wants_plan(found):
        return found
    import asyncio  # noqa: PLC0415  (a terminal without a plan does without it)

    return await asyncio.to_thread(planned, desk, found)


def ask_and_wait(desk: Desk, text: str) -> Answered:
    """The answer, with the network if it takes that; for a terminal, which can wait."""
    found = desk.ask(text)
    if not found.strange or desk.hub is None:
        return planned(desk, found)
    import asyncio  # noqa: PLC0415  (a question about a known model does not wait for it)

    return asyncio.run(looked_up(desk, found, text))
