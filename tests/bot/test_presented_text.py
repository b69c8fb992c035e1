"""Whatever is typed, what is sent or printed because of it can ping, link and steer nothing."""

import json
import re
import unicodedata
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import open_desk
from bot.surface.form import typed_into
from tests.fuzz.safety import PINGING, STEERING
from tests.fuzz.surfaces import (
    ALL_WAYS,
    WAYS,
    every_text,
    help_texts,
    in_a_terminal,
    in_controls,
    in_forms,
    in_lists,
    in_messages,
    in_pictures,
)

DESK = open_desk()
TRIED = 48
BLOCK = re.compile(r"```.*?```", re.DOTALL)
SPAN = re.compile(r"`[^`]*`")
ACTS = re.compile(  # outside of a code span: pings, channels, emoji, times, commands, links
    r"@everyone|@here|<[@#/]|<a?:|<t:|<id:|zqx|https?://(?!\S*zqx)?\S*\.invalid|discord\.gg|\|\|",
    re.IGNORECASE,
)
OURS = re.compile(r"\[[^\]\n]*\]\(<?https://[^)\s]+>?\)")  # a source that a reply names

HARM = (
    *("@everyone", "@here", "<@1234567890>", "<@!1234567890>", "<@&1234567890>", "<#1234567890>"),
    *("<:zqx:1234567890>", "<a:zqx:1234567890>", "<t:1700000000:R>", "<t:1700000000>"),
    *("<id:browse>", "</vram train:1234567890>", "[zqx](http://zqx.invalid)"),
    *("[zqx](<https://zqx.invalid/a>)", "https://zqx.invalid/?q=7B", "http://zqx.invalid"),
    *("discord.gg/zqx", "https://discord.gg/zqx", "# zqx", "\n# zqx", "\n> zqx", "\n>>> zqx"),
    *("\n-# zqx", "\n- zqx", "**zqx**", "__zqx__", "||zqx||", "~~zqx~~", "`", "``", "```"),
    *("```ansi\n\x1b[2;31mzqx```", "`zqx", "zqx`", "\\`zqx\\`", "\u202ezqx\u202c"),
    *("\u2066zqx\u2069", "z\u200bqx", "@\u200beveryone", "\uff20everyone", "\u02cb", "\x00"),
    *("\x07", "\x1b[31mzqx", "\x1b]8;;http://zqx.invalid\x07zqx\x1b]8;;\x07", "\x9b31mzqx"),
    *("\ud800", "\udfff", "\u0301" * 40, "\U000e0041", "\u2028", "\ue000", "[bold red]zqx[/]"),
    *("[/]", "{0.__class__}", "%s%n", "{zqx}", "<script>zqx</script>", "zqx/zqx-8b"),
    *("zqx/_zqx_-8b", "zqx.gg/x-7b", "datum.zqx", "\\u0040everyone", "&#64;everyone", "zqx=1"),
    *("r=zqx", "on zqx", "2x zqx", "peak zqx"),
)
LINES = (
    *("train 7B lora", "infer 8B q4_k_m ctx 8k", "7B lora vs qlora", "fit 24GB", "why", "", "oom"),
    *("CUDA out of memory. Tried to allocate 2.00 GiB", "train 7B lora, rtx-4090"),
)
LANGUAGES = ("en", "de", "ja", "hi")


def texts() -> st.SearchStrategy[str]:
    harm = st.lists(st.sampled_from(HARM), min_size=1, max_size=5)
    joints = st.sampled_from((" ", "", "\n", " vs "))
    mixed = st.builds(
        lambda line, parts, at, joint: joint.join((*parts[:at], line, *parts[at:])),
        st.sampled_from(LINES), harm, st.integers(0, 5), joints,
    )  # fmt: skip
    long = st.builds(lambda part, times: (part * times)[:4000], st.sampled_from(HARM),
                     st.integers(50, 4000))  # fmt: skip
    return st.one_of(mixed, mixed, mixed, long)


def submitted(text: str) -> Any:  # noqa: ANN401 - as much of an interaction as is looked at
    """A form that comes back with it."""
    return SimpleNamespace(data={"components": [{"custom_id": "batch", "value": text}]})


def steering(text: str) -> list[str]:
    return [c for c in text if c != "\n" and unicodedata.category(c) in STEERING]


def acting(text: str) -> str:
    """What of it would do something outside of code, or a span that stays open."""
    bare = SPAN.sub("", BLOCK.sub("", OURS.sub("", text)))
    found = ACTS.search(bare)
    return found[0] if found else "an open span" if "`" in bare else ""


def check(said: str, typed: str) -> None:
    assert steering(said) == [], (typed, said)
    assert acting(said) == "", (typed, said)
    assert said.encode()


@settings(max_examples=TRIED, deadline=None, derandomize=True)
@given(texts(), st.sampled_from(LANGUAGES), st.sampled_from(ALL_WAYS))
def test_messages_hold_it_cleaned_and_in_a_code_span(text: str, language: str, way: str) -> None:
    for said in in_messages(text, DESK.speaking(language), way):
        check(said, text)


@settings(max_examples=TRIED // 4, deadline=None, derandomize=True)
@given(texts())
def test_lists_and_buttons_hold_it_cleaned(text: str) -> None:
    for said in (*in_lists(text, DESK), *in_controls(text, DESK)):
        assert steering(said) == [], (text, said)
        assert PINGING.search(said) is None, (text, said)


@settings(max_examples=TRIED, deadline=None, derandomize=True)
@given(st.one_of(texts(), st.text(max_size=300)))
def test_a_form_holds_it_on_one_line_in_a_code_span(text: str) -> None:
    typed = typed_into(submitted(text))["batch"]
    for said in in_forms(typed) if typed else ():
        assert steering(said) == [], (text, said)
        assert acting(said) == "", (text, said)


@settings(max_examples=TRIED // 4, deadline=None, derandomize=True)
@given(texts())
def test_pictures_say_nothing_of_it_raw(text: str) -> None:
    for said in in_pictures(text, DESK):
        assert steering(said) == [], (text, said)
        assert "zqx.invalid" not in said


@settings(max_examples=TRIED // 2, deadline=None, derandomize=True)
@given(texts(), st.sampled_from(ALL_WAYS))
def test_a_terminal_is_never_steered(text: str, way: str) -> None:
    assert steering(in_a_terminal(text, DESK, way)) == [], text


@settings(max_examples=TRIED // 2, deadline=None, derandomize=True)
@given(texts(), st.sampled_from(tuple(WAYS)))
def test_json_is_plain_ascii(text: str, way: str) -> None:
    document = WAYS[way](text, DESK).document()
    said = json.dumps(document)
    assert said.isascii()
    assert json.loads(said) == document
    for part in every_text(document):
        assert steering(part) == [], (text, part)


def test_each_of_it_is_harmless_by_itself() -> None:
    for part in HARM:
        for said in in_messages(f"train 7B lora {part}", DESK, "typed"):
            check(said, part)


def test_the_check_sees_what_acts() -> None:
    for text in ("hi @here", "<@1>", "a zqx", "`a", "||a||", "x </vram train:1>", "<t:1:R>"):
        assert acting(text)
    assert acting("a `@here <@1> zqx` b [Source](https://huggingface.co/a)") == ""


def test_only_the_help_page_links_commands() -> None:
    linked = [text for text in help_texts(DESK) if "</vram" in text]
    assert linked
    assert all(re.fullmatch(r"</vram [a-z]+:1>", one)
               for text in linked for one in re.findall(r"</[^>]*>", text))  # fmt: skip
