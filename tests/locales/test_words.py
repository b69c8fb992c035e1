"""Each language has every text, with what is filled into it, and says what can be typed alike."""

import re
import string

import pytest

from bot.explaining.topics import load_topics
from bot.languages import SPOKEN
from bot.locale import ENGLISH, load_locale
from bot.reading.glossary import LANGUAGES
from tests.locales.documents import OTHERS, document, texts_of
from tests.locales.estimator_texts import texts

SPAN = re.compile(r"`([^`]+)`")
ASIDE = re.compile(r"\{[^}]*\}|`[^`]*`")  # what says nothing in a language
WORD = re.compile(r"[a-z]{3,}")
TYPED = ("gpus_example", "words_example")  # examples of what is typed
NAME = re.compile(r"[-_'\w\u0900-\u097f]{1,32}")  # of a command, says Discord
OWN_NAMES = {("commands", name, "name") for name in load_locale().commands if name != "vram"}


def holes(text: str) -> list[tuple[str, str | None, str | None]]:
    parts = string.Formatter().parse(text)
    return sorted((name, form, how) for _, name, form, how in parts if name is not None)


def test_replies_are_in_every_language_that_is_read() -> None:
    assert set(SPOKEN) == {ENGLISH, *LANGUAGES}


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_lacks_no_text_and_has_none_too_many(code: str) -> None:
    assert set(texts_of(code)) - OWN_NAMES == set(texts_of(ENGLISH))
    assert set(texts_of(code)) >= OWN_NAMES


@pytest.mark.parametrize("code", OTHERS)
def test_a_text_has_the_same_names_in_braces(code: str) -> None:
    own = texts_of(code)
    wrong = {
        place: (text, own[place])
        for place, text in texts_of(ENGLISH).items()
        if holes(text) != holes(own[place])
    }
    assert wrong == {}


@pytest.mark.parametrize("code", OTHERS)
def test_what_can_be_typed_is_the_same(code: str) -> None:
    own = texts_of(code)
    wrong = {
        place: (text, own[place])
        for place, text in texts_of(ENGLISH).items()
        if sorted(SPAN.findall(text)) != sorted(SPAN.findall(own[place]))
        or text.count("**") != own[place].count("**")
    }
    assert wrong == {}


@pytest.mark.parametrize("code", OTHERS)
def test_no_text_is_empty_or_left_in_english(code: str) -> None:
    own, english = texts_of(code), texts_of(ENGLISH)
    assert [place for place, text in english.items() if text and not own[place]] == []
    said = {
        place: text
        for place, text in english.items()
        if not place[-1].startswith(TYPED) and place[:2] != ("oom", "programs")
    }
    long = [place for place, text in said.items() if len(WORD.findall(ASIDE.sub("", text))) > 4]
    assert [place for place in long if own[place] == english[place]] == []


@pytest.mark.parametrize("code", OTHERS)
def test_a_command_has_a_name_of_its_own(code: str) -> None:
    names = [texts_of(code)[place] for place in sorted(OWN_NAMES)]
    assert len(set(names)) == len(names)
    for name in names:
        assert NAME.fullmatch(name), name
        assert name == name.lower()


def test_no_name_is_another_command_elsewhere() -> None:
    meant: dict[str, set[str]] = {}
    for code in OTHERS:
        for _, command, key in OWN_NAMES:
            meant.setdefault(texts_of(code)["commands", command, key], set()).add(command)
    for command in load_locale().commands:
        meant.setdefault(command, set()).add(command)
    assert {name: commands for name, commands in meant.items() if len(commands) > 1} == {}


@pytest.mark.parametrize("code", OTHERS)
def test_every_topic_is_told(code: str) -> None:
    told, topics = document(code)["topics"], load_topics().topics
    assert set(told) == set(topics)
    for name, topic in topics.items():
        words = told[name]
        assert set(words) == {"title", "brief", "more", "formula", "says"}
        assert [holes(one) for one in words["says"]] == [holes(e.says) for e in topic.examples]
        for field in ("title", "brief", "more"):
            assert sorted(SPAN.findall(words[field])) == sorted(SPAN.findall(getattr(topic, field)))
    assert set(document(code)["topic_headings"]) == set(load_topics().headings.model_dump())


@pytest.mark.parametrize("code", OTHERS)
def test_everything_that_the_estimator_says_is_told(code: str) -> None:
    phrases, said = document(code)["estimator"], list(texts())
    assert set(phrases) == set(said)
    for text, told in phrases.items():
        kept = {name for name, _, _ in holes(text) if "plural" not in name}
        assert {name for name, _, _ in holes(told) if "plural" not in name} == kept, text
        assert sorted(SPAN.findall(text)) == sorted(SPAN.findall(told)), text
