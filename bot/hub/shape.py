"""What the Hub said + the catalogue → a row of the model, and how far it was checked.

Packed integers are never counted as parameters: the count is the shape's. Where nothing is
packed, the repository's own count by element type is held against it, tied tensors once.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import ValidationError

from bot.compiled import compiled
from bot.hub.repository import Missed, Reason, Repository
from estimator import (
    Architecture,
    BadRequest,
    Catalog,
    Model,
    Tower,
    Unsupported,
    architecture_from_config,
    key_of,
    language_of,
    packing_of,
)

SOURCE = "huggingface-hub"
FLOATS = ("F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2")
BUFFERS = ("I64", "BOOL")  # positions and masks, which no model trains
LARGEST_TOWER = 0.5  # of all parameters; what is more is no tower, but another model
CLOSE = 0.001  # of the count: buffers and padding, which change no answer
QUANT = compiled(
    r"(?<![A-Z0-9])(MXFP4_MOE|I?Q\d_K_[SML]|I?Q\d_(?:XXS|XS|NL|S|M|K|0|1)|BF16|F16|F32)(?![A-Z0-9])"
)
USUAL_QUANT = "gguf:Q4_K_M"
GIVEN = "its own config.json"
LANGUAGE = (  # what a repository may be for, in the Hub's words, and hold a model that is counted
    *("", "text-generation", "text2text-generation", "image-text-to-text", "fill-mask"),
    *("feature-extraction", "sentence-similarity", "text-classification", "any-to-any"),
    *("question-answering", "summarization", "translation", "token-classification"),
    *("conversational", "text-ranking", "audio-text-to-text", "video-text-to-text"),
)


class Check(StrEnum):
    """How the repository's own count of its weights stands to the shape's."""

    NONE = "unchecked"  # there is none, or the weights are packed
    EQUAL = "equal"
    CLOSE = "close"
    HEAD_TWICE = "head_twice"  # a tied head is stored as well
    TOWER = "tower"  # the rest is the tower for images
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Found:
    """`shaped_by`: where the shape was read. `amount`: by how much the own count is more."""

    row: Model
    repository: Repository
    shaped_by: str
    check: Check = Check.NONE
    amount: int = 0
    packed: str = ""  # who packed it, where the format is not known
    blind: bool = False  # it has a tower whose size is not known


def found_in(repository: Repository, catalog: Catalog) -> Found | Missed:
    """The row of a repository, or why there is none."""
    try:
        return _found(repository, catalog)
    except BadRequest as error:
        return _missed(repository, Reason.MALFORMED, error.problem)
    except Unsupported as error:
        language = repository.kind in LANGUAGE
        reason = Reason.UNKNOWN_SHAPE if language else Reason.NO_LANGUAGE
        told = error.message.partition(" Known families")[0]
        return _missed(repository, reason, told if language else repository.kind)
    except ValidationError:
        return _missed(repository, Reason.MALFORMED, "its numbers make no model")


def _missed(repository: Repository, reason: Reason, detail: str = "") -> Missed:
    return Missed(id=repository.id, reason=reason, detail=detail[:1_200])


def _found(repository: Repository, catalog: Catalog) -> Found | Missed:
    figures = repository.gguf
    base = catalog.models.get(repository.base) if repository.base else None
    if repository.config is not None:
        return _of_config(repository, repository.config, GIVEN, catalog)
    if figures is not None and figures.config is not None:
        return _of_config(repository, figures.config, f"the head of `{figures.file}`", catalog)
    if base is not None:
        row = _row(repository, base.architecture, base.context, base.family, catalog)
        check, amount = _checked(repository, base.architecture)
        return Found(row, repository, f"`{base.id}`", check, amount)
    if repository.base_config is not None:
        shaped_by = f"the config.json of `{repository.base}`"
        return _of_config(repository, repository.base_config, shaped_by, catalog)
    if repository.kind not in LANGUAGE:
        return _missed(repository, Reason.NO_LANGUAGE, repository.kind)
    return _missed(repository, repository.without or Reason.NO_CONFIG)


def _of_config(
    repository: Repository, config: Mapping[str, Any], shaped_by: str, catalog: Catalog
) -> Found:
    language, seeing = language_of(config)
    if not isinstance(language.get("model_type"), str):
        raise Unsupported("architecture", "Its config names no `model_type`.")
    architecture, context = architecture_from_config(language)
    stored = _stored(repository)
    tower = 0 if stored is None else stored - architecture.parameters
    sees = seeing and 0 < tower < LARGEST_TOWER * (stored or 0)
    if sees:
        architecture = architecture.changed(tower=Tower(parameters=tower, linears=0))
    elif _is_headless(architecture, stored):
        architecture = architecture.changed(head=False)
    packing = packing_of(config) if repository.config is not None else None
    if figures := repository.gguf:
        context = context or figures.context
    family = re.match("[a-z]*", str(language["model_type"]))
    row = _row(repository, architecture, context, family[0] if family else "", catalog)
    if packing is not None and packing.format and catalog.formats.get(packing.format):
        group = packing.group_size
        row = row.model_copy(update={"published": packing.format, "published_group": group})
    check, amount = (Check.TOWER, tower) if sees else _checked(repository, architecture)
    unknown = packing.method if packing is not None and row.published is None else ""
    return Found(row, repository, shaped_by, check, amount, unknown, seeing and not sees)


def _is_headless(architecture: Architecture, stored: int | None) -> bool:
    """Whether the files hold all but a head: of models that embed or score."""
    head = architecture.vocabulary * architecture.hidden
    untied = architecture.head and not architecture.tied
    return untied and stored == architecture.parameters - head


def _row(
    repository: Repository,
    architecture: Architecture,
    context: int | None,
    family: str,
    catalog: Catalog,
) -> Model:
    aliases = (repository.asked,) if key_of(repository.asked) != key_of(repository.id) else ()
    return Model(
        id=repository.id,
        aliases=aliases,
        family=family or "unknown",
        parameters=architecture.parameters,
        context=context,
        licence=repository.licence,
        gated=repository.gated,
        published=_file_format(repository, catalog),
        sources=(SOURCE,),
        architecture=architecture,
    )


def _file_format(repository: Repository, catalog: Catalog) -> str | None:
    """The format of a GGUF repository's files: of the one that was read, or the usual one."""
    if repository.config is not None or not repository.gguf_files:
        return None
    names = [repository.gguf.format] if repository.gguf and repository.gguf.format else []
    names += [found for file in repository.gguf_files for found in QUANT.findall(file.upper())]
    known = [row.id for name in names if (row := catalog.formats.get(f"gguf:{name}"))]
    if repository.gguf and repository.gguf.format and known:
        return known[0]
    return USUAL_QUANT if USUAL_QUANT in known else next(iter(known), None)


def _stored(repository: Repository) -> int | None:
    """Stored elements that are parameters, tied ones maybe twice; none where some are packed."""
    if repository.gguf is not None and repository.config is None:
        return repository.gguf.total or None
    counts = {name: count for name, count in repository.counts.items() if name not in BUFFERS}
    if not counts or set(counts) - set(FLOATS):
        return None
    if repository.config is not None and packing_of(repository.config) is not None:
        return None  # scales beside eight-bit weights are no parameters either
    return sum(counts.values())


def _checked(repository: Repository, architecture: Architecture) -> tuple[Check, int]:
    stored = _stored(repository)
    if stored is None:
        return Check.NONE, 0
    more = stored - architecture.parameters
    if more == 0:
        return Check.EQUAL, 0
    if architecture.tied and more == architecture.vocabulary * architecture.hidden:
        return Check.HEAD_TWICE, more
    if abs(more) <= CLOSE * architecture.parameters:
        return Check.CLOSE, more
    return Check.OTHER, more
