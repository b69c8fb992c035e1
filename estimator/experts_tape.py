"""Routed experts on a tape, as transformers' grouped product runs them, and shared ones.

Tokens are sorted by expert, pass one product for gate and up, and one back; what comes out
is weighed, put back in its order, and summed over a token's experts. Left out: the router's
own scores, and clamping.
"""

from typing import NamedTuple

from estimator.graph import FP32
from estimator.mlps import ExpertsMlp, Mlp, Routing
from estimator.program import Widths
from estimator.tape import Held, Way
from estimator.taped import Code

GATE_UP, DOWN = "experts.gate_up_proj", "experts.down_proj"


class ExpertsKind(NamedTuple):
    """What of experts decides their operations."""

    shared: bool
    router_in_fp32: bool
    weighed_in_fp32: bool
    apart: bool = False  # each card has some of them


def experts_kind(mlp: Mlp) -> ExpertsKind | None:
    """The kind of `mlp`, if it has experts."""
    if not isinstance(mlp, ExpertsMlp):
        return None
    return ExpertsKind(
        shared=mlp.shared_inner > 0,
        router_in_fp32=mlp.router_in_fp32,
        weighed_in_fp32=mlp.routing is not Routing.CHOSEN and not mlp.weighed_in_half,
        apart=mlp.held > 0,
    )


def expert_sizes(mlp: Mlp, hidden: int) -> Widths:
    """The sizes that their programs speak of; `inner`: of a token's routed experts together."""
    if not isinstance(mlp, ExpertsMlp):
        return {"inner": mlp.token_inner}
    return {
        "inner": mlp.per_token * mlp.inner // mlp.spread,
        "shared_inner": mlp.shared_inner,
        "routed": mlp.per_token * hidden // mlp.spread,
    }


def experts(code: Code, kind: ExpertsKind, x: Held) -> Held:
    """What routed and shared experts make of the tokens."""
    tape = code.tape
    given = code.gathered(x)
    own = x if kind.apart else given
    if kind.router_in_fp32:
        _router(code, own)
    routed = _routed(code, own, weighed=FP32 if kind.weighed_in_fp32 else code.graph.product)
    routed = routed if kind.apart else code.summed(routed)
    if not kind.shared:
        tape.drop(given)
        return routed
    passed = code.gated(given, ("", "", ""), "shared_inner")
    shared = code.summed(code.linear(passed, "", code.out))
    tape.drop(passed, given)
    both = code.add(routed, shared)
    tape.drop(routed, shared)
    return both


def _router(code: Code, x: Held) -> None:
    tape, trained = code.tape, code.graph.base_trained
    wide = code.cast(x, FP32)
    scores = tape.new("tokenwise", FP32)
    saves = (wide,) if trained else ()
    tape.record(scores, Way(wide, width=FP32), saves=saves, trained=trained)
    tape.drop(wide, scores)


def _routed(code: Code, x: Held, *, weighed: int) -> Held:
    tape, width, trained = code.tape, code.graph.product, code.graph.base_trained
    wide = max(width, weighed)
    tokens = tape.record(tape.new("routed", width), Way(x, width=x.width))
    inner = _expert_gate(code, tokens)
    out = tape.record(
        tape.new("routed", width),
        Way(inner, width=width),
        saves=(inner,) if trained else (),
        weights=(DOWN,) if trained else (),
        trained=trained,
    )
    tape.drop(inner)
    # the weights' own gradient is a product as wide as the tokens', summed afterwards
    ways = Way(out, (("routed", wide),) * 2 if wide > width else (("routed", wide),), width)
    weighted = tape.record(tape.new("routed", wide), ways, saves=(out,))
    ordered = tape.record(tape.new("routed", wide), Way(weighted, width=wide))
    tape.drop(weighted)
    summed = tape.record(tape.new(x.name, wide), Way(ordered, width=wide))
    found = code.cast(summed, width)
    tape.drop(summed, ordered, out, tokens)
    return found


def _expert_gate(code: Code, tokens: Held) -> Held:
    """act(gate) × up, both halves of one product; their gradients are put together again."""
    tape, width, trained = code.tape, code.graph.product, code.graph.base_trained
    both = tape.record(
        tape.new("inner", 2 * width),
        Way(tokens, width=width),
        saves=(tokens,) if trained else (),
        weights=(GATE_UP,) if trained else (),
        trained=trained,
    )
    halves = tape.record(tape.new("inner", 0), Way(both, (("inner", width),), 2 * width))
    active = tape.record(tape.new("inner", width), Way(halves, width=width), saves=(both,))
    ways = (Way(active, width=width), Way(halves, width=width))
    inner = tape.record(tape.new("inner", width), *ways, saves=(active, both))
    tape.drop(active, both, halves)
    return inner
