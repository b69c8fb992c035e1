"""Whose cards a message can be of: its kind says so, its backend, or words in the text."""

import re
from collections.abc import Mapping

from bot.compiled import compiled
from bot.reading.oom.message import OomKind, OomMessage

MOST_TEXT = 20_000  # characters that are looked through
NVIDIA = ("nvidia",)
# Kinds whose words only one maker's programs print.
BY_KIND: Mapping[OomKind, tuple[str, ...]] = {
    OomKind.HIP: ("amd",),
    OomKind.XPU: ("intel",),
    OomKind.BLOCK_SIZE: ("intel",),
    OomKind.NPU: ("huawei",),
    OomKind.MPS: ("apple",),
    OomKind.METAL: ("apple",),
    OomKind.CUDA: NVIDIA,
}
# Backends that a message names. Vulkan and OpenCL run on cards of any maker: no total tells.
BY_BACKEND: Mapping[str, tuple[str, ...]] = {
    "tpu": ("google",),
    "cuda": NVIDIA,
    "rocm": ("amd",),
    "hip": ("amd",),
    "sycl": ("intel",),
    "metal": ("apple",),
    "mtl": ("apple",),
    "cann": ("huawei",),
    "musa": (),
    "vulkan": (),
    "opencl": (),
}
# Names around a message whose own words many makers' programs print.
NAMED = (
    (compiled(r"\bCUDA\d?\b|\bnvidia\b", re.IGNORECASE), NVIDIA),
    (
        compiled(r"\bROCm\d?\b|\bHIP\b|\bgfx\d{3,4}\b|\bRadeon\b|\bInstinct\b", re.IGNORECASE),
        ("amd",),
    ),
    (compiled(r"\bXPU\b|\bSYCL\d?\b|\bLevel[- ]?Zero\b|\bIntel\b", re.IGNORECASE), ("intel",)),
    (compiled(r"\bNPU\b|\bAscend\b|\bCANN\d?\b", re.IGNORECASE), ("huawei",)),
    (compiled(r"\bMetal\b|\bMTL\d\b|\bMPS\b", re.IGNORECASE), ("apple",)),
    (compiled(r"\bTPU\b|\blibtpu\b", re.IGNORECASE), ("google",)),
    (compiled(r"\bVulkan\d?\b|\bOpenCL\b|\bMUSA\d?\b|\bHPU\b|\bGaudi", re.IGNORECASE), ()),
)


def makers_of(message: OomMessage, text: str = "") -> tuple[str, ...]:
    """The makers among whose cards one with the message's total is looked for; maybe none."""
    backend = message.words.get("backend", "").casefold()
    if backend in BY_BACKEND:
        return BY_BACKEND[backend]
    if message.kind in BY_KIND:
        return BY_KIND[message.kind]
    return next((makers for name, makers in NAMED if name.search(text[:MOST_TEXT])), NVIDIA)
