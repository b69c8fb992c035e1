"""Words that a strategy, an objective or a count of cards gives another meaning."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())


@pytest.mark.parametrize("words", ["offload", "cpu offload", "offloading", "offload to cpu"])
@pytest.mark.parametrize(
    ("strategy", "meant"),
    [("zero1", "optimizer"), ("zero2", "optimizer"), ("zero3", "both"), ("fsdp", "both")],
)
def test_what_is_offloaded_is_what_the_strategy_shards(
    strategy: str, meant: str, words: str
) -> None:
    for line in (f"train 7B {strategy} {words} 4 gpus", f"train 7B {words}, 4 gpus {strategy}"):
        reading = READER.read(line)
        assert reading.fields["offload"] == meant
        assert [note for note in reading.notes if words in note] == list(reading.notes)
        assert bool(reading.notes) == (meant == "optimizer")
        assert dict(READER.read(reading.line).fields) == dict(reading.fields)


@pytest.mark.parametrize("words", ["offload", "cpu offload"])
def test_a_card_that_has_all_of_it_offloads_states(words: str) -> None:
    reading = READER.read(f"train 7B full adamw_8bit {words}")
    assert reading.fields["offload"] == "optimizer"
    assert [note for note in reading.notes if words in note] == list(reading.notes) != []


def test_both_said_in_full_are_both() -> None:
    reading = READER.read("train 7B zero2 offload both 4 gpus")
    assert reading.fields["offload"] == "both"
    assert not reading.notes


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("train 7B single 8xH100", 8),
        ("train 7B lora single 2x 3090", 2),
        ("train 7B lora single h100", 1),
        ("train 7B lora single node 8xh100", 8),
        ("single 8xh100, train 70B zero3", 8),
        ("infer single 7B 2x 4090", 2),
    ],
)
def test_single_before_counted_cards_counts_nothing(line: str, count: int) -> None:
    reading = READER.read(line)
    assert [card["count"] for card in reading.fields["gpus"]] == [count]


@pytest.mark.parametrize("engine", ["vllm", "sglang", "llama.cpp"])
@pytest.mark.parametrize("objective", ["dpo", "sft", "reward", "distill", "pretrain", ""])
def test_an_engine_in_training_is_said_to_generate(objective: str, engine: str) -> None:
    with pytest.raises(NotUnderstoodError, match="belongs to `grpo` and `ppo`") as caught:
        READER.read(f"train 7B {objective} {engine} lora")
    assert caught.value.code == "contradiction"
    assert [line for line in caught.value.lines if engine not in line]


@pytest.mark.parametrize("objective", ["grpo", "ppo"])
@pytest.mark.parametrize(
    ("words", "asleep"),
    [
        ("sleep mode", True),
        ("asleep", True),
        ("enable sleep mode", True),
        ("sleep mode on", True),
        ("no sleep", False),
        ("no sleep mode", False),
        ("sleep mode off", False),
        ("without sleep mode", False),
        ("awake", False),
        ("engine awake", False),
    ],
)
def test_an_engine_that_sleeps_while_the_step_trains(
    objective: str, words: str, *, asleep: bool
) -> None:
    reading = READER.read(f"train 7B {objective} vllm {words} lora")
    assert (reading.fields["engine"], reading.fields["engine_asleep"]) == ("vllm", asleep)
    assert dict(READER.read(reading.line).fields) == dict(reading.fields)


def test_completions_of_one_prompt_are_said() -> None:
    reading = READER.read("train 7B grpo num_generations 16 lora")
    assert reading.fields["generations"] == 16
    assert dict(READER.read(reading.line).fields) == dict(reading.fields)


def test_a_disk_takes_what_the_host_would() -> None:
    reading = READER.read("train 7B full zero3 nvme offload 4x4090")
    assert reading.fields["offload"] == "both"
    assert any("lies on the disk" in note for note in reading.notes)
    assert not any("disk" in n for n in READER.read("train 7B full zero3 cpu offload 4x4090").notes)
