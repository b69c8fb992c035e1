"""What weights take in each format, against sums by hand, and against their own text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import Line, answer_document, load_catalog
from estimator.architecture import Architecture, Run
from estimator.blocks import Block
from estimator.memory.unpacking import largest_matrix, unpacked_matrix
from estimator.memory.weights import host_weights, weights
from estimator.mixers import Attention
from estimator.mlps import GatedMlp
from estimator.resolve import numbers_of
from estimator.rows import Dtype, Format
from estimator.setup import Numbers
from tests.estimator.questions import FIXED, MODELS, serve, train
from tests.formula_text import evaluate, names

CATALOG = load_catalog()
LLAMA = CATALOG.models.find("meta-llama/Llama-3.1-8B").architecture
TIED = CATALOG.models.find("Qwen/Qwen2.5-0.5B").architecture
ROOM = 10**9
# TinyLlama: 22 layers of 2048, 4 value heads of 64, MLP 5632, 32,000 words, not tied.
# A layer: q and o 2048 × 2048, k and v 256 × 2048, gate and up 5632 × 2048, down 2048 × 5632
TINY = CATALOG.models.find("TinyLlama/TinyLlama-1.1B-Chat-v1.0").architecture
LAYER = 2 * 2048 * 2048 + 2 * 256 * 2048 + 3 * 5632 * 2048
INPUTS = 6 * 2048 + 5632
OUTPUTS = 2 * 2048 + 2 * 256 + 2 * 5632 + 2048
TABLE = 32_000 * 2048
NORMS = 45 * 2048


def numbers(
    name: str,
    *,
    group: int | None = None,
    packs_head: bool = False,
    given_bytes: int | None = None,
) -> Numbers:
    found = CATALOG.formats.find(name)
    linear = CATALOG.dtypes.find(found.linear)
    chosen = linear if group is None else linear.regrouped(group)
    compute = CATALOG.dtypes.find(found.compute)
    return numbers_of(
        found, chosen, compute, CATALOG, packs_head=packs_head, given_bytes=given_bytes
    )


def held(
    name: str,
    shape: Architecture = TINY,
    *,
    group: int | None = None,
    packs_head: bool = False,
) -> int:
    found = numbers(name, group=group, packs_head=packs_head)
    return sum(line.bytes for line in weights(shape, found))


def keyed(lines: tuple[Line, ...]) -> dict[str, int]:
    return {line.key: line.bytes for line in lines}


@pytest.mark.parametrize(
    ("name", "group", "linears"),
    [
        # GPTQ: bits, 16 of scale and as many as the bits of zero point a group, 4 bytes an input
        ("gptq4", None, 22 * (LAYER * 4 // 8 + LAYER // 128 * 20 // 8 + INPUTS * 4)),
        ("gptq4", 32, 22 * (LAYER * 4 // 8 + LAYER // 32 * 20 // 8 + INPUTS * 4)),
        ("gptq8", 64, 22 * (LAYER + LAYER // 64 * 24 // 8 + INPUTS * 4)),
        ("gptq2", 128, 22 * (LAYER * 2 // 8 + LAYER // 128 * 18 // 8 + INPUTS * 4)),
        ("gptq3", 128, 22 * (LAYER * 3 // 8 + LAYER // 128 * 19 // 8 + INPUTS * 4)),
        ("gptq4", -1, 22 * (LAYER * 4 // 8 + OUTPUTS * 20 // 8 + INPUTS * 4)),
        ("awq4", None, 22 * (LAYER * 4 // 8 + LAYER // 128 * 20 // 8)),
        ("hqq4", None, 22 * (LAYER * 4 // 8 + LAYER // 64 * 4)),
        ("hqq4", 32, 22 * (LAYER * 4 // 8 + LAYER // 32 * 4)),
        ("fp8", None, 22 * (LAYER + OUTPUTS * 4)),  # an fp32 scale an output
        ("fp8_block", None, 22 * (LAYER + LAYER // 128**2 * 4)),  # and one a tile
        ("int8", None, 22 * (LAYER + OUTPUTS * 4)),
        ("fp6", None, 22 * (LAYER * 6 // 8 + OUTPUTS * 2)),
        ("nvfp4", None, 22 * (LAYER * 4 // 8 + LAYER // 16 + 7 * 8)),  # two scales a matrix
        ("mxfp4", None, 22 * (LAYER * 4 // 8 + LAYER // 32)),
        ("nf4", None, 22 * (LAYER * 4 // 8 + LAYER // 64 * 4)),
    ],
)
def test_linears_are_packed_and_the_rest_is_not(name: str, group: int | None, linears: int) -> None:
    assert held(name, group=group) == linears + 2 * (2 * TABLE + NORMS)


def test_tiles_of_tinygemm_fill_rows_up() -> None:
    # 5632 inputs become 6144, the next multiple of 1024; groups of 64 with 4 bytes each
    filled = LAYER + 2048 * (6144 - 5632)
    linears = 22 * (filled * 4 // 8 + filled // 64 * 4)
    assert held("int4", group=64) == linears + 2 * (2 * TABLE + NORMS)


def test_mlx_packs_tables_too() -> None:
    packed = 22 * LAYER + 2 * TABLE
    assert held("mlx4") == packed * 4 // 8 + packed // 64 * 4 + 2 * NORMS
    assert held("mlx8", group=32) == packed + packed // 32 * 4 + 2 * NORMS


def test_a_head_that_is_packed_is_no_embedding() -> None:
    """Frameworks that pack every linear pack the head; an embedding that it was stays whole."""
    scales = TABLE // 64 * 4
    assert held("nf4", packs_head=True) == held("nf4") - 2 * TABLE + TABLE * 4 // 8 + scales
    words = TIED.vocabulary * TIED.hidden
    more = held("nf4", TIED, packs_head=True) - held("nf4", TIED)
    assert more == words * 4 // 8 + words // 64 * 4


@pytest.mark.parametrize(("name", "beside"), [("exl2", 0), ("exl3", 22 * (OUTPUTS + INPUTS) * 2)])
def test_any_bits(name: str, beside: int) -> None:
    # 3.5 bits a weight; a head of 6; EXL3 has two bytes an input and an output beside
    asked = serve(model="TinyLlama/TinyLlama-1.1B-Chat-v1.0", weights=name, bpw=3.5)
    load = answer_document(asked, CATALOG)["moments"][0]
    head = TABLE * 6 // 8 + (0 if name == "exl2" else 2 * (32_000 + 2048))
    assert load["bytes"] == 22 * LAYER * 7 // 16 + beside + head + 2 * (TABLE + NORMS)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("row", CATALOG.formats.rows, ids=CATALOG.formats.ids)
def test_text_and_number_agree(row: Format, model: str) -> None:
    """Of every format and kind of shape, with and without the tables on the host."""
    shape = CATALOG.models.find(model).architecture
    held_in = numbers_of(row, None, CATALOG.dtypes.find(row.compute), CATALOG)
    on_host = host_weights(shape, held_in)
    lines = (*weights(shape, held_in), *weights(shape, held_in, 3, tables=False))
    for line in (*lines, *([on_host] if on_host else [])):
        assert evaluate(line.formula, line.terms) == line.bytes
        assert names(line.formula) == set(line.terms)
        assert CATALOG.sources.get(line.source)


@pytest.mark.parametrize("row", CATALOG.formats.rows, ids=CATALOG.formats.ids)
def test_fewer_bits_are_never_more_bytes(row: Format) -> None:
    """No packed format is larger than fp32, nor below a bit a weight of what it packs."""
    held_in = numbers_of(row, None, CATALOG.dtypes.find(row.compute), CATALOG)
    size = sum(line.bytes for line in weights(LLAMA, held_in))
    assert LLAMA.parameters // 8 < size <= 4 * LLAMA.parameters + ROOM // 100


@FIXED
@given(
    row=st.sampled_from([row for row in CATALOG.dtypes.rows if row.groups]),
    size=st.sampled_from((16, 32, 64, 128, 256, 1024)),
)
def test_smaller_groups_take_more(row: Dtype, size: int) -> None:
    """Scales and zero points are shared by fewer; a whole row shares the fewest."""
    bits = [row.regrouped(n) for n in (size, 2 * size)]
    sizes = [dtype.size_of(ROOM * 4096) for dtype in (*bits, row.regrouped(-1))]
    assert sizes == sorted(sizes, reverse=True)
    assert row.groups is not None
    assert row.regrouped(row.groups.size) == row


def test_tables_stay_on_the_host() -> None:
    # Q4_K_M: 128,256 × 4096 at 144 bytes for 256
    recipe = numbers("gguf:Q4_K_M")
    table = 128_256 * 4096 // 256 * 144
    on_host = host_weights(LLAMA, recipe)
    assert on_host is not None
    assert on_host.bytes == table
    whole = sum(line.bytes for line in weights(LLAMA, recipe))
    assert sum(line.bytes for line in weights(LLAMA, recipe, tables=False)) == whole - table


def test_a_tied_head_is_a_copy_on_the_card() -> None:
    recipe = numbers("gguf:Q4_K_M")
    assert weights(TIED, recipe) == weights(TIED, recipe, tables=False)
    # 896 is no multiple of 256, so the head is Q8_0: 34 bytes for 32
    on_host = host_weights(TIED, recipe)
    assert on_host is not None
    assert on_host.bytes == 151_936 * 896 // 32 * 34


def test_a_row_of_256_is_whole_or_held_otherwise() -> None:
    # Qwen2.5-72B: 29,568 inputs of the MLP's last linear are 115.5 blocks of 256
    shape = CATALOG.models.find("Qwen/Qwen2.5-72B").architecture
    keys = keyed(weights(shape, numbers("gguf:Q4_K_M")))
    assert {"weights_Q5_0", "weights_Q8_0"} <= set(keys)


def test_seventy_has_wider_values() -> None:
    # Llama 3.1 70B: 80 layers of 8192 × 1024; the half without more bits is Q5_K, not Q4_K
    shape = CATALOG.models.find("meta-llama/Llama-3.1-70B").architecture
    keys = keyed(weights(shape, numbers("gguf:Q4_K_M")))
    assert keys["weights_Q5_K"] == 40 * 8192 * 1024 // 256 * 176


def test_what_was_told_replaces_the_sum() -> None:
    told = serve(weights="gguf:Q4_K_M", weight_bytes=5 * ROOM)
    load = answer_document(told, CATALOG)["moments"][0]
    table = host_weights(LLAMA, numbers("gguf:Q4_K_M"))
    on_card = {line["key"]: line["bytes"] for line in load["lines"]}
    given = numbers("gguf:Q4_K_M", given_bytes=5 * ROOM)
    assert table is not None
    assert on_card == {"weights": 5 * ROOM - table.bytes}
    assert weights(LLAMA, given, tables=False)[0].bytes == 5 * ROOM - table.bytes
    lora = answer_document(train(method="lora", weight_bytes=3 * ROOM), CATALOG)["moments"][0]
    assert keyed(tuple(_lines(lora)))["weights"] == 3 * ROOM


def _lines(moment: dict[str, Any]) -> list[Line]:
    return [Line(**{**line, "basis": line["basis"]}) for line in moment["lines"]]


@pytest.mark.parametrize("name", ["gguf:Q4_0", "gguf:Q5_0", "gguf:IQ4_NL", "gguf:IQ4_XS"])
def test_the_range_spans_files_made_with_a_matrix(name: str) -> None:
    lines = weights(LLAMA, numbers(name))
    low = sum(line.bytes if line.low_bytes is None else line.low_bytes for line in lines)
    high = sum(line.bytes if line.high_bytes is None else line.high_bytes for line in lines)
    assert 0 < high - low < 0.01 * high


def test_the_largest_matrix_is_what_is_unpacked() -> None:
    # TinyLlama: 5632 × 2048; the head is larger, 32,000 × 2048
    assert largest_matrix(TINY) == 5632 * 2048
    assert largest_matrix(TINY, head=True) == TABLE
    assert unpacked_matrix(TABLE, 4, "bitsandbytes-4bit").bytes == TABLE * 4


def test_heads_of_a_shape_without_grouped_attention_are_no_facts() -> None:
    """A model of one layer of each kind is held too."""
    shape = Architecture(
        hidden=64,
        vocabulary=100,
        tied=True,
        blocks={
            "b": Block(
                attention=Attention(query_heads=2, kv_heads=1, head_dim=32),
                mlp=GatedMlp(kind="gated", inner=100),
            )
        },
        layers=(Run(times=1, of=("b",)),),
    )
    # 100 inputs are no multiple of 32, so the last linear is in 16 bits
    assert keyed(weights(shape, numbers("gguf:Q4_K_M")))["weights_fp16"] == 64 * 100 * 2
