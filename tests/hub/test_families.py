"""Every family's config.json, over the socket: the parameters of its model, confirmed."""

import pytest

from bot.hub.hub import Hub
from bot.hub.repository import Repository
from bot.hub.shape import Check, Found, found_in
from tests.hub.families import CATALOG, FAMILIES, LLAMA, LLAMA_COUNT, Json
from tests.hub.standin import SHA, HubStandIn


async def found(hub: Hub, name: str) -> Found:
    told = await hub.look_up(name)
    assert isinstance(told, Repository), told
    shape = found_in(told, CATALOG)
    assert isinstance(shape, Found), shape
    return shape


def test_there_are_at_least_forty_families() -> None:
    kinds = {family.config["model_type"] for family in FAMILIES.values()}
    assert len(kinds) >= 40
    assert sum(family.tower > 0 for family in FAMILIES.values()) >= 3


@pytest.mark.parametrize("name", FAMILIES)
async def test_a_family_counts_as_published(standin: HubStandIn, hub: Hub, name: str) -> None:
    family = FAMILIES[name]
    standin.add("someone/copy-1b", family.config, counts={"BF16": family.parameters})
    shape = await found(hub, "someone/copy-1b")
    assert shape.row.parameters == shape.row.architecture.parameters == family.parameters
    assert shape.check is (Check.TOWER if family.tower else Check.EQUAL)
    assert shape.amount == family.tower
    assert shape.repository.revision == SHA
    assert standin.paths() == [
        "/api/models/someone/copy-1b",
        f"/someone/copy-1b/resolve/{SHA}/config.json",
    ]


async def test_a_tower_of_unknown_size_is_left_out_and_said(standin: HubStandIn, hub: Hub) -> None:
    family = FAMILIES["Qwen/Qwen2.5-VL-3B-Instruct"]
    standin.add("someone/vl-3b", family.config)
    shape = await found(hub, "someone/vl-3b")
    assert shape.blind
    assert shape.row.parameters == family.parameters - family.tower


HEAD = 128256 * 4096
TIED = LLAMA | {"tie_word_embeddings": True}


@pytest.mark.parametrize(
    ("config", "counts", "checked"),
    [
        (LLAMA, {"BF16": LLAMA_COUNT}, (Check.EQUAL, 0)),
        (LLAMA, {"F32": LLAMA_COUNT - 4096, "BF16": 4096}, (Check.EQUAL, 0)),
        (LLAMA, {"F16": LLAMA_COUNT, "I64": 8192, "BOOL": 64}, (Check.EQUAL, 0)),
        (TIED, {"BF16": LLAMA_COUNT - HEAD}, (Check.EQUAL, 0)),
        (TIED, {"BF16": LLAMA_COUNT}, (Check.HEAD_TWICE, HEAD)),
        (LLAMA, {"BF16": LLAMA_COUNT + 64}, (Check.CLOSE, 64)),
        (LLAMA, {"BF16": LLAMA_COUNT + 10**9}, (Check.OTHER, 10**9)),
        (LLAMA, {"BF16": LLAMA_COUNT - 10**9}, (Check.OTHER, -(10**9))),
        (LLAMA, None, (Check.NONE, 0)),
    ],
)
async def test_the_own_count_is_held_against_the_shape(
    standin: HubStandIn, hub: Hub, config: Json, counts: Json | None, checked: tuple[Check, int]
) -> None:
    standin.add("some/llama-8b", config, counts=counts)
    shape = await found(hub, "some/llama-8b")
    assert (shape.check, shape.amount) == checked


async def test_a_model_stored_without_its_head_has_none(standin: HubStandIn, hub: Hub) -> None:
    standin.add("some/embedder-8b", LLAMA, counts={"BF16": LLAMA_COUNT - HEAD})
    shape = await found(hub, "some/embedder-8b")
    assert not shape.row.architecture.head
    assert (shape.check, shape.row.parameters) == (Check.EQUAL, LLAMA_COUNT - HEAD)


def compressed(**weights: object) -> Json:
    """As llm-compressor writes it."""
    return {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}},
    }


def bitsandbytes(**said: object) -> Json:
    return {"quant_method": "bitsandbytes"} | said


NF4 = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
HQQ = {"weight_quant_params": {"nbits": 4, "group_size": 64}}
PACKED: dict[str, tuple[Json, str, int | None]] = {
    "gptq": ({"quant_method": "gptq", "bits": 4, "group_size": 32}, "gptq4", 32),
    "gptq, a row": ({"quant_method": "gptq", "bits": 8, "group_size": -1}, "gptq8", -1),
    "gptq, 3 bits": ({"quant_method": "gptq", "bits": 3, "group_size": 128}, "gptq3", 128),
    "awq": ({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm"}, "awq4", 128),
    "awq, as it was": ({"quant_method": "awq", "w_bit": 4, "q_group_size": 64}, "awq4", 64),
    "auto-round": ({"quant_method": "auto-round", "bits": 4, "group_size": 128}, "gptq4", 128),
    "nf4": (bitsandbytes(**NF4), "nf4", None),
    "nf4 twice": (NF4 | {"bnb_4bit_use_double_quant": True}, "nf4_dq", None),
    "fp4": (bitsandbytes(load_in_4bit=True), "fp4", None),
    "int8": (bitsandbytes(load_in_8bit=True), "int8", None),
    "fp8": ({"quant_method": "fp8", "activation_scheme": "static"}, "fp8", None),
    "fp8, blocks": ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8_block", None),
    "mxfp4": ({"quant_method": "mxfp4", "modules_to_not_convert": ["x"]}, "mxfp4_experts", None),
    "hqq": ({"quant_method": "hqq", "quant_config": HQQ}, "hqq4", 64),
    "int4": (
        compressed(num_bits=4, type="int", strategy="group", group_size=64),
        "int4",
        64,
    ),
    "w8a8": (compressed(num_bits=8, type="int", strategy="channel"), "int8", None),
    "fp8 of llm-compressor": (compressed(num_bits=8, type="float", strategy="tensor"), "fp8", None),
    "nvfp4": ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4", None),
}


@pytest.mark.parametrize("kind", PACKED)
async def test_packed_integers_are_no_parameters(standin: HubStandIn, hub: Hub, kind: str) -> None:
    packing, number_format, group = PACKED[kind]
    counts = {"I32": LLAMA_COUNT // 8, "U8": 10**9, "F16": 1_050_000_000, "F8_E4M3": 10**9}
    standin.add("some/packed-8b", LLAMA | {"quantization_config": packing}, counts=counts)
    shape = await found(hub, "some/packed-8b")
    assert shape.row.parameters == LLAMA_COUNT
    assert (shape.row.published, shape.row.published_group) == (number_format, group)
    assert shape.check is Check.NONE


async def test_mlx_says_it_in_words_of_its_own(standin: HubStandIn, hub: Hub) -> None:
    packing = {"group_size": 32, "bits": 4}
    standin.add("some/mlx-8b", LLAMA | {"quantization": packing}, counts={"U32": 10**9})
    shape = await found(hub, "some/mlx-8b")
    assert (shape.row.published, shape.row.published_group) == ("mlx4", 32)


@pytest.mark.parametrize(
    "packing",
    [
        {"quant_method": "aqlm"},
        {"quant_method": "gptq", "bits": 5},
        {"quant_method": 7},
        {"bits": "four"},
        [4],
        "4bit",
    ],
    ids=str,
)
async def test_an_unknown_packing_is_named_and_none_assumed(
    standin: HubStandIn, hub: Hub, packing: object
) -> None:
    standin.add("some/odd-8b", LLAMA | {"quantization_config": packing})
    shape = await found(hub, "some/odd-8b")
    assert shape.row.published is None
    assert shape.packed
