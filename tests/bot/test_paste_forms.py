"""Pastes in the forms that chats leave of them: cut off, flattened, quoted, hostile."""

import pytest

from bot.reading.pasting.meaning import READERS
from bot.reading.pasting.tables import programs
from bot.reading.pasting.unpaste import taken_apart
from tests.bot.pasted_text import asked, desk, wrong

FILE = """base_model: Qwen/Qwen2.5-7B
load_in_4bit: true
adapter: qlora
lora_r: 24
sequence_len: 3072
micro_batch_size: 3
gradient_accumulation_steps: 2
optimizer: paged_adamw_8bit
gradient_checkpointing: true"""
FIELDS = {
    "task": "train",
    "model": "Qwen/Qwen2.5-7B",
    "method": "qlora",
    "rank": 24,
    "seq": 3072,
    "batch": 3,
    "accumulation": 2,
    "optimizer": "paged_adamw_8bit",
    "checkpointing": "full",
}


FORMS = {
    "as it is": FILE,
    "fenced": f"```yaml\n{FILE}\n```",
    "fenced without a language": f"```\n{FILE}\n```",
    "fence never closed": f"```yml\n{FILE}",
    "quoted": "\n".join(f"> {line}" for line in FILE.split("\n")),
    "indented": "\n".join(f"    {line}" for line in FILE.split("\n")),
    "with Windows line ends": FILE.replace("\n", "\r\n"),
    "on one line": FILE.replace("\n", " "),
    "on one line with wide gaps": FILE.replace("\n", "   "),
    "with comments": FILE.replace("\n", "  # as in the docs\n"),
    "with blank lines": FILE.replace("\n", "\n\n"),
    "quoted values": FILE.replace("qlora", '"qlora"').replace(
        "Qwen/Qwen2.5-7B", "'Qwen/Qwen2.5-7B'"
    ),
    "a document's marks": f"---\n{FILE}\n...",
    "cut off in a key": f"{FILE}\nlora_alp",
    "cut off behind a key": f"{FILE}\nlora_alpha:",
    "capital switches": FILE.replace("true", "True"),
    "with what is not memory's": f"{FILE}\nwandb_project: x\nlearning_rate: 2e-4\nseed: 42",
    "with an empty setting": f"{FILE}\ndeepspeed:\nfsdp: null\nfsdp_config: {{}}",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_file_in_any_form_is_read_alike(form: str) -> None:
    fields, notes = asked(FORMS[form])
    assert fields == FIELDS
    assert "asted" not in notes


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", [True, False])
def test_what_is_asked_beside_a_file_is_read_too(form: str, *, first: bool) -> None:
    said = "will this fit on 2x 3090?"
    text = f"{said}\n{FORMS[form]}" if first else f"{FORMS[form]}\n{said}"
    if not first and form.startswith("fence never"):
        text = f"{FORMS[form]}\n```\n{said}"
    if form == "quoted" and first:
        text = f"{FORMS[form]}\n\n{said}"
    fields, _ = asked(text)
    assert fields == FIELDS | {"gpus": [{"id": "rtx-3090", "count": 2}]}


def test_a_person_wins_over_a_file_and_it_is_said() -> None:
    fields, notes = asked(f"what if I use batch size 8 and rank 64?\n{FILE}")
    assert (fields["batch"], fields["rank"]) == (8, 64)
    assert "What you say wins over `r=24`, `bs 3` of what you pasted." in notes


def test_what_a_person_says_as_the_file_does_is_not_said_to_differ() -> None:
    fields, notes = asked(f"qlora with rank 24 on a 4090\n{FILE}")
    assert fields == FIELDS | {"gpus": [{"id": "rtx-4090", "count": 1}]}
    assert "wins over" not in notes


def test_cards_of_a_command_are_counted_where_a_person_names_the_card_alone() -> None:
    command = "torchrun --nproc_per_node 4 train.py --model_name_or_path Qwen/Qwen2.5-7B"
    assert asked(f"{command}\nwill that do on 3090s?")[0]["world"] == 4


def test_lines_about_the_machine_beside_a_file_are_the_persons() -> None:
    fields, notes = asked(f"{FILE}\nGPU: RTX 3090")
    assert fields == FIELDS | {"gpus": [{"id": "rtx-3090", "count": 1}]}
    assert "asted" not in notes


def test_a_setting_that_no_table_has_is_named_once() -> None:
    _, notes = asked(f"{FILE}\nturbo_mode: 7\nquantum_flux: warp")
    assert notes.count("not known here") == 1
    assert "`turbo_mode: 7`, `quantum_flux: warp`" in notes


def test_what_two_settings_contradict_is_named() -> None:
    code, message = wrong(FILE.replace("optimizer:", "load_in_8bit: true\noptimizer:"))
    assert code == "contradiction"
    assert "int8" in message


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("train 7B lora bs 4", "train 7B lora bs 4"),
        ("model: llama 3 8b, batch: 4", "model: llama 3 8b, batch: 4"),
        ("note: I have 24GB", "note: I have 24GB"),
        ("r=16 alpha=32 7B lora", "r=16 alpha=32 7B lora"),
        ("vllm serve Qwen/Qwen2.5-7B --port 1", "vllm serve Qwen/Qwen2.5-7B --port 1"),
        ("is {x} a set?", "is {x} a set?"),
    ],
)
def test_a_line_that_is_no_paste_stays_as_it_is(text: str, left: str) -> None:
    assert taken_apart(text) == (left, None)


HOSTILE = {
    "aliases that grow": f"a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\n{FILE}\nd: *c",
    "a tag that runs": f"{FILE}\nhook: !!python/object/apply:os.system ['echo']",
    "merge keys": f"{FILE}\n<<: *defaults",
    "a key without an end": f"{FILE}\n{'k' * 3000}: 1",
    "a value without an end": f"{FILE}\noutput_dir: {'v' * 3000}",
    "levels without an end": f"{FILE}\n" + "\n".join(" " * n + "a:" for n in range(60)),
    "brackets without an end": f"{FILE}\nx: {'[' * 1500}",
    "braces without an end": f'{FILE}\n\n{{"a": {"{" * 700}',
    "quotes without an end": f"{FILE}\nx: {chr(34) * 801}",
}


@pytest.mark.parametrize("form", HOSTILE)
def test_a_hostile_part_changes_nothing_of_the_rest(form: str) -> None:
    fields, _ = asked(HOSTILE[form])
    assert fields == FIELDS


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 1200,
        "[" * 5000,
        "base_model: " + "!" * 4000,
        "```" * 1500,
        "a=" * 2500,
        "--x " * 1200,
        "LoraConfig(" * 400,
        "FROM " * 1000,
        '{"zero_optimization": {"stage": NaN}, "bf16": Infinity}',
        "micro_batch_size: 1e999\nsequence_len: -5\nlora_r: 0x10",
        "micro_batch_size: \u0665\nsequence_len: \u00b2\nbase_model: \U0001f999",
        "base_model: a\x00b\x1b[31m\nmicro_batch_size: 2\nsequence_len: 3",
    ],
)
def test_nothing_that_is_pasted_breaks_it(text: str) -> None:
    assert desk().ask(text) is not None


def test_what_a_file_says_is_shown_without_markup_and_mentions() -> None:
    _, notes = asked(f"{FILE}\nfoo_bar: <@123456789012345678> @everyone `x` **y**")
    named = notes.partition("not known here")[2]
    assert "@" not in named
    assert "<" not in named
    assert "*" not in named


def test_every_reader_that_a_table_names_is_there() -> None:
    entries = [
        words
        for one in programs()
        for entry in one.keys.values()
        for words in ((entry,) if isinstance(entry, str) else entry.values())
    ]
    named = {words[1:] for words in entries if words.startswith("@")}
    assert named <= set(READERS)
