"""Whether what was understood means what a row expects: names, numbers, words.

The words of rows are normalised by tables of this file, never by the reading that is judged.
"""

import re
from collections.abc import Callable, Mapping
from math import isclose
from typing import Any

from estimator import Catalog, Gpu, Model, key_of, parse_size
from tests.accuracy.query_words import (
    attention,
    engine,
    is_on,
    number_format,
    objective,
    optimizer,
    targets,
)

BILLION = 10**9
NEAR = 0.025  # numbers; "k" may mean 1000 or 1024
NUMBERS = (
    *("batch", "seq_len", "context", "rank", "alpha", "grad_accum", "concurrency", "tp", "pp"),
    *("ep", "prompt_len", "completion_len", "out_tokens", "gpu_layers", "n_cpu_moe", "util"),
    *("generations", "bpw", "ubatch", "lora_layers", "used_gb"),
)
WORDS: Mapping[str, Callable[[str], str]] = {
    "method": str, "methods": str, "optimizer": optimizer, "optimizers": optimizer,
    "dtype": number_format, "dtypes": number_format, "quant": number_format,
    "quants": number_format, "kv_dtype": number_format, "kv_dtypes": number_format,
    "engine": engine, "task": objective, "targets": targets, "attn": attention,
}  # fmt: skip
ANY_OF_BITS = re.compile(
    r"(q|int)?(\d)(-?bit)?", re.IGNORECASE
)  # `q4`, `4bit`, `int4`: any format of so many
FULL_LIKE = ("full", "galore", "apollo", "lomo", "badam", "lisa")  # train every weight
SIZE_IN_NAME = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)
POINT_RELEASE = re.compile(  # what tells releases and tunings of one architecture apart
    r"v?\d+(?:[._]\d+)*(?![\d.]*[bm]\b)|\b(?:instruct|chat|base|it|hf|meta|thinking|preview)\b",
    re.IGNORECASE,
)


def same(key: str, expected: Any, found: Any, catalog: Catalog) -> bool:  # noqa: ANN401  (JSON)
    """Whether `found` says `expected`."""
    if key in ("model", "model_tag"):
        return isinstance(found, str) and same_model(expected, found, catalog)
    if key in ("models", "model_tags"):
        return _same_set(
            expected, found, lambda a, b: isinstance(b, str) and same_model(a, b, catalog)
        )
    if key == "params_b":
        return any(_near(expected, size) for size in sizes_of(found, catalog))
    if key in ("gpus", "gpu_type", "gpu_types"):
        return _same_cards(key, expected, found, catalog)
    if key in ("gpu_count", "vram_gb"):
        return _cards_number(key, expected, found, catalog)
    if key == "layer_split":
        return isinstance(found, (list, tuple)) and list(found) == expected
    if key in NUMBERS:
        return isinstance(found, (int, float)) and _near(expected, found)
    if key in WORDS:
        return _same_words(key, expected, found)
    return _same_switch(key, expected, found)


def same_model(expected: str, found: str, catalog: Catalog) -> bool:
    """One entry of the catalogue, or point releases of one architecture."""
    row, other = catalog.models.get(_base_of(expected)), catalog.models.get(found)
    if row is None or other is None:
        return False
    return row == other or (_release(row) == _release(other) and _alike(row, other))


def _base_of(name: str) -> str:
    """A copy's name without its owner and the format at its end."""
    plain = re.sub(r"-(?:bnb-4bit|FP8|AWQ|GPTQ\S*|GGUF)$", "", name, flags=re.IGNORECASE)
    return plain if plain == name else plain.split("/", 1)[-1]


def _release(row: Model) -> str:
    return key_of(POINT_RELEASE.sub(" ", row.id.split("/", 1)[-1].replace("-", " ")))


def _alike(row: Model, other: Model) -> bool:
    """As wide, as deep and as large, but for words that a release added."""
    one, two = row.architecture, other.architecture
    shape = (one.hidden, one.depth) == (two.hidden, two.depth)
    return shape and isclose(row.parameters, other.parameters, rel_tol=NEAR)


def sizes_of(found: object, catalog: Catalog) -> list[float]:
    """Sizes that a model goes by, in billions: as typed, as named, as counted."""
    names = found if isinstance(found, list) else [found]
    sizes: list[float] = []
    for name in map(str, names):
        typed = parse_size(name)
        row = catalog.models.get(name)
        sizes += [typed.parameters / BILLION] if typed is not None else []
        if row is not None:
            sizes += [float(size) for size in SIZE_IN_NAME.findall(row.id.replace("-", " "))]
            sizes.append(row.parameters / BILLION)
    return sizes


def _same_cards(key: str, expected: Any, found: Any, catalog: Catalog) -> bool:  # noqa: ANN401
    if not isinstance(found, list):
        return False
    if key == "gpu_types" and all(isinstance(entry, list) for entry in found):  # of each side
        found = [card for entry in found for card in entry]
    if found and all(isinstance(entry, list) for entry in found):  # each size of an open name
        return all(_same_cards(key, expected, one, catalog) for one in found)
    if not all(isinstance(entry, dict) for entry in found):
        return False
    if key != "gpus":
        wanted = expected if isinstance(expected, list) else [expected]
        return _same_set(wanted, [e["id"] for e in found], lambda a, b: _is_card(a, b, catalog))
    return _same_set(
        expected,
        found,
        lambda a, b: a["count"] == b.get("count", 1) and _is_card(a["type"], b["id"], catalog),
    )


def _is_card(expected: str, found: str, catalog: Catalog) -> bool:
    """Whether a row's name of a card means `found`; a word that several share means any of them."""
    if (row := catalog.gpus.get(expected)) is not None:
        return row.id == found or _is_twin(row, found, catalog)
    card = catalog.gpus.get(found)
    word, _, size = key_of(expected).partition(str(card.memory_gb) if card else "-")
    if card is None:
        return False
    shares = word in {key_of(name) for name in card.shared} or word in key_of(card.name)
    apple = word == "applesilicon" and card.vendor == "apple"
    return (shares or apple) and size in ("gb", "")


def _is_twin(row: Gpu, found: str, catalog: Catalog) -> bool:
    """One card on two boards: A100 PCIe and SXM of the same size."""
    card = catalog.gpus.get(found)
    return (
        card is not None
        and bool(set(row.shared) & set(card.shared))
        and row.memory_gb == card.memory_gb
    )


def _cards_number(key: str, expected: float, found: object, catalog: Catalog) -> bool:
    if isinstance(found, float):  # an amount of memory that is no card's
        return key == "vram_gb" and _near(expected, found)
    if isinstance(found, int):
        return key == "gpu_count" and found == expected
    if not isinstance(found, list):
        return False
    if key == "gpu_count":
        return bool(sum(entry.get("count", 1) for entry in found) == expected)
    rows = [catalog.gpus.get(e["id"]) or catalog.classes.get(e["id"]) for e in found]
    return any(row is not None and _near(expected, row.memory_gb) for row in rows)


def _same_words(key: str, expected: Any, found: Any) -> bool:  # noqa: ANN401
    normal = WORDS[key]
    if key.endswith("s") and key != "targets":
        return _same_set(expected, found, lambda a, b: _same_word(key, normal(a), str(b)))
    return _same_word(key, normal(str(expected)), str(found))


def _same_word(key: str, expected: str, found: str) -> bool:
    meant = WORDS[key](found)
    if key.startswith("method") and expected == "full":
        return found in FULL_LIKE
    bits = ANY_OF_BITS.fullmatch(expected)
    if bits is not None and key.startswith(("quant", "kv")):
        return re.search(rf"(?<!\d){bits[2]}(?!\d)", meant) is not None or (
            bits[2] == "4" and meant.startswith(("nf4", "fp4", "mxfp4", "nvfp4", "awq", "gptq4"))
        )
    return meant == expected


def _same_switch(key: str, expected: Any, found: Any) -> bool:  # noqa: ANN401
    """Keys whose value says whether something is on; any other is there or not."""
    if key == "zero":
        wanted = expected if isinstance(expected, list) else [expected]
        values = found if isinstance(found, list) else [found]
        return _same_set([f"zero{n}" for n in wanted], values, str.__eq__)
    if key == "fsdp":
        return (str(found) in ("fsdp", "fsdp2")) is bool(expected)
    if key in ("checkpointing", "offload"):
        return is_on(str(found)) is is_on(str(expected))
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        return any(_says(expected, text) for text in (found if isinstance(found, list) else []))
    return True


def _says(number: float, text: object) -> bool:
    return any(_near(number, float(n)) for n in re.findall(r"\d+(?:\.\d+)?", str(text)))


def _same_set(expected: Any, found: Any, alike: Callable[[Any, Any], bool]) -> bool:  # noqa: ANN401
    if not isinstance(expected, list) or not isinstance(found, list):
        return False
    return all(any(alike(a, b) for b in found) for a in expected) and all(
        any(alike(a, b) for a in expected) for b in found
    )


def _near(expected: float, found: float) -> bool:
    """Within the tolerance of numbers."""
    return isclose(expected, found, rel_tol=NEAR)
