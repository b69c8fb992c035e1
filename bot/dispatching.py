"""Whether a text is a question or an out-of-memory message: people paste one anywhere."""

import re

from bot.diagnosing import OOM, SETTINGS, explain_oom
from bot.ran import Estimating
from bot.reading.changing import CHANGES
from bot.reading.oom import read_oom
from bot.reading.oom.message import OomKind
from bot.reading.oom.spoken import spoken
from bot.reading.options import COMMAND, Options
from bot.replies import Answered, Explained, OomExplained, Refused, Unfinished

ASKS = re.compile(r"\?|\b(?:why|what|how|when|does|should|can|is it)\b", re.IGNORECASE)

NO_MODEL = ("no_model", "unknown_word")  # refusals of what may be no question at all


class Dispatching(Estimating):
    """A desk's entries: what is a message is explained, all else is a question for the desk."""

    def ask(self, text: str, options: Options | None = None) -> Answered:
        """What there is to say to `text`; never raises for what a line can hold.

        `options` stand beside the text and win over it: see `bot.reading.options`.
        """
        found = self.begin(text, options)
        return found.finish() if isinstance(found, Unfinished) else found

    def begin(self, text: str, options: Options | None = None) -> Answered | Unfinished:
        """The same, but what takes a while is left to be finished by whoever asks.

        A message with sizes is explained. One without (`I get CUDA out of memory with 7B lora`)
        and lines of a log are explained where they are no question that can be answered. Where
        it replies to an answer, that says what ran.
        """
        if options and options.get(COMMAND) == OOM:
            return explain_oom(self, text, str(options.get(SETTINGS, "")), options)
        message = read_oom(text)
        if message is None:
            return self._spoken(text, options)
        if message.incomplete or message.kind is OomKind.INFO:
            found = self.question(text, options)
            topic = isinstance(found, Explained) and not ASKS.search(text)
            if not isinstance(found, Refused) and not topic:
                return found
        before, *_ = str((options or {}).get(CHANGES, "")).splitlines() or [""]
        return explain_oom(self, text, before, options)

    def _spoken(self, text: str, options: Options | None) -> Answered | Unfinished:
        """The answer to a question; of one that names no model, the message that it speaks of."""
        found = self.question(text, options)
        nothing = isinstance(found, Refused) and found.code in NO_MODEL
        return explain_oom(self, text) if nothing and spoken(text) is not None else found

    def explain_oom(self, text: str, settings: str = "") -> OomExplained | Refused:
        """Why the out-of-memory message in `text` came; `settings`: a line that says what ran."""
        return explain_oom(self, text, settings)
