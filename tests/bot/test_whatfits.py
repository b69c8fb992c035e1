"""Questions that tables answer: which they are, what is fixed in them, and what they lack."""

import json
from typing import Any

import pytest

from bot.ask import Refused, Replied, Tabled, open_desk
from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.options import COMMAND
from bot.reading.read import Reader
from bot.replies import Unfinished
from estimator import By, load_catalog

DESK = open_desk()
READER = Reader(load_locale(), load_catalog())
BOTH = {"train": By.SIZES, "infer": By.SIZES}

# Line → the rows by task, and the canonical line.
TABLES: dict[str, tuple[dict[str, By], str]] = {
    "what can I train on a 4090?": ({"train": By.SIZES}, "fit train, rtx-4090"),
    "what models can I run on 12GB": ({"infer": By.SIZES}, "fit infer, 12GB"),
    "biggest model I can finetune on 2x3090": ({"train": By.SIZES}, "fit train, 2x rtx-3090"),
    "what fits on a 3060": (BOTH, "fit rtx-3060-12gb"),
    "what llms can my 3060 12gb run": ({"infer": By.SIZES}, "fit infer, rtx-3060-12gb"),
    "can I train anything on a gtx 1080": ({"train": By.SIZES}, "fit train, gtx-1080"),
    "which models fit in 8GB vram": (BOTH, "fit 8GB"),
    "what size model can i qlora with 24gb vram": ({"train": By.SIZES}, "fit train qlora, 24GB"),
    "what can I run on 2x 3090 with 4 users": (
        {"infer": By.SIZES}, "fit infer users 4, 2x rtx-3090"),
    "/vram fit 4090": (BOTH, "fit rtx-4090"),
    "vram fit 4090, 3090": (BOTH, "fit rtx-4090, rtx-3090"),
    "fit llama 3.1 8b 4090": (
        {"train": By.METHODS, "infer": By.FORMATS}, "fit meta-llama/Llama-3.1-8B, rtx-4090"),
    "fit 70B q4_k_m 2x3090 ctx 8k": (
        {"infer": By.FORMATS}, "fit infer 70B Q4_K_M ctx 8192, 2x rtx-3090"),
    "which method can I train 8B with on a 4090": (
        {"train": By.METHODS}, "fit train 8B, rtx-4090"),
    "best method for 8B on a 4090": ({"train": By.METHODS}, "fit train 8B, rtx-4090"),
    "which optimizer for full 7B on an A100 80GB": (
        {"train": By.OPTIMIZERS}, "fit which optimizer train 7B full, a100-sxm4-80gb"),
}  # fmt: skip
NOT_TABLES = (
    "does 70B fit on a 4090",
    "will it fit? 8B 4090",
    "what can I train 8B lora with, a 4090?",
    "biggest model is 70B, q4_k_m on 2x 3090",
    "which optimizer: adamw_8bit, 7B full on an A100 80GB",
    "fits in 24GB? 8B qlora",
)


@pytest.mark.parametrize("line", TABLES)
def test_a_table_is_asked_for(line: str) -> None:
    tables, canonical = TABLES[line]
    reading = READER.read(line)
    assert reading.tables == tables
    assert reading.line == canonical
    again = READER.read(canonical)
    assert (again.tables, again.fields, again.line) == (tables, reading.fields, canonical)


@pytest.mark.parametrize("line", NOT_TABLES)
def test_what_names_its_model_and_method_is_a_plain_question(line: str) -> None:
    assert not READER.read(line).tables
    assert isinstance(DESK.ask(line), Replied)


@pytest.mark.parametrize("line", ["4090", "24GB", "8B 4090", "what can I train on a 4090?"])
def test_the_command_asks_for_a_table_of_the_same_words(line: str) -> None:
    found = DESK.ask(line, {COMMAND: "fit"})
    assert isinstance(found, Tabled)
    assert found.overview.lines[0].startswith("fit ")


def test_options_stand_beside_the_command() -> None:
    options: dict[str, Any] = {COMMAND: "fit", "task": "train", "method": "qlora", "seq": 512}
    found = DESK.ask("what runs on my 4090", options)
    assert isinstance(found, Tabled)
    assert found.overview.lines[0] == "fit train qlora seq 512, rtx-4090"
    assert [str(table.task) for table in found.tables] == ["train"]


@pytest.mark.parametrize(
    ("line", "wrong", "offered"),
    [
        ("fit", "Which cards?", "fit 24GB"),
        ("what can I train", "Which cards?", "fit train, 24GB"),
        ("fit 8B qlora", "Which cards?", "fit train 8B qlora, rtx-4090"),
        ("fit whisper 4090", "no language model", "fit rtx-4090"),
        ("fit frobnicate 4090", "do not know", "fit rtx-4090"),
        (
            "fit llama 4090",
            "several versions",
            "fit infer meta-llama/Llama-3.3-70B-Instruct, rtx-4090",
        ),
        ("fit 3090 qlora lora", "cannot both hold", "fit train 7B qlora, rtx-3090"),
        ("fit train infer 4090", "cannot both hold", "fit rtx-4090"),
        ("fit cpu", "CPU alone", None),
        ("fit 0gb", "0 GB", None),
        ("fit 80000x 4090", "65,536", None),
        ("fit 8B q4_k_m train 4090", "to run, not to train", None),
    ],
)
def test_what_no_table_answers_is_refused_with_what_one_does(
    line: str, wrong: str, offered: str | None
) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert wrong in found.refusal.wrong
    assert offered is None or offered in found.refusal.lines
    assert found.refusal.lines
    for other in found.refusal.lines:
        assert not isinstance(DESK.ask(other), Refused)


def test_cards_without_a_model_are_told_of_the_table() -> None:
    found = DESK.ask("train on a 4090")
    assert isinstance(found, Refused)
    assert found.refusal.lines[0] == "fit train, rtx-4090"


def test_either_of_two_cards_has_a_table_each() -> None:
    found = DESK.ask("what can I run on a 3090 or a 4090")
    assert isinstance(found, Tabled)
    assert [table.cards[0].card.id for table in found.tables] == ["rtx-3090", "rtx-4090"]
    assert [chart.heading.rsplit(", ")[-1] for chart in found.overview.charts] == [
        "RTX 3090",
        "RTX 4090",
    ]


def test_a_table_is_left_to_be_finished_and_kept() -> None:
    desk = open_desk()
    begun = desk.begin("fit train 4090")
    assert isinstance(begun, Unfinished)
    first = begun.finish()
    second = desk.ask("fit train, rtx-4090")
    assert isinstance(first, Tabled)
    assert isinstance(second, Tabled)
    assert second.tables[0] is first.tables[0]


def test_a_table_is_not_made_while_it_is_typed() -> None:
    ahead = DESK.ahead("4090", {COMMAND: "fit"})
    assert ahead.shown is None
    assert ahead.lines[0] == "4090"


def test_the_document_is_json_and_says_every_cell() -> None:
    found = DESK.ask("fit train 4090")
    assert isinstance(found, Tabled)
    document = json.loads(json.dumps(found.document()))
    assert document["understood"] == {"task": "train", "gpus": [{"id": "rtx-4090", "count": 1}]}
    (table,) = document["tables"]
    assert {len(row["cells"]) for row in table["rows"]} == {3}


def test_every_line_of_a_table_is_answered_as_it_says() -> None:
    for line in ("fit 4090", "fit 8B 2x 3090", "which optimizer for full 3B on 80GB"):
        found = DESK.ask(line)
        assert isinstance(found, Tabled)
        for other in found.overview.lines:
            answered = DESK.ask(other)
            assert isinstance(answered, Tabled | Replied)
            if isinstance(answered, Replied):
                assert answered.presentation.headline.startswith("Yes")


def test_a_reading_without_cards_says_so_with_its_code() -> None:
    with pytest.raises(NotUnderstoodError) as error:
        READER.read("what can I train?")
    assert error.value.code == "ambiguous"
