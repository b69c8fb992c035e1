"""What the cards of a class talk over, and what sharing the work sends over it.

How long that takes at least is bytes over GB/s, both facts; how much of it hides behind
computing is not known, so nothing is said of that.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from estimator.breakdown import Basis, Line
from estimator.gpu_rows import Gpu, Link
from estimator.memory.sharding import SHARDED_WEIGHTS
from estimator.memory.weights import weights
from estimator.setup import ServeSetup, Setup, TrainSetup
from estimator.trained import all_of, groups
from estimator.units import GB, MILLION
from estimator.words import Strategy

PCIE_MEGATRANSFERS = {1: 2_500, 2: 5_000, 3: 8_000, 4: 16_000, 5: 32_000}  # a second, a lane
EIGHT_OF_TEN = Fraction(8, 10)  # how generations 1 and 2 encode bits
PLAIN_BITS = Fraction(128, 130)  # and later ones
TWICE_ENCODED = 2
SUMS_A_BLOCK = 2  # all-reduces of a forward pass: behind attention, and behind the MLP

WHOLE_WEIGHTS = (Strategy.ZERO1, Strategy.ZERO2, Strategy.DDP)


class Reach(StrEnum):
    """How far a fast link goes."""

    ALL = "all"  # between all cards of a machine
    PAIRS = "pairs"  # a bridge, between two
    NONE = "none"  # PCIe, through the host


@dataclass(frozen=True, slots=True)
class Path:
    """What a card's link is: `each_way`: bytes a second in one direction, where it is known."""

    card: str
    kind: str
    generation: int | None
    lanes: int | None
    reach: Reach
    each_way: int | None


def pcie(generation: int, lanes: int) -> Path:
    """A slot's link, whatever is in it."""
    link = Link(kind="pcie", generation=generation, lanes=lanes)
    return Path("", "pcie", generation, lanes, Reach.NONE, _each_way(link))


def path_of(gpu: Gpu) -> Path | None:
    """The link of a card; none where the table has none."""
    link = gpu.link
    if link is None:
        return None
    reach = Reach.ALL
    if link.kind == "pcie":
        reach = Reach.NONE
    elif link.bridge:
        reach = Reach.PAIRS
    return Path(gpu.name, link.kind, link.generation, link.lanes, reach, _each_way(link))


def paths_of(gpus: Iterable[Gpu]) -> tuple[Path, ...]:
    """The links of several cards, in their order: of a class the commonest card's first."""
    return tuple(path for gpu in gpus if (path := path_of(gpu)) is not None)


def _each_way(link: Link) -> int | None:
    if link.kind == "pcie" and link.generation in PCIE_MEGATRANSFERS and link.lanes:
        bits = EIGHT_OF_TEN if link.generation <= TWICE_ENCODED else PLAIN_BITS
        rate = PCIE_MEGATRANSFERS[link.generation] * MILLION * link.lanes
        return int(rate * bits / 8)
    if link.gbs is None or link.kind == "pcie":
        return None
    return round(link.gbs * GB / 2)


def sent(setup: Setup) -> Line | None:
    """Bytes that each card sends while the work is shared, for a step or to read the prompt.

    Of a training step: weights that are sharded are gathered for forward and for backward,
    gradients reduced once, in each micro-step; weights that are whole are sent once behind
    the optimizer's step, gradients reduced. Of a prompt under tensor parallelism: two sums a
    block over all cards. Each collective of N bytes sends N × (cards - 1) ÷ cards, a sum
    twice that. None of one card, and of layers that are dealt out, which send a state a token.
    Left out: optimizer states, which never travel; latency.
    """
    if setup.world == 1:
        return None
    return _of_step(setup) if isinstance(setup, TrainSetup) else _of_prompt(setup)


def _of_step(setup: TrainSetup) -> Line | None:
    if setup.strategy not in (*SHARDED_WEIGHTS, *WHOLE_WEIGHTS):
        return None
    held = sum(line.bytes for line in weights(setup.shape.architecture, setup.numbers))
    trained = sum(tensor.parameters for tensor in all_of(groups(setup)))
    gradients = trained * setup.grads.bytes_per_block
    sharded = setup.strategy in SHARDED_WEIGHTS
    # weights that are whole: what was updated is sent, in the type that gradients have
    gathered = held if sharded else gradients
    times = 2 if sharded else 1
    steps = setup.accumulation if sharded else 1
    cards = setup.world
    return Line(
        key="sent",
        bytes=-(-(times * gathered + gradients) * steps * (cards - 1) // cards),
        formula="ceil((times × gathered + gradients) × micro_steps × (cards - 1) ÷ cards)",
        terms={
            "times": times,
            "gathered": gathered,
            "gradients": gradients,
            "micro_steps": steps,
            "cards": cards,
        },
        source="zero-2019",
        basis=Basis.DERIVED,
    )


def _of_prompt(setup: ServeSetup) -> Line | None:
    if setup.strategy is not Strategy.TP:
        return None
    architecture, cards = setup.shape.architecture, setup.world
    half = setup.numbers.compute.bytes_per_block
    blocks, width = architecture.depth, architecture.hidden
    whole = 2 * SUMS_A_BLOCK * blocks * setup.prompt * width * half
    return Line(
        key="sent",
        bytes=-(-whole * (cards - 1) // cards),
        formula="ceil(2 × sums × blocks × tokens × width × compute_bytes × (cards - 1) ÷ cards)",
        terms={
            "sums": SUMS_A_BLOCK,
            "blocks": blocks,
            "tokens": setup.prompt,
            "width": width,
            "compute_bytes": half,
            "cards": cards,
        },
        source="megatron-tensor-parallel",
        basis=Basis.DERIVED,
    )
