"""An out-of-memory message, and what was said of the run → its explanation."""

from collections.abc import Iterator

from bot.diagnosis.believing import believable
from bot.diagnosis.diagnose import diagnose
from bot.diagnosis.matching import card_words, cards_with
from bot.diagnosis.programs import program_of
from bot.presenting.oom import explain
from bot.presenting.present import refuse
from bot.ran import Estimating, Ran
from bot.reading.changing import CHANGES
from bot.reading.clean import MOST_CHARACTERS
from bot.reading.oom import read_oom
from bot.reading.oom.message import OomKind
from bot.reading.oom.places import place_of
from bot.reading.oom.spoken import spoken
from bot.reading.options import COMMAND, Options
from bot.replies import OomExplained, Refused, Replied

OOM = "oom"  # the command
SETTINGS = "settings"  # its option
OWN = (CHANGES, COMMAND, SETTINGS)  # options that are none of a question
EXAMPLE = (
    "oom CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
    "23.65 GiB of which 1.00 GiB is free."
)


def explain_oom(
    desk: Estimating, text: str, settings: str = "", options: Options | None = None
) -> OomExplained | Refused:
    """Why the message in `text` came, and what to do; refused where there is none in it.

    `settings`: a line that says what ran. `options`: of a command, beside it.
    """
    message = read_oom(text) or spoken(text)
    if message is None:
        return _no_message(desk, text)
    message = believable(message)
    program = program_of(message.kind, text, message.words.get("backend", ""))
    cards = cards_with(message, desk.catalog, text)
    own = {name: value for name, value in (options or {}).items() if name not in OWN}
    run = Ran(
        desk,
        message=message,
        program=program,
        card=card_words(message, cards),
        options=own,
        text=text,
    )
    apart = message.kind is not OomKind.INFO  # of a log all is the log
    found = run.of(settings) if settings.strip() else run.around(text) if apart else None
    replied = found if isinstance(found, Replied) else None
    answer = None if replied is None else replied.answer
    diagnosis = diagnose(message, answer, program, cards, place_of(text) if apart else None)
    notes = []
    if isinstance(found, Refused):
        notes.append(desk.locale.oom.sentences["settings_wrong"].format(wrong=found.refusal.wrong))
    shown = explain(
        diagnosis,
        desk.locale,
        run=answer,
        lines=() if replied is None else (replied.presentation.line,),
        notes=notes,
    )
    strange = "" if found is None else found.strange
    return OomExplained(shown, diagnosis, replied, strange)


def _no_message(desk: Estimating, text: str) -> Refused:
    """What to paste; a question is offered as one."""
    key = "nothing_found" if text.strip() else "empty"
    lines = tuple(_question(desk, text)) or (EXAMPLE,)
    shown = refuse("", desk.locale.oom.sentences[key], lines, desk.locale)
    return Refused(shown, "no_oom_message", {})


def _question(desk: Estimating, text: str) -> Iterator[str]:
    found = desk.estimate(text) if len(text) <= MOST_CHARACTERS else None
    if isinstance(found, Replied):
        yield found.presentation.line
