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
