"""The canonical line: reading it gives the fields that it was written from."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import load_locale
from bot.reading.read import Reader
from bot.reading.write import UNSAID, unsaid, write_line
from estimator import (
    MIB,
    AttentionKernel,
    Checkpointing,
    Loss,
    Master,
    Method,
    Objective,
    Offload,
    Reference,
    ServeRequest,
    SoughtInTraining,
    Strategy,
    TrainRequest,
    load_catalog,
)
from tests.bot.usual_fields import PLAIN, usual_serving, usual_training
from tests.examples import examples

CATALOG = load_catalog()
READER = Reader(load_locale(), CATALOG)
SIZES = ("7B", "0.5B", "350M", "8x7B", "13B", "70B", "1.5B", "405B", "4x7B", "2T")
SAVED = (["embed_tokens"], ["lm_head"], ["embed_tokens", "lm_head"], ["lm_head", "embed_tokens"])
_SPELLED = {m for row in CATALOG.models.rows for m in row.architecture.linear_modules}
_PLAIN = [name.casefold().removesuffix("_proj") for name in _SPELLED]
MODULES = sorted(  # not `Wqkv` and `wqkv`, `q` and `q_proj`: two models' spellings of one word
    name for name in _SPELLED if _PLAIN.count(name.casefold().removesuffix("_proj")) == 1
)
MODULES += ["q_proj", "k_proj", "v_proj", "o_proj"]
EXAMPLES = examples(700)


def words(values: type[Any]) -> st.SearchStrategy[str]:
    """Any value of a closed set."""
    return st.sampled_from([str(value) for value in values])


def decimals(low: int, high: int, places: int) -> st.SearchStrategy[float]:
    """Numbers with at most `places` decimals, from `low` to `high` in units of the last."""
    return st.integers(low, high).map(lambda number: number / 10**places)


MODELS = st.one_of(st.sampled_from(SIZES), st.sampled_from(CATALOG.models.ids))
CARDS = st.lists(
    st.builds(
        lambda card, count: {"id": card, "count": count},
        st.sampled_from([*CATALOG.gpus.ids, *CATALOG.classes.ids]),
        st.integers(1, 64),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda entry: str(entry["id"]),
)
SHARED = {
    "weights": st.sampled_from(CATALOG.formats.ids),
    "group_size": st.sampled_from((32, 64, 128)),
    "weight_bytes": st.integers(1, 10**13),
    "compute": st.sampled_from(PLAIN),
    "attention": words(AttentionKernel),
    "world": st.integers(1, 64),
    "strategy": words(Strategy),
    **dict.fromkeys(("tp", "pp", "cp", "ep", "dp"), st.integers(1, 16)),
    "offload": words(Offload),
    "images": st.integers(1, 1024),
    "image_tokens": st.integers(1, 65536),
    "gpus": CARDS,
    "disk": st.booleans(),
    "in_use_bytes": st.integers(1, 10**5).map(lambda amount: amount * MIB),
}
TRAIN = (
    SHARED
    | {
        "method": words(Method),
        "rank": st.integers(1, 4096),
        "alpha": decimals(1, 10**6, 3),
        "lora_dropout": decimals(0, 9999, 4),
        "modules_to_save": st.sampled_from(SAVED),
        "generations": st.integers(1, 1024),
        "virtual_tokens": st.integers(1, 65536),
        "checkpoints_kept": st.integers(1, 1000),
        "dataset_tokens": st.integers(1, 10**13),
        "dataset_samples": st.integers(1, 10**12),
        "targets": st.one_of(
            st.sampled_from(("all-linear", "attention")),
            st.lists(st.sampled_from(MODULES), min_size=1, max_size=4, unique=True),
        ),
        "adapter": st.sampled_from(PLAIN),
        "grads": st.sampled_from(PLAIN),
        "states": st.sampled_from((*PLAIN, "fp8", "int8")),
        "main_grads": st.sampled_from(PLAIN),
        "embedding_states": st.sampled_from(PLAIN),
        "active_blocks": st.integers(1, 4096),
        "master": words(Master),
        "optimizer": st.sampled_from(("adamw", *CATALOG.optimizers.ids)),
        "batch": st.integers(1, 65536),
        "seq": st.integers(1, 128_000_000),
        "accumulation": st.integers(1, 1024),
        "replicas": st.integers(1, 64),
        "checkpointing": words(Checkpointing),
        "loss": words(Loss),
        "objective": words(Objective),
        "framework": st.sampled_from(CATALOG.frameworks.ids),
        "reference": words(Reference),
        "teacher": st.sampled_from(("70B", *CATALOG.models.ids)),
        "engine_share": decimals(1, 1000, 3),
        "rule_bytes_per_parameter": decimals(1, 12800, 2),
        "rule_activation_bytes": st.integers(0, 10**12),
        "find": words(SoughtInTraining),
    }
    | dict.fromkeys(
        (
            "engine_asleep",
            "autocast",
            "kbit_prepare",
            "packing",
            "outputs_kept",
            "optimizer_in_backward",
            "reshard",
            "sp",
        ),
        st.booleans(),
    )
)
CACHES = ("fp32", "bf16", "fp16", "fp8", "int8", "Q8_0", "Q5_1", "Q5_0", "Q4_1", "Q4_0")
SERVE = SHARED | {
    "bpw": decimals(60, 1600, 2),
    "engine": st.sampled_from(CATALOG.engines.ids),
    "engine_version": st.sampled_from(("0.6.3", "0.10.1", "4.57.1", "0.11")),
    "prompt": st.integers(1, 128_000_000),
    "new_tokens": st.integers(1, 128_000_000),
    "context": st.integers(1, 128_000_000),
    "users": st.integers(1, 65536),
    **dict.fromkeys(("kv", "kv_k", "kv_v"), st.sampled_from(CACHES)),
    "gpu_layers": st.one_of(st.integers(0, 4096), st.just("all")),
    "utilization": decimals(1, 1000, 3),
    "max_batched_tokens": st.integers(1, 128_000_000),
    "max_num_seqs": st.integers(1, 65536),
    "max_model_len": st.integers(1, 128_000_000),
    "enforce_eager": st.booleans(),
    "shared_prefix": st.integers(1, 128_000_000),
    "draft": st.sampled_from(("1B", *CATALOG.models.ids)),
    "draft_weights": st.sampled_from(("fp16", "fp8", "gguf:Q8_0", "gguf:Q4_K_M", "awq4")),
    "lora_adapters": st.integers(1, 65536),
    "rank": st.integers(1, 4096),
    "cpu_moe_layers": st.integers(0, 4096),
    "experts_on_cpu": st.booleans(),
    "ubatch": st.integers(1, 65536),
    "slots": st.integers(1, 65536),
    "layer_split": st.lists(st.integers(0, 999), min_size=1, max_size=8),
    "swa_full": st.booleans(),
    "kv_layout": st.sampled_from(("mla", "heads")),
    "prefill_logits": st.sampled_from(("last", "all")),
    "mask": st.sampled_from(("full", "linear")),
    "find": st.sampled_from(("context", "users", "weights")),
}


TRAINING = st.fixed_dictionaries({"task": st.just("train"), "model": MODELS}, optional=TRAIN).map(
    usual_training
)
SERVING = st.fixed_dictionaries({"task": st.just("infer"), "model": MODELS}, optional=SERVE).map(
    usual_serving
)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(TRAINING)
def test_a_training_line_reads_as_the_fields_it_was_written_from(fields: dict[str, Any]) -> None:
    assert dict(READER.read(write_line(fields)).fields) == fields


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(SERVING)
def test_a_serving_line_reads_as_the_fields_it_was_written_from(fields: dict[str, Any]) -> None:
    assert dict(READER.read(write_line(fields)).fields) == fields


@settings(max_examples=EXAMPLES // 2, deadline=None, derandomize=True)
@given(st.one_of(TRAINING, SERVING))
def test_the_line_of_a_line_is_the_same_line(fields: dict[str, Any]) -> None:
    line = write_line(fields)
    assert READER.read(line).line == line


@pytest.mark.parametrize("model", CATALOG.models.ids)
def test_every_model_of_the_table_is_read_by_its_id(model: str) -> None:
    assert READER.read(f"train {model} lora").fields["model"] == model


def test_every_field_of_a_request_is_said_or_named_as_unsaid() -> None:
    known = set(TrainRequest.model_fields) | set(ServeRequest.model_fields)
    assert known == {"task", "model", *UNSAID, *TRAIN, *SERVE}
    assert unsaid({"variant": 1, "rank": 8, "mp_policy": None}) == ("variant",)


def test_a_comma_keeps_the_weights_from_the_key_behind_them() -> None:
    line = write_line({"task": "infer", "model": "7B", "weights": "fp8", "kv": "Q8_0"})
    assert line == "infer 7B fp8, kv Q8_0"
    line = write_line({"task": "infer", "model": "7B", "weights": "gguf:Q4_K_M", "kv": "fp8"})
    assert line == "infer 7B Q4_K_M kv fp8"


@pytest.mark.parametrize("master", list(Master))
def test_compute_behind_a_master_takes_none_of_its_format(master: Master) -> None:
    precision = {"weights": "fp32", "master": str(master), "compute": "bf16"}
    fields = {"task": "train", "model": "7B", "method": "full"} | precision
    assert dict(READER.read(write_line(fields)).fields) == fields


def test_nothing_writes_nothing() -> None:
    assert write_line({}) == ""
    assert write_line({"method": None}) == ""


def test_zero_and_no_are_said() -> None:
    line = write_line({"task": "train", "model": "7B", "lora_dropout": 0.0, "packing": False})
    assert line == "train 7B dropout 0 no packing"


def test_cards_stand_last_behind_commas() -> None:
    cards = [{"id": "rtx-3090", "count": 2}, {"id": "class-24gb", "count": 1}]
    assert write_line({"model": "7B", "gpus": cards}) == "7B, 2x rtx-3090, 1x 24GB"
    assert write_line({"gpus": cards[1:]}) == "24GB"


@pytest.mark.parametrize("number", [1080, 2060, 3090, 4050, 4090, 5090, 4000, 8000])
@pytest.mark.parametrize(("task", "name"), [("train", n) for n in ("batch", "seq", "rank")] + [
    ("infer", n) for n in ("users", "context", "prompt", "new_tokens")
])  # fmt: skip
def test_a_number_that_is_a_cards_name_stays_a_number(task: str, name: str, number: int) -> None:
    fields = {"task": task, "model": "7B", name: number}
    if name == "rank":
        fields["method"] = "lora"
    assert dict(READER.read(write_line(fields)).fields) == fields


def test_no_number_of_a_key_reads_as_a_card() -> None:
    """Every number that some card is called by, alone."""
    names = {name for card in CATALOG.gpus.rows for name in (card.id, *card.aliases, *card.shared)}
    numbers = sorted({int(word) for name in names for word in name.split() if word.isdecimal()})
    assert 6000 in numbers
    for number in numbers:
        fields = {"task": "train", "model": "7B", "method": "lora", "seq": number}
        assert dict(READER.read(write_line(fields)).fields) == fields


@pytest.mark.parametrize("method", ["full", "lora", "dora", "rslora"])
def test_weights_and_optimizer_side_by_side_stay_apart(method: str) -> None:
    for weights in ("fp32", "bf16", "fp16", "fp8", "int8", "fp4"):
        for optimizer in ("adamw", *CATALOG.optimizers.ids):
            fields = {"task": "train", "model": "7B", "method": method, "weights": weights}
            line = write_line(fields | {"optimizer": optimizer})
            read = dict(READER.read(line).fields)
            assert read["weights"] == weights, line
            assert read["optimizer"] == optimizer, line
