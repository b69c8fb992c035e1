"""One model's repository, read: which files are asked for, in which order, and how much of each.

1. the Hub's own record: revision, whether it is gated, counts by element type, names of files
2. `config.json` of that revision; of a repository without one, that of the model it says it
   was made from
3. where the record has no counts: the index of the files, or the head of the one file
4. of a GGUF repository the head of one file, if the host serves it itself
"""

import asyncio
from typing import Any
from urllib.parse import urlencode

from bot.hub import gguf, safetensors
from bot.hub.decoding import decoded, shortened
from bot.hub.fetching import Fetcher
from bot.hub.ids import is_commit, is_file
from bot.hub.record import Record, record_of
from bot.hub.repository import GgufFigures, MissedError, Reason, Repository
from estimator import MIB, config_of_gguf

EXPANDED = ("sha", "gated", "safetensors", "gguf", "cardData", "siblings", "pipeline_tag")
LARGEST_RECORD = 2 * MIB  # of the largest repositories the names of files are half of it
LARGEST_CONFIG = MIB  # published ones have kilobytes, with labels of images a hundred
LARGEST_INDEX = 8 * MIB  # one line a tensor: 8 MiB are some 80,000, more than a whole DeepSeek-V3
CONFIG, INDEX, SINGLE = "config.json", "model.safetensors.index.json", "model.safetensors"
BYTES_OF = {"float32": 4, "bfloat16": 2, "float16": 2}
STORED_AS = {"float32": "F32", "bfloat16": "BF16", "float16": "F16"}
USUAL_FILE = "q4_k_m"  # whose head is read, where there is a choice

# What a repository without a config.json is told by; all else ends the visit.
HIDDEN = (Reason.GATED, Reason.NO_CONFIG, Reason.MISSING)
UNREADABLE = (Reason.MALFORMED, Reason.TOO_LARGE)  # of a file that only confirms: said, no more


async def visit(fetcher: Fetcher, asked: str) -> Repository:
    """What the Hub says of `asked`; raises MissedError where that is nothing of use."""
    query = urlencode([("expand[]", name) for name in EXPANDED])
    body = await fetcher.whole(f"/api/models/{asked}?{query}", LARGEST_RECORD, "its record")
    record = record_of(decoded(body, "its record"), asked)
    revision = record.revision if is_commit(record.revision) else "main"
    top = f"/{record.id}/resolve/{revision}"
    config, without = await _config(fetcher, top, record)
    counts, counted_by = record.counts, "the Hub's record"
    uncounted = ""
    if not counts and config is not None:
        try:
            counts, counted_by = await _counts(fetcher, top, record, config)
        except MissedError as error:
            if error.reason not in UNREADABLE:
                raise
            uncounted = error.detail
    figures = record.gguf
    if config is None and record.gguf_files:
        figures = await _of_header(fetcher, top, record) or record.gguf
    base_config = None
    if config is None and record.base and (figures is None or figures.config is None):
        base_config = await _base_config(fetcher, record.base)
    return Repository(
        id=record.id,
        asked=asked,
        revision=revision,
        gated=record.gated,
        licence=record.licence,
        kind=record.kind,
        config=config,
        without=without,
        counts=counts,
        counted_by=counted_by if counts else "",
        uncounted=uncounted,
        gguf=figures,
        gguf_files=record.gguf_files,
        base=record.base,
        base_config=base_config,
    )


async def _config(
    fetcher: Fetcher, top: str, record: Record
) -> tuple[dict[str, Any] | None, Reason | None]:
    """The config.json, or why there is none."""
    if record.files and CONFIG not in record.files:
        return None, Reason.NO_CONFIG
    try:
        body = await fetcher.whole(f"{top}/{CONFIG}", LARGEST_CONFIG, CONFIG)
    except MissedError as error:
        if error.reason not in HIDDEN:
            raise
        return None, Reason.GATED if error.reason is Reason.GATED else Reason.NO_CONFIG
    return shortened(decoded(body, CONFIG), CONFIG), None


async def _base_config(fetcher: Fetcher, base: str) -> dict[str, Any] | None:
    """The config.json of the model that it was made from, if that one shows it."""
    try:
        path = f"/{base}/resolve/main/{CONFIG}"
        body = await fetcher.whole(path, LARGEST_CONFIG, f"{CONFIG} of {base}")
        return shortened(decoded(body, CONFIG), CONFIG)
    except MissedError as error:
        if error.reason in (Reason.OFFLINE, Reason.RATE_LIMITED, Reason.SERVER_ERROR):
            raise
        return None


async def _counts(
    fetcher: Fetcher, top: str, record: Record, config: dict[str, Any]
) -> tuple[dict[str, int], str]:
    """Counts by type where the record has none; empty where the files do not tell either."""
    try:
        if INDEX in record.files:
            body = await fetcher.whole(f"{top}/{INDEX}", LARGEST_INDEX, INDEX)
            return _of_index(decoded(body, INDEX), config), INDEX
        if SINGLE in record.files:
            beginning = await fetcher.beginning(
                f"{top}/{SINGLE}",
                safetensors.LENGTH_BYTES + safetensors.LARGEST_HEADER,
                SINGLE,
                safetensors.holds_header,
            )
            return safetensors.counts_of_header(beginning, SINGLE), f"the head of {SINGLE}"
    except MissedError as error:
        if error.reason not in (*HIDDEN, Reason.ELSEWHERE):
            raise
    return {}, ""


def _of_index(index: dict[str, Any], config: dict[str, Any]) -> dict[str, int]:
    """All bytes of an index as elements of the one type that the config names.

    That is exact only where nothing is packed, so only then.
    """
    total = safetensors.total_bytes_of_index(index)
    named = config.get("dtype", config.get("torch_dtype"))
    packed = config.get("quantization_config") or config.get("quantization")
    if total is None or packed or named not in BYTES_OF or total % BYTES_OF[named]:
        return {}
    return {STORED_AS[named]: total // BYTES_OF[named]}


async def _of_header(fetcher: Fetcher, top: str, record: Record) -> GgufFigures | None:
    """The head of a GGUF file; none where it lies with another host, as large ones do."""
    files = [name for name in record.gguf_files if is_file(name)]
    usual = [name for name in files if USUAL_FILE in name.lower()]
    name = next(iter(usual or files), None)
    if name is None:
        return None
    elsewhere = (*HIDDEN, Reason.ELSEWHERE, *(UNREADABLE if record.base else ()))
    try:
        path = f"{top}/{name}"
        beginning = await fetcher.beginning(path, gguf.LARGEST_HEADER, name, gguf.is_whole)
        header = await asyncio.to_thread(gguf.header_of, beginning, name)
    except MissedError as error:
        if error.reason not in elsewhere:
            raise
        return None
    context = gguf.spelled(header.metadata, "context_length")
    whole = header.metadata.get("split.count") in (None, 1)  # of a part not all tensors are told
    return GgufFigures(
        total=sum(header.elements.values()) if whole else 0,
        architecture=str(header.metadata.get("general.architecture", "")),
        context=context if isinstance(context, int) and context > 0 else None,
        file=name,
        config=config_of_gguf(header.metadata, header.tensors if whole else ()),
        format=header.recipe,
    )
