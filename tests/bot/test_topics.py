"""Topics hang together: each is in a group, each leads on, and each can be reached."""

import pytest
from pydantic import ValidationError

from bot.explaining.topics import MOST_LISTED, Topics, load_topics
from bot.locale import load_locale
from bot.surface.limits import MOST_CHOICE, MOST_OPTIONS

TOPICS = load_topics()
LEAST_TOPICS = 60


def test_there_are_many_and_each_is_in_one_group() -> None:
    grouped = [key for keys in TOPICS.groups.values() for key in keys]
    assert len(grouped) == len(set(grouped)) == len(TOPICS.topics) >= LEAST_TOPICS
    assert set(TOPICS.groups) == set(load_locale().explain.groups)
    assert MOST_LISTED <= MOST_OPTIONS


def test_titles_tell_topics_apart() -> None:
    titles = [topic.title for topic in TOPICS.topics.values()]
    assert len(set(titles)) == len(titles)
    assert all(len(title) <= MOST_CHOICE for title in titles)


@pytest.mark.parametrize("start", TOPICS.topics)
def test_whoever_reads_on_may_come_to_every_topic(start: str) -> None:
    seen, ahead = {start}, [start]
    while ahead:
        new = set(TOPICS.topics[ahead.pop()].related) - seen
        seen |= new
        ahead += new
    assert seen == set(TOPICS.topics)


def test_a_topic_that_leads_nowhere_is_no_topic() -> None:
    document = TOPICS.model_dump()
    document["topics"]["gib"]["related"] = ["weights_rule", "by_hand", "of_old"]
    with pytest.raises(ValidationError, match="of_old"):
        Topics.model_validate(document)


def test_a_topic_without_a_group_is_no_topic() -> None:
    document = TOPICS.model_dump()
    document["groups"]["cards"] = [key for key in document["groups"]["cards"] if key != "gib"]
    with pytest.raises(ValidationError, match="gib"):
        Topics.model_validate(document)
