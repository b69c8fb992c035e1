"""The Hub's own record of a model, `GET /api/models/{id}`: what of it is used, checked.

What is missing is absent; what is there and cannot be is an error, since the Hub wrote it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.compiled import compiled
from bot.hub.ids import is_id
from bot.hub.repository import MOST_PARAMETERS, GgufFigures, MissedError, Reason

MOST_FILES = 20_000  # names that are looked at
MOST_GGUF = 200  # files of a repository that are kept
MOST_TYPES = 32
LONGEST = 200  # characters of a name
KIND = compiled(r"[a-z0-9-]{1,40}")  # of what the Hub says that a model is for


@dataclass(frozen=True, slots=True)
class Record:
    """`id`: the model's name now. `files`: those of the top folder; none: not told."""

    id: str
    revision: str
    gated: bool
    licence: str
    kind: str
    counts: dict[str, int]
    gguf: GgufFigures | None
    files: frozenset[str]
    gguf_files: tuple[str, ...]
    base: str


def record_of(told: Mapping[str, Any], asked: str) -> Record:
    """The record of `asked`; raises MissedError for what no record can say."""
    name = told.get("id", told.get("modelId", asked))
    if not isinstance(name, str) or not is_id(name):
        raise MissedError(Reason.MALFORMED, "its record names no model")
    card = told.get("cardData")
    card = card if isinstance(card, Mapping) else {}
    names = _files(told.get("siblings"))
    kind = _text(told.get("pipeline_tag"))
    return Record(
        id=name,
        revision=_text(told.get("sha")),
        gated=told.get("gated") not in (None, False),
        licence=_text(card.get("license")) or "unknown",
        kind=kind if KIND.fullmatch(kind) else "",
        counts=_counts(told.get("safetensors")),
        gguf=_gguf(told.get("gguf")),
        files=frozenset(name for name in names if "/" not in name),
        gguf_files=tuple(sorted(filter(_is_model, names))[:MOST_GGUF]),
        base=_base(card.get("base_model"), name),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= LONGEST else ""


def _is_model(name: str) -> bool:
    """Whether it is a GGUF file of the language model, and not of its tower for images."""
    return name.lower().endswith(".gguf") and "mmproj" not in name.lower()


def _files(told: object) -> frozenset[str]:
    """Names of files, with their folders."""
    if not isinstance(told, list):
        return frozenset()
    named = (one.get("rfilename") for one in told[:MOST_FILES] if isinstance(one, Mapping))
    return frozenset(filter(None, map(_text, named)))


def _counts(told: object) -> dict[str, int]:
    """Elements by type."""
    counts = told.get("parameters") if isinstance(told, Mapping) else None
    if counts is None:
        return {}
    if not isinstance(counts, Mapping) or len(counts) > MOST_TYPES:
        raise MissedError(Reason.MALFORMED, "its record counts parameters by no type")
    if not all(_text(dtype) and _may_count(count) for dtype, count in counts.items()):
        raise MissedError(Reason.MALFORMED, "its record counts parameters that cannot be")
    return {str(dtype): int(count) for dtype, count in counts.items()}


def _may_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MOST_PARAMETERS


def _gguf(told: object) -> GgufFigures | None:
    if not isinstance(told, Mapping):
        return None
    total, context = told.get("total", 0), told.get("context_length")
    if not _may_count(total):
        raise MissedError(Reason.MALFORMED, "its record counts parameters that cannot be")
    return GgufFigures(
        total=int(total),
        architecture=_text(told.get("architecture")),
        context=context if _may_count(context) and context else None,
    )


def _base(told: object, own: str) -> str:
    """The model that it was made from, where that is one."""
    first = told[0] if isinstance(told, list) and len(told) == 1 else told
    return first if isinstance(first, str) and is_id(first) and first != own else ""
