"""Heads of files as their formats say: written here, read by the bot."""

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

Tensor = tuple[str, tuple[int, ...], int]  # name, sizes, number of its type
Q4_K, Q6_K, F32 = 12, 14, 0


def safetensors(
    tensors: Mapping[str, tuple[str, Sequence[int]]], body: bytes = b"\0" * 64
) -> bytes:
    """A file of tensors: name → (type, shape)."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    for name, (dtype, shape) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [0, 0]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(given: object) -> bytes:
    """A value with its type before it."""
    match given:
        case bool():
            return struct.pack("<I?", 7, given)
        case int() if given >= 0:
            return struct.pack("<II", 4, given)
        case int():
            return struct.pack("<Ii", 5, given)
        case float():
            return struct.pack("<If", 6, given)
        case str():
            return struct.pack("<I", 8) + text(given)
        case [str(), *_]:
            return struct.pack("<IIQ", 9, 8, len(given)) + b"".join(map(text, given))  # type: ignore[arg-type]
        case list():
            return struct.pack(f"<IIQ{len(given)}i", 9, 5, len(given), *given)
    raise TypeError(type(given))


def gguf(
    metadata: Mapping[str, object],
    tensors: Sequence[Tensor] = (),
    *,
    version: int = 3,
    claimed: tuple[int, int] | None = None,
    body: bytes = b"\0" * 64,
) -> bytes:
    """A file; `claimed`: how many tensors and keys it says that it has."""
    counts = claimed or (len(tensors), len(metadata))
    parts = [b"GGUF", struct.pack("<IQQ", version, *counts)]
    parts += [text(key) + value(one) for key, one in metadata.items()]
    for name, sizes, kind in tensors:
        shape = struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
        parts.append(text(name) + shape + struct.pack("<IQ", kind, 0))
    return b"".join(parts) + body


LLAMA_8B: dict[str, object] = {
    "general.architecture": "llama",
    "general.name": "Some Llama",
    "general.file_type": 15,
    "llama.block_count": 32,
    "llama.context_length": 131072,
    "llama.embedding_length": 4096,
    "llama.feed_forward_length": 14336,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
    "llama.rope.freq_base": 500000.0,
    "llama.vocab_size": 128256,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": [f"word{n}" for n in range(300)],
    "tokenizer.ggml.token_type": [1] * 300,
    "tokenizer.ggml.add_bos_token": True,
}


def llama_tensors() -> list[Tensor]:
    """The tensors of an 8B Llama: a head of its own, and every matrix of every layer."""
    found: list[Tensor] = [
        ("token_embd.weight", (4096, 128256), Q4_K),
        ("output.weight", (4096, 128256), Q6_K),
        ("output_norm.weight", (4096,), F32),
    ]
    for layer in range(32):
        block = f"blk.{layer}"
        found += [
            (f"{block}.attn_norm.weight", (4096,), F32),
            (f"{block}.attn_q.weight", (4096, 4096), Q4_K),
            (f"{block}.attn_k.weight", (4096, 1024), Q4_K),
            (f"{block}.attn_v.weight", (4096, 1024), Q6_K),
            (f"{block}.attn_output.weight", (4096, 4096), Q4_K),
            (f"{block}.ffn_norm.weight", (4096,), F32),
            (f"{block}.ffn_gate.weight", (4096, 14336), Q4_K),
            (f"{block}.ffn_up.weight", (4096, 14336), Q4_K),
            (f"{block}.ffn_down.weight", (14336, 4096), Q6_K),
        ]
    return found
