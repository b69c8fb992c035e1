"""transformers: the model's modules as they are, and a cache that grows by concatenation.

Before 4.45 every token of a prompt got logits, in fp32 too; each layer had tables of all
positions of its own; and a step held the old cache until it was done with the new one.
"""

import re

from estimator.breakdown import Basis, Line, Moment, MomentName, largest, moment
from estimator.engines.loop import Lines, cache_of, head_of_its_own, prompt_pass, rounding
from estimator.engines.rank_weights import rank_weights
from estimator.memory.overhead import loop_workspace
from estimator.memory.prefill import logits_of, rotary_tables
from estimator.memory.unpacking import matrix_buffer
from estimator.memory.unsplit import SMALL, unsplit_cache
from estimator.setup import ServeSetup

SOURCE = "transformers-generate"
TIED_TWICE = ("awq4",)  # AutoAWQ writes a tied head as a matrix of its own,
TIES_FIRST = (4, 51)  # which is not loaded from this version on
UNTIED = ("fp8",)  # and such files leave it so
LEAN = (4, 45)  # the version from which on a prompt's last token alone gets logits
FP32 = 4


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """Load, a prompt at once, and the last of the new tokens."""
    architecture, numbers = setup.shape.architecture, setup.numbers
    held: Lines = (
        *rank_weights(setup),
        rounding(architecture, numbers, setup.split.tp),
        head_of_its_own(setup, "qwen3-speed") if numbers.linear.id in UNTIED else None,
    )
    buffer = matrix_buffer(architecture, setup.engine, numbers)
    running: Lines = (*held, buffer, loop_workspace(setup.cards), *_tables(setup))
    return (
        moment(MomentName.LOAD, *held, _head_of_its_own(setup)),
        _prefill(setup, running),
        _decode(setup, running),
    )


def is_before(since: tuple[int, int], version: str | None) -> bool:
    """Whether a version comes before `since`; one that is not named does not."""
    numbers = re.findall(r"\d+", version or "")
    return bool(numbers) and tuple(map(int, numbers[:2])) < since


def _is_old(setup: ServeSetup) -> bool:
    return is_before(LEAN, setup.request.engine_version)


def _prefill(setup: ServeSetup, running: Lines) -> Moment:
    """The widest of a block's pass and the head's; the cache holds the prompt by then."""
    read: Lines = (*running, *_cache(setup, setup.prompt), rotary_tables(setup))
    return largest(
        (
            moment(MomentName.PREFILL, *read, prompt_pass(setup)),
            moment(MomentName.PREFILL, *read, logits_of(setup, all_rows=_all_logits(setup))),
        )
    )


def _all_logits(setup: ServeSetup) -> bool:
    asked = setup.request.prefill_logits
    return _is_old(setup) if asked is None else asked == "all"


def _cache(setup: ServeSetup, tokens: int) -> Lines:
    return cache_of(setup, tokens, windows=True, expands=True)


def _decode(setup: ServeSetup, running: Lines) -> Moment:
    """The last token; before 4.45 also the first, beside the prompt's logits."""
    architecture = setup.shape.architecture
    logits = logits_of(setup, all_rows=False)
    cache, *states = (*_cache(setup, setup.context), None)
    if cache is None:
        return moment(MomentName.DECODE, *running, *states, logits)
    if _is_old(setup):
        first, *_ = _cache(setup, setup.prompt)
        kept = _prompt_logits(setup) if _all_logits(setup) else None
        return largest(
            (
                moment(MomentName.DECODE, *running, cache, *states, _again(cache), logits),
                moment(MomentName.DECODE, *running, first, *states, _again(first), kept, logits),
            )
        )
    halves = 2 * architecture.depth
    grown = Line(
        key="cache_growth",
        bytes=-(-cache.bytes // halves),
        formula="ceil(cache_bytes ÷ halves_of_layers)",
        terms={"cache_bytes": cache.bytes, "halves_of_layers": halves},
        source=SOURCE,
        basis=Basis.DERIVED,
    )
    wide = halves if grown.bytes > SMALL else 0
    return moment(MomentName.DECODE, *running, cache, *states, grown, unsplit_cache(wide), logits)


def _again(cache: Line | None) -> Line | None:
    """The old cache, which the loop holds until the step has made the new one."""
    if cache is None:
        return None
    return Line(
        key="cache_growth",
        bytes=cache.bytes,
        formula="cache_bytes",
        terms={"cache_bytes": cache.bytes},
        source="transformers-4-generate",
        basis=Basis.DERIVED,
    )


def _prompt_logits(setup: ServeSetup) -> Line | None:
    """A prompt's logits in fp32, which the loop holds through the next step."""
    architecture = setup.shape.architecture
    if not architecture.head:
        return None
    tokens = setup.users * setup.prompt
    return Line(
        key="prompt_logits",
        bytes=tokens * architecture.vocabulary * FP32,
        formula="tokens × vocabulary × fp32_bytes",
        terms={"tokens": tokens, "vocabulary": architecture.vocabulary, "fp32_bytes": FP32},
        source="transformers-4-generate",
        basis=Basis.DERIVED,
    )


def _tables(setup: ServeSetup) -> Lines:
    """Each layer's own cosines and sines, of all positions that the model was made for."""
    architecture, context = setup.shape.architecture, setup.shape.context
    if not _is_old(setup) or not architecture.rotary_width or not context:
        return ()
    width = setup.numbers.compute.bytes_per_block
    terms = {
        "layers": architecture.depth,
        "positions": context,
        "rotary_width": architecture.rotary_width,
        "compute_bytes": width,
    }
    return (
        Line(
            key="layer_tables",
            bytes=architecture.depth * 2 * context * architecture.rotary_width * width,
            formula="layers × 2 × positions × rotary_width × compute_bytes",
            terms=terms,
            source="transformers-4-generate",
            basis=Basis.DERIVED,
        ),
    )


def _head_of_its_own(setup: ServeSetup) -> Line | None:
    """A tied head that the checkpoint has twice, until it is tied."""
    old = is_before(TIES_FIRST, setup.request.engine_version)
    twice = old and setup.numbers.linear.id in TIED_TWICE
    return head_of_its_own(setup, "autoawq-save") if twice else None
