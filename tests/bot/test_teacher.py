"""A teacher's name is taken out of a line before the model that learns is read."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())


@pytest.mark.parametrize(
    ("line", "model", "teacher"),
    [
        ("train 7B distill teacher 70B", "7B", "70B"),
        ("distill llama 3.2 1b, teacher: llama 3.1 8b", "meta-llama/Llama-3.2-1B",
         "meta-llama/Llama-3.1-8B"),
        ("train 7B distill, teacher model = qwen 2.5 72b bs 2", "7B", "Qwen/Qwen2.5-72B"),
        ("Teacher 13B distill 7B lora", "7B", "13B"),
    ],
)  # fmt: skip
def test_both_models_are_read(line: str, model: str, teacher: str) -> None:
    fields = READER.read(line, {"task": "train"}).fields
    assert (fields["model"], fields["teacher"]) == (model, teacher)


def test_a_teacher_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train 7B distill teacher frobnicate")
    assert "frobnicate" in caught.value.message


S, B = "Qwen/Qwen2.5-1.5B", "Qwen/Qwen2.5-7B"


@pytest.mark.parametrize("rest", ["", " lora bs 2", ", lora on a 4090"])
@pytest.mark.parametrize(
    "line",
    [
        "distill qwen2.5-1.5b from qwen2.5-7b",
        "distil qwen2.5-1.5b from a qwen2.5-7b",
        "distilling qwen2.5-1.5b from the qwen2.5 7b",
        "train qwen2.5-1.5b, distilled from qwen2.5-7b",
        "distill Qwen/Qwen2.5-1.5B from Qwen/Qwen2.5-7B",
        "distill qwen2.5-7b into qwen2.5-1.5b",
        "distill a qwen2.5-7b into a qwen2.5-1.5b",
        "distill qwen2.5 7b to qwen2.5 1.5b",
        "qwen2.5-7b distilled into qwen2.5-1.5b",
        "distill from qwen2.5-7b into qwen2.5-1.5b",
        "train qwen2.5-1.5b teacher qwen2.5-7b",
        "train qwen2.5-1.5b distillation teacher qwen2.5-7b",
    ],
)
def test_which_learns_from_which(line: str, rest: str) -> None:
    reading = READER.read(line + rest)
    fields = reading.fields
    assert (fields["model"], fields["teacher"], fields["objective"]) == (S, B, "distill")
    assert fields.get("method") == ("lora" if rest else None)
    assert dict(READER.read(reading.line).fields) == dict(fields)


@pytest.mark.parametrize(("small", "large"), [("1B", "70B"), ("7B", "32B"), ("0.5B", "8x7B")])
def test_sizes_learn_from_sizes(small: str, large: str) -> None:
    for line in (f"distill {small} from {large}", f"distill {large} into {small}"):
        fields = READER.read(line).fields
        assert (fields["model"], fields["teacher"]) == (small, large)


@pytest.mark.parametrize(
    "line",
    [
        "train deepseek-r1-distill-qwen-7b lora",
        "train deepseek-ai/DeepSeek-R1-Distill-Qwen-7B to fit 24gb",
        "distill 7B lora, to fit a 3090",
        "distill 7B to fit a 3090",
        "train 7B lora from a checkpoint",
    ],
)
def test_no_teacher_is_read_where_none_is_named(line: str) -> None:
    assert "teacher" not in READER.read(line).fields


@pytest.mark.parametrize("line", ["distill llama 3.2 1b from llama 8b", "distill llama-8b into 1B"])
def test_a_teacher_in_several_versions_is_asked_for(line: str) -> None:
    with pytest.raises(NotUnderstoodError, match="several versions") as caught:
        READER.read(line)
    assert caught.value.field == "teacher"
    assert caught.value.lines[0].endswith("distill, teacher meta-llama/Llama-3.1-8B")
    assert not caught.value.lines[0].startswith("train 7B")


@pytest.mark.parametrize("size", ["0B", "9999T", "0.00000001B"])
def test_a_size_that_no_teacher_has_is_an_error(size: str) -> None:
    for line in (f"train 7B distill teacher {size}", f"distill 7B from {size}"):
        with pytest.raises(NotUnderstoodError):
            READER.read(line)
