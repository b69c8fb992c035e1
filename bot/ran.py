"""What ran out of memory, as far as it is said, estimated on the card that the message is of.

Settings say it, or words around the message; the message itself says the card by its total, what
others hold of that by its processes, and the engine and the window where a server wrote it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Protocol

from bot.compiled import compiled
from bot.diagnosis.card import on_card
from bot.diagnosis.diagnosis import Program
from bot.diagnosis.values import count
from bot.locale import Locale
from bot.reading.oom.around import settings_around
from bot.reading.oom.message import OomMessage
from bot.reading.options import Options
from bot.reading.write import write_line
from bot.replies import Answered, Asked, Refused, Replied, Unfinished
from estimator import Catalog, Task

TRAINING = compiled(r"train|fine-?tun|lora|\.backward\(|optimizer", re.IGNORECASE)
SERVERS: Mapping[Program, str] = {
    Program.VLLM: "vllm",
    Program.SGLANG: "sglang",
    Program.TENSORRT_LLM: "tensorrt_llm",
    Program.LLAMA_CPP: "llama.cpp",
    Program.OLLAMA: "ollama",
    Program.LM_STUDIO: "llama.cpp",
}


class Estimating(Protocol):
    """What of a desk is needed: estimates, and whose words and tables they are of."""

    @property
    def catalog(self) -> Catalog:
        """The tables."""

    @property
    def locale(self) -> Locale:
        """The language."""

    def estimate(self, text: str, options: Options | None = None) -> Asked | Unfinished:
        """The estimate that a line asks for."""

    def question(self, text: str, options: Options | None = None) -> Answered | Unfinished:
        """The answer to what is no message."""


class Ran:
    """What ran, as far as it is said: asked of the desk, on the message's card."""

    def __init__(
        self,
        desk: Estimating,
        *,
        message: OomMessage,
        program: Program,
        card: str,
        options: Options,
        text: str,
    ) -> None:
        self._desk, self._program, self._card = desk, program, card
        self._others = on_card(message).others_bytes
        self._options = options
        self._task = _task(program, text)
        self._window = count(message, "max_seq_len", "max_model_len")

    def of(self, settings: str) -> Replied | Refused | None:
        """The estimate of what `settings` say, or why there is none."""
        found = self._asked(settings, self._options)
        if isinstance(found, Refused) and self._task:
            found = self._better(found, settings, {**self._options, "task": self._task})
        if not isinstance(found, Replied):
            return found
        return self._on_the_card(settings, found)

    def around(self, text: str) -> Replied | None:
        """The estimate of the first piece around the message that is a question."""
        pieces = settings_around(text) or (("",) if "model" in self._options else ())
        found = (self.of(piece) for piece in pieces)
        return next((one for one in found if isinstance(one, Replied)), None)

    def _on_the_card(self, settings: str, found: Replied) -> Replied:
        """The same on the engine and the card of the message, with what others hold of it."""
        options = {**self._options, "task": str(found.fields["task"])}
        for name, value in self._said_by_message(found):
            better = self._better(found, settings, {**options, name: value})
            if isinstance(better, Replied) and better is not found:
                found, options = better, {**options, name: value}
        if self._others and "gpus" in found.fields and "in_use_bytes" not in found.fields:
            line = write_line({**found.fields, "in_use_bytes": self._others})
            beside = self._better(found, line, {})
            return beside if isinstance(beside, Replied) else found
        return found

    def _said_by_message(self, found: Replied) -> Iterator[tuple[str, str | int]]:
        """Options that the message says and the settings leave open."""
        if found.fields.get("task") == Task.INFER:
            if self._program in SERVERS and "engine" not in found.fields:
                yield "engine", SERVERS[self._program]
            if self._window and not {"context", "find"} & set(found.fields):
                yield "context", self._window
        if self._card and not {"gpus", "world"} & set(found.fields):
            yield "gpus", self._card

    def _better(
        self, found: Replied | Refused, text: str, options: Options
    ) -> Replied | Refused | None:
        """The answer to `text`, if there is one; else `found`."""
        again = self._asked(text, options)
        return again if isinstance(again, Replied) else found

    def _asked(self, text: str, options: Options) -> Replied | Refused | None:
        found = self._desk.estimate(text, options)
        return found if isinstance(found, Replied | Refused) else None


def _task(program: Program, text: str) -> str:
    """What a line is about that leaves that open: servers serve, and training says so."""
    if program in SERVERS:
        return Task.INFER
    return Task.TRAIN if TRAINING.search(text) else ""
