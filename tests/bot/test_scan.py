"""The walk over a line: what is read, left aside, mended, and noted as wrong."""

import pytest

from bot.locale import load_locale
from bot.reading.atoms import atoms_of
from bot.reading.facts import Said
from bot.reading.line import Line
from bot.reading.mend import Mender
from bot.reading.recalling import Recalling
from bot.reading.scan import Scanner
from bot.reading.vocabulary import vocabulary_of
from estimator import load_catalog

CATALOG = load_catalog()
LOCALE = load_locale()
VOCABULARY = vocabulary_of(LOCALE, CATALOG)
FAMILIES = VOCABULARY.families
MENDER = Mender(frozenset(VOCABULARY.words), FAMILIES)


def scan(text: str) -> Said:
    said = Said()
    line = Line(list(atoms_of(text)), text, Recalling(VOCABULARY), LOCALE, said)
    Scanner(line, MENDER, FAMILIES).run()
    return said


def facts(text: str) -> list[tuple[str, object]]:
    return [(fact.field, fact.value) for fact in scan(text).facts]


READ: dict[str, list[tuple[str, object]]] = {
    "bs 4": [("batch", 4.0)],
    "bs=4": [("batch", 4.0)],
    "4 bs": [("batch", 4.0)],
    "batch of four": [("batch", 4.0)],
    "users 4 8k ctx": [("users", 4.0), ("context", 8192.0)],
    "100 users 8k ctx": [("users", 100.0), ("context", 8192.0)],
    "seq 2048 bs 4": [("seq", 2048.0), ("batch", 4.0)],
    "2048 seq 4 bs": [("seq", 2048.0), ("batch", 4.0)],
    "lora_r: 32": [("rank", 32.0), ("method_hint", "lora")],
    "lr 2e-4": [("ignored", "2e-4")],
    "tp": [("strategy", "tp")],
    "tp 4": [("tp", 4.0)],
    "momentum 0.9": [("optimizer", "sgd_momentum"), ("ignored", 0.9)],
    "kv q8": [("kv", "gguf:Q8_0")],
    "fp8 kv": [("kv", "fp8")],
    "grads in bf16": [("grads", "bf16")],
    "adapter": [("method", "lora")],
    "adapter bf16": [("adapter", "bf16")],
    "zero 3 4 gpus": [("strategy", "zero3"), ("world", 4.0)],
    "fsdp 2 gpus": [("strategy", "fsdp"), ("world", 2.0)],
    "adam fused ce": [("optimizer", "adamw"), ("loss", "fused_ce")],
    "vllm 0.6.3": [("engine", "vllm"), ("engine_version", "0.6.3")],
    "ctx 1M": [("context", 1000000.0)],
    "targets dense": [("module", "dense")],
    "a dense model": [],
    "q_proj": [("module", "q_proj")],
    "lora targets attention": [("method_hint", "lora"), ("targets", "attention")],
    "lora_target_modules q_proj": [("method_hint", "lora"), ("module", "q_proj")],
    "flash attention only": [("attention", "flash"), ("targets", "attention")],
    "eager attention only": [("attention", "eager"), ("targets", "attention")],
    "flash attention targets q_proj": [("attention", "flash"), ("module", "q_proj")],
    "fused adamw_8bit": [("optimizer_kind", "fused"), ("optimizer_kind", "8bit")],
    "4bit adamw_8bit": [("precision", "4bit"), ("optimizer_kind", "8bit")],
    "fp8 adamw_4bit": [("weights", "fp8"), ("optimizer_kind", "4bit")],
    "states fp8 adamw_8bit": [("states", "fp8"), ("optimizer_kind", "8bit")],
    "galore adamw_fused": [("method", "galore"), ("optimizer_id", "adamw_fused")],
    "gradients fp32 master fp32": [("grads", "fp32"), ("master", "fp32")],
    "fp8 kv q8": [("weights", "fp8"), ("kv", "gguf:Q8_0")],
    "fp8, kv q8": [("weights", "fp8"), ("kv", "gguf:Q8_0")],
    "fp8/kv q8": [("weights", "fp8"), ("kv", "gguf:Q8_0")],
    "fp8 kv=q8": [("weights", "fp8"), ("kv", "gguf:Q8_0")],
    "q4_k_m kv fp8": [("weights", "gguf:Q4_K_M"), ("kv", "fp8")],
    "bf16 kv fp8": [("precision", "bf16"), ("between", "kv"), ("kv", "fp8")],
    "8k bs 4": [("length", 8192.0), ("batch", 4.0)],
    "2048 tokens r 4": [("length", 2048.0), ("rank", 4.0)],
    "8k ga 4 bs 2": [("length", 8192.0), ("accumulation", 4.0), ("batch", 2.0)],
    "8k layers 4": [("length", 8192.0), ("blocks", 4.0)],
    "8k ctx 4 users": [("context", 8192.0), ("users", 4.0)],
    "8k ctx bs 4": [("context", 8192.0), ("batch", 4.0)],
    "dropout 50%": [("lora_dropout", 0.5)],
    "data parallel 8 gpus": [("strategy", "ddp"), ("world", 8.0)],
    "tp 4 gpus": [("tp", 4.0), ("world", 4.0)],
    "deepseek r1": [("model", "deepseek-ai/DeepSeek-R1")],
    "context 4 users": [("task_hint", "infer"), ("users", 4.0)],
}


@pytest.mark.parametrize(("text", "expected"), READ.items())
def test_what_is_read(text: str, expected: list[tuple[str, object]]) -> None:
    said = scan(text)
    assert facts(text) == expected
    assert not said.unread
    assert not said.loose
    assert not said.faults


@pytest.mark.parametrize(
    ("text", "unread"),
    [("flurbl", "flurbl"), ("no lora", "no lora"), ("bs", "bs"), ("qx9y", "qx9y"), ("vl", "vl")],
)
def test_what_is_left_aside(text: str, unread: str) -> None:
    said = scan(text)
    assert [word.text for word in said.unread] == [unread]
    assert not said.facts


def test_a_key_without_its_number_is_known_as_one() -> None:
    assert scan("bs").unread[0].needs_number
    assert not scan("flurbl").unread[0].needs_number


def test_an_unknown_word_beside_an_announcing_one() -> None:
    assert scan("optimizer flurbl").unread[0].near_slot == "optimizer"
    assert scan("flurbl optimizer").unread[0].near_slot == "optimizer"
    assert scan("flurbl lora optimizer").unread[0].near_slot is None


@pytest.mark.parametrize(
    ("text", "meant"), [("qlroa", "qlora"), ("inferance", "inference"), ("lroa", "lora")]
)
def test_typing_errors_are_mended_and_said(text: str, meant: str) -> None:
    assert scan(text).corrections == [(text, meant)]


@pytest.mark.parametrize("text", ["lost", "llama", "banana", "turing"])
def test_other_words_are_not(text: str) -> None:
    assert scan(text).corrections == []


@pytest.mark.parametrize(
    "text", ["-1", "bs -1", "r=0x10", "bs nan", "1e309", "bs 8k", "users=1k", "bs 50%", "8k users"]
)
def test_numbers_that_cannot_be_are_noted_and_the_walk_goes_on(text: str) -> None:
    said = scan(f"{text}, lora")
    assert [fault.code in ("bad_number", "no_value") for fault in said.faults] == [True]
    assert ("method", "lora") in [(fact.field, fact.value) for fact in said.facts]


def test_greetings_and_fillers() -> None:
    assert scan("vram").fillers == 0
    assert scan("how much").fillers == 2
