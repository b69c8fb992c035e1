"""What stands under each kind of answer.

What changes the question of an answer is a list, and changes the answer in its place; what only
looks at it, or leads to another answer, comes as a private reply beside it.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.locale import Locale
from bot.presenting.explanation import Titled
from bot.presenting.spoken import spoken
from bot.presses.ids import Action, id_of
from bot.presses.panel import Button, Offers, Option, Panel, Select
from bot.replies import (
    Answered,
    Explained,
    Indexed,
    OomExplained,
    Refused,
    Replied,
    Tabled,
    Weighed,
)  # fmt: skip
from bot.surface.limits import MOST_LABEL
from estimator import Task

HOW, SIZE = "how", "size"  # names of the two lists
TYPED = frozenset({"value"})  # of an option: words of a line
ALL = "all"  # the value of a list whose answers all may see, and of the button to all topics


def panel_of(
    found: Answered, locale: Locale, lines: Sequence[str], *, private: bool, pressed: str = ""
) -> Panel:
    """The panel of an answer; `lines`: those that its message offers, in their order.

    `private`: nobody else sees it. `pressed`: the words of the option that was chosen last.
    """
    match found:
        case Refused():
            name = id_of(Action.OPEN, "" if private else ALL)
            return _of_lines(lines, locale, "refused", private=True, name=name)
        case Replied():
            whole = found.presentation.line in lines
            return _of_answer(found, locale, private=private, pressed=pressed, whole=whole)
        case Weighed():
            names = [row.name for row in found.comparison.rows]
            return _of_lines(lines, locale, "open", names=names, exact=True, private=private)
        case Tabled():
            return _of_lines(lines, locale, "open", first=1, exact=True, private=private)
        case Explained():
            return _of_topic(found, lines, locale, private=private)
        case Indexed():
            chapters = found.contents.chapters
            return Panel(tuple(_of_topics(one.id, one.title, one.topics) for one in chapters))
        case OomExplained():
            return _of_lines(lines, locale, "remedies", private=private)


def _of_answer(
    found: Replied, locale: Locale, *, private: bool, pressed: str, whole: bool
) -> Panel:
    """Of an answer whose line stands in its message as a `whole`; another has no state."""
    offers = spoken(found.offers or Offers(), locale, kept=TYPED)
    words = locale.press
    copy = () if private else (_button(Action.COPY, locale),)
    if not (offers.readable and whole):
        return Panel(buttons=copy, note=words.sentences["too_long"])
    task = Task(found.answer.request.task)
    selects = (
        _select(id_of(Action.FIT), words.hints["fit"], offers.fit, ""),
        _select(id_of(Action.SET, HOW), words.hints[f"{task}_{HOW}"], offers.how, pressed),
        _select(id_of(Action.SET, SIZE), words.hints[f"{task}_{SIZE}"], offers.size, pressed),
    )
    looking = (Action.MATHS, Action.COMPARE, Action.EXACT, Action.MEASURED)
    return Panel(
        tuple(one for one in selects if one.options),
        (*(_button(one, locale, main=one is Action.MATHS) for one in looking), *copy),
    )


def _of_topic(found: Explained, lines: Sequence[str], locale: Locale, *, private: bool) -> Panel:
    """Of an explanation: its examples, and topics to go on with."""
    panel = _of_lines(lines, locale, "examples", private=private)
    shown = found.explanation
    related = (_of_topics("", shown.related_heading, shown.related),) if shown.related else ()
    to_all = Button(id_of(Action.TOPIC, ALL), locale.press.buttons["topics"])
    return replace(panel, selects=(*panel.selects, *related), buttons=(to_all, *panel.buttons))


def _of_topics(value: str, hint: str, topics: Sequence[Titled]) -> Select:
    """A list of topics, of which the whole title stands below where it is cut."""
    options = tuple(
        Option(one.title, one.id, one.title if len(one.title) > MOST_LABEL else "")
        for one in topics
    )
    return _select(id_of(Action.TOPIC, value), hint, options, "")


def told_apart(lines: Sequence[str]) -> list[str]:
    """The lines as labels: without the words that all begin with, where they are too long."""
    if max(map(len, lines), default=0) <= MOST_LABEL:
        return [*lines]
    words = [line.split() for line in lines]
    shared = 0
    while len({tuple(one[: shared + 1]) for one in words}) == 1 and shared < len(words[0]):
        shared += 1
    rest = [" ".join(one[shared:]) for one in words]
    return [f"… {one}" if one and shared else line for one, line in zip(rest, lines, strict=True)]


def _of_lines(
    lines: Sequence[str],
    locale: Locale,
    hint: str,
    *,
    names: Sequence[str] = (),
    first: int = 0,
    exact: bool = False,
    private: bool,
    name: str = "",
) -> Panel:
    """A list of the lines from the `first` on, by their `names` where each has one."""
    labels = names if len(names) == len(lines) else told_apart(lines)
    options = tuple(
        Option(label, str(n), line if label != line else "")
        for n, (label, line) in enumerate(zip(labels, lines, strict=True))
        if n >= first
    )
    select = _select(name or id_of(Action.OPEN), locale.press.hints[hint], options, "")
    buttons = [_button(Action.EXACT, locale)] if exact and lines else []
    buttons += [] if private else [_button(Action.COPY, locale)]
    return Panel((select,) if options else (), tuple(buttons))


def _select(name: str, hint: str, options: tuple[Option, ...], pressed: str) -> Select:
    """The list; what was chosen last is shown as chosen, if it holds."""
    holds = any(one.present and one.value == pressed for one in options)
    return Select(name, hint, options, pressed if holds else "")


def _button(action: Action, locale: Locale, *, main: bool = False) -> Button:
    return Button(id_of(action), locale.press.buttons[action], main)
