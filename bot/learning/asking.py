"""What a place in the walk asks: the fields of a request, which a line says as well."""

from collections.abc import Mapping
from typing import Any

from bot.learning.place import Place
from bot.learning.runs import load_runs
from bot.learning.steps import OTHER, OTHERS, Axis, Step

COUNTS = (Axis.CONTEXT, Axis.USERS, Axis.BATCH, Axis.SEQ)


def fields_of(place: Place) -> Mapping[str, Any]:
    """The request of a place. From step to step it says more, and what was chosen stays."""
    match place.step:
        case Step.RULE:
            return _serving(place)
        case Step.RUN:
            return _serving(place, Axis.USERS, Axis.CONTEXT)
        case Step.TRAIN:
            return _training(place, Axis.OPTIMIZER, Axis.CHECKPOINTING) | {"method": "full"}
        case Step.ADAPTERS:
            return _training(place, Axis.METHOD, Axis.OPTIMIZER, Axis.CHECKPOINTING)
        case Step.TOKENS:
            return _tokens(place)
        case Step.LOSS:
            return {**_tokens(place), **_of(place, Axis.LOSS), "model": model_of(place)}
        case Step.REAL:
            return load_runs().fields_of(place.value(Axis.RUN))


def model_of(place: Place) -> str:
    """The size that was chosen, or the other model of that size."""
    size = place.value(Axis.SIZE)
    return OTHERS[size] if place.value(Axis.MODEL) == OTHER else size


def _tokens(place: Place) -> dict[str, Any]:
    axes = (Axis.METHOD, Axis.OPTIMIZER, Axis.CHECKPOINTING, Axis.BATCH, Axis.SEQ)
    return _training(place, *axes)


def _serving(place: Place, *axes: Axis) -> dict[str, Any]:
    return {"task": "infer", "model": place.value(Axis.SIZE), **_of(place, *axes)}


def _training(place: Place, *axes: Axis) -> dict[str, Any]:
    return {"task": "train", "model": place.value(Axis.SIZE), **_of(place, *axes)}


def _of(place: Place, *axes: Axis) -> dict[str, Any]:
    values = {axis: place.value(axis) for axis in axes}
    return {axis.value: int(v) if axis in COUNTS else v for axis, v in values.items()}
