"""Texts that people paste: explained with the message's own figures, wherever they land."""

import re

import pytest

from bot.ask import OomExplained, Refused, Replied, open_desk
from bot.asking import completed
from bot.diagnosing import OOM, SETTINGS
from bot.diagnosis.card import on_card
from bot.diagnosis.diagnosis import Cause
from bot.reading.oom.around import settings_around
from bot.reading.options import COMMAND
from bot.surface.embed import embed_of
from bot.surface.private import refusal_text
from estimator import GIB
from tests.golden.messages import FULL, MESSAGES, SHARED, WEIGHTS, WINDOW

DESK = open_desk()
QUESTIONS = [  # that speak of a message, and are answered as what they ask
    "llama3.1 8B qlora 4bit, 8k context on a 3090, OOMs after some steps. should it fit?",
    "I get CUDA out of memory with 7B lora bs 4 on a 3090",
    "7B lora keeps running out of memory on 12GB",
    "8B q4_k_m on a 3060, kv cache 32k",
]
TRACEBACK = (
    'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    loss.backward()\n'
)
HOSTILE = {
    "huge": FULL.replace("2.32 GiB", "9" * 400 + " GiB"),
    "beyond a card": FULL.replace("22.50 GiB", "17179869184.00 GiB"),
    "negative": FULL.replace("1.18 GiB is free", "-1.18 GiB is free"),
    "control characters": FULL.replace(". ", ".\x00\x1b[31m\x07 "),
    "pings": f"@everyone <@123456789012345678> <@&1> {FULL} @here",
    "code": f"```{FULL}``` `` ` **x** ||y|| [z](http://evil.example)",
    "a format string": f"{{0}} {{total}} %(x)s {FULL}",
    "another direction": f"\u202e{FULL}\u202d",
    "one long word": f"{'x' * 3000} {FULL}",
    "many lines": "\n".join([FULL] * 40),
    "a component by a stranger": (
        "The following component could not be created: @everyone `rm` <@1> [x](http://y.example)\n"
        "Executor creation failed due to insufficient GPU memory.\nTotal GPU memory (GiB): 23.0\n"
        "Free GPU memory before component creation attempt (GiB): 1.0"
    ),
}


def explained(text: str, settings: str = "") -> OomExplained:
    found = DESK.explain_oom(text, settings)
    assert isinstance(found, OomExplained)
    return found


def said(found: OomExplained) -> str:
    embed = embed_of(found.shown)
    fields = (f"{field.name}\n{field.value}" for field in embed.fields)
    return "\n".join((str(embed.title), str(embed.description), *fields))


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_that_speaks_of_one_stays_a_question(question: str) -> None:
    assert isinstance(DESK.ask(question), Replied)


@pytest.mark.parametrize("task", ["train", "infer", None])
def test_a_message_is_explained_wherever_it_is_typed(task: str | None) -> None:
    found = DESK.ask(FULL, {"task": task} if task else None)
    assert isinstance(found, OomExplained)
    assert found.diagnosis.verdict.cause is Cause.FULL


def test_sizes_are_the_messages_own() -> None:
    words = said(explained(FULL))
    for figure in ("2.32 GiB", "1.18 GiB", "23.69 GiB"):
        assert figure in words
    assert re.search(r"^21\.60 ", words, re.MULTILINE)
    shares = [float(row.number) for row in explained(FULL).shown.held]
    whole = explained(FULL).shown.whole
    assert whole is not None
    assert round(sum(shares), 2) == float(whole.number) == 23.69


def test_settings_are_estimated_beside_it() -> None:
    found = explained(FULL, "Qwen2.5-7B lora bs 2 seq 2048 no checkpointing")
    assert found.run is not None
    assert found.run.fields["gpus"] == [{"id": "rtx-3090", "count": 1}]  # of the message's total
    match, beside = found.diagnosis.match, found.diagnosis.beside
    assert match is not None
    assert beside is not None
    assert (match.line, match.form) == ("logits", "logits_single")
    assert beside.bound
    assert beside.shown_bytes == pytest.approx((21.60 + 2.32) * GIB, rel=1e-6)
    assert beside.off == pytest.approx(beside.estimate_bytes / beside.shown_bytes - 1)


def test_steps_are_the_estimators_where_settings_are_known() -> None:
    before = explained(FULL, "Qwen2.5-7B lora bs 2 seq 2048 no checkpointing")
    found = completed(DESK, before)
    assert isinstance(found, OomExplained)
    assert found.run is not None
    assert found.run.advice is not None
    assert "gradient checkpointing" in found.shown.steps[0]
    assert "`use_liger_kernel=True gradient_checkpointing=True`" in found.shown.steps[0]
    for line in found.shown.lines[:-1]:
        answer = DESK.ask(line)
        assert isinstance(answer, Replied)
        assert all(card.verdict == "fits" for card in answer.answer.cards if card.asked)


def test_what_others_hold_is_taken_off_the_card() -> None:
    found = explained(SHARED, "llama 3.1 8b qlora bs 2 seq 2048")
    assert found.run is not None
    assert found.run.fields["in_use_bytes"] == pytest.approx(9.71 * GIB, rel=1e-3)
    assert "Without the other programs it would fit." in found.shown.run


def test_a_line_of_llama_cpp_is_held_against_the_weights() -> None:
    found = explained(WEIGHTS, "qwen2.5 32b q4_k_m on a 4060 ti 16gb").diagnosis.beside
    assert found is not None
    assert found.part == "weights"
    assert abs(found.off) < 0.001


def test_a_servers_window_is_the_messages() -> None:
    found = explained(WINDOW, "llama 3.1 8b")
    assert found.run is not None
    assert found.run.fields["context"] == 131_072
    assert found.run.fields["engine"] == "vllm"


@pytest.mark.parametrize(
    "text",
    [
        f"train 7B lora bs 4 on a 3090\n{FULL}",
        f"train 7B lora bs 4 on a 3090 {FULL}",
        f"{FULL} that was train 7B lora bs 4 on a 3090",
        f"```\n{FULL}\n```\ntrain 7B lora bs 4 on a 3090",
        f"train 7B lora bs 4 on a 3090\n{TRACEBACK}{FULL}",
    ],
)
def test_words_around_a_message_say_what_ran(text: str) -> None:
    found = DESK.ask(text)
    assert isinstance(found, OomExplained)
    assert found.run is not None
    assert found.run.presentation.line == "train 7B lora bs 4, rtx-3090"


@pytest.mark.parametrize("text", [FULL, SHARED, WINDOW])
def test_no_figure_of_a_message_is_taken_for_a_setting(text: str) -> None:
    """Also where the message ends without PyTorch's advice, and all stands on one line."""
    short = re.sub(r" If reserved but unallocated.*", "", text)
    found = DESK.ask(f"{short} serving qwen2.5 7b awq ctx 16k")
    assert isinstance(found, OomExplained)
    assert found.run is not None
    assert found.run.fields["context"] == 16_384
    shown = on_card(found.diagnosis.message).others_bytes
    assert found.run.fields.get("in_use_bytes", 0) == pytest.approx(shown, rel=1e-3)


def test_settings_win_over_words_around() -> None:
    found = explained(f"train 7B lora bs 4 on a 3090 {FULL}", "8B qlora")
    assert found.run is not None
    assert found.run.fields["model"] == "8B"


@pytest.mark.parametrize("text", [text for text, _ in MESSAGES.values()])
def test_a_message_alone_says_nothing_around_it(text: str) -> None:
    pieces = settings_around(text)
    assert not any("GiB" in piece or "Error" in piece for piece in pieces)


def test_settings_that_cannot_be_read_are_said_to_be_so() -> None:
    found = explained(FULL, "7B frobnicate `@everyone`")
    assert found.run is None
    assert "The settings were not understood: I do not know `frobnicate" in said(found)
    assert "@everyone" not in said(found)


def test_no_message_is_answered_with_what_to_paste() -> None:
    found = DESK.ask("my run stops", {COMMAND: OOM})
    assert isinstance(found, Refused)
    assert found.code == "no_oom_message"
    assert "Tried to allocate" in refusal_text(found.refusal)
    (line,) = found.refusal.lines
    assert isinstance(DESK.ask(line), OomExplained)


def test_a_question_behind_the_command_is_offered_as_one() -> None:
    found = DESK.ask("train 7B lora", {COMMAND: OOM, SETTINGS: ""})
    assert isinstance(found, Refused)
    assert found.refusal.lines == ("train 7B lora",)


@pytest.mark.parametrize("case", HOSTILE)
def test_what_strangers_paste_is_answered_safely(case: str) -> None:
    found = DESK.ask(HOSTILE[case], {COMMAND: OOM, SETTINGS: HOSTILE[case]})
    assert isinstance(found, OomExplained | Refused)
    words = said(found) if isinstance(found, OomExplained) else refusal_text(found.refusal)
    assert not re.search(r"@everyone|@here|<@|evil\.example|\]\(http|\x1b|\x00|\u202e", words)
    assert words.count("`") % 2 == 0


def test_the_document_holds_whole_bytes_and_the_run() -> None:
    found = completed(DESK, explained(FULL, "7B lora bs 8 seq 4096"))
    document = found.document()
    assert document["message"]["kind"] == "cuda_oom"
    assert document["causes"][0]["cause"] == "full"
    parts = document["held"]["parts"]
    assert sum(part["bytes"] for part in parts) == pytest.approx(23.69 * GIB, rel=1e-3)
    assert all(isinstance(part["bytes"], int) for part in parts)
    assert document["run"]["advice"]["asked"]
    assert document["error"] is None
