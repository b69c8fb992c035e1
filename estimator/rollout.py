"""Completions that a policy generates before its step: their moments, and the engine's part.

Weights, states and other models rest on the card meanwhile; gradients there are none yet.
"""

from dataclasses import replace

from estimator.breakdown import Basis, Book, Line, Moment, MomentName, moment
from estimator.memory.kv_cache import kv_cache
from estimator.memory.overhead import engine_runtime
from estimator.memory.prefill import pass_activations, serving_logits
from estimator.memory.weights import weights
from estimator.setup import Rollout, TrainSetup
from estimator.words import Objective

FP32 = 4
AT_ONCE = 64  # sequences that TRL's PPO generates at once
COPIES = 2  # of PPO's scores: a tensor for each new token, and all of them stacked

Lines = tuple[Line | None, ...]


def engine_beside(setup: TrainSetup) -> Lines:
    """What an engine on the same card holds while the step trains."""
    rollout = setup.goal.rollout
    if rollout is None or rollout.engine.id == "transformers":
        return ()
    if rollout.asleep:
        return (engine_runtime(rollout.engine),)
    return _reservation(setup, rollout)


def rollout_moments(setup: TrainSetup, resting: Lines) -> tuple[Moment, ...]:
    """Prefill and decode of the completions, over what `resting` holds; none if none are made."""
    rollout = setup.goal.rollout
    if rollout is None:
        return ()
    if rollout.engine.id != "transformers":
        reserved = _reservation(setup, rollout)
        return tuple(
            moment(name, *resting, *reserved) for name in (MomentName.PREFILL, MomentName.DECODE)
        )
    at_once = rollout.sequences
    if setup.goal.objective is Objective.PPO:
        at_once = min(at_once, AT_ONCE)
    cache = _cache(setup, at_once, rollout, setup.seq)
    return (
        moment(
            MomentName.PREFILL,
            *(*resting, _cache(setup, at_once, rollout, rollout.prompt)),
            *_pass(setup, at_once * rollout.prompt, at_once),
        ),
        moment(
            MomentName.DECODE,
            *(*resting, cache, _growth(setup, cache), _scores(setup, rollout)),
            *_pass(setup, at_once, at_once),
        ),
    )


def _pass(setup: TrainSetup, tokens: int, rows: int) -> Lines:
    architecture = setup.shape.architecture
    compute = setup.numbers.compute.bytes_per_block
    return (
        pass_activations(
            architecture,
            tokens=tokens,
            compute_bytes=compute,
            attention=setup.attention,
            context=setup.seq,
        ),
        serving_logits(rows, architecture.vocabulary, compute),
    )


def _growth(setup: TrainSetup, cache: Line | None) -> Line | None:
    """One layer's keys or values, copied to put a token's behind them: half a layer's cache."""
    if cache is None:
        return None
    halves = 2 * setup.shape.architecture.depth
    return Line(
        key="cache_growth",
        bytes=-(-cache.bytes // halves),
        formula="ceil(cache_bytes ÷ halves_of_layers)",
        terms={"cache_bytes": cache.bytes, "halves_of_layers": halves},
        source="transformers-generate",
        basis=Basis.DERIVED,
    )


def _cache(setup: TrainSetup, sequences: int, rollout: Rollout, tokens: int) -> Line | None:
    """Keys and values of every sequence's `tokens`, in the type the model computes in."""
    return kv_cache(
        setup.shape.architecture,
        context=tokens,
        users=sequences,
        key_dtype=setup.numbers.compute,
        value_dtype=setup.numbers.compute,
        page_tokens=rollout.engine.page_tokens,
        windows=True,
        expands_latents=True,
    )


def _scores(setup: TrainSetup, rollout: Rollout) -> Line | None:
    """PPO: the fp32 scores of every new token, kept until they are log-probabilities."""
    if setup.goal.objective is not Objective.PPO:
        return None
    terms = {
        "sequences": rollout.sequences,
        "new_tokens": rollout.new_tokens,
        "vocabulary": setup.shape.architecture.vocabulary,
        "fp32_bytes": FP32,
        "copies": COPIES,
    }
    size = rollout.sequences * rollout.new_tokens * setup.shape.architecture.vocabulary
    return Line(
        key="generation_scores",
        bytes=size * FP32 * COPIES,
        formula="sequences × new_tokens × vocabulary × fp32_bytes × copies",
        terms=terms,
        source="trl-ppo-trainer",
        basis=Basis.DERIVED,
    )


def without_share(setup: TrainSetup) -> TrainSetup:
    """The same step on a card that was not named: the engine holds what it needs at least."""
    rollout = setup.goal.rollout
    if rollout is None or rollout.reserved_bytes is None:
        return setup
    return replace(setup, goal=replace(setup.goal, rollout=replace(rollout, reserved_bytes=None)))


def share_too_small(setup: TrainSetup) -> tuple[int, int] | None:
    """Bytes that the engine was given and that it needs, where that is more: it cannot start."""
    rollout = setup.goal.rollout
    if rollout is None or rollout.reserved_bytes is None:
        return None
    needed = sum(line.bytes for line in _least(setup, rollout) if line is not None)
    return (rollout.reserved_bytes, needed) if needed > rollout.reserved_bytes else None


def _reservation(setup: TrainSetup, rollout: Rollout) -> Lines:
    """An engine's share of a card that was named; the least it needs, if that is not less."""
    if rollout.reserved_bytes is None or share_too_small(setup) is not None:
        return _least(setup, rollout)
    return (
        Line(
            key="engine_reservation",
            bytes=rollout.reserved_bytes,
            formula="reserved_bytes",
            terms={"reserved_bytes": rollout.reserved_bytes},
            source="trl-grpo-config",
            basis=Basis.DERIVED,
            book=Book.DEVICE,
        ),
    )


def _least(setup: TrainSetup, rollout: Rollout) -> Lines:
    """The engine's own copy of the weights in 16 bits, the sequences' cache, its buffers."""
    copies = weights(setup.shape.architecture, rollout.numbers)
    total = sum(line.bytes for line in copies)
    own = Line(
        key="engine_weights",
        bytes=total,
        formula="weight_bytes",
        terms={"weight_bytes": total},
        source="trl-grpo-config",
        basis=Basis.DERIVED,
    )
    cache = _cache(setup, rollout.sequences, rollout, setup.seq)
    return (own, cache, engine_runtime(rollout.engine))
