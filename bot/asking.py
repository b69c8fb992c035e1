"""A question that may need the Hub: what is known is answered at once, the rest is looked up.

An answer of many estimates is made in a thread of its own: one at a time, so that it takes no
more than half of the time of those who are answered here. What it waits for is nobody's turn.
"""

from collections.abc import Sequence

from bot.advised import advised
from bot.ask import Answered, Desk
from bot.ops.threads import Threads
from bot.planned import planned
from bot.reading.facts import NotUnderstoodError
from bot.reading.languages import language_of
from bot.reading.options import Options
from bot.remedying import remedied
from bot.replies import OomExplained, Replied, Unfinished, Weighed
from bot.teamed import teamed
from estimator import can_answer

_ASIDE = Threads(max_workers=1, thread_name_prefix="tables")


def heard(desk: Desk, text: str) -> Desk:
    """The desk that answers in the language of `text`."""
    return desk.speaking(language_of(text))


def is_opening(desk: Desk) -> bool:
    """Whether what its answers take is still being made, as right after a start."""
    return desk.opening is not None and not desk.opening.done()


async def opened(desk: Desk) -> None:
    """Return once a desk that was just opened can answer; what it takes is made aside."""
    if desk.opening is not None and is_opening(desk):
        import asyncio  # noqa: PLC0415  (a terminal does not wait for it)

        await asyncio.wait({desk.opening})


async def known(desk: Desk, text: str, options: Options | None = None) -> tuple[Answered, bool]:
    """What can be said without the network; and whether the Hub would have to be asked."""
    await opened(desk)
    found = await answered(desk, text, options)
    if not found.strange or desk.hub is None:
        return found, False
    outcome = await desk.hub.recall(found.strange)
    if outcome is None:
        return found, True
    return await answered(desk.having_heard(outcome), text, options), False


async def answered(desk: Desk, text: str, options: Options | None = None) -> Answered:
    """What the desk says; what takes a while holds up nobody else."""
    key = desk.key_of(text, options)
    found = desk.answers.recall(key)
    if found is None:
        found, whole = await _worked_out(desk, text, options)
        if whole and not found.strange and not isinstance(found, OomExplained):
            desk.answers.keep(key, found)
    return found


def begun(desk: Desk, text: str, options: Options | None = None) -> Answered | Unfinished:
    """What can be said at once, without advice; a press asks that of an answer's line again."""
    key = desk.key_of(text, options)
    kept = desk.begun.recall(key)
    if kept is not None:
        return kept
    found = desk.begin(text, options)
    if not (isinstance(found, Unfinished | OomExplained) or found.strange):
        desk.begun.keep(key, found)
    return found


async def _worked_out(desk: Desk, text: str, options: Options | None) -> tuple[Answered, bool]:
    """What the desk says, and whether that is all there is to say."""
    found = begun(desk, text, options)
    if not isinstance(found, Unfinished):
        return await completed_beside(desk, found)
    import asyncio  # noqa: PLC0415  (a terminal does not wait for it)

    return await asyncio.get_running_loop().run_in_executor(_ASIDE, found.finish), True


async def looked_up(
    desk: Desk, found: Answered, text: str, options: Options | None = None
) -> Answered:
    """The answer to the same question after the Hub was asked."""
    if desk.hub is None:
        return found
    outcome = await desk.hub.look_up(found.strange)
    return await answered(desk.having_heard(outcome), text, options)


async def knowing(desk: Desk, lines: Sequence[str]) -> Desk:
    """The desk that knows the model of an answer's `lines`, if it is on the Hub.

    Another process may have asked about it, or this one long ago.
    """
    for line in lines:
        try:
            desk.reader.read(line)
        except NotUnderstoodError as error:
            if error.strange and desk.hub is not None:
                heard = await desk.hub.recall(error.strange)
                heard = heard or await desk.hub.look_up(error.strange)
                return desk.having_heard(heard)
    return desk


async def own_desk(desk: Desk, found: Answered) -> Desk:
    """The desk that knows an answer's model: what the Hub told of it is remembered."""
    if not isinstance(found, Replied) or desk.hub is None:
        return desk
    request = found.answer.request
    if request.model is None or can_answer(request, desk.catalog):
        return desk
    outcome = await desk.hub.recall(request.model)
    return desk if outcome is None else desk.having_heard(outcome)


def completed(desk: Desk, found: Answered) -> Answered:
    """The answer with the cards that would do it, what would make it fit, and the team's."""
    if isinstance(found, OomExplained):
        return remedied(desk, found)
    return teamed(desk, advised(desk, planned(desk, found)))


def warmed(desk: Desk) -> Desk:
    """The desk, having answered once: what a first question has to make is made."""
    from bot.presses.offering import offered  # noqa: PLC0415  (a terminal does without it)

    offered(desk, completed(desk, desk.ask(desk.examples[0])))
    desk.ahead(desk.examples[0], {})
    return desk


async def completed_beside(desk: Desk, found: Answered) -> tuple[Answered, bool]:
    """The same, worked out beside the event loop: others go on. And whether there was time."""
    if not isinstance(found, Replied | OomExplained) and not _has_a_word(desk, found):
        return found, True
    from bot.completing import COMPLETING  # noqa: PLC0415  (a terminal does without it)
    from bot.presses.offering import offered  # noqa: PLC0415

    return await COMPLETING.run(lambda: offered(desk, completed(desk, found)), found)


def _has_a_word(desk: Desk, found: Answered) -> bool:
    """Whether a comparison gets a word on each side about a team's cards."""
    return desk.team is not None and isinstance(found, Weighed)


def ask_and_wait(desk: Desk, text: str, options: Options | None = None) -> Answered:
    """The answer, with the network if it takes that; for a terminal, which can wait."""
    found = desk.ask(text, options)
    if not found.strange or desk.hub is None:
        return completed(desk, found)
    import asyncio  # noqa: PLC0415  (a question about a known model does not wait for it)

    return asyncio.run(looked_up(desk, found, text, options))
