"""What the Hub may answer: JSON, config.json, heads of files; whole, cut and damaged."""

import json
from typing import Any

from hypothesis import strategies as st

from bot.hub.repository import Repository
from tests.hub import heads
from tests.hub.families import FAMILIES
from tests.hub.test_properties import ANY, COUNTS, KEYS, PACKING, WORDS

CONFIGS = [dict(family.config) for family in FAMILIES.values()]
RECORD = ("id", "sha", "siblings", "safetensors", "gguf", "cardData", "gated", "pipeline_tag")


def objects() -> st.SearchStrategy[bytes]:
    """A record or a config.json as bytes."""
    names = st.sampled_from((*RECORD, *KEYS))
    made = st.dictionaries(names, ANY, max_size=8)
    published = st.builds(lambda config, more: config | more, st.sampled_from(CONFIGS), made)
    written = st.one_of(made, published).map(lambda value: json.dumps(value).encode())
    return st.one_of(written.flatmap(_damaged), st.binary(max_size=200))


def ggufs() -> st.SearchStrategy[bytes]:
    """The beginning of a GGUF file."""
    named = st.one_of(st.sampled_from(sorted(heads.LLAMA_8B)), st.text(max_size=20))
    values = st.one_of(
        st.booleans(),
        st.integers(-(2**31), 2**32 - 1),
        st.floats(width=32),
        st.text(max_size=20),
        st.lists(st.text(max_size=8), min_size=1, max_size=4),
    )
    sizes = st.lists(st.integers(0, 2**63), max_size=5).map(tuple)
    tensors = st.lists(st.tuples(st.text(max_size=20), sizes, st.integers(0, 50)), max_size=4)
    made = st.builds(heads.gguf, st.dictionaries(named, values, max_size=6), tensors)
    return made.flatmap(_damaged)


def safetensors() -> st.SearchStrategy[bytes]:
    """The beginning of a file of tensors."""
    types = st.sampled_from(("BF16", "F32", "U8", "I64", "F8_E4M3", "X", ""))
    tensor = st.tuples(types, st.lists(st.integers(-1, 10**13), max_size=10))
    made = st.dictionaries(st.text(max_size=20), tensor, max_size=6).map(heads.safetensors)
    return made.flatmap(_damaged)


def repositories() -> st.SearchStrategy[Repository]:
    """A repository with a config.json in which some values are others."""
    changed = st.dictionaries(st.one_of(st.sampled_from(KEYS), WORDS), ANY, max_size=5)
    packing = st.one_of(st.none(), PACKING)

    def repository(
        config: dict[str, Any], other: dict[str, Any], packed: object, counts: dict[str, int]
    ) -> Repository:
        whole = config | other | ({} if packed is None else {"quantization_config": packed})
        return Repository(id="some/thing-8b", asked="some/thing-8b", config=whole, counts=counts)

    return st.builds(repository, st.sampled_from(CONFIGS), changed, packing, COUNTS)


def _damaged(body: bytes) -> st.SearchStrategy[bytes]:
    """`body` as it is, cut short, or with some bytes changed."""
    places = st.lists(st.tuples(st.integers(0), st.integers(0, 255)), max_size=8)
    changed = places.map(lambda some: _changed(body, some))
    return st.one_of(
        st.just(body), changed, st.integers(0, len(body)).map(lambda end: body[:end]), changed
    )


def _changed(body: bytes, places: list[tuple[int, int]]) -> bytes:
    found = bytearray(body)
    for place, byte in places:
        if found:
            found[place % len(found)] = byte
    return bytes(found)
