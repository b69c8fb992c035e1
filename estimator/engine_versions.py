"""What changed from one version of an engine to the next, where that moves memory."""

from enum import StrEnum
from typing import Annotated, NamedTuple

from pydantic import Field, PositiveFloat, PositiveInt

from estimator.tensors import Count, Row


class Runner(StrEnum):
    """Which models an engine's second model runner serves (vLLM's V2)."""

    NONE = "none"
    DENSE = "dense"  # all but routed experts and layers with a state
    ALL = "all"


class Span(NamedTuple):
    """What was measured, and between which ends, in MiB."""

    low_mib: int
    mib: int
    high_mib: int


class EngineVersion(Row):
    """An engine from version `since` on, until the next row.

    `sampled_bytes`: of each sequence and word of the vocabulary, what sampling holds beside
    the logits in the type computed in; `second_sampled_bytes`: the same of the second runner,
    which also keeps counts of the words that were put out. `sorts_in_place`: a kernel with a
    row of the vocabulary for each multiprocessor does what sorting did. `keeps_experts`: what
    routed experts work in stays allocated. `pads_images`: each image of the profile is held as
    wide as all may be together. `graphs_inside`: CUDA graphs come out of the share of the card.
    `graph_step`: how far sizes that are captured lie apart above `graph_dense`.
    """

    since: Annotated[str, Field(pattern=r"^\d+(\.\d+)*$")]
    utilisation: PositiveFloat
    sampled_bytes: Count
    second_sampled_bytes: Count = 0
    second_runner: Runner = Runner.NONE
    sorts_in_place: bool = False
    keeps_experts: bool = False
    pads_images: bool = False
    graphs_inside: bool = False
    graph_step: PositiveInt = 16
    spares_a100: bool = True  # the A100 gets the step of smaller cards
    widest_step: bool = False  # cards from 160 GiB get a wider one
    runtime: Span
    runtime_several: Span
    sources: Annotated[tuple[str, ...], Field(min_length=1)]


def release(version: str) -> tuple[int, ...]:
    """`0.11.0` as numbers to compare; what is no number ends it (`0.9.0rc1`)."""
    numbers: list[int] = []
    for part in version.lstrip("v").split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)
