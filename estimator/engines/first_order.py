"""Engines whose buffers nobody published: weights, cache and one pass, to first order."""

from estimator.breakdown import Line, Moment, MomentName, moment
from estimator.memory.kv_cache import kv_cache
from estimator.memory.overhead import engine_runtime
from estimator.memory.prefill import pass_activations, serving_logits
from estimator.memory.recurrent_state import recurrent_state
from estimator.memory.weights import weights
from estimator.setup import ServeSetup

# Engines that keep only a sliding layer's window; the second keep it only where other
# layers look further (Gemma), and take a model that slides throughout as a plain one.
WINDOWED = ("transformers",)
EXPANDS_LATENTS = ("transformers",)  # its DeepSeek models cache every head's keys and values
WINDOWED_IN_MIXED = ("llama.cpp", "ollama")


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """The moments on one card; weights and cache are divided over equal cards."""
    architecture = setup.shape.architecture
    held = weights(architecture, setup.numbers, setup.world)
    cache = kv_cache(
        architecture,
        context=setup.context,
        users=setup.users,
        key_dtype=setup.kv_k,
        value_dtype=setup.kv_v,
        page_tokens=setup.engine.page_tokens,
        windows=_keeps_windows(setup),
        expands_latents=setup.engine.id in EXPANDS_LATENTS,
    )
    state = recurrent_state(
        architecture, users=setup.users, compute_bytes=setup.numbers.compute.bytes_per_block
    )
    kept = tuple(line.divided(setup.world) for line in (cache, state) if line is not None)
    runtime = engine_runtime(setup.engine)
    chunk = setup.engine.prefill_tokens
    prompts = setup.users * setup.prompt
    tokens = prompts if chunk is None else min(prompts, chunk)
    rows = tokens if setup.engine.all_logits else setup.users
    return (
        moment(MomentName.LOAD, *held),
        _pass(MomentName.PREFILL, setup, tokens, rows, (*held, *kept, runtime)),
        _pass(MomentName.DECODE, setup, setup.users, setup.users, (*held, *kept, runtime)),
    )


def _keeps_windows(setup: ServeSetup) -> bool:
    if setup.engine.id in WINDOWED:
        return True
    mixed = len({block.attention.window for _, block in setup.shape.architecture.stack}) > 1
    return mixed and setup.engine.id in WINDOWED_IN_MIXED


def _pass(
    name: MomentName, setup: ServeSetup, tokens: int, rows: int, held: tuple[Line, ...]
) -> Moment:
    compute = setup.numbers.compute.bytes_per_block
    activations = pass_activations(
        setup.shape.architecture,
        tokens=tokens,
        compute_bytes=compute,
        attention=setup.attention,
        context=setup.context,
    )
    architecture = setup.shape.architecture
    logits = serving_logits(rows, architecture.vocabulary, compute) if architecture.head else None
    return moment(name, *held, activations, logits)
