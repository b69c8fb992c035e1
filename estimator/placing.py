"""A planned step → the steps of the cards it is divided over: each with its own part of the model.

Cards of one stage hold the same, so one of each kind of stage is looked at: of stages with the
same blocks the earliest, where most micro-batches wait.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from estimator.architecture import Architecture, Run
from estimator.blocks import Block
from estimator.degrees import Degrees
from estimator.mixers import Attention, LatentAttention, Mixer
from estimator.mlps import ExpertsMlp, GatedMlp, Mlp, PlainMlp
from estimator.setup import TrainSetup


def placed(setup: TrainSetup) -> tuple[TrainSetup, ...]:
    """The step of one card of each kind; the whole one where nothing is divided.

    A card's `world` are the cards that hold the same weights, over which those are sharded.
    """
    plan = setup.plan
    if not plan.divides:
        return (setup,)
    every = stages(setup.shape.architecture, plan.pp)
    kinds: dict[object, int] = {}
    for stage, blocks in enumerate(every, start=1):
        kinds.setdefault((blocks, stage == 1, stage == plan.pp), stage)
    return tuple(card_of(setup, stage, every[stage - 1]) for stage in kinds.values())


def card_of(setup: TrainSetup, stage: int, blocks: tuple[str, ...]) -> TrainSetup:
    """The step of a card of `stage`, counted from 1, which has those `blocks`."""
    plan = setup.plan
    architecture = part_of(setup.shape.architecture, plan, stage, blocks)
    in_flight = min(setup.accumulation, plan.pp - stage + 1)
    numbers, told = setup.numbers, setup.numbers.given_bytes
    if told is not None:  # of the whole model, in one number
        whole = setup.shape.architecture.parameters
        numbers = replace(numbers, given_bytes=-(-told * architecture.parameters // whole))
    return replace(
        setup,
        shape=replace(setup.shape, architecture=architecture),
        numbers=numbers,
        seq=setup.seq // plan.cp,
        world=plan.copies,
        plan=replace(plan, stage=stage, in_flight=in_flight),
    )


def stages(architecture: Architecture, count: int) -> tuple[tuple[str, ...], ...]:
    """The blocks of each stage, by name, in order.

    As even as can be; where they do not divide, the last stage has one less, then the first,
    then the one next to the last, and so on: the ends hold the head and the embeddings.
    """
    order = architecture.order
    sizes = [-(-len(order) // count)] * count
    ends = [at for pair in zip(range(count - 1, -1, -1), range(count), strict=True) for at in pair]
    for at in list(dict.fromkeys(ends))[: sum(sizes) - len(order)]:
        sizes[at] -= 1
    begins = [sum(sizes[:at]) for at in range(count)]
    return tuple(order[at : at + size] for at, size in zip(begins, sizes, strict=True))


def part_of(
    architecture: Architecture, plan: Degrees, stage: int, blocks: tuple[str, ...]
) -> Architecture:
    """What one card of `stage` has of the model: of its `blocks`, and of the ends.

    The vocabulary is cut as evenly as can be, and the first card has a row more. A tied head is
    a copy of the embeddings where it is another stage's.
    """
    last = stage == plan.pp
    own = dict.fromkeys(blocks)
    return architecture.changed(
        vocabulary=-(-architecture.vocabulary // plan.tp),
        tied=architecture.tied and plan.pp == 1,
        head=architecture.head and last,
        head_bias=architecture.head_bias and last,
        embeds=stage == 1,
        extra=architecture.extra if stage == 1 else (),
        tower=architecture.tower if stage == 1 else None,
        ends=last,
        blocks={name: _cut_block(architecture.blocks[name], plan) for name in own},
        layers=tuple(_runs(blocks)),
    )


def _runs(blocks: tuple[str, ...]) -> Iterator[Run]:
    for name, same in groupby(blocks):
        yield Run(times=len(tuple(same)), of=(name,))


def _cut_block(block: Block, plan: Degrees) -> Block:
    if plan.tp * plan.ep == 1:
        return block
    fields = {name: getattr(block, name) for name in type(block).model_fields}
    cut = {"attention": _cut_mixer(block.attention, plan.tp), "mlp": _cut_mlp(block.mlp, plan)}
    return type(block)(**fields | cut)


def _cut_mixer(mixer: Mixer, ranks: int) -> Mixer:
    """Its heads divided; where cards outnumber heads of keys and values, several have the same."""
    match mixer:
        case Attention():
            heads = mixer.query_heads // ranks
            return mixer.model_copy(
                update={"query_heads": heads, "kv_heads": max(1, mixer.kv_heads // ranks)}
            )
        case LatentAttention():
            return mixer.model_copy(update={"query_heads": mixer.query_heads // ranks})
        case _:
            return mixer


def _cut_mlp(mlp: Mlp, plan: Degrees) -> Mlp:
    """Its width divided; experts too, unless each card has some of them whole."""
    match mlp:
        case GatedMlp() | PlainMlp():
            return mlp.model_copy(update={"inner": mlp.inner // plan.tp})
        case ExpertsMlp():
            shared = {"shared_inner": mlp.shared_inner // plan.tp}
            if plan.ep == 1:
                return mlp.model_copy(update=shared | {"inner": mlp.inner // plan.tp})
            held = {"held": mlp.experts // plan.ep, "spread": plan.tp}
            return mlp.model_copy(update=shared | held)
        case _:
            return mlp
