"""What is asked: lines as people type them, in ten languages.

None comes a second time soon, unless few are wanted.

Half are the questions that reading is scored by, with a length in an option beside them that
differs each time. The other half are put together, as short as people type what they know.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bot.languages import SPOKEN
from tests.accuracy import queries

FOLDER = Path(queries.__file__).parent
LONGEST = 300  # characters of a line that somebody types
LENGTHS = (256, 8192)  # tokens, from and to
LENGTH_OF = {"train": "seq", "infer": "context"}  # the option that is a length
AT_HOME = "en-US"  # as Discord names it
COMMANDS = ("train", "infer", "fit", "compare")

MODELS = (
    *("7B", "8B", "13B", "llama 3.1 8b", "mistral 7b", "qwen2.5 7b", "qwen 2.5 14b", "gemma 2 9b"),
    *("phi-4", "llama 3.1 70b", "qwen2.5-32b", "mixtral 8x7b", "llama 3.2 3b", "yi 34b"),
)
WAYS = ("lora", "qlora", "full", "dora", "lora r=64", "qlora adamw 8bit", "full adafactor")
FORMATS = ("q4_k_m", "q8_0", "fp16", "awq", "bf16", "q5_k_m", "fp8", "int8")
CARDS = ("", "3090", "4090", "2x3090", "a100 80gb", "8xh100", "rtx 4060 ti 16gb", "4x a6000")


@dataclass(frozen=True)
class Question:
    """One line to one command, by somebody whose Discord speaks `locale`."""

    command: str
    line: str
    locale: str
    options: tuple[tuple[str, int], ...] = ()

    @property
    def typed(self) -> dict[str, str | int]:
        """The options of the command, by name."""
        return {"query": self.line, **dict(self.options)}


def kept() -> tuple[Question, ...]:
    """The questions with an answer of those that reading is scored by, as short as one line."""
    files = (FOLDER / "own_queries.jsonl", *sorted((FOLDER / "languages").glob("*.jsonl")))
    return tuple(question for file in files for question in _of(file))


def _of(file: Path) -> Iterator[Question]:
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text, command = row["text"], row["intent"]
        answered = row["outcome"] == "answer" and command in COMMANDS
        if answered and len(text) <= LONGEST and "\n" not in text:
            yield Question(command, text, file.stem if file.stem in SPOKEN else AT_HOME)


def questions(seed: int, distinct: int = 0) -> Iterator[Question]:
    """As many as are wanted; some of so many `distinct` ones, or always another where that is 0."""
    chance = Random(seed)  # noqa: S311 - a choice, no secret
    made = _made(chance)
    if not distinct:
        yield from made
    few = [next(made) for _ in range(distinct)]
    while True:
        yield chance.choice(few)


def _made(chance: Random) -> Iterator[Question]:
    scored = kept()
    while True:
        for question in chance.sample(scored, len(scored)):
            yield _with_length(question, chance)
            yield _put_together(chance)


def _with_length(question: Question, chance: Random) -> Question:
    name = LENGTH_OF.get(question.command)
    options = () if name is None else ((name, chance.randint(*LENGTHS)),)
    return Question(question.command, question.line, question.locale, options)


def _put_together(chance: Random) -> Question:
    model, cards, length = chance.choice(MODELS), chance.choice(CARDS), chance.randint(*LENGTHS)
    if chance.random() < 1 / 2:
        words = (model, chance.choice(WAYS), f"bs {chance.randint(1, 16)} seq {length}", cards)
        return Question("train", " ".join(words).strip(), AT_HOME)
    words = (model, chance.choice(FORMATS), f"ctx {length}", cards)
    return Question("infer", " ".join(words).strip(), AT_HOME)
