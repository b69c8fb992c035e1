"""How cards can share the work, as a request says it: the plan's candidates, in order.

One card first. Then what a person would choose first: of full training what shards least and
already does, then what shards all; adapters under FSDP; of serving what the engine does by
itself. What lies in the host's memory comes last, since every step waits for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from estimator.memory.sharding import SHARDED
from estimator.request import GpuCount, Request, TrainRequest
from estimator.resolve_precision import ADAPTERS
from estimator.units import KIB
from estimator.words import Offload, Strategy

MOST_PLANNED = KIB  # cards; larger runs than that are planned by people
IN_ONE_BOX = 8  # cards of the largest usual machine
OF_SERVING = ("tp", "pp", "cp", "ep", "dp")
UNDER_FSDP = ("litgpt", "torchtune", "torchtitan", "fsdp_qlora")  # programs that shard only so
ON_WEIGHTS = (Offload.PARAMS, Offload.BOTH)


@dataclass(frozen=True, slots=True)
class Way:
    """How the cards of a candidate share the work; none: as the estimator takes it itself."""

    strategy: Strategy | None = None
    offload: Offload | None = None


def ways_of(request: Request, count: int) -> tuple[Way, ...]:
    """The ways that `count` cards may share what is asked, the first choice first."""
    own = request.offload
    if not isinstance(request, TrainRequest):
        kept = request.strategy if request.strategy is Strategy.DEVICE_MAP else None
        return (Way(kept, own),)
    if count == 1:
        return (Way(None, None if own in ON_WEIGHTS else own),)
    return tuple(Way(strategy, own) for strategy in _strategies(request))


def offloading_ways(request: Request) -> tuple[Way, ...]:
    """The ways that leave something to the host; none where that was asked for, or is no way."""
    asked = request.offload not in (None, Offload.NONE)
    if asked or not isinstance(request, TrainRequest):
        return ()
    if request.method in ADAPTERS:  # whose weights alone are worth moving
        return (Way(Strategy.FSDP, Offload.BOTH),)
    return (Way(Strategy.ZERO2, Offload.OPTIMIZER), Way(Strategy.ZERO3, Offload.BOTH))


def _strategies(request: TrainRequest) -> Iterator[Strategy]:
    """The asker's own choice first."""
    usual: tuple[Strategy, ...] = (Strategy.FSDP, Strategy.ZERO3)
    if request.framework in UNDER_FSDP:
        usual = (Strategy.FSDP,)
    elif request.offload is Offload.OPTIMIZER:  # FSDP moves weights along
        usual = (Strategy.ZERO2, Strategy.ZERO3)
    elif request.method not in ADAPTERS and request.offload not in ON_WEIGHTS:
        usual = (Strategy.ZERO2, *usual)
    named = (request.strategy,) if request.strategy in SHARDED else ()
    yield from dict.fromkeys(one for one in (*named, *usual) if one is not None)


def counts_of(most: int, least: int = 1, *, dealt: bool = False) -> tuple[int, ...]:
    """1, 2, 4, 8, and then whole machines, 16, 32 and on up to `most`.

    `dealt`: layers go to any number of cards, so 3 and 5 in one box are as good.
    """
    found, count = [], 1
    while count <= most:
        found.append(count)
        count += 1 if dealt and count < IN_ONE_BOX else count
    return tuple(one for one in found if one >= least)


def over(request: Request, card: str, count: int, way: Way) -> Request:
    """The same question on `count` of `card`, shared in that way; all else as it was asked."""
    changed: dict[str, object] = {
        "gpus": (GpuCount(id=card, count=count),),
        "world": None,
        "strategy": way.strategy,
        "offload": way.offload,
        "dp": None,
    }
    if not isinstance(request, TrainRequest):
        changed |= dict.fromkeys(OF_SERVING)
    return request.model_copy(update=changed)
