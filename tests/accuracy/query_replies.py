"""What a reply says of each key that a question's row may expect.

Values are those of the request that was read, not of defaults that were taken, but for the
method: where none is named, the answer is of full training.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from bot.ask import (
    Answered,
    Desk,
    Explained,
    Indexed,
    OomExplained,
    Refused,
    Replied,
    Tabled,
    Weighed,
)
from bot.reading.changing import CHANGES
from estimator import GIB, Catalog, load_catalog

ASKING = ("ambiguous", "no_model")  # codes of refusals that are a question back
NOT_LANGUAGE = "not_language"  # the code of what is no language model's memory
PLAIN = {  # keys that are a field of the request under another name
    "batch": "batch", "seq_len": "seq", "context": "context", "rank": "rank", "alpha": "alpha",
    "grad_accum": "accumulation", "concurrency": "users", "tp": "tp", "pp": "pp", "ep": "ep",
    "prompt_len": "prompt", "completion_len": "new_tokens", "out_tokens": "new_tokens",
    "gpu_layers": "gpu_layers", "n_cpu_moe": "cpu_moe_layers", "generations": "generations",
    "bpw": "bpw", "util": "utilization", "ubatch": "ubatch", "engine": "engine",
    "task": "objective", "targets": "targets", "checkpointing": "checkpointing",
    "attn": "attention", "optimizer_in_bwd": "optimizer_in_backward", "speculative": "draft",
    "vision": "images", "method": "method", "optimizer": "optimizer", "quant": "weights",
    "dtype": "weights", "kv_dtype": "kv", "zero": "strategy", "fsdp": "strategy",
    "offload": "offload", "model": "model", "params_b": "model", "active_b": "model",
    "model_tag": "model", "gpus": "gpus", "gpu_count": "gpus", "gpu_type": "gpus",
    "vram_gb": "gpus", "lora_layers": "active_blocks", "layer_split": "layer_split",
    "used_gb": "in_use_bytes",
}  # fmt: skip
SEVERAL = {  # keys of what is compared
    "models": "model", "model_tags": "model", "methods": "method", "optimizers": "optimizer",
    "quants": "weights", "dtypes": "weights", "kv_dtypes": "kv", "gpu_types": "gpus",
}  # fmt: skip
NOTED = {  # what a reply says of a key in a note, where a request has no field for it
    "engine": r"`([^`]+)` has no estimate of its own|`(mlx)` trains by its own code",
    "kv_dtype": r"without effect on the estimate: [^\n]*?`([^`]+?) kv",
    "speculative": r"`([^`]+)`: a draft takes memory",
    "vision": r"`([^`]+)`: the tower for images is counted",
    "lora_layers": r"`(\d+) layers`|`(?:num|lora)_layers: (\d+)`",
    "prompt_len": r"`prompt (\d+) \+ [^`]*`: together one sequence",
    "completion_len": r"`prompt \d+ \+ \w+ (\d+)`: together one sequence",
    "vram_gb": r"`([\d.]+) GB` is (?:enough|tight|not enough)",
    "optimizer": r"with states in `[^`]*?([48])[^`]*` is not estimated",
}
PACKED = (
    "nf4",
    "fp4",
    "int8",
    "awq",
    "gptq",
)  # weights beside which a dtype is what is computed in
PLAIN_NOTED = tuple(key for key in NOTED if key != "optimizer")
NUMBERS_NOTED = ("lora_layers", "vram_gb", "prompt_len", "completion_len")


@dataclass(frozen=True, slots=True)
class Reply:
    """`requests`: what was answered, several where things are compared; or what a refusal read."""

    outcome: str
    requests: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()
    catalog: Catalog = field(default_factory=load_catalog)

    def value(self, key: str) -> object:
        """What the reply says of `key`: the one value of its requests, or a list of several."""
        if not self.requests:
            return None
        if key in SEVERAL:
            return [_of(request, SEVERAL[key]) for request in self.requests]
        name = PLAIN.get(key)
        if name is None:
            return list(self.notes) or None
        found = [self._one(request, key, name) for request in self.requests]
        distinct = [v for n, v in enumerate(found) if v not in found[:n]]
        return distinct[0] if len(distinct) == 1 else distinct

    def _noted(self, key: str) -> object:
        """What a note says of `key` in words, where no field of the request holds it."""
        found = re.search(NOTED[key], "\n".join(self.notes), re.IGNORECASE)
        said = None if found is None else next((part for part in found.groups() if part), None)
        return float(said) if said is not None and key in NUMBERS_NOTED else said

    def _one(self, request: Mapping[str, Any], key: str, name: str) -> object:
        value = request.get(name)
        if (not value or key == "engine") and key in PLAIN_NOTED and (noted := self._noted(key)):
            return noted
        if key == "util" and value is None:
            return request.get("engine_share")
        if key == "quant" and value is None:
            return {"qlora": "nf4"}.get(str(request.get("method")))
        if key == "quant" and value == "exl2":
            return f"exl2-{request.get('bpw')}bpw"
        if key == "kv_dtype" and value is None:
            return request.get("kv_k")
        if key == "dtype" and (value is None or str(value).startswith(PACKED)):
            return request.get("compute") or value
        if key in ("concurrency", "context"):
            return _of_sequences(request, key)
        if key in ("gpu_count", "gpus") and (not value or _is_one(value)):
            return _counted(request, value if key == "gpus" else None) or value
        if name == "optimizer":
            return _optimizer(request, self._noted("optimizer"))
        return _of(request, name)


def _of_sequences(request: Mapping[str, Any], key: str) -> int | None:
    """How many at once, or the context of one, which llama.cpp's slots are a part of."""
    slots, context = request.get("slots"), request.get("context")
    if key == "concurrency":
        return request.get("users") or slots or request.get("max_num_seqs")
    return context // (slots or 1) if request.get("engine") == "llama.cpp" and context else context


def _counted(request: Mapping[str, Any], cards: object) -> object:
    """So many cards as are said, of the one that is named, or as a server's parts need."""
    parts = prod(request.get(name, 1) for name in ("tp", "pp", "dp")) if "tp" in request else None
    count = request.get("world") or (None if request.get("gpus") else parts)
    if isinstance(cards, list) and cards:
        return [{**cards[0], "count": count or 1}]
    return count


def _is_one(cards: object) -> bool:
    """Whether one card is named, which is that many where a number of cards is said."""
    return isinstance(cards, list) and [card.get("count", 1) for card in cards] == [1]


def _divided_among(request: Mapping[str, Any]) -> int | None:
    """The cards that a server's parts need, where it says no other count: `--tp 2`."""
    return prod(request.get(name, 1) for name in ("tp", "pp", "dp")) if "tp" in request else None


def _of(request: Mapping[str, Any], name: str) -> object:
    if name == "method" and request.get("task") == "train":
        return request.get(name) or "full"
    if name == "in_use_bytes":
        return request.get(name, 0) / GIB
    return request.get(name)


def _optimizer(request: Mapping[str, Any], bits: object) -> object:
    """A method that is an optimizer of its own counts as one, with what changes it.

    `bits`: of its states, where the reply says that it was read and counts more.
    """
    parts = [request.get("optimizer")]
    if request.get("method") in ("galore", "apollo", "lomo"):
        parts.insert(0, request["method"])
    if parts[0] == "apollo" and request.get("rank") == 1:
        parts.insert(1, "mini")
    if bits is not None:
        parts.append(f"adamw_{bits}bit")
    if request.get("optimizer_in_backward"):
        parts.append("layerwise")
    return "_".join(str(part) for part in parts if part) or None


def reply_to(text: str, desk: Desk, before: str | None = None) -> Reply:
    """What the desk says to `text`, as a reply to its answer to `before` where there is one."""
    lines = lines_of(desk.ask(before)) if before is not None else ()
    found = desk.ask(text, {CHANGES: "\n".join(lines)} if lines else None)
    if isinstance(found, Refused):
        return Reply(_outcome(found), (dict(found.understood),), (found.refusal.wrong,))
    if isinstance(found, Weighed):
        sides = [side for side in found.sides if isinstance(side, Replied)]
        return Reply("answer", tuple(map(_asked, sides)), found.comparison.warnings)
    if isinstance(found, Explained):
        return Reply("answer", found.sides if len(found.sides) > 1 else (found.understood,))
    if isinstance(found, Indexed):
        return Reply("answer", ())
    if isinstance(found, Tabled):
        return Reply("answer", (dict(found.understood),), found.notes)
    if isinstance(found, OomExplained):
        runs = () if found.run is None else (_asked(found.run),)
        return Reply("answer", runs, found.explanation.details)
    return Reply("answer", (_asked(found),), found.notes)


def lines_of(found: Answered) -> tuple[str, ...]:
    """The lines by which an answer can be asked again, as it shows them."""
    match found:
        case Replied():
            return (found.presentation.line,)
        case Weighed():
            return found.comparison.lines
        case Tabled():
            return found.overview.lines[:1]
        case OomExplained():
            return found.explanation.lines
        case Explained() | Indexed():
            return ()
        case Refused():
            return found.refusal.lines[:1]


def _asked(found: Replied) -> Mapping[str, Any]:
    """The request as it was read, without defaults."""
    return found.answer.request.model_dump(mode="json", exclude_none=True)


def _outcome(found: Refused) -> str:
    if found.code == NOT_LANGUAGE:
        return "unsupported"
    return "ask" if found.code in ASKING else "error"
