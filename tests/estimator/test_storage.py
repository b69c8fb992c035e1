"""What a run keeps on disk, against sizes that are published and against its own states."""

import pytest

from estimator import answer, load_catalog, parse_request
from estimator.breakdown import Line
from estimator.storage import checkpoint_bytes, storage
from estimator.units import GB, MB
from tests.estimator.questions import MODELS
from tests.estimator.words import ADAPTERS, OPTIMIZERS, OTHERS
from tests.formula_text import evaluate, names

CATALOG = load_catalog()
LLAMA, MISTRAL = "meta-llama/Llama-2-7b-hf", "mistralai/Mistral-7B-v0.1"


def lines(**fields: object) -> dict[str, Line]:
    asked = {"task": "train", "model": MISTRAL} | fields
    setup = answer(parse_request(asked), CATALOG).setup
    return {line.key: line for line in storage(setup)}


@pytest.mark.parametrize(
    ("fields", "key", "size", "unit"),
    [  # as the repositories list their files, to a digit
        ({"model": MISTRAL, "method": "lora"}, "download", 14.48, GB),
        ({"model": LLAMA, "method": "qlora"}, "download", 13.48, GB),
        (
            {"model": LLAMA, "method": "lora", "rank": 8, "targets": ["q_proj", "v_proj"]},
            "checkpoint_adapter",
            16.8,
            MB,
        ),
        ({"task": "infer", "model": "meta-llama/Llama-3.1-8B"}, "download", 16.06, GB),
        (
            {"task": "infer", "model": "Qwen/Qwen2.5-7B-Instruct", "weights": "awq4"},
            "download",
            5.57,
            GB,
        ),
        (
            {"task": "infer", "model": "meta-llama/Llama-3.1-8B", "weights": "gguf:Q4_K_M"},
            "download",
            4.92,
            GB,
        ),
    ],
)
def test_published_files_are_as_large(
    fields: dict[str, object], key: str, size: float, unit: int
) -> None:
    digit = 0.1 if size == round(size, 1) else 0.01
    assert lines(**fields)[key].bytes / unit == pytest.approx(size, abs=digit / 2 + 1e-9)


def test_adamw_saves_eight_bytes_a_parameter_and_the_master_four() -> None:
    found = lines(method="full", model=LLAMA)
    parameters = 6_738_415_616
    assert found["checkpoint_weights"].bytes == 2 * parameters
    assert found["checkpoint_optimizer"].bytes == 8 * parameters
    assert found["checkpoint_master"].bytes == 4 * parameters
    assert checkpoint_bytes(list(found.values())) == 14 * parameters


def test_eight_bit_states_are_a_quarter_with_their_scales() -> None:
    wide = lines(method="full", optimizer="adamw")["checkpoint_optimizer"].bytes
    packed = lines(method="full", optimizer="adamw_8bit")["checkpoint_optimizer"].bytes
    assert packed == pytest.approx(wide / 4, rel=0.02)
    assert packed > wide / 4
    paged = lines(method="full", optimizer="paged_adamw_8bit")["checkpoint_optimizer"].bytes
    assert paged == packed


@pytest.mark.parametrize("strategy", ["ddp", "zero1", "zero2", "zero3", "fsdp", "fsdp2"])
def test_shards_are_the_whole_run_together(strategy: str) -> None:
    """However many ranks save, their shards are those of one."""
    of = {world: lines(method="full", strategy=strategy, world=world) for world in (2, 64)}
    assert {k: v.bytes for k, v in of[2].items()} == {k: v.bytes for k, v in of[64].items()}


def test_engines_save_what_they_train() -> None:
    zero, fsdp = (lines(method="full", strategy=one, world=8) for one in ("zero2", "fsdp"))
    assert zero["checkpoint_engine"].bytes == zero["checkpoint_weights"].bytes
    assert fsdp["checkpoint_weights"].bytes == 2 * zero["checkpoint_weights"].bytes
    assert "checkpoint_master" not in fsdp


def test_offloaded_states_are_saved_all_the_same() -> None:
    plain = lines(method="full", strategy="zero2", world=4)
    away = lines(method="full", strategy="zero2", world=4, offload="optimizer")
    assert plain["checkpoint_optimizer"].bytes == away["checkpoint_optimizer"].bytes


def test_the_next_checkpoint_is_written_before_the_oldest_goes() -> None:
    found = lines(method="lora", checkpoints_kept=3)
    assert found["kept_checkpoints"].bytes == 4 * checkpoint_bytes(list(found.values()))


def test_tokens_take_five_bytes() -> None:
    assert lines(method="lora", dataset_tokens=1000)["cached_tokens"].bytes == 5000
    samples = lines(method="lora", dataset_samples=10, seq=512)["cached_tokens"]
    assert samples.bytes == 10 * 512 * 5
    assert samples.low_bytes == 0


def test_what_was_packed_while_loading_was_published_in_16_bits() -> None:
    plain = lines(task="infer", model=MISTRAL, weights="bf16")["download"].bytes
    for made in ("nf4", "int8", "hqq4"):
        assert lines(task="infer", model=MISTRAL, weights=made)["download"].bytes == plain
    assert lines(task="infer", model=MISTRAL, weights="gptq4")["download"].bytes < plain / 2


def test_saved_modules_and_frozen_halves_are_in_the_file() -> None:
    plain = lines(method="lora", rank=8)["checkpoint_adapter"].bytes
    assert lines(method="lora_fa", rank=8)["checkpoint_adapter"].bytes == plain
    saved = lines(method="lora", rank=8, modules_to_save=["embed_tokens", "lm_head"])
    assert saved["checkpoint_saved_modules"].bytes == 2 * 2 * 32_000 * 4096
    assert lines(method="prompt", virtual_tokens=20)["checkpoint_adapter"].bytes == 20 * 4096 * 4


@pytest.mark.parametrize("model", MODELS)
def test_each_line_is_what_its_formula_says(model: str) -> None:
    for fields in ({"method": "full"}, {"method": "lora"}, {"task": "infer"}):
        asked = {"task": "train", "model": model} | fields
        try:
            setup = answer(parse_request(asked), CATALOG).setup
        except ValueError:
            continue
        _hold(storage(setup))


@pytest.mark.parametrize("method", [*ADAPTERS, *OTHERS])
def test_formulas_of_methods(method: str) -> None:
    _hold(tuple(lines(method=method, model="7B", checkpoints_kept=2, dataset_tokens=9).values()))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_formulas_of_optimizers(optimizer: str) -> None:
    _hold(tuple(lines(method="full", model="1B", optimizer=optimizer).values()))


def _hold(found: tuple[Line, ...]) -> None:
    sources = set(CATALOG.sources.ids)
    for line in found:
        assert evaluate(line.formula, line.terms) == line.bytes, line.key
        assert names(line.formula) == set(line.terms), line.key
        assert line.source in sources, line.source
        assert line.bytes > 0
