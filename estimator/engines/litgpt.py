"""litgpt's generate: a cache of just the tokens asked for, and Fabric's bitsandbytes."""

from estimator.breakdown import Line, Moment, MomentName, largest, moment
from estimator.engines.loop import (
    Lines,
    cache_of,
    head_of_its_own,
    head_pass,
    prompt_pass,
    rounding,
)
from estimator.engines.rank_weights import rank_weights
from estimator.held import has_own_head
from estimator.memory.overhead import loop_workspace
from estimator.memory.prefill import serving_logits
from estimator.memory.unpacking import largest_matrix, unpacked_matrix
from estimator.setup import ServeSetup

SOURCE = "fabric-bitsandbytes"
PACKING_INT8 = 4  # bytes an element: fp16, and int8 twice


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """Load, a prompt, whose last product is the head's, and a token."""
    architecture, numbers = setup.shape.architecture, setup.numbers
    held: Lines = (
        *rank_weights(setup),
        None if has_own_head(architecture, numbers) else head_of_its_own(setup, SOURCE),
        rounding(architecture, numbers, setup.split.tp),
    )
    running: Lines = (
        *held,
        *cache_of(setup, setup.context, windows=False, expands=True),
        loop_workspace(setup.cards),
    )
    width = numbers.compute.bytes_per_block
    return (
        moment(MomentName.LOAD, *held, _being_packed(setup)),
        largest(
            (
                moment(MomentName.PREFILL, *running, prompt_pass(setup)),
                moment(MomentName.PREFILL, *running, *head_pass(setup, SOURCE, all_rows=True)),
            )
        ),
        moment(
            MomentName.DECODE, *running, serving_logits(setup.users, architecture.vocabulary, width)
        ),
    )


def _being_packed(setup: ServeSetup) -> Line | None:
    """LLM.int8 packs from fp16, by rows and by columns: the head, beside all the rest."""
    if setup.numbers.linear.id != "int8":
        return None
    matrix = largest_matrix(setup.shape.architecture, head=True)
    return unpacked_matrix(matrix, PACKING_INT8, SOURCE)
