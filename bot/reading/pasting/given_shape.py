"""A pasted config.json → the model of the table that has its shape, or the shape itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.locale import Locale
from bot.reading.facts import NotUnderstoodError
from estimator import (
    Architecture,
    BadRequest,
    Catalog,
    Model,
    Unsupported,
    architecture_from_config,
    language_of,
    packing_of,
)

REQUIRED = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
OTHER_NAMES = {  # of families whose numbers have names of their own
    "hidden_size": ("n_embd", "d_model", "dim"),
    "num_hidden_layers": ("n_layer", "num_layers", "n_layers"),
    "num_attention_heads": ("n_head", "num_heads", "n_heads"),
    "vocab_size": (),
}


@dataclass(frozen=True, slots=True)
class GivenShape:
    """`row`: the model of the table, if there is one of that shape; else `config` as it is.

    `weights`: the format that it says its weights are packed in; `sees`: it has a tower whose
    size it does not tell.
    """

    config: Mapping[str, Any]
    row: Model | None
    weights: str = ""
    sees: bool = False


def given_shape(config: Mapping[str, Any], catalog: Catalog, locale: Locale) -> GivenShape:
    """The shape of a config.json; raises NotUnderstoodError with what is missing or unknown."""
    try:
        language, sees = language_of(config)
        missing = [name for name in REQUIRED if not _has(language, name)]
        if missing:
            words = ", ".join(f"`{name}`" for name in missing)
            message = locale.say_wrong("config_lacks", words=words)
            raise NotUnderstoodError("bad_config", message, field="model")
        architecture, window = architecture_from_config(language)
        packing = packing_of(config)
    except BadRequest as error:
        message = locale.say_wrong("bad_config", problem=locale.phrased(error.problem))
        raise NotUnderstoodError("bad_config", message, field="model") from None
    except Unsupported as error:
        told = error.message.partition(" Known families")[0]
        raise NotUnderstoodError("unsupported", told, field="model") from None
    row = _row_of(architecture, window, config, catalog)
    known = packing is not None and packing.format and catalog.formats.get(packing.format)
    return GivenShape(language, row, known.id if known else "", sees)


def _has(config: Mapping[str, Any], name: str) -> bool:
    return any(config.get(key) for key in (name, *OTHER_NAMES[name]))


def _row_of(
    architecture: Architecture, window: int | None, config: Mapping[str, Any], catalog: Catalog
) -> Model | None:
    """The model of that very shape; of several the one that the file names, or of its window."""
    rows = [row for row in catalog.models.rows if row.architecture == architecture]
    named = catalog.models.get(str(config.get("_name_or_path") or "")) if rows else None
    if named is not None and named in rows:
        return named
    return next((row for row in rows if row.context == window), rows[0] if rows else None)
