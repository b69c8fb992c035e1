"""A key's format stands behind it or before it; what is left over is the weights'."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())
COMPUTE = (
    "compute",
    "computes in",
    "computed in",
    "compute dtype",
    "compute type",
    "bnb_4bit_compute_dtype",
)
FIELDS = {
    "compute": ("fp32", "bf16", "fp16", "fp8", "int8"),
    "states": ("fp32", "bf16", "fp16", "fp8", "int8"),
    "grads": ("fp32", "bf16", "fp16"),
    "adapter": ("fp32", "bf16", "fp16"),
}
WEIGHTS = ("fp32", "bf16", "fp16", "fp8", "int8")
PAIRS = [(name, own, weights) for name, values in FIELDS.items() for own in values
         for weights in WEIGHTS if own != weights]  # fmt: skip


def fields_of(line: str) -> dict[str, object]:
    """The fields of `line`, which its canonical line says as well."""
    reading = READER.read(line)
    assert dict(READER.read(reading.line).fields) == dict(reading.fields)
    return dict(reading.fields)


@pytest.mark.parametrize(("name", "own", "weights"), PAIRS)
def test_the_format_behind_a_key_is_its_own(name: str, own: str, weights: str) -> None:
    for line in (
        f"train 7B lora {weights} {name} {own}",
        f"train 7B lora {weights}, {name} {own}",
        f"train 7B lora {name} {own} {weights}",
        f"train 7B lora {name}={own} weights={weights}",
        f"train 7B {weights} lora bs 2 {name} in {own}",
    ):
        fields = fields_of(line)
        assert (fields[name], fields["weights"]) == (own, weights), line


@pytest.mark.parametrize(("name", "own", "weights"), PAIRS)
def test_the_format_before_a_key_is_its_own_where_none_is_behind(
    name: str, own: str, weights: str
) -> None:
    fields = fields_of(f"train 7B lora {weights} {own} {name}")
    assert (fields[name], fields["weights"]) == (own, weights)
    fields = fields_of(f"train 7B lora {own} {name}")
    assert fields[name] == own
    assert "weights" not in fields


@pytest.mark.parametrize("words", COMPUTE)
@pytest.mark.parametrize("task", ["train", "infer"])
def test_what_is_computed_in_holds_no_weights(task: str, words: str) -> None:
    fields = fields_of(f"{task} llama 3.1 8b {words} fp8")
    assert (fields["compute"], fields.get("weights")) == ("fp8", None)
    fields = fields_of(f"{task} 7B fp8 {words} bf16")
    assert (fields["compute"], fields["weights"]) == ("bf16", "fp8")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("full bf16 master fp32 compute fp8", ("bf16", None, "fp8")),
        ("full master fp32 bf16", ("bf16", None, None)),
        ("full fp32 master bf16", ("bf16", None, None)),
        ("full bf16 with master copy in fp32", ("bf16", None, None)),
        ("full bf16 grads fp32 states", (None, "bf16", None)),
        ("full bf16 grads fp32 states bf16", ("bf16", "fp32", None)),
        ("full fp8 compute bf16 weights", ("bf16", None, "fp8")),
        ("full fp8 weights bf16 compute", ("fp8", None, "bf16")),
    ],
)
def test_chains_of_formats(line: str, expected: tuple[str | None, ...]) -> None:
    fields = fields_of(f"train 7B {line}")
    assert tuple(fields.get(name) for name in ("weights", "grads", "compute")) == expected
    assert fields.get("master") == ("fp32" if "master" in line else None)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("train 7B lora fp8 bf16 compute fp32", "ambiguous"),
        ("train 7B qlora bf16 compute fp16", "contradiction"),
        ("train 7B qlora compute fp16 bf16", "contradiction"),
        ("infer 7B awq compute fp16, bf16", "contradiction"),
        ("train 7B lora compute nf4", "no_value"),
        ("infer 7B compute q4_k_m", "no_value"),
    ],
)
def test_formats_that_cannot_be(line: str, code: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert caught.value.code == code


@pytest.mark.parametrize("key", ["max len", "max_len", "max-length", "max_seq_len", "cutoff_len"])
def test_a_length_is_read_by_the_names_that_configs_have(key: str) -> None:
    assert fields_of(f"train 7B lora {key} 4096")["seq"] == 4096


@pytest.mark.parametrize("key", ["target", "targets", "target_modules", "lora_target"])
def test_targets_are_read_by_the_names_that_configs_have(key: str) -> None:
    assert fields_of(f"train llama 3.1 8b lora {key} q_proj")["targets"] == ["q_proj"]


@pytest.mark.parametrize("unit", ["GB", "gigs", "gigabytes"])
def test_a_unit_without_a_number_is_no_question(unit: str) -> None:
    assert not READER.read(f"how many {unit} do I need to train 7B lora").notes
    assert fields_of(f"train 7B lora on 24 {unit}")["gpus"]


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ("-ngl 20", {"gpu_layers": 20}),
        ("--n-cpu-moe 10", {"cpu_moe_layers": 10}),
        ("experts on cpu", {"experts_on_cpu": True}),
        ("-ub 1024", {"ubatch": 1024}),
        ("flash attention off", {"attention": "eager"}),
        ("parallel 4", {"users": 4}),
        ("-np 4", {"slots": 4}),
        ("kv q8_0", {"kv": "Q8_0"}),
        ("-c 32768", {"context": 32768}),
        ("swa full", {"swa_full": True}),
        ("mla cache", {"kv_layout": "mla"}),
    ],
)
def test_flags_of_llama_cpp(said: str, fields: dict[str, object]) -> None:
    found = fields_of(f"infer qwen3-30b-a3b llama.cpp {said}")
    assert {name: found.get(name) for name in fields} == fields
