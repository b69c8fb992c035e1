"""The rules of thumb, to the byte, as they are passed on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import answer_document, load_catalog
from estimator.rules import lora_rule
from tests.estimator.questions import FIXED, Document

CATALOG = load_catalog()
FULL: Document = {"task": "train", "method": "full"}
GUIDE_NOTES = {
    "7B": ("14", "14", "56", "tight on 1×80 GB, comfortable on 2×80 GB", 84),
    "13B": ("26", "26", "104", "2×80 GB", 156),
    "34B": ("68", "68", "272", "4×80 GB", 408),
    "70B": ("140", "140", "560", "8×80 GB", 840),
}


def opinions(request: Document) -> dict[str, Document]:
    answered = answer_document(request, CATALOG)
    assert answered["error"] is None, answered["error"]
    return {opinion["rule"]: opinion for opinion in answered["second_opinions"]}


def rule_bytes(rule: str, request: Document) -> int | None:
    amount: int | None = opinions(request)[rule]["bytes"]
    return amount


@pytest.mark.parametrize(
    ("rule", "amount"),
    [
        ("16_bytes_mixed_adam", 112_000_000_000),  # 7e9 × (2 + 2 + 4 + 4 + 4)
        ("12_bytes_8bit_adam", 84_000_000_000),  # 7e9 × 12
        ("8_bytes_sgd_momentum", 56_000_000_000),  # 7e9 × 8
        ("inference_2_bytes", 14_000_000_000),  # 7e9 × 2
    ],
)
def test_a_full_7b(rule: str, amount: int) -> None:
    assert rule_bytes(rule, FULL | {"model": "7B"}) == amount


def test_activations_are_added() -> None:
    # 7e9 × 16 + 20e9
    ask = FULL | {"model": "7B", "rule_activation_bytes": 20_000_000_000}
    assert rule_bytes("16_bytes_mixed_adam", ask) == 132_000_000_000
    assert rule_bytes("12_bytes_8bit_adam", ask) == 104_000_000_000


@pytest.mark.parametrize(
    ("model", "each", "amount"),
    [
        ("7B", 18, 126_000_000_000),
        ("7B", 6.5, 45_500_000_000),
        ("13B", 20, 260_000_000_000),
        ("0.5B", 0.1, 50_000_000),  # 0.1 as typed, not as binary
    ],
)
def test_a_number_of_ones_own(model: str, each: float, amount: int) -> None:
    ask = FULL | {"model": model, "rule_bytes_per_parameter": each}
    assert rule_bytes("bytes_per_parameter", ask) == amount


@given(
    tenths=st.integers(min_value=1, max_value=1280),
    billions=st.integers(min_value=1, max_value=400),
    activations=st.integers(min_value=0, max_value=10**13),
)
@FIXED
def test_the_rule_is_n_times_b_plus_a(tenths: int, billions: int, activations: int) -> None:
    ask = FULL | {
        "model": f"{billions}B",
        "rule_bytes_per_parameter": tenths / 10,
        "rule_activation_bytes": activations,
    }
    expected = billions * 10**8 * tenths + activations
    assert rule_bytes("bytes_per_parameter", ask) == expected


def test_the_rule_takes_the_number_typed_for_a_name_the_count() -> None:
    # Llama-2-7B has 6,738,415,616 parameters: × 16
    ask = FULL | {"model": "meta-llama/Llama-2-7b-hf"}
    assert rule_bytes("16_bytes_mixed_adam", ask) == 107_814_649_856


def test_lora_rule() -> None:
    # (14e9 + 0.5e9 × 16/8 × 4) × 1.2 = (14e9 + 4e9) × 1.2
    assert lora_rule(14_000_000_000, 500_000_000, 16).bytes == 21_600_000_000


@pytest.mark.parametrize(
    ("method", "amount"),
    [
        # Mistral-7B, rank 16 on every linear: 41,943,040 trained; × 8 = 335,544,320
        ("lora", 17_202_653_184),  # (7e9 × 2 + 335,544,320) × 1.2
        ("qlora", 4_602_653_184),  # (7e9 ÷ 2 + 335,544,320) × 1.2
    ],
)
def test_lora_rule_of_a_7b(method: str, amount: int) -> None:
    ask = {"task": "train", "model": "7B", "method": method}
    assert rule_bytes("lora_rule", ask) == amount


@pytest.mark.parametrize("size", GUIDE_NOTES)
def test_the_guide_for_full_fine_tuning(size: str) -> None:
    weights, gradients, adam, cards, total = GUIDE_NOTES[size]
    guide = opinions(FULL | {"model": size})["gpu_guide"]
    assert guide["bytes"] == total * 10**9
    sums = f"weights {weights} + gradients {gradients} + Adam {adam} GB, {cards}."
    assert sums in guide["note"]


@pytest.mark.parametrize(
    ("method", "size", "words"),
    [
        ("lora", "7B", "LoRA and QLoRA on 7-13B: 24-48 GB."),
        ("qlora", "13B", "LoRA and QLoRA on 7-13B: 24-48 GB."),
        ("qlora", "70B", "70B QLoRA: one 80 GB card."),
    ],
)
def test_the_guide_for_adapters(method: str, size: str, words: str) -> None:
    guide = opinions({"task": "train", "model": size, "method": method})["gpu_guide"]
    assert guide["note"].startswith(words)
    assert guide["bytes"] is None


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_the_guide_is_quoted_with_its_contradiction(method: str) -> None:
    note = opinions({"task": "train", "model": "7B", "method": method})["gpu_guide"]["note"]
    assert "24 GB: LoRA 7-13B. 48 GB: full 7B or QLoRA 13-34B. 80 GB: QLoRA 70B" in note
    assert "contradicts itself" in note
    assert "14 + 14 + 56 = 84 GB" in note


def test_the_guide_states_the_effective_batch() -> None:
    ask = FULL | {"model": "7B", "batch": 2, "accumulation": 8, "world": 4, "strategy": "fsdp"}
    assert "here 64" in opinions(ask)["gpu_guide"]["note"]  # 2 × 8 × 4


def test_lora_parameters_of_llama_2_7b() -> None:
    # 32 layers × 16 × (q, k, v, o: 4 × (4096 + 4096) + gate, up, down: 3 × (4096 + 11008))
    # = 32 × 16 × (32,768 + 45,312) = 39,976,960
    ask = {"task": "train", "model": "meta-llama/Llama-2-7b-hf", "method": "lora", "rank": 16}
    answered = answer_document(ask, CATALOG)
    assert answered["parameters"]["trainable"] == 39_976_960
    assert answered["parameters"]["total"] == 6_738_415_616 + 39_976_960
    assert rule_bytes("lora_parameters", ask) == 2 * 39_976_960


def test_lora_parameters_stand_beside_full_too() -> None:
    ask = FULL | {"model": "meta-llama/Llama-2-7b-hf"}
    assert rule_bytes("lora_parameters", ask) == 2 * 39_976_960


def test_serving_has_the_two_byte_rule() -> None:
    asked = opinions({"task": "infer", "model": "70B"})
    assert {rule: opinion["bytes"] for rule, opinion in asked.items()} == {
        "inference_2_bytes": 140_000_000_000
    }


OTHER_ADAPTERS = (
    *("vera", "adalora", "ia3", "loha", "lokr", "oft", "boft"),
    *("prompt", "prefix", "ptuning", "ln_tuning", "llama_adapter"),
)
ALL_TRAINED = "were every weight trained; "


@pytest.mark.parametrize("method", OTHER_ADAPTERS)
def test_rules_of_lora_do_not_stand_beside_other_adapters(method: str) -> None:
    asked = opinions({"task": "train", "model": "8B", "method": method})
    assert set(asked) == {"16_bytes_mixed_adam", "gpu_guide", "inference_2_bytes"}
    assert asked["16_bytes_mixed_adam"]["note"].startswith(ALL_TRAINED)
    assert asked["gpu_guide"]["note"].startswith(f"{ALL_TRAINED}full in bf16: ")


@pytest.mark.parametrize("method", ["lora", "rslora", "dora", "qlora", "lora_fa"])
def test_rules_of_lora_stand_beside_its_own_kind(method: str) -> None:
    asked = opinions({"task": "train", "model": "8B", "method": method})
    assert "lora_rule" in asked
    assert asked["gpu_guide"]["note"].startswith("LoRA and QLoRA on 7-13B: ")
    assert ("lora_parameters" in asked) is (method != "lora_fa")  # which trains half of them


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("freeze", ALL_TRAINED),
        ("badam", "were every weight trained at once; "),
        ("lisa", "were every weight trained at once; "),
    ],
)
def test_rules_of_full_training_say_so_where_some_blocks_are_trained(
    method: str, words: str
) -> None:
    asked = opinions({"task": "train", "model": "8B", "method": method})
    assert {rule for rule, one in asked.items() if one["note"].startswith(words)} == {
        "16_bytes_mixed_adam",
        "12_bytes_8bit_adam",
        "8_bytes_sgd_momentum",
        "gpu_guide",
    }
    assert "lora_parameters" not in asked


@pytest.mark.parametrize("method", ["full", "lora", "vera", "freeze"])
def test_rules_leave_a_teacher_out_and_say_so(method: str) -> None:
    ask = {"task": "train", "model": "3B", "method": method, "objective": "distill"}
    for one in opinions({**ask, "teacher": "8B"}).values():
        assert "of the student alone" in one["note"].casefold()
    for one in opinions({**ask, "model": "8B", "teacher": "70B"}).values():
        assert "of the student alone" in one["note"].casefold()


def test_the_lora_rule_leaves_the_value_model_of_ppo_out() -> None:
    ask = {"task": "train", "model": "8B", "method": "lora"}
    assert rule_bytes("lora_rule", {**ask, "objective": "ppo"}) == rule_bytes("lora_rule", ask)


def test_rules_know_no_reference() -> None:
    ask = {"task": "train", "model": "8B", "method": "full", "objective": "dpo"}
    assert all("of the policy alone" in one["note"] for one in opinions(ask).values())
    without = {**ask, "reference": "none"}
    assert not any("policy" in one["note"] for one in opinions(without).values())


@pytest.mark.parametrize(
    ("model", "words"),
    [
        # 1,235,814,400 parameters: × 2 = 2.47 GB, × 8 = 9.89 GB
        ("meta-llama/Llama-3.2-1B", "weights 2.47 + gradients 2.47 + Adam 9.89 GB"),
        # 8,030,261,248 parameters: × 2 = 16.06 GB, × 8 = 64.24 GB
        ("meta-llama/Llama-3.1-8B", "weights 16.1 + gradients 16.1 + Adam 64.2 GB"),
        ("400B", "weights 800 + gradients 800 + Adam 3200 GB"),
    ],
)
def test_the_guide_has_three_digits(model: str, words: str) -> None:
    assert words in opinions(FULL | {"model": model})["gpu_guide"]["note"]
