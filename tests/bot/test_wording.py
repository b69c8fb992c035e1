"""Topics by what they say: the words of one lead to it, in any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ask import Explained, Refused, open_desk
from bot.explaining.guide import EXPLAIN
from bot.explaining.topics import topics_in
from bot.explaining.wording import Wording
from bot.languages import SPOKEN
from bot.locale import load_locale
from bot.reading.options import COMMAND

DESK = open_desk()
FEW = Wording(
    {
        "cache": (["KV cache"], ["keys and values of every token are kept"]),
        "weights": (["weights"], ["two bytes for every parameter"]),
        "empty": ([], []),
    }
)
QUESTIONS = (  # in words that no phrase of a topic has
    ("so mixtral only uses like 13b at a time right, so i should be able to run it", "moe"),
    (
        "i got two 3060 12gb so thats 24 right. why does my training still crash at 12",
        "several_cards",
    ),
    (
        "프롬프트 길게 넣으면 첫 글자 나오기 전에 메모리 확 튀는데 그다음부턴 잠잠함 왜 그런거임?",
        "prefill",
    ),
    ("h100借りたのでfp8で学習したら半分になると思ったのに全然減らない。", "fp8_training"),
)


def test_a_word_that_few_topics_hold_weighs_most() -> None:
    assert FEW.ranked("what is kept of every token")[0][1] == "cache"
    assert FEW.ranked("every parameter")[0][1] == "weights"
    assert FEW.ranked("zorkmid") == []


@pytest.mark.parametrize("code", SPOKEN)
def test_what_a_topic_says_leads_to_it(code: str) -> None:
    topics = topics_in(load_locale(code)).topics
    own = Wording(
        {key: ([topic.title], [topic.brief, topic.more]) for key, topic in topics.items()}
    )
    lost = [key for key, topic in topics.items() if own.ranked(topic.more)[0][1] != key]
    assert lost == []


@pytest.mark.parametrize(("text", "topic"), QUESTIONS)
def test_a_question_in_other_words_finds_its_topic_or_is_offered_it(text: str, topic: str) -> None:
    found = DESK.ask(text, {COMMAND: EXPLAIN})
    if isinstance(found, Explained):
        assert found.topic == topic
    else:
        assert isinstance(found, Refused)
        assert found.refusal.lines[0] == f"{EXPLAIN} {topic}"


@given(st.text(max_size=300))
def test_any_text_is_ranked(text: str) -> None:
    ranked = FEW.ranked(text)
    assert {key for _, key in ranked} <= {"cache", "weights"}
    assert [score for score, _ in ranked] == sorted((one for one, _ in ranked), reverse=True)
