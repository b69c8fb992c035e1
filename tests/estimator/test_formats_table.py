"""The tables of element types and formats: bits a weight, and sizes of published files."""

import tomllib
from fractions import Fraction
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.architecture import Architecture, Run
from estimator.blocks import Block
from estimator.catalog import load_catalog
from estimator.memory.weights import weights
from estimator.mixers import Attention
from estimator.mlps import GatedMlp
from estimator.resolve import numbers_of
from estimator.rows import Dtype, Format
from estimator.table import Table
from estimator.units import GIB

BITS_PER_BYTE = 8


DATA: dict[str, Any] = tomllib.loads(
    (resources.files("estimator") / "data" / "formats.toml").read_text(encoding="utf-8")
)
DTYPES = Table("element type", tuple(Dtype.model_validate(row) for row in DATA["dtype"]))
FORMATS = Table("number format", tuple(Format.model_validate(row) for row in DATA["format"]))

LLAMA_31_8B = Architecture(
    hidden=4096,
    vocabulary=128256,
    tied=False,
    blocks={
        "block": Block(
            attention=Attention(query_heads=32, kv_heads=8, head_dim=128),
            mlp=GatedMlp(kind="gated", inner=14336),
        )
    },
    layers=(Run(times=32, of=("block",)),),
)

WORDS_FOR_WEIGHTS = [
    "fp32",
    "bf16",
    "fp16",
    "fp8",
    "int8",
    "nf4",
    "nf4_dq",
    "fp4",
    "gptq8",
    "gptq4",
    "gptq3",
    "awq4",
    "int4",
    "hqq4",
    "mxfp4",
    "nvfp4",
    "gguf:Q4_K_M",
    "gguf:Q4_K_S",
    "gguf:Q5_K_M",
    "gguf:Q6_K",
    "gguf:Q8_0",
    "gguf:Q3_K_M",
    "gguf:IQ4_XS",
    "gguf:F16",
]

# ggml-common.h asserts these sizes: https://github.com/ggml-org/llama.cpp (ggml/src)
PUBLISHED_BITS = {
    "Q1_0": 1.125,
    "Q2_0": 2.25,
    "Q4_0": 4.5,
    "Q4_1": 5.0,
    "Q5_0": 5.5,
    "Q5_1": 6.0,
    "Q8_0": 8.5,
    "Q8_1": 9.0,
    "Q2_K": 2.625,
    "Q3_K": 3.4375,
    "Q4_K": 4.5,
    "Q5_K": 5.5,
    "Q6_K": 6.5625,
    "Q8_K": 9.125,
    "IQ1_S": 1.5625,
    "IQ1_M": 1.75,
    "IQ2_XXS": 2.0625,
    "IQ2_XS": 2.3125,
    "IQ2_S": 2.5625,
    "IQ3_XXS": 3.0625,
    "IQ3_S": 3.4375,
    "IQ4_NL": 4.5,
    "IQ4_XS": 4.25,
    "TQ1_0": 1.6875,
    "TQ2_0": 2.0625,
    "mxfp4": 4.25,
    "nvfp4": 4.5,
}

# Bits a weight of Llama-3.1-8B, llama.cpp's tools/quantize/README.md at 311c2c9f
PUBLISHED_FILES = {
    "IQ1_S": 2.0042,
    "IQ1_M": 2.1460,
    "IQ2_XXS": 2.3824,
    "IQ2_XS": 2.5882,
    "IQ2_S": 2.7403,
    "IQ2_M": 2.9294,
    "IQ3_XXS": 3.2548,
    "IQ3_XS": 3.4977,
    "IQ3_S": 3.6606,
    "IQ3_M": 3.7628,
    "IQ4_XS": 4.4597,
    "IQ4_NL": 4.6818,
    "Q2_K_S": 2.9697,
    "Q2_K": 3.1593,
    "Q3_K_S": 3.6429,
    "Q3_K_L": 4.2979,
    "Q4_K_S": 4.6672,
    "Q4_K_M": 4.8944,
    "Q5_K_S": 5.5704,
    "Q5_K_M": 5.7036,
    "Q6_K": 6.5633,
    "Q8_0": 8.5008,
    "F16": 16.0005,
}
PUBLISHED_Q4_K_M_GIB = 4.58  # the same table, rounded as printed


def _file_bytes(recipe: Format, architecture: Architecture) -> int:
    """Bytes of all tensors of a GGUF file."""
    numbers = numbers_of(recipe, None, DTYPES.find(recipe.compute), load_catalog())
    return sum(line.bytes for line in weights(architecture, numbers))


@given(row=st.sampled_from(DTYPES.rows), elements=st.integers(min_value=0, max_value=10**12))
def test_size_is_whole_blocks_and_never_one_too_many(row: Dtype, elements: int) -> None:
    """Never below the exact bits, and less than a block above."""
    exact = Fraction(elements * row.bytes_per_block, row.elements_per_block)
    assert exact <= row.size_of(elements) < exact + row.bytes_per_block
    assert row.size_of(elements) % row.bytes_per_block == 0


@pytest.mark.parametrize(("name", "bits"), PUBLISHED_BITS.items())
def test_bits_a_weight_are_the_published_ones(name: str, bits: float) -> None:
    """Two integers give the bits that ggml states."""
    row = DTYPES.find(name)
    assert Fraction(row.bytes_per_block * BITS_PER_BYTE, row.elements_per_block) == Fraction(bits)


@pytest.mark.parametrize(
    ("name", "bytes_a_weight"),
    [
        ("nf4", 0.5625),
        ("fp4", 0.5625),
        ("nf4_dq", 0.515869140625),
        ("gptq8", 1.0234375),
        ("gptq4", 0.51953125),
        ("gptq3", 0.3935546875),
        ("awq4", 0.51953125),
        ("int4", 0.53125),
        ("hqq4", 0.5625),
        ("blockwise_int8", 1.015625),
    ],
)
def test_packed_types_carry_their_scales(name: str, bytes_a_weight: float) -> None:
    """Bits, scale and zero point of a group."""
    row = DTYPES.find(name)
    assert row.bytes_per_block / row.elements_per_block == bytes_a_weight


@pytest.mark.parametrize(("name", "bits"), PUBLISHED_FILES.items())
def test_recipes_weigh_what_published_files_weigh(name: str, bits: float) -> None:
    """To the fourth digit."""
    counted = _file_bytes(FORMATS.find(f"gguf:{name}"), LLAMA_31_8B) * BITS_PER_BYTE
    ratio = counted / LLAMA_31_8B.parameters / bits
    assert ratio == pytest.approx(1, abs=1e-4)


def test_q4_k_m_is_within_a_percent_of_the_published_file() -> None:
    """The most used recipe, against the size as printed."""
    counted_gib = _file_bytes(FORMATS.find("gguf:Q4_K_M"), LLAMA_31_8B) / GIB
    assert counted_gib == pytest.approx(PUBLISHED_Q4_K_M_GIB, rel=0.01)


@pytest.mark.parametrize("row", FORMATS.rows, ids=FORMATS.ids)
def test_formats_name_types_that_are_there(row: Format) -> None:
    """Every role's type is a row; what is computed in is plain; only plain weights train."""
    for name in row.dtypes:
        DTYPES.find(name)
    assert DTYPES.find(row.compute).plain
    assert DTYPES.find(row.other).plain
    if row.trainable:
        assert DTYPES.find(row.linear).plain
        assert row.linear == row.other


@pytest.mark.parametrize(
    "word",
    WORDS_FOR_WEIGHTS,
)
def test_every_word_for_weights_is_a_format(word: str) -> None:
    """The words that a request may use."""
    assert FORMATS.find(word).id == word


def test_names_belong_to_one_row() -> None:
    """Ids and aliases are distinct without case and separators."""
    assert DTYPES.by_key
    assert FORMATS.by_key
