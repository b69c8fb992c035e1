"""Whether a text is a question or an out-of-memory message: people paste one anywhere."""

import re
from abc import abstractmethod

from bot.compiled import compiled
from bot.diagnosing import OOM, SETTINGS, explain_oom
from bot.explaining.guide import EXPLAIN, Guide
from bot.localised import in_english
from bot.ran import Estimating
from bot.reading.changing import CHANGES
from bot.reading.oom import read_oom
from bot.reading.oom.message import OomKind
from bot.reading.oom.spoken import spoken
from bot.reading.options import COMMAND, Options
from bot.replies import Answered, Explained, OomExplained, Refused, Unfinished

ASKS = compiled(r"\?|\b(?:why|what|how|when|does|should|can|is it)\b", re.IGNORECASE)

TYPED = compiled(r"\s*/\s*vram\s+", re.IGNORECASE)
NO_MODEL = ("no_model", "unknown_word", "no_topic")  # refusals of what may be no question at all


class Dispatching(Estimating):
    """A desk's entries: what is a message is explained, all else is a question for the desk."""

    @property
    @abstractmethod
    def guide(self) -> Guide:
        """Who answers what is to be explained."""

    def ask(self, text: str, options: Options | None = None) -> Answered:
        """What there is to say to `text`; never raises for what a line can hold.

        `options` stand beside the text and win over it: see `bot.reading.options`.
        """
        found = self.begin(text, options)
        return found.finish() if isinstance(found, Unfinished) else found

    def begin(self, text: str, options: Options | None = None) -> Answered | Unfinished:
        """The same, but what takes a while is left to be finished by whoever asks.

        A message with sizes is explained. One without (`I get CUDA out of memory with 7B lora`)
        and lines of a log are explained where they are no question that can be answered, and so
        is what a program is said to say (`sglang says not enough memory`). Where it
        replies to an answer, that says what ran.
        """
        if options and options.get(COMMAND) == EXPLAIN:
            return self.guide.answer(text)
        text = _by_its_english_name(text)
        if options and options.get(COMMAND) == OOM:
            return explain_oom(self, text, str(options.get(SETTINGS, "")), options)
        message = read_oom(text)
        if message is None:
            found = self.question(text, options)
            if not (isinstance(found, Refused) and _names_nothing(found) and spoken(text)):
                return found
        elif message.incomplete or message.kind is OomKind.INFO:
            found = self.question(text, options)
            topic = isinstance(found, Explained) and not ASKS.search(text)
            if not isinstance(found, Refused) and not topic:
                return found
        before, *_ = str((options or {}).get(CHANGES, "")).splitlines() or [""]
        return explain_oom(self, text, before, options)

    def explain_oom(self, text: str, settings: str = "") -> OomExplained | Refused:
        """Why the out-of-memory message in `text` came; `settings`: a line that says what ran."""
        return explain_oom(self, text, settings)


def _by_its_english_name(text: str) -> str:
    """A text that begins as commands are shown in some language: `/vram trainieren 7B`."""
    typed = TYPED.match(text)
    return text if typed is None else f"{typed[0]}{in_english(text[typed.end() :])}"


def _names_nothing(found: Refused) -> bool:
    """Whether a question was refused that may be none: it names no model."""
    return found.code in NO_MODEL and "model" not in found.understood
