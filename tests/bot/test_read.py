"""Whole lines: what they ask, and how bad ones are refused."""

import unicodedata
from typing import Any

import pytest

from bot.locale import load_locale
from bot.reading.clean import MOST_CHARACTERS
from bot.reading.facts import NotUnderstoodError
from bot.reading.helping import EXAMPLES
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())
LORA = {"task": "train", "model": "7B", "method": "lora"}
ADAM_LORA = LORA | {"optimizer": "adamw"}

ASKED: dict[str, dict[str, Any]] = {
    "train 7B adam lora": ADAM_LORA,
    "/vram train 7B adam lora": ADAM_LORA,
    "LORA ADAM 7B TRAIN": ADAM_LORA,
    "train,7B,adam,lora": ADAM_LORA,
    "train-7B-adam-lora": ADAM_LORA,
    "train/7B/adam/lora": ADAM_LORA,
    "train+7B+adam+lora": ADAM_LORA,
    "train_7B_adam_lora": ADAM_LORA,
    "((((7B)))) lora": LORA,
    "7B 7B 7B lora": LORA,
    "7\u200bB lo\u200bra r=1\u200d6 ctx\u00a04k": LORA | {"rank": 16, "seq": 4096},
    "٧B lora bs ٤": LORA | {"batch": 4},
    "**7B** ||lora|| <@123456789>": LORA,
    "train 7B lora lr 2e-4 epochs 3 warmup 100": LORA,
    "train 7B lora learning_rate=1e-4, weight_decay: 0.01": LORA,
    "7B lora 1e-4 lr": LORA,
    "7B lora 2e-5 learning rate bs 4": LORA | {"batch": 4},
    "7bn param model, lora rank sixteen, batch of four, two thousand tokens": LORA
    | {"rank": 16, "batch": 4, "seq": 2000},
    "/vram train Qwen2.5-7B full adamw bf16 bs=2 seq 2048 z3 4xA100 80g": {
        "task": "train",
        "model": "Qwen/Qwen2.5-7B",
        "method": "full",
        "optimizer": "adamw",
        "weights": "bf16",
        "batch": 2,
        "seq": 2048,
        "strategy": "zero3",
        "gpus": [{"id": "a100-sxm4-80gb", "count": 4}],
    },
    "/vram infer mixtral 8x7b q4_k_m ctx 16k fp8 kv": {
        "task": "infer",
        "model": "mistralai/Mixtral-8x7B-v0.1",
        "weights": "gguf:Q4_K_M",
        "context": 16384,
        "kv": "fp8",
    },
    "serve llama-3.3-70b to 5 people with the full 128k window each, 8-bit. vram?": {
        "task": "infer",
        "model": "meta-llama/Llama-3.3-70B-Instruct",
        "users": 5,
        "context": 131072,
        "weights": "int8",
    },
    "infer 70B vllm 0.6.3 tp=4 fp8 prompt 2000 new tokens 500": {
        "task": "infer",
        "model": "70B",
        "engine": "vllm",
        "engine_version": "0.6.3",
        "tp": 4,
        "weights": "fp8",
        "prompt": 2000,
        "new_tokens": 500,
    },
    "how much vram to full finetune a 0.5b with sgd, no flash, w/o grad ckpt?": {
        "task": "train",
        "model": "0.5B",
        "method": "full",
        "optimizer": "sgd",
        "attention": "eager",
        "checkpointing": "none",
    },
    "adapter: qlora\nlora_r: 32\nlora_alpha: 16\nlora_target_linear: true\nsequence_len: 4096\n"
    "sample_packing: true\nmicro_batch_size: 2\noptimizer: paged_adamw_32bit\n"
    "base_model: NousResearch/Meta-Llama-3-8B\nflash_attention: true": {
        "task": "train",
        "model": "meta-llama/Meta-Llama-3-8B",
        "method": "qlora",
        "rank": 32,
        "alpha": 16.0,
        "targets": "all-linear",
        "seq": 4096,
        "packing": True,
        "batch": 2,
        "optimizer": "paged_adamw",
        "attention": "flash",
    },
}
BAD: dict[str, tuple[str, str, str | None]] = {
    "": ("empty", "nothing to read", EXAMPLES[0]),
    " \n\t\u2003\u3000 ": ("empty", "nothing to read", EXAMPLES[0]),
    "\u200b\u202e\u0000": ("empty", "nothing to read", EXAMPLES[0]),
    "x" * 7000: ("too_long", "7000", EXAMPLES[0]),
    "7B lora " * 8000: ("too_long", "6000", EXAMPLES[0]),
    "7B " * 2500: ("ambiguous", "To train it", "infer 7B"),
    "flurbl": ("unknown_word", "`flurbl`", None),
    "train 7B flurbl": ("unknown_word", "`flurbl`", "train 7B"),
    "train 7B lora flurbl4": ("unknown_word", "`flurbl4`", "train 7B lora"),
    "train 7B lora adamofoo": ("unknown_word", "`adamofoo`", "train 7B lora"),
    "llama 4 flurbl q4": ("unknown_word", "`flurbl`", None),
    "train 7B 13B lora": ("contradiction", "`7B` and `13B`", "train 13B lora"),
    "train 7B lora -1": ("bad_number", "`-1`", "train 7B lora"),
    "train 7B lora r=-1": ("bad_number", "`-1`", "train 7B lora"),
    "train 0B lora": ("bad_request", "no parameters", "train 7B lora"),
    "train 1e309B lora": ("bad_number", "1e309", "train 7B lora"),
    "train 7B bs 1e309": ("bad_number", "1e309", "train 7B"),
    "train 7B ctx=0x1000": ("bad_number", "0x1000", "train 7B"),
    f"train {'9' * 400}B lora": ("bad_number", "999", "train 7B lora"),
    "train 7B bs nan": ("no_value", "`bs` needs a number", "train 7B"),
    "train 7B bs": ("no_value", "`bs` needs a number", "train 7B"),
    "train 7B lora 16": ("loose_number", "`16`", "train 7B lora"),
    "train 7B no lora": ("unknown_word", "`no lora` says what it is not", "train 7B"),
    "train 7B optimizer banana": ("unknown_name", "no optimizer", "train 7B adamw_fused"),
    "7B": ("ambiguous", "To train it, or to run it?", "infer 7B"),
    "lora bs 4": ("no_model", "Which model?", "train 7B lora bs 4"),
    "24GB enough?": ("no_model", "Which model?", "train 7B, 24GB"),
    "model=http://169.254.169.254/latest q4": ("not_a_model_id", "owner/name", "infer 7B Q4_K_M"),
    "{model.__class__} %s {0} ${jndi:x} 7B": ("unknown_word", "`class`", None),
    "train 7B lora dropout 1.5": ("bad_request", "lora_dropout", "train 7B lora"),
    "8B q4_k_m ctx": ("no_value", "`ctx 8k`", "infer 8B Q4_K_M"),
    "8B q4_k_m users": ("no_value", "`users 4`", "infer 8B Q4_K_M"),
    "8B q4_k_m kv": ("no_value", "`kv fp8`", "infer 8B Q4_K_M"),
    "8B q4_k_m gpus": ("no_value", "`gpus 4`", "infer 8B Q4_K_M"),
    "7B lora grads": ("no_value", "`grads bf16`", "train 7B lora"),
    "7B lora r": ("no_value", "`r 16`", "train 7B lora"),
    "7B lora_alpha": ("no_value", "`lora_alpha 32`", "train 7B lora"),
    "7B qlora dropout": ("no_value", "`dropout 0.1`", "train 7B qlora"),
    "7B lora 1e-4": ("bad_number", "1e-4", "train 7B lora"),
    "infer 7B awq on cpu": ("unsupported", "CPU alone", "infer 7B awq4"),
    "train 7B lora without a gpu": ("unsupported", "CPU alone", "train 7B lora"),
    "7B qlora with and without prepare_model_for_kbit_training": (
        "ambiguous",
        "or without?",
        "train 7B qlora prepare_model_for_kbit_training",
    ),
    "7B lora with or without gradient checkpointing": (
        "ambiguous",
        "or without?",
        "train 7B lora no gradient checkpointing",
    ),
    "train 7B dpo r=16 flurbl": ("unknown_word", "flurbl", "train 7B lora dpo r=16"),
    "train 7B full zero 4": ("unknown_name", "from 1 to 3", "train 7B full zero3"),
    "train 7B lora prodigy": ("unknown_name", "`prodigy`", "train 7B lora adamw"),
}


@pytest.mark.parametrize(("line", "fields"), ASKED.items())
def test_what_a_line_asks(line: str, fields: dict[str, Any]) -> None:
    assert dict(READER.read(line).fields) == fields


@pytest.mark.parametrize(("line", "expected"), BAD.items(), ids=range(len(BAD)))
def test_how_a_bad_line_is_refused(line: str, expected: tuple[str, str, str | None]) -> None:
    code, part, offered = expected
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert caught.value.code == code
    assert part in caught.value.message
    assert offered is None or offered in caught.value.lines
    for corrected in caught.value.lines:
        reading = READER.read(corrected)
        assert reading.fields.get("model") or reading.tables


def test_the_longest_line_is_read() -> None:
    line = "7B " * 1998 + "q4_k_m"
    assert len(line) == MOST_CHARACTERS
    assert READER.read(line).line == "infer 7B Q4_K_M"


@pytest.mark.parametrize(
    "part",
    ["x4", "8x", "7B", "(", "llama-", "llama-3-8b-", "4 ", "-", "bs ", "4 bs ", "a/b-1 ", "no ",
     "kv fp8 ", "3090 ", "targets ", "zero ", "8 bit ", "1,", "r16", "x", "\u0301a", "https://a "],
)  # fmt: skip
def test_the_same_over_and_over_is_read_or_refused(part: str) -> None:
    line = (part * MOST_CHARACTERS)[:MOST_CHARACTERS]
    try:
        lines: tuple[str, ...] = (READER.read(line).line,)
    except NotUnderstoodError as error:
        lines = error.lines
    assert lines
    assert all(READER.read(offered).request for offered in lines)


def test_a_sentence_says_what_it_left_aside() -> None:
    reading = READER.read("how much vram does a qlroa of 7B gobble on my 3090, roughly?")
    assert reading.fields["method"] == "qlora"
    assert any("`qlroa`" in note and "`qlora`" in note for note in reading.notes)
    assert any("`gobble`" in note for note in reading.notes)
    assert any("`flurbl`" in note for note in READER.read("train 7B loora flurbl").notes)


@pytest.mark.parametrize(
    ("line", "idle"),
    [
        ("train 7B full adamw 8bit fused", "fused"),
        ("train 7B lora 1M tokens", "1M tokens"),
        ("infer 8B q4_k_m 4090, 64 GB RAM", "64 GB RAM"),
        ("infer 8B q4_k_m 2x4090 64GB RAM", "64 GB RAM"),
        ("infer 8B q4_k_m 4090 24GB 128gb of system ram", "128gb of system ram"),
        ("train 7B qlora 3090 64gb ddr5", "64 GB RAM"),
        ("train 7B full sgd fused", "fused"),
        ("train 7B lora util 0.9", "util 0.9"),
        ("i have 20k instructions, qlora 8b on 3090 ok?", "20k instructions"),
        ("lora a 7B on 10k examples", "10k examples"),
        ("7B lora my 5k chat samples", "5k chat samples"),
        ("train 7B lora 10k training examples", "10k"),
        ("infer 7B q4 8k ctx 500 prompts", "500 prompts"),
        ("7B q4 at 30 tokens/s", "30 tokens/s"),
        ("7B q4 15 tok per sec", "15 tok per sec"),
        ("7B q4 20 t/s", "20 t/s"),
        ("train 7B lora enforce eager", "enforce eager"),
        ("infer 8B vllm --enable-prefix-caching", "enable-prefix-caching"),
    ],
)
def test_what_changes_nothing_is_said(line: str, idle: str) -> None:
    reading = READER.read(line)
    of_host = [reading.host.words] if reading.host else []  # which the answer judges, or names
    assert [note for note in (*reading.notes, *of_host) if f"`{idle}`" in note]
    assert READER.read(reading.line).notes == ()
    assert not {"seq", "attention"} & set(reading.fields)
    assert reading.fields.get("context") in (None, 8192)


@pytest.mark.parametrize(
    "line", ["7B qlora, 20k widgets", "how much vram do i need for qlora on 7B with 20k widgets"]
)
def test_thousands_of_what_nobody_knows_are_no_length(line: str) -> None:
    try:
        fields = dict(READER.read(line).fields)
    except NotUnderstoodError as error:
        fields = error.understood
    assert fields == {"task": "train", "model": "7B", "method": "qlora"}


@pytest.mark.parametrize("line", ["train 7B full fused adamw", "train 7B lora adamw foreach"])
def test_a_kernel_that_counts_is_no_idle_word(line: str) -> None:
    assert READER.read(line).notes == ()


def test_what_is_shown_of_a_bad_word_is_clean() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train 7B fl\u202eur`bl" + "x" * 200)
    shown = caught.value.message
    assert all(unicodedata.category(character) != "Cf" for character in shown)
    assert len(shown) < 300


@pytest.mark.parametrize("line", EXAMPLES)
def test_the_examples_are_read(line: str) -> None:
    assert READER.read(line).notes == ()
