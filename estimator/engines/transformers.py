"""transformers: the model's modules as they are, and a cache that grows by concatenation."""

from estimator.breakdown import Basis, Line, Moment, MomentName, largest, moment
from estimator.engines.loop import Lines, cache_of, head_of_its_own, prompt_pass, rounding
from estimator.memory.overhead import loop_workspace
from estimator.memory.prefill import logits_of, rotary_tables, serving_logits
from estimator.memory.unpacking import matrix_buffer
from estimator.memory.unsplit import SMALL, unsplit_cache
from estimator.memory.weights import weights
from estimator.setup import ServeSetup

SOURCE = "transformers-generate"
TIED_TWICE = ("awq4",)  # AutoAWQ writes a tied head as a matrix of its own


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """Load, a prompt at once, and the last of the new tokens."""
    architecture, numbers = setup.shape.architecture, setup.numbers
    held: Lines = (
        *weights(architecture, numbers, setup.world),
        rounding(architecture, numbers, setup.world),
    )
    buffer = matrix_buffer(architecture, setup.engine, numbers)
    running: Lines = (*held, buffer, loop_workspace())
    return (
        moment(MomentName.LOAD, *held, _head_of_its_own(setup)),
        _prefill(setup, running),
        moment(MomentName.DECODE, *running, *_grown(setup)),
    )


def _prefill(setup: ServeSetup, running: Lines) -> Moment:
    """The widest of a block's pass and the head's; the cache holds the prompt by then."""
    read: Lines = (*running, *_cache(setup, setup.prompt), rotary_tables(setup))
    return largest(
        (
            moment(MomentName.PREFILL, *read, prompt_pass(setup)),
            moment(MomentName.PREFILL, *read, logits_of(setup, all_rows=setup.all_logits)),
        )
    )


def _cache(setup: ServeSetup, tokens: int) -> Lines:
    return cache_of(setup, tokens, windows=True, expands=True)


def _grown(setup: ServeSetup) -> Lines:
    """The whole cache, one tensor of it twice while a token is put behind it, and logits."""
    architecture = setup.shape.architecture
    cache, *states = (*_cache(setup, setup.context), None)
    if cache is None:
        return (*states, _logits(setup))
    halves = 2 * architecture.depth
    grown = Line(
        key="cache_growth",
        bytes=-(-cache.bytes // halves),
        formula="ceil(cache_bytes ÷ halves_of_layers)",
        terms={"cache_bytes": cache.bytes, "halves_of_layers": halves},
        source=SOURCE,
        basis=Basis.DERIVED,
    )
    wide = halves // setup.world if grown.bytes > SMALL else 0
    return (cache, *states, grown, unsplit_cache(wide), _logits(setup))


def _logits(setup: ServeSetup) -> Line | None:
    architecture = setup.shape.architecture
    if not architecture.head:
        return None
    return serving_logits(
        setup.users, architecture.vocabulary, setup.numbers.compute.bytes_per_block
    )


def _head_of_its_own(setup: ServeSetup) -> Line | None:
    """A tied head that the checkpoint has twice, until it is tied."""
    twice = setup.numbers.linear.id in TIED_TWICE
    return head_of_its_own(setup, "autoawq-save") if twice else None
