"""The topics of one language: what each says, and the words that mean it."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bot.locale import ENGLISH, Locale, TopicWords, document_of

MOST_LISTED = 25  # topics of a group: what a list of Discord's holds

Words = tuple[str, ...]
Listed = Annotated[Words, Field(min_length=1, max_length=MOST_LISTED)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ExampleWords(_Table):
    """A line that is answered, and what is said of the answer, with its figures in braces."""

    line: str
    says: str


class Topic(_Table):
    """What there is to say. `brief` stands alone; `about` and `asks`: see `en.toml`.

    `related`: ids of topics to go on with. `lengths`: its picture is one over the context.
    """

    title: str = Field(max_length=100)
    brief: str = Field(max_length=300)
    more: str = Field(max_length=500)
    formula: str = Field(max_length=200)
    sources: Words = Field(min_length=1, max_length=3)
    about: Words = Field(min_length=1)
    asks: Words
    related: Words = Field(min_length=3, max_length=5)
    lengths: bool = False
    examples: tuple[ExampleWords, ...] = Field(min_length=1, max_length=4)


class Asking(_Table):
    """Words that make a question: anywhere, right before its matter, right behind it.

    `begin`: before the name of a topic, at the beginning. `does` with `effect`: whether
    something changes memory. `never`: of what no topic is. `against`: between things that are
    held against each other. `all`: names of the list of all topics.
    """

    all: Words
    why: Words
    what: Words
    does: Words
    effect: Words
    means: Words
    filler: Words
    begin: Words
    never: Words
    against: Words


class Headings(_Table):
    """Above the parts of an explanation."""

    formula: str
    examples: str
    sources: str


class Topics(_Table):
    """All topics of a language by their ids, in the order of its file.

    `groups`: their ids by kind, the first to read first.
    """

    headings: Headings
    asking: Asking
    groups: Mapping[str, Listed]
    topics: Mapping[str, Topic]

    @model_validator(mode="after")
    def _known(self) -> Self:
        grouped = [key for group in self.groups.values() for key in group]
        if sorted(grouped) != sorted(self.topics):
            raise ValueError(f"not once in a group: {set(grouped) ^ set(self.topics) or grouped}")
        for key, topic in self.topics.items():
            if key in topic.related or not set(topic.related) <= set(self.topics):
                raise ValueError(f"related to `{key}`: {topic.related}")
        return self


@cache
def load_topics() -> Topics:
    """The topics in English, with the words that mean them."""
    document = document_of(ENGLISH)
    parts = {part: document[f"topic_{part}"] for part in ("headings", "asking", "groups")}
    return Topics.model_validate({**parts, "topics": document["topics"]})


def topics_in(locale: Locale) -> Topics:
    """All topics as `locale` tells them; questions are found by the English words in any case."""
    english = load_topics()
    if not locale.topics:
        return english
    told = {name: _told(topic, locale.topics[name]) for name, topic in english.topics.items()}
    headings = Headings.model_validate(locale.topic_headings)
    return english.model_copy(update={"topics": told, "headings": headings})


def _told(topic: Topic, words: TopicWords) -> Topic:
    examples = tuple(
        example.model_copy(update={"says": says})
        for example, says in zip(topic.examples, words.says, strict=True)
    )
    said = words.model_dump(exclude={"says"})
    return topic.model_copy(update={**said, "examples": examples})
