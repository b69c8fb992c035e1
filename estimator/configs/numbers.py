"""Numbers of a config.json, each checked: a whole number in its bounds, or an error by name."""

from collections.abc import Mapping, Sequence
from typing import Any

from estimator.errors import BadRequest
from estimator.units import KIB, MIB

Config = Mapping[str, Any]

LARGEST_WIDTH = MIB
MOST_LAYERS = 4 * KIB
MOST_HEADS = KIB
LARGEST_HEAD = KIB
MOST_EXPERTS = 4 * KIB
LARGEST_VOCABULARY = 16 * MIB
MOST_POSITIONS = 128 * MIB

DEPTH = ("num_hidden_layers", "n_layer")
WINDOWED = ("sliding_attention", "chunked_attention")


def number(config: Config, names: tuple[str, ...], most: int, *, default: int | None = None) -> int:
    """The first of `names` that is there; `default` is the configuration class's own."""
    value = optional(config, names, most)
    if value is None:
        value = default
    if value is None:
        raise BadRequest("architecture", f"`{names[0]}` is missing")
    return value


def optional(config: Config, names: tuple[str, ...], most: int) -> int | None:
    """As `number`, or None where all are missing or null."""
    value = next((config[name] for name in names if config.get(name) is not None), None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise BadRequest("architecture", f"`{names[0]}` is a whole number from 1 to {most:,}")
    return value


def count(config: Config, name: str, most: int, *, default: int = 0) -> int:
    """As `number`, where 0 has a meaning too."""
    value = config.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadRequest("architecture", f"`{name}` is a whole number from 0 to {most:,}")
    return value


def flag(config: Config, name: str, *, default: bool) -> bool:
    """A switch; `default` is the configuration class's own."""
    value = config.get(name, default)
    if not isinstance(value, bool):
        raise BadRequest("architecture", f"`{name}` is true or false")
    return value


def divided(hidden: int, heads: int) -> int:
    """The size of a head that is not said: the width over the heads, without remainder."""
    if hidden % heads:
        raise BadRequest(
            "architecture",
            f"hidden size {hidden} is no multiple of {heads} heads, and there is no `head_dim`",
        )
    return hidden // heads


def hidden_size(config: Config) -> int:
    """Width of the residual stream."""
    return number(config, ("hidden_size",), LARGEST_WIDTH)


def depth(config: Config) -> int:
    """How many blocks."""
    return number(config, DEPTH, MOST_LAYERS)


def layer_types(config: Config, known: Sequence[str]) -> tuple[str, ...] | None:
    """The kind of every layer, if the config lists them; each is one of `known`."""
    listed = config.get("layer_types")
    if listed is None:
        return None
    layers = depth(config)
    if not isinstance(listed, list) or len(listed) < layers:
        raise BadRequest("architecture", f"`layer_types` lists the kinds of all {layers} layers")
    for kind in listed:
        if kind not in known:
            raise BadRequest("architecture", f"`layer_types` lists {', '.join(known)}")
    return tuple(listed[:layers])


def listed_layers(config: Config, name: str) -> frozenset[int] | None:
    """Numbers of layers that the config lists; what is no number names no layer."""
    listed = config.get(name)
    if listed is None:
        return None
    if not isinstance(listed, list):
        raise BadRequest("architecture", f"`{name}` is a list of layers' numbers")
    return frozenset(layer for layer in listed if isinstance(layer, int))
