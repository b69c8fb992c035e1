"""Degrees of parallelism as people type them, and the line that says them again."""

from typing import Any

import pytest

from bot.ask import Refused, Replied, open_desk
from bot.reading.read import Reader
from bot.reading.write import write_line

DESK = open_desk()


@pytest.fixture(scope="module")
def reader() -> Reader:
    return DESK.reader


@pytest.mark.parametrize(
    ("typed", "fields"),
    [
        ("train 70B tp 8", {"tp": 8}),
        ("train 405B tp8 pp16 dp128 seq 8192", {"tp": 8, "pp": 16, "dp": 128, "seq": 8192}),
        ("train 70B tp=8 pp=2 cp=4", {"tp": 8, "pp": 2, "cp": 4}),
        ("train 70B tensor parallelism 8", {"tp": 8}),
        ("train 70B 8-way tensor parallel", {"tp": 8}),
        ("train mixtral expert parallel 8", {"ep": 8}),
        ("train mixtral ep8 tp2", {"ep": 8, "tp": 2}),
        ("train 7B pipeline parallel size 4", {"pp": 4}),
        ("train 7B 4 pipeline stages", {"pp": 4}),
        ("train 7B context parallel 4 128k", {"cp": 4}),
        ("train 7B tp 4 sequence parallel", {"tp": 4, "sp": True}),
        ("train 7B tp 4 no sequence parallel", {"tp": 4, "sp": False}),
        ("train 7B tp 4 without sp", {"tp": 4, "sp": False}),
        ("train 7B 3d tp 2 pp 2", {"strategy": "3d", "tp": 2, "pp": 2}),
        ("train 7B megatron tp 2", {"framework": "megatron", "tp": 2}),
        ("train 7B pp 4 zero1", {"pp": 4, "strategy": "zero1"}),
        (
            "train 7B --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2",
            {"tp": 4, "pp": 2},
        ),
        (
            "train 7B --context-parallel-size 2 --expert-model-parallel-size 1",
            {"cp": 2, "ep": 1},
        ),
        ("train 7B tp 2 --sequence-parallel", {"tp": 2, "sp": True}),
    ],
)
def test_what_is_typed(typed: str, fields: dict[str, Any], reader: Reader) -> None:
    found = reader.read(typed).fields
    assert {name: found.get(name) for name in fields} == fields
    assert reader.read(write_line(found)).fields == found


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("train 7B tp 8 13x a100 80gb", "train 7B tp 8, 16x a100-sxm4-80gb"),
        ("train 7B pp 64", "train 7B pp 32"),
        ("train 7B tp 3", "train 7B tp 4"),
        ("train 8x7B ep 16", "train 8x7B ep 8"),
        ("train 7B qlora tp 2 2x4090", "train 7B qlora fsdp, 2x rtx-4090"),
        ("train 7B pp 2 zero3 4x a100 80gb", "train 7B zero1 pp 2, 4x a100-sxm4-80gb"),
        ("train 7B cp 3 seq 8192", "train 7B seq 8196 cp 3"),
        ("train 7B 3d 8x h100 80gb", "train 7B 3d tp 8, 8x h100-sxm5-80gb"),
        ("train 7B tp 2 dp 3 8x h100 80gb", "train 7B tp 2 dp 4, 8x h100-sxm5-80gb"),
    ],
)
def test_what_is_no_plan_offers_one_that_is_answered(typed: str, first: str) -> None:
    refused = DESK.ask(typed)
    assert isinstance(refused, Refused)
    assert refused.refusal.lines[0] == first
    for line in refused.refusal.lines:
        assert not isinstance(DESK.ask(line), Refused), line


def test_copies_of_shards_may_be_counted_elsewhere() -> None:
    found = DESK.ask("train 7B full fsdp hybrid shard 16x a100 40gb, 2 replicas")
    assert not isinstance(found, Refused)
    assert isinstance(DESK.ask("train 7B full fsdp hybrid shard 16x a100 40gb"), Refused)


@pytest.mark.parametrize("words", ["hsdp 4", "hsdp replicas 4", "hybrid sharding 4"])
def test_hybrid_shards_are_those_of_fsdp(words: str) -> None:
    found = DESK.ask(f"train 7B full {words} 16x a100 40gb")
    assert isinstance(found, Replied)
    assert found.fields["strategy"] == "fsdp"
    assert found.fields["replicas"] == 4
