"""What an engine makes of a format that a card has no kernels for: other bytes, or a warning."""

from collections.abc import Sequence
from typing import NamedTuple

from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.engine_rows import Engine
from estimator.gpu_rows import Gpu
from estimator.rows import Format

Capability = tuple[int, int]  # NVIDIA's: (8, 9) of Ada

TURING: Capability = (7, 5)
AMPERE: Capability = (8, 0)
ADA: Capability = (8, 9)
HOPPER: Capability = (9, 0)
BLACKWELL: Capability = (10, 0)
FP8 = ("fp8", "fp8_block")
MXFP4 = ("mxfp4", "mxfp4_experts")
SINGLE = {"nf4_dq": "nf4", "fp4_dq": "fp4"}
ON_HOPPER = "mxfp4_experts_hopper"


class Kept(NamedTuple):
    """The id of the format that the weights are held in, and what to say of it.

    `needs`: the compute capability from which on it runs, where the card has less.
    """

    format: str
    warning: str | None = None
    needs: Capability | None = None


def held_as(number_format: Format, engine: Engine, capability: Capability | None) -> Kept:
    """What `engine` holds `number_format` as, on a card of that compute capability.

    An unknown card (none named, or not NVIDIA's) holds what was asked for. Hopper's second
    copy of MXFP4's scales is vLLM 0.11's, whose Triton kernels reorder them. Its Marlin
    kernels fill experts up to multiples of 128 and 256, which is left out. vLLM and SGLang
    write scales that were quantised a second time out as they load them.
    """
    name = number_format.id
    if name in SINGLE and engine.id in ("vllm", "sglang"):
        name = SINGLE[name]
    if capability is None:
        return Kept(name)
    least = engine.least.get(name)
    if least is not None and capability < capability_of(least):
        return Kept(name, needs=capability_of(least))
    if engine.id == "transformers":
        return _in_transformers(name, capability)
    if engine.id == "vllm":
        return _in_vllm(name, capability)
    return Kept(name)


def _in_transformers(name: str, capability: Capability) -> Kept:
    if name in MXFP4 and capability < TURING:
        return Kept(
            "bf16",
            "transformers has MXFP4 kernels from compute capability 7.5 on; on this card it "
            "unpacks the weights to bf16, and so they are counted.",
        )
    if name in MXFP4:
        return Kept(
            name,
            "Without Triton 3.4 and the `kernels` package transformers unpacks MXFP4 to bf16, "
            "almost four times as much.",
        )
    if name in FP8 and capability < ADA:
        return Kept(
            "bf16",
            "transformers multiplies FP8 from compute capability 8.9 on; on this card it "
            "refuses such weights or unpacks them to bf16, and so they are counted.",
        )
    return Kept(name)


def _in_vllm(name: str, capability: Capability) -> Kept:
    if name in FP8 and capability < ADA:
        return _by_marlin(name, "FP8", capability, TURING)
    if name == "nvfp4" and capability < BLACKWELL:
        return _by_marlin(name, "NVFP4", capability, TURING)
    if name in MXFP4 and capability < HOPPER:
        return _by_marlin(name, "MXFP4", capability, AMPERE)
    if name == "mxfp4_experts" and capability < BLACKWELL:
        return Kept(ON_HOPPER)
    return Kept(name)


def _by_marlin(name: str, shown: str, capability: Capability, least: Capability) -> Kept:
    """Weight-only kernels: the same bytes, multiplied in 16 bits."""
    if capability < least:
        return Kept(name, needs=least)
    return Kept(
        name,
        f"This card has no {shown} arithmetic: vLLM keeps the weights packed and multiplies in "
        "16 bits (Marlin). The memory is the same.",
    )


def least_card(cards: Sequence[Cards], catalog: Catalog) -> Gpu | None:
    """Of the cards, the one of least compute capability; none where none is known."""
    named = [catalog.gpus.get(entry.card.id) for entry in cards]
    known = [gpu for gpu in named if gpu is not None and gpu.capability is not None]
    return min(known, key=lambda gpu: gpu.capability or (0, 0), default=None)


def capability_of(text: str) -> Capability:
    """`8.9` as numbers to compare."""
    major, minor = text.split(".")
    return int(major), int(minor)
