"""Lines that compare: each thing in turn, with all else that is said."""

import pytest

from bot.ask import Refused, Replied, Weighed, open_desk

DESK = open_desk()

COMPARED = {
    "compare lora qlora full 7B bs 4": (
        "train 7B lora bs 4",
        "train 7B qlora bs 4",
        "train 7B full bs 4",
    ),
    "lora vs dora memory for a 7b, bs 16": ("train 7B lora bs 16", "train 7B dora bs 16"),
    "adamw vs adamw 8bit vs adafactor for a full 7B": (
        "train 7B full adamw",
        "train 7B full adamw_8bit",
        "train 7B full adafactor",
    ),
    "compare Q4_K_M Q8_0 qwen3-14b": ("infer Qwen/Qwen3-14B Q4_K_M", "infer Qwen/Qwen3-14B Q8_0"),
    "zero2 or zero3, 7b full 8x h200": (
        "train 7B full zero2, 8x h200-sxm-141gb",
        "train 7B full zero3, 8x h200-sxm-141gb",
    ),
    "serve 8B on a 3090 or 4090": ("infer 8B, rtx-3090", "infer 8B, rtx-4090"),
    "infer 8B, 2x3090 vs one 5090": ("infer 8B, 2x rtx-3090", "infer 8B, rtx-5090"),
    "compare 3090 4090 for infer 8B": ("infer 8B, rtx-3090", "infer 8B, rtx-4090"),
    "7b lora vs 13b qlora on a 4090": ("train 7B lora, rtx-4090", "train 13B qlora, rtx-4090"),
    "train 8B lora with and without packing": ("train 8B lora packing", "train 8B lora no packing"),
    "infer 70B q4_k_m 8k vs 32k context": (
        "infer 70B Q4_K_M ctx 8192",
        "infer 70B Q4_K_M ctx 32768",
    ),
    "train 7b lora r=8 vs r=64": ("train 7B lora r=8", "train 7B lora r=64"),
    "train 7B lora 4xA100": (
        "train 7B lora, 4x a100-sxm4-40gb",
        "train 7B lora, 4x a100-sxm4-80gb",
    ),
    "infer 8B a100 or 4090": (
        "infer 8B, a100-sxm4-40gb",
        "infer 8B, a100-sxm4-80gb",
        "infer 8B, rtx-4090",
    ),
    "infer gpt-oss 20b vs 120b": ("infer openai/gpt-oss-20b", "infer openai/gpt-oss-120b"),
    "infer gemma 3 4b vs 12b q4": (
        "infer google/gemma-3-4b-it Q4_K_M",
        "infer google/gemma-3-12b-it Q4_K_M",
    ),
    "infer 8b kv q8_0 vs q4_0": ("infer 8B kv Q4_0", "infer 8B kv Q8_0"),
    "awq or fp8 for infer 8B": ("infer 8B awq4", "infer 8B fp8"),
    "infer 8B fp16 vs fp8 kv": ("infer 8B kv fp16", "infer 8B kv fp8"),
    "infer Qwen/Qwen2.5-7B-Instruct vs Qwen/Qwen2.5-7B-Instruct-AWQ": (
        "infer Qwen/Qwen2.5-7B-Instruct",
        "infer Qwen/Qwen2.5-7B-Instruct awq4",
    ),
    "meta-llama/Llama-3.1-8B-Instruct vs Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4": (
        "infer meta-llama/Llama-3.1-8B",
        "infer Qwen/Qwen2.5-7B-Instruct gptq4",
    ),
    # bare numbers
    "train 7B lora bs 1 vs 2 vs 4": (
        "train 7B lora bs 1",
        "train 7B lora bs 2",
        "train 7B lora bs 4",
    ),
    "train 7B lora bs 1, 2 or 4": (
        "train 7B lora bs 1",
        "train 7B lora bs 2",
        "train 7B lora bs 4",
    ),
    "train 7b lora r=8/64": ("train 7B lora r=8", "train 7B lora r=64"),
    "train 7B lora 2 or 4 h100": (
        "train 7B lora, 2x h100-sxm5-80gb",
        "train 7B lora, 4x h100-sxm5-80gb",
    ),
    "7B lora 1 vs 4 gpus": ("train 7B lora world 1", "train 7B lora world 4"),
    "infer 8b ctx 8/16/32k": (
        "infer 8B ctx 8192",
        "infer 8B ctx 16384",
        "infer 8B ctx 32768",
    ),
    "infer 8b 1, 4 or 16 users": ("infer 8B users 1", "infer 8B users 4", "infer 8B users 16"),
    "7 or 13B lora": ("train 7B lora", "train 13B lora"),
    "train 7B qlora 4 or 8 bit adam": ("train 7B qlora adamw_4bit", "train 7B qlora adamw_8bit"),
    # crossed, and side by side
    "lora vs qlora 7B or 13B": (
        "train 7B lora",
        "train 7B qlora",
        "train 13B lora",
        "train 13B qlora",
    ),
    "lora on 3090 vs qlora on 3090 vs full on h200 7B": (
        "train 7B lora, rtx-3090",
        "train 7B qlora, rtx-3090",
        "train 7B full, h200-sxm-141gb",
    ),
    "lora bs 4 vs qlora bs 8 vs full 7B": (
        "train 7B lora bs 4",
        "train 7B qlora bs 8",
        "train 7B full",
    ),
    "compare 7B lora, 13B qlora": ("train 7B lora", "train 13B qlora"),
    "compare 2x3090 + 4090 vs a100 80gb infer 70b q4": (
        "infer 70B Q4_K_M, 2x rtx-3090, rtx-4090",
        "infer 70B Q4_K_M, a100-sxm4-80gb",
    ),
    # both ways
    "7b lora checkpointing on vs off": (
        "train 7B lora grad ckpt",
        "train 7B lora no checkpointing",
    ),
    "7b lora with packing vs without": ("train 7B lora packing", "train 7B lora no packing"),
    # what is said of one side alone
    "lora r=8 vs full 7B": ("train 7B lora r=8", "train 7B full"),
    "7B lora 4090 vs 8b q4 3090": ("train 7B lora, rtx-4090", "infer 8B Q4_K_M, rtx-3090"),
    "infer 8b q4 vs train 8b lora": ("infer 8B Q4_K_M", "train 8B lora"),
    "infer 8b q4 24gb in use 4GB vs in use 8GB": (
        "infer 8B Q4_K_M in use 4096MiB, 24GB",
        "infer 8B Q4_K_M in use 8192MiB, 24GB",
    ),
    # what would be read as one thing
    "compare adam, adamw 8bit, sgd and lion on 1B full": (
        "train 1B full adamw",
        "train 1B full adamw_8bit",
        "train 1B full sgd",
        "train 1B full lion",
    ),
    "compare nf4 vs nf4 dq 7b qlora": ("train 7B qlora nf4", "train 7B qlora nf4_dq"),
    "compare paged adamw 8bit and adamw 7B full": (
        "train 7B full paged_adamw_8bit",
        "train 7B full adamw",
    ),
    "compare q_proj vs all-linear 7B lora": (
        "train 7B lora targets q_proj",
        "train 7B lora all-linear",
    ),
    "train 7B lora 1x or 2x 4090": ("train 7B lora, rtx-4090", "train 7B lora, 2x rtx-4090"),
    # one thing alone
    "compare 7B lora bs 2": (
        "train 7B lora bs 2",
        "train 7B qlora bs 2",
        "train 7B full bs 2",
    ),
    "compare 8B q5_k_m": (
        "infer 8B Q8_0",
        "infer 8B Q6_K",
        "infer 8B Q5_K_M",
        "infer 8B Q4_K_M",
    ),
}
ASKED_BACK = (
    "full lora 13b",  # a contradiction, and nothing that compares
    "run 13b at q4_k_m in fp16 awq",
    "lora vs qlora",  # of which model
    "7B vs 13B",  # to train or to run
    "Qwen2.5-7B vs Qwen2.5-7B",
    "3080 10gb vs 12gb infer 8b q6_k",
    "infer 7b on H100 (MIG 3g.40gb)",
    "lora vs qlora 7B r=0",  # something else is wrong as well
    "lora vs qlora vs full, bs 2 vs bs 4 vs bs 8, train 7B",  # nine
    "infer 7B " + "a100 v100 " * 50,  # several are open
    "compare Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_0 Q4_K_S Q4_K_M Q5_K_M Q6_K Q8_0 infer 8B",
)


@pytest.mark.parametrize(("line", "sides"), COMPARED.items())
def test_each_thing_is_asked_in_turn(line: str, sides: tuple[str, ...]) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Weighed), found.shown
    assert sorted(found.comparison.lines) == sorted(sides)
    alone = [DESK.ask(side) for side in found.comparison.lines]
    sizes = [one.answer.estimate.peak.bytes for one in alone if isinstance(one, Replied)]
    shown = [row.number for row in found.comparison.rows]
    assert sizes == sorted(sizes)
    assert [f"{size / 2**30:.2f}" for size in sizes] == shown


@pytest.mark.parametrize("line", ASKED_BACK)
def test_what_is_no_comparison_is_refused_as_before(line: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert found.refusal.lines


@pytest.mark.parametrize(
    ("line", "word", "offered"),
    [
        ("compare lora vs qlora", "Which model", "compare lora vs qlora 7B"),
        ("compare 3090 vs 4090", "Which model", "compare 3090 vs 4090 7B"),
        ("7B vs 13B", "To train it", "infer 7B vs 13B"),
        ("compare 7B", "To train it", "compare train 7B"),
        ("compare 7B lora vs frobnicate", "`frobnicate`", ""),
        ("compare gpt-4 vs llama 8b", "gpt-4", ""),
        ("train 7B lora bs 1 vs 0.5", "`0.5`", ""),
        ("train 7B lora bs 1 vs -2", "`-2`", ""),
        ("train 7B lora bs 1 vs 99999999999", "65,536", ""),
        ("compare users 1 vs 4 7B lora", "users 1", ""),
        ("bs 1/2/3/4/5/6/7/8/9 7B lora", "9 things", ""),
        ("compare lora qlora full 7B 8B 13B", "9 things", ""),
    ],
)
def test_what_keeps_it_from_comparing_is_said(line: str, word: str, offered: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused), found.shown
    assert word in found.refusal.wrong
    assert not offered or offered in found.refusal.lines


def test_a_data_set_of_two_sizes_is_no_comparison() -> None:
    found = DESK.ask("train 7B lora on 10k or 20k samples")
    assert isinstance(found, Replied)
    assert found.presentation.line == "train 7B lora"


def test_a_model_against_itself_is_said() -> None:
    found = DESK.ask("Qwen2.5-7B vs Qwen2.5-7B")
    assert isinstance(found, Refused)
    assert "itself" in found.refusal.wrong


def test_macs_are_as_many_as_their_chips() -> None:
    found = DESK.ask("infer 2x mac mini m4 pro 64gb 70b q4")
    assert isinstance(found, Replied), found.shown
    assert found.presentation.line.endswith("2x apple-m4-pro-64gb")


@pytest.mark.parametrize(
    "line", ["H0O2/1P4", "lora targets o on a p4 or 2x p4", "3090 vs 4090 targets o"]
)
def test_a_comparison_without_an_answer_is_not_offered(line: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert found.refusal.lines
    assert not any(isinstance(DESK.ask(one), Refused) for one in found.refusal.lines)
