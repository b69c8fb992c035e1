"""How a model is spread over cards, as people paste it: each in the words of a line."""

from typing import Any

import pytest

from bot.ask import Refused, Replied, open_desk

DESK = open_desk()


def read(line: str) -> dict[str, Any]:
    """Fields of a line; those of its canonical form are the same."""
    found = DESK.ask(line)
    assert isinstance(found, Replied), found
    fields = found.answer.request.model_dump(exclude_none=True, mode="json")
    again = DESK.ask(found.presentation.line)
    assert isinstance(again, Replied), again
    assert again.answer.request.model_dump(exclude_none=True, mode="json") == fields
    return fields


CARDS = "2x rtx-3090"


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("-ts 3,1", [3, 1]),
        ("--tensor-split 3,1", [3, 1]),
        ("--tensor-split=0.6,0.4", [0.6, 0.4]),
        ("tensor split 3:1", [3, 1]),
        ("layer split 3/1", [3, 1]),
        ("layer split 20, 60", [20, 60]),
    ],
)
def test_parts_of_each_card(words: str, parts: list[float]) -> None:
    assert read(f"infer llama-3.1-70b q4_k_m {words}, {CARDS}")["layer_split"] == parts


@pytest.mark.parametrize(
    "line",
    [
        "VLLM_PP_LAYER_PARTITION=30,50 vllm serve meta-llama/Llama-3.1-70B -pp 2",
        "export VLLM_PP_LAYER_PARTITION=30,50; vllm serve meta-llama/Llama-3.1-70B -pp 2",
        "llama-3.1-70b on vllm pp=2, layers 30,50",
    ],
)
def test_layers_of_each_stage(line: str) -> None:
    fields = read(line)
    assert (fields["layer_split"], fields["pp"]) == ([30, 50], 2)


@pytest.mark.parametrize(
    ("mode", "strategy"), [("row", "tp"), ("layer", "device_map"), ("none", "single")]
)
def test_split_modes(mode: str, strategy: str) -> None:
    line = f"llama-server -m llama-3.1-8b-q4_k_m.gguf --split-mode {mode}, {CARDS}"
    assert read(line)["strategy"] == strategy
    assert read(line.replace("--split-mode", "-sm"))["strategy"] == strategy


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--tensor-parallel-size 4 --pipeline-parallel-size 2", {"tp": 4, "pp": 2}),
        ("-tp 4 -pp 2", {"tp": 4, "pp": 2}),
        ("--data-parallel-size 2 --tensor-parallel-size 4", {"dp": 2, "tp": 4}),
        ("-tp 8 --enable-expert-parallel", {"tp": 8, "ep": 8}),
        ("-tp 2 -dp 4 --enable-expert-parallel", {"tp": 2, "dp": 4, "ep": 8}),
        ("-dp 8 --enable-expert-parallel", {"dp": 8, "ep": 8}),
        ("--tensor-parallel-size 8 --decode-context-parallel-size 2", {"tp": 8, "cp": 2}),
    ],
)
def test_flags_of_servers(words: str, expected: dict[str, int]) -> None:
    fields = read(f"vllm serve Qwen/Qwen3-235B-A22B {words}, 8x h200")
    assert {name: fields.get(name) for name in expected} == expected


def test_experts_over_all_cards_that_are_named() -> None:
    assert read("vllm serve Qwen/Qwen3-235B-A22B --enable-expert-parallel, 8x h200")["ep"] == 8


def test_experts_over_cards_that_nobody_counted_are_asked_back() -> None:
    found = DESK.ask("vllm serve Qwen/Qwen3-235B-A22B --enable-expert-parallel")
    assert isinstance(found, Replied)
    assert any("say how many" in note for note in found.notes)


def test_cards_that_a_model_is_split_across() -> None:
    fields = read("run llama 3.1 70b q4 split across a 3090 and a 4090")
    assert [card["id"] for card in fields["gpus"]] == ["rtx-3090", "rtx-4090"]


@pytest.mark.parametrize(
    ("line", "says", "offers"),
    [
        ("infer llama-3.1-70b vllm tp 8, 13x h100", "13 cards do not divide", "tp 8, 8x h100"),
        ("infer llama-3.1-70b vllm tp 6, 6x h100", "64 do not go into 6", "tp 2"),
        ("infer llama-3.1-8b vllm pp 64, 64x h100", "32 blocks", "pp 32"),
        ("infer llama-3.1-8b vllm tp 2 pp 4, 4x h100", "takes 8 cards", "tp 2 pp 4, 8x h100"),
        ("infer llama-3.1-8b vllm ep 4, 4x h100", "no experts", "tp 4"),
        ("infer mixtral-8x7b vllm ep 16, 16x h100", "8 experts", "ep 8"),
        ("infer llama-3.1-8b q4_k_m cp 2, 2x 3090", "by tokens", "2x rtx-3090"),
        ("infer llama-3.1-8b ollama tp 2, 2x 3090", "whole layers", "pp 2"),
        ("infer llama-3.1-8b q4_k_m layer split 1, 2x 3090", "2 cards", "2x rtx-3090"),
        ("infer llama-3.1-8b q4_k_m layer split 0,0, 2x 3090", "zero", "layer split 1,1"),
        ("infer llama-3.1-8b vllm pp 2 layer split 1,2, 2x h100", "32 in all", "layer split 11,21"),
        ("infer llama-3.1-8b vllm zero3, 4x h100", "way to train", "4x h100"),
        ("infer llama-3.1-8b vllm, 3090 and 7900 xtx", "together", "llama.cpp"),
        ("infer llama-3.1-8b vllm tp 8 cp 2, 8x h100", "twice", "tp 8"),
        ("infer llama-2-70b litgpt, 3x h100", "80 do not divide among 3", "2"),
    ],
)
def test_what_does_not_go_says_why_and_offers_the_nearest(
    line: str, says: str, offers: str
) -> None:
    refused = DESK.ask(line)
    assert isinstance(refused, Refused), refused
    assert says in refused.refusal.wrong
    assert offers in refused.refusal.lines[0]
