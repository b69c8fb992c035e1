"""How a config.json says that weights are packed: `quantization_config` as data → a format.

Makers of quantisers each have words of their own. A way of packing that is not known here is
told by its name and has no format: the asker's to name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from estimator.errors import shown
from estimator.units import KIB

LARGEST_GROUP = 64 * KIB
GPTQ = {2: "gptq2", 3: "gptq3", 4: "gptq4", 8: "gptq8"}
HQQ = {2: "hqq2", 4: "hqq4", 8: "hqq8"}
MLX = {2: "mlx2", 3: "mlx3", 4: "mlx4", 5: "mlx5", 6: "mlx6", 8: "mlx8"}
AS_GPTQ = ("gptq", "gptqmodel", "auto-round", "intel/auto-round")
AS_AWQ = ("awq",)
NVIDIA = ("modelopt", "modelopt_fp4", "modelopt_fp8")


@dataclass(frozen=True, slots=True)
class Packing:
    """`method`: who packed, as the config says; `format`: an id of the tables, if it is known.

    `group_size`: weights that share a scale, -1 for a whole row; none: not said.
    """

    method: str
    format: str | None = None
    group_size: int | None = None


def packing_of(config: Mapping[str, Any]) -> Packing | None:
    """How the weights are packed; none where they are plain."""
    said = config.get("quantization_config")
    if said is None and isinstance(config.get("text_config"), Mapping):
        said = config["text_config"].get("quantization_config")
    if said is None:
        said = config.get("quantization")  # MLX's name for it
    if said is None:
        return None
    if not isinstance(said, Mapping):
        return Packing("unknown")
    method = said.get("quant_method")
    named = method.lower() if isinstance(method, str) else _unnamed(said)
    group = _whole(_first(said, "group_size", "q_group_size"))
    number_format, group = _format(named, said, group)
    fits = group is not None and (group == -1 or 1 <= group <= LARGEST_GROUP)
    return Packing(shown(named), number_format, group if fits else None)


def _unnamed(said: Mapping[str, Any]) -> str:
    """Who packed, where the config does not say: bitsandbytes long did not, MLX does not."""
    if {"load_in_4bit", "load_in_8bit"} & set(said):
        return "bitsandbytes"
    return "mlx" if {"bits", "group_size"} <= set(said) else "unknown"


def _format(
    method: str, said: Mapping[str, Any], group: int | None
) -> tuple[str | None, int | None]:
    """(format, group size) of what `method` packed."""
    bits = _whole(_first(said, "bits", "w_bit", "nbits"))
    if method in AS_GPTQ:
        return GPTQ.get(bits or 0), group
    if method in AS_AWQ:
        return ("awq4" if bits in (4, None) else None), group
    match method:
        case "bitsandbytes" | "bnb":
            return _bitsandbytes(said), None
        case "fp8" | "fbgemm_fp8":
            return ("fp8_block" if said.get("weight_block_size") else "fp8"), None
        case "mxfp4":
            return "mxfp4_experts", None
        case "compressed-tensors" | "compressed_tensors":
            return _compressed(said)
        case "hqq":
            return _hqq(said)
        case "mlx":
            return _mlx(said, bits), group
    if method in NVIDIA:
        algorithm = str(said.get("quant_algo", method)).upper()
        return ("nvfp4" if "FP4" in algorithm else "fp8" if "FP8" in algorithm else None), None
    return None, None


def _bitsandbytes(said: Mapping[str, Any]) -> str | None:
    if said.get("load_in_8bit") is True:
        return "int8"
    if said.get("load_in_4bit") is not True:
        return None
    kind = said.get("bnb_4bit_quant_type", "fp4")
    twice = said.get("bnb_4bit_use_double_quant") is True
    if kind not in ("nf4", "fp4"):
        return None
    return f"{kind}_dq" if twice else str(kind)


def _compressed(said: Mapping[str, Any]) -> tuple[str | None, int | None]:
    """By the weights of its first group; others are packed likewise in what is published."""
    groups = said.get("config_groups")
    first = next(iter(groups.values()), None) if isinstance(groups, Mapping) else None
    weights = first.get("weights") if isinstance(first, Mapping) else None
    if not isinstance(weights, Mapping):
        return None, None
    bits, kind = _whole(weights.get("num_bits")), weights.get("type")
    if kind == "float":
        block = weights.get("strategy") == "block" or weights.get("block_structure") is not None
        known = {8: "fp8_block" if block else "fp8", 4: "nvfp4"}
        return known.get(bits or 0), None
    group = -1 if weights.get("strategy") == "channel" else _whole(weights.get("group_size"))
    if bits == 4:  # noqa: PLR2004  (of int4)
        return "int4", group
    return ("int8" if bits == 8 else None), None  # noqa: PLR2004  (of int8)


def _hqq(said: Mapping[str, Any]) -> tuple[str | None, int | None]:
    inner: Any = said.get("quant_config")
    weights = inner.get("weight_quant_params") if isinstance(inner, Mapping) else said
    if not isinstance(weights, Mapping):
        return None, None
    bits = _whole(weights.get("nbits"))
    return HQQ.get(bits or 0), _whole(weights.get("group_size"))


def _mlx(said: Mapping[str, Any], bits: int | None) -> str | None:
    mode = said.get("mode", "affine")
    if mode == "affine":
        return MLX.get(bits or 0)
    return mode if mode in ("mxfp4", "nvfp4") else None


def _first(said: Mapping[str, Any], *names: str) -> object:
    return next((said[name] for name in names if said.get(name) is not None), None)


def _whole(value: object) -> int | None:
    """A whole number, also where it is written 4.0; none for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None
