"""The host's memory: what loading takes, and what is offloaded."""

from collections.abc import Mapping
from typing import Any

import pytest

from estimator import Answer, Catalog, Line, answer, host_lines, load_catalog, parse_request
from tests.formula_text import evaluate

MODEL = "meta-llama/Llama-3.1-8B"
PARAMETERS = 8_030_261_248
GB = 10**9


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def asked(catalog: Catalog, **fields: object) -> Answer:
    return answer(parse_request({"task": "train", "model": MODEL, **fields}), catalog)


def lines_of(catalog: Catalog, **fields: object) -> Mapping[str, Line]:
    lines = host_lines(asked(catalog, **fields).setup)
    for line in lines:
        assert evaluate(line.formula, line.terms) == line.bytes
        assert catalog.sources.get(line.source)
    return {line.key: line for line in lines}


def total(lines: Mapping[str, Line]) -> int:
    return sum(line.bytes for line in lines.values())


def test_zero_offload_takes_what_deepspeed_says(catalog: Catalog) -> None:
    """16 bytes a parameter with the optimizer there, 18 with the weights; half more for buffers."""
    states = lines_of(catalog, method="full", strategy="zero2", world=4, offload="optimizer")
    assert total(states) == 16 * PARAMETERS
    both = lines_of(catalog, method="full", strategy="zero3", world=4, offload="both")
    assert total(both) == 18 * PARAMETERS
    assert all(line.high_bytes == line.bytes * 3 // 2 for line in both.values())


def test_the_number_of_cards_changes_nothing(catalog: Catalog) -> None:
    few, many = (
        lines_of(catalog, method="full", strategy="zero3", world=world, offload="both")
        for world in (2, 64)
    )
    assert total(few) == total(many)


def test_fsdp_keeps_gradients_in_their_type(catalog: Catalog) -> None:
    lines = lines_of(catalog, method="full", strategy="fsdp", world=4, offload="both")
    assert lines["gradients_on_host"].bytes == 2 * PARAMETERS
    assert lines["gradients_on_host"].high_bytes is None


def test_adapters_leave_little_to_offload(catalog: Catalog) -> None:
    lines = lines_of(catalog, method="lora", strategy="zero2", world=2, offload="optimizer")
    assert set(lines) == {"checkpoint_file"}  # a file that is loaded is more than they are
    found = asked(catalog, method="lora", strategy="zero2", world=2, offload="optimizer")
    assert any(text.startswith("Host memory: 0.") for text in found.warnings)


def test_fsdp_loads_the_model_once_a_machine(catalog: Catalog) -> None:
    lines = lines_of(catalog, method="full", strategy="fsdp", world=4)
    assert set(lines) == {"loaded_whole"}
    assert lines["loaded_whole"].bytes == 2 * PARAMETERS
    assert lines["loaded_whole"].high_bytes == 8 * PARAMETERS


@pytest.mark.parametrize(
    ("fields", "files"),
    [
        ({}, 1),
        ({"strategy": "ddp", "world": 4}, 4),
        ({"strategy": "zero3", "world": 4}, 1),
        ({"strategy": "zero2", "world": 2}, 2),
    ],
)
def test_else_a_file_of_the_checkpoint_is_there(
    fields: dict[str, Any], files: int, catalog: Catalog
) -> None:
    lines = lines_of(catalog, method="full", **fields)
    assert lines["checkpoint_file"].bytes == files * 5 * GB


def test_a_small_model_is_one_file(catalog: Catalog) -> None:
    lines = lines_of(catalog, method="full", model="openai-community/gpt2")
    assert lines["checkpoint_file"].bytes < GB


@pytest.mark.parametrize("wish", [{"checkpointing": "offloaded"}, {"offload": "activations"}])
def test_inputs_of_blocks_that_are_moved(wish: dict[str, Any], catalog: Catalog) -> None:
    lines = lines_of(catalog, method="full", batch=16, seq=4096, **wish)
    assert lines["inputs_on_host"].bytes == 32 * 16 * 4096 * 4096 * 2


def test_layers_that_are_left_to_the_cpu(catalog: Catalog) -> None:
    request = {"task": "infer", "model": MODEL, "weights": "gguf:Q4_K_M", "gpu_layers": 10}
    found = answer(parse_request(request), catalog)
    (line,) = host_lines(found.setup)
    assert line.key == "left_to_host"
    assert any(text.startswith("Left to the CPU: ") for text in found.warnings)


def test_an_engine_that_maps_its_files_takes_nothing(catalog: Catalog) -> None:
    found = answer(parse_request({"task": "infer", "model": MODEL}), catalog)
    assert host_lines(found.setup) == ()


SAID = {
    "zero3": "Host memory: 134.6 GiB of what is offloaded, of all cards together, up to 201.9 GiB "
    "with DeepSpeed's buffers.",
    "fsdp": "Host memory: 15.0 GiB on each machine while it loads; one process reads the whole "
    "model (`fsdp_cpu_ram_efficient_loading`).",
}


def test_it_is_said(catalog: Catalog) -> None:
    offloaded = asked(catalog, method="full", strategy="zero3", world=4, offload="both")
    assert SAID["zero3"] in offloaded.warnings
    sharded = asked(catalog, method="full", strategy="fsdp", world=4)
    assert SAID["fsdp"] in sharded.warnings


def test_on_one_card_nothing_is_said(catalog: Catalog) -> None:
    assert not any("Host memory" in text for text in asked(catalog, method="full").warnings)
