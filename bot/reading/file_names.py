"""Names of files and folders, as programs store models: `L3-8B-Stheno-v3.2-Q6_K-imat.gguf`.

No Hub tells what such a name is, so it is read for base and format: a copy as a repository's
name is, and what was trained from a base whose whole name, with its size, stands in it as that
base. A name of another shape (`2x8B`, `-MoE`, `-VL`, two sizes) is none of its base.
"""

import re
from collections.abc import Container

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.families import goes_by, typed_size
from bot.reading.repositories import Copy, copy_of, split_formats, tuned_from
from estimator import Catalog, Model, Models

HINTS = ("gguf", "exl2", "exl3", "bpw", "gptq", "awq", "imat")
RESHAPED = (  # words of a name that tell of more, less or other layers
    *("moe", "vl", "vision", "vlm", "omni", "audio", "speech", "voice", "tts", "llava", "video"),
    *("embed", "embedding", "rerank", "reranker", "reward", "rm", "prm", "draft", "eagle", "mtp"),
    *("medusa", "minitron", "pruned", "prune", "upscaled", "upscale", "depth", "width", "stacked"),
    *("frankenmerge", "passthrough", "mmproj", "lora", "adapter", "mini", "nano", "tiny", "coder"),
)
SHORTHANDS = {"mn": "mistral-nemo"}  # as those who train from it write it
MOST_PARTS = 16
_FILE = compiled(
    r"(?<![^\s,;:=(\"'])(?:[~.]{0,2}/(?:[\w.-]{1,60}/){0,8})?(?P<stem>(?=[\w.+-]{0,60}\d)[A-Za-z][\w.+-]{5,119}?)"
    r"(?:(?P<gguf>\.gguf|[ ]gguf)(?![\w-])|(?=[\s,;)\"']|$))",
    re.IGNORECASE,
)
_PACKED = compiled(r"(?:exl[23]|\dbpw|gptq|awq|i?q\d_|imat)", re.IGNORECASE)
_SIZE = compiled(r"^\d+(?:\.\d+)?b$", re.IGNORECASE)
_MANY = compiled(r"^\d+x\d+(?:\.\d+)?b$|^a\d+(?:\.\d+)?b$", re.IGNORECASE)
_EXPERTS = compiled(r"^\d{1,3}e$", re.IGNORECASE)
_LETTERS = compiled(r"[^A-Za-z].*$")
_SEPARATOR = compiled(r"[-_]")


def take_file_names(
    text: str, catalog: Catalog, families: Container[str], locale: Locale, said: Said
) -> str:
    """`text` with files that the line would not read by their bases and formats.

    A name of no known family that tells one size is of that size: `Cydonia-24B-v4-Q4_K_M.gguf`.
    """
    words = text.casefold()
    if not any(hint in words for hint in HINTS):
        return text

    def take(found: re.Match[str]) -> str:
        stem, gguf = found["stem"], found["gguf"] is not None
        if not gguf and not _PACKED.search(stem):
            return found[0]
        name = f"x/{stem}{'-GGUF' if gguf else ''}"
        if copy_of(f"x/{stem}", catalog.models) is not None:
            return found[0]  # read as it stands
        copy = copy_of(name, catalog.models)
        if copy is None:
            copy = tuned_from(name, catalog.models) or trained_from(name, catalog.models)
            size = "" if copy is not None else _size_told(name, families)
            if size:
                said.remarks.append(locale.say("sized", name=echo(stem), size=size))
                return f" , {size} , {split_formats(name)[1]} , "
            if copy is None:
                return found[0]
            said.remarks.append(locale.say("tuned", name=echo(stem), base=copy.row.id))
        return f" , {copy.row.id} , {copy.words} , "

    return _FILE.sub(take, text)


def trained_from(name: str, models: Models) -> Copy | None:
    """The base whose name stands in `owner/name`; none where its shape may be another."""
    stem, words = split_formats(name)
    parts = [part for part in _SEPARATOR.split(stem.rpartition("/")[2]) if part]
    plain = [SHORTHANDS.get(part.casefold(), part) for part in parts]
    if len(parts) > MOST_PARTS or any(part.casefold() in RESHAPED for part in parts):
        return None
    for length in range(len(plain) - 1, 0, -1):
        runs = [plain[at : at + length] for at in range(len(plain) - length + 1)]
        rows = [
            row
            for at, run in enumerate(runs)
            if (row := models.get("-".join(run))) is not None
            and _has_its_size(row, run, [*plain[:at], *plain[at + length :]])
        ]
        if rows and all(row.architecture == rows[0].architecture for row in rows):
            return Copy(rows[0], words)
        if rows:
            return None
    return None


def _size_told(name: str, families: Container[str]) -> str:
    """The one size in a name that is no known family's; none where its shape is told otherwise."""
    parts = _SEPARATOR.split(split_formats(name)[0].rpartition("/")[2])
    words = [_LETTERS.sub("", part).casefold() for part in parts]
    if any(word in families or word in RESHAPED for word in words if word):
        return ""
    if any(_MANY.match(part) or _EXPERTS.match(part) for part in parts):
        return ""
    sizes = [part for part in parts if _SIZE.match(part)]
    return sizes[0].upper() if len(sizes) == 1 else ""


def _has_its_size(row: Model, run: list[str], others: list[str]) -> bool:
    """Whether the name tells the base's size, and no other."""
    if any(_MANY.match(part) for part in others):
        return False
    sizes = [part for part in others if _SIZE.match(part)]
    told = any(_SIZE.match(part) or _MANY.match(part) for part in run)
    return bool(told or sizes) and all(_is_of(size, row) for size in sizes)


def _is_of(size: str, row: Model) -> bool:
    try:
        typed = typed_size(size)
    except NotUnderstoodError:
        return False
    return typed is not None and goes_by(typed, row)
