"""Heads of GGUF and safetensors files: read as the formats say, and believed no further."""

import struct

import pytest

from bot.hub import gguf, safetensors
from bot.hub.repository import MissedError, Reason
from estimator import MIB, architecture_from_config, config_of_gguf
from tests.hub import heads

WHOLE = heads.gguf(heads.LLAMA_8B, heads.llama_tensors())
COUNT = 8_030_261_248


def test_a_gguf_head_is_read() -> None:
    header = gguf.header_of(WHOLE, "x.gguf")
    assert header.recipe == "Q4_K_M"
    assert sum(header.elements.values()) == COUNT
    assert set(header.elements) == {"Q4_K", "Q6_K", "F32"}
    assert header.metadata["llama.attention.head_count_kv"] == 8
    assert header.metadata["tokenizer.ggml.tokens"] == 300
    assert header.metadata["tokenizer.ggml.add_bos_token"] is True


def test_its_shape_is_that_of_the_config() -> None:
    header = gguf.header_of(WHOLE, "x.gguf")
    config = config_of_gguf(header.metadata, header.tensors)
    architecture, context = architecture_from_config(config)
    assert architecture.parameters == COUNT
    assert not architecture.tied
    assert context == 131072


def test_a_file_without_a_recipe_is_what_most_of_it_is() -> None:
    metadata = {key: one for key, one in heads.LLAMA_8B.items() if "file_type" not in key}
    assert gguf.header_of(heads.gguf(metadata, heads.llama_tensors()), "x").recipe == "Q4_K"


@pytest.mark.parametrize(
    ("name", "metadata", "tensors", "model_type"),
    [
        ("qwen2", {}, {"token_embd.weight"}, "qwen2"),
        ("llama", {"expert_count": 8, "expert_used_count": 2}, set(), "mixtral"),
        ("gemma2", {"attention.sliding_window": 4096}, {"token_embd.weight"}, "gemma2"),
        ("gpt2", {}, {"output.weight"}, "gpt2"),
        ("clip", {}, set(), "clip"),
    ],
)
def test_architectures_have_their_family(
    name: str, metadata: dict[str, int], tensors: set[str], model_type: str
) -> None:
    known = {"general.architecture": name, f"{name}.block_count": 2}
    known |= {f"{name}.{key}": one for key, one in metadata.items()}
    config = config_of_gguf(known, tensors)
    assert config["model_type"] == model_type
    if tensors:
        assert config["tie_word_embeddings"] == ("output.weight" not in tensors)


def test_a_gpt2_has_its_own_words() -> None:
    known: dict[str, object] = {
        "general.architecture": "gpt2",
        "gpt2.block_count": 12,
        "gpt2.embedding_length": 768,
        "gpt2.feed_forward_length": 3072,
        "gpt2.attention.head_count": 12,
        "gpt2.context_length": 1024,
        "tokenizer.ggml.tokens": 50257,
    }
    architecture, context = architecture_from_config(config_of_gguf(known, ["token_embd.weight"]))
    assert (architecture.parameters, context) == (124_439_808, 1024)


@pytest.mark.parametrize("end", [0, 3, 4, 8, 20, 24, 100, 1_000, len(WHOLE) - 100])
def test_a_head_that_goes_on_is_waited_for(end: int) -> None:
    assert not gguf.is_whole(WHOLE[:end])
    with pytest.raises(MissedError) as raised:
        gguf.header_of(WHOLE[:end], "x.gguf")
    assert raised.value.reason is Reason.MALFORMED


def test_a_whole_head_is_not_waited_for() -> None:
    assert gguf.is_whole(WHOLE)
    assert gguf.is_whole(b"PK\3\4 a zip")


HOSTILE_GGUF: dict[str, bytes] = {
    "another file": b"\x80\x02}q\x00X" + b"\0" * 100,
    "another version": heads.gguf(heads.LLAMA_8B, version=1),
    "a version to come": heads.gguf(heads.LLAMA_8B, version=2**31),
    "2^63 tensors": heads.gguf(heads.LLAMA_8B, claimed=(2**63, len(heads.LLAMA_8B))),
    "2^63 keys": heads.gguf(heads.LLAMA_8B, claimed=(0, 2**63)),
    "a text of 2^60": heads.gguf({}, claimed=(0, 1), body=b"") + struct.pack("<Q", 2**60),
    "a type of value that is none": heads.gguf({}, claimed=(0, 1), body=b"")
    + heads.text("k")
    + struct.pack("<I", 99)
    + b"\0" * 99,
    "a list of 2^62": heads.gguf({}, claimed=(0, 1), body=b"")
    + heads.text("k")
    + struct.pack("<IIQ", 9, 4, 2**62)
    + b"\0" * 99,
    "texts of 2^62": heads.gguf({}, claimed=(0, 1), body=b"")
    + heads.text("k")
    + struct.pack("<IIQ", 9, 8, 2**62)
    + b"\0" * 99,
    "a list of lists": heads.gguf({}, claimed=(0, 1), body=b"")
    + heads.text("k")
    + struct.pack("<IIQ", 9, 9, 1)
    + b"\0" * 99,
    "a tensor of 2^32 dimensions": heads.gguf({}, claimed=(1, 0), body=b"")
    + heads.text("t")
    + struct.pack("<I", 2**32 - 1)
    + b"\0" * 99,
    "a tensor of 2^63": heads.gguf({}, [("t", (2**63,), 0)]),
    "a tensor of too much in all": heads.gguf({}, [("t", (10**9, 10**9), 0)]),
}


@pytest.mark.parametrize("kind", HOSTILE_GGUF)
def test_a_gguf_that_means_harm_is_refused(kind: str) -> None:
    with pytest.raises(MissedError) as raised:
        gguf.header_of(HOSTILE_GGUF[kind], "x.gguf")
    assert raised.value.reason is Reason.MALFORMED
    assert "x.gguf" in raised.value.detail


def test_the_dearest_heads_that_are_read_at_all_are_read_to_their_end() -> None:
    """Sixteen MiB of the smallest texts, or of tensors; one more of either is refused."""
    blank = b"\0" * (16 * MIB)
    head = heads.gguf({}, claimed=(0, 1), body=b"") + heads.text("k")
    assert gguf.read_header(
        head + struct.pack("<IIQ", 9, 8, gguf.MOST_TEXTS) + blank, "x"
    ).metadata == {"k": gguf.MOST_TEXTS}
    tensors = heads.gguf({}, claimed=(gguf.MOST_TENSORS, 0), body=b"") + blank
    assert gguf.read_header(tensors, "x").elements == {"F32": gguf.MOST_TENSORS}
    for more in (
        head + struct.pack("<IIQ", 9, 8, gguf.MOST_TEXTS + 1) + blank,
        heads.gguf({}, claimed=(gguf.MOST_TENSORS + 1, 0), body=b"") + blank,
    ):
        with pytest.raises(MissedError):
            gguf.read_header(more, "x")


def test_a_safetensors_head_is_counted_by_type() -> None:
    body = heads.safetensors(
        {"a": ("BF16", (4096, 1024)), "b": ("BF16", ()), "c": ("I32", (10, 10)), "d": ("F32", (0,))}
    )
    assert safetensors.holds_header(body)
    assert safetensors.counts_of_header(body, "x") == {
        "BF16": 4096 * 1024 + 1,
        "I32": 100,
        "F32": 0,
    }


def length(number: int) -> bytes:
    return struct.pack("<Q", number)


HOSTILE_SAFETENSORS: dict[str, tuple[bytes, Reason]] = {
    "nothing": (b"", Reason.MALFORMED),
    "seven bytes": (b"\0" * 7, Reason.MALFORMED),
    "a header of 2^63": (length(2**63) + b"{}", Reason.TOO_LARGE),
    "of 2^64 less one": (length(2**64 - 1) + b"{}", Reason.TOO_LARGE),
    "longer than the file": (length(1_000) + b"{}", Reason.MALFORMED),
    "no JSON": (length(2) + b"{]", Reason.MALFORMED),
    "deep": (length(200_000) + b"[" * 200_000, Reason.MALFORMED),
    "a pickle": (b"\x80\x02}q\x00." + b"\0" * 90, Reason.TOO_LARGE),
    "a negative shape": (heads.safetensors({"a": ("BF16", (-1, 5))}), Reason.MALFORMED),
    "a shape without end": (heads.safetensors({"a": ("BF16", (10**40,))}), Reason.MALFORMED),
    "too much in all": (heads.safetensors({"a": ("BF16", (10**9, 10**9))}), Reason.MALFORMED),
    "dimensions without end": (heads.safetensors({"a": ("BF16", (1,) * 99)}), Reason.MALFORMED),
    "a type that is none": (heads.safetensors({"a": ("OBJECT", (1,))}), Reason.MALFORMED),
    "a tensor that is none": (length(8) + b'{"a": 1}', Reason.MALFORMED),
}


@pytest.mark.parametrize("kind", HOSTILE_SAFETENSORS)
def test_a_safetensors_that_means_harm_is_refused(kind: str) -> None:
    body, reason = HOSTILE_SAFETENSORS[kind]
    with pytest.raises(MissedError) as raised:
        safetensors.counts_of_header(body, "x")
    assert raised.value.reason is reason


@pytest.mark.parametrize("body", [length(2**63), length(2**40) + b"{}"])
def test_a_header_without_end_is_not_waited_for(body: bytes) -> None:
    assert safetensors.holds_header(body)


@pytest.mark.parametrize(
    ("metadata", "total"),
    [
        ({"total_size": 100}, 100),
        ({"total_size": 100.0}, 100),
        ({"total_size": -1}, None),
        ({"total_size": True}, None),
        ({"total_size": 10**30}, None),
        ({"total_size": 1.5}, None),
        ({}, None),
        ([], None),
    ],
)
def test_an_index_tells_a_size_or_none(metadata: object, total: int | None) -> None:
    assert safetensors.total_bytes_of_index({"metadata": metadata}) == total
