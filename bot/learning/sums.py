"""The arithmetic of each step, as values for the words of a language."""

from collections.abc import Iterable, Mapping

from bot.learning.held import Held
from bot.learning.place import Place
from bot.learning.runs import load_runs
from bot.learning.steps import Axis, Step
from bot.locale import Locale
from bot.pictures.parts import pieces_of
from bot.pictures.picture import Part
from bot.presenting.amounts import exact
from bot.record import Kind, load_record
from estimator import (
    GB,
    GIB,
    Line,
    Method,
    Moment,
    MomentName,
    show_count,
    show_gb,
    show_gib,
    show_gib_number,
)

Values = Mapping[str, str]
ADAPTERS = "adapters"  # how the keys of their weights begin


def values_of(place: Place, held: Held, locale: Locale) -> Values:
    """All that the words of a step may name."""
    found = held.answer
    peak = {"gib": show_gib(held.bytes), "gb": show_gb(held.bytes)}
    counts = found.estimate.parameters
    added = counts.trainable if counts.trainable < counts.total else 0
    model = {
        "params": show_count(counts.total - added),
        "model": found.setup.shape.name.rpartition("/")[2],
        "words": f"{found.setup.shape.architecture.vocabulary:,}",
    }
    return {**peak, **model, **_of_step(place, held, locale)}


def _of_step(place: Place, held: Held, locale: Locale) -> Values:
    match place.step:
        case Step.RULE:
            params = held.answer.estimate.parameters.total
            return {"bytes": f"{held.bytes / params:g}"}
        case Step.RUN:
            return _cached(place, held, locale)
        case Step.TRAIN:
            return _a_parameter(held)
        case Step.ADAPTERS:
            return _trained(held)
        case Step.TOKENS:
            return _activations(place, held)
        case Step.LOSS:
            return _logits(place, held)
        case Step.REAL:
            return _measured(place, held)


def part_bytes(lines: Iterable[Line], part: Part) -> int:
    """What of these lines belongs to a part."""
    return sum(piece.bytes for piece in pieces_of(lines) if piece.part is part)


def _cached(place: Place, held: Held, locale: Locale) -> Values:
    users, context = int(place.value(Axis.USERS)), int(place.value(Axis.CONTEXT))
    cache = part_bytes(held.lines, Part.CACHE)
    return {
        "each": _short(cache // (users * context)),
        "context": f"{context:,}",
        "users": locale.learn.values[Axis.USERS][str(users)],
        "cache": show_gib(cache),
    }


def _a_parameter(held: Held) -> Values:
    """Bytes of each parameter where all that training adds is there: in the optimizer's step."""
    params = held.answer.estimate.parameters.total
    lines = _at(held, MomentName.OPTIMIZER_STEP).lines
    parts = {
        part: part_bytes(lines, part) for part in (Part.WEIGHTS, Part.GRADIENTS, Part.OPTIMIZER)
    }
    whole = sum(parts.values())
    each = {part.value: f"{size / params:.3g}" for part, size in parts.items()}
    return {
        **each,
        "all": f"{whole / params:.4g}",
        "sum_gb": show_gb(whole),
        "sum": show_gib(whole),
    }


def _trained(held: Held) -> Values:
    """What is trained, and all that is held for it, in the optimizer's step as above."""
    counts = held.answer.estimate.parameters
    whole = counts.trainable == counts.total
    lines = _at(held, MomentName.OPTIMIZER_STEP).lines
    trained = [line for line in lines if line.key.startswith(ADAPTERS)]
    size = part_bytes(lines, Part.GRADIENTS) + part_bytes(lines, Part.OPTIMIZER)
    size += part_bytes(lines if whole else trained, Part.WEIGHTS)
    return {
        "trained": show_count(counts.trainable),
        "share": f"{100 * counts.trainable / counts.total:.3g}%",
        "each": f"{size / counts.trainable:.4g}",
        "sum": show_gib(size),
    }


def _activations(place: Place, held: Held) -> Values:
    tokens = int(place.value(Axis.BATCH)) * int(place.value(Axis.SEQ))
    size = part_bytes(held.lines, Part.ACTIVATIONS)
    return {
        "tokens": f"{tokens:,}",
        "each": _short(size // tokens),
        "activations": show_gib(size),
    }


def _logits(place: Place, held: Held) -> Values:
    """Where the logits are held whole, bytes for each of them; else what the loss holds at most."""
    tokens = int(place.value(Axis.BATCH)) * int(place.value(Axis.SEQ))
    lines = _at(held, MomentName.LOSS).lines
    whole = next((line.bytes for line in lines if line.key == "logits"), 0)
    size = whole or part_bytes(lines, Part.LOGITS)
    return {
        "tokens": f"{tokens:,}",
        "each": f"{whole / (tokens * held.answer.setup.shape.architecture.vocabulary):.3g}",
        "logits": show_gib(size),
    }


def _measured(place: Place, held: Held) -> Values:
    """What was measured, how far off the estimate is, and how far off it is elsewhere."""
    run = load_runs().named(place.value(Axis.RUN))
    kind, full = (_kind(name) for name in (run.record, Method.FULL))
    gap = held.bytes - run.bytes
    return {
        "measured": show_gib(run.bytes),
        "measured_gb": f"{run.bytes / GB:,.2f} GB",  # as it was printed
        "measured_number": show_gib_number(run.bytes),
        "number": show_gib_number(held.bytes),
        "gap": f"{round(held.bytes / GIB, 2) - round(run.bytes / GIB, 2) + 0:.2f}",
        "off": f"{abs(gap) / run.bytes:.2%}",
        "low": show_gib(held.low_bytes),
        "high": show_gib(held.high_bytes),
        "whole": show_gib(held.answer.estimate.peak.bytes),
        "rows": f"{kind.rows:,}",
        "p90": f"{kind.p90:.1%}",
        "full_rows": f"{full.rows:,}",
        "full_p90": f"{full.p90:.1%}",
    }


def _kind(name: str) -> Kind:
    return next(one for one in load_record().runs if one.id == name)


def _at(held: Held, name: MomentName) -> Moment:
    return next(one for one in held.answer.estimate.moments if one.name is name)


def _short(size: int) -> str:
    return exact(size).replace(".00 ", " ")
