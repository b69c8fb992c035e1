"""What an answer is naturally held against: the other ways to train, or the other formats."""

from collections.abc import Sequence
from typing import Any

from bot.ask import Desk
from bot.presses.of_serving import GGUF
from bot.reading.write import write_line
from bot.replies import Replied
from estimator import EstimatorError, TrainSetup, can_answer, parse_request

METHODS = ("full", "lora", "qlora")
FORMATS = ("bf16", "fp8", "awq4")
SIDES = 4


def neighbours_of(desk: Desk, found: Replied) -> str:
    """The words, below an answer, that compare it with its neighbours; empty where it has none."""
    setup = found.answer.setup
    if isinstance(setup, TrainSetup):
        sides = _with(METHODS, setup.method)
        words = [write_line({"method": one}) for one in sides]
    else:
        own = setup.numbers.format.id
        packed = own.startswith("gguf:")
        near = _near(own) if packed else _with(FORMATS, own)
        sides = [one for one in near if one == own or _is_accepted(desk, found, one)]
        bits = setup.request.bpw
        words = [write_line({"weights": one, "bpw": bits if one == own else None}) for one in sides]
    return f"compare {' vs '.join(words)}" if len(words) > 1 else ""


def _with(usual: Sequence[str], own: str) -> list[str]:
    return [*usual] if own in usual else [own, *usual]


def _near(own: str) -> list[str]:
    """The formats of GGUF next to it, it among them."""
    ladder = [*GGUF] if own in GGUF else [own, *GGUF]
    first = max(0, min(ladder.index(own) - 1, len(ladder) - SIDES))
    return ladder[first : first + SIDES]


def _is_accepted(desk: Desk, found: Replied, weights: str) -> bool:
    fields: dict[str, Any] = {**found.fields, "weights": weights, "bpw": None, "group_size": None}
    try:
        return can_answer(parse_request(fields), desk.catalog)
    except EstimatorError:
        return False
