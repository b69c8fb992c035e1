"""One language: the words that reading knows and the sentences of replies."""

from collections.abc import Mapping
from functools import cache, cached_property
from importlib import resources
from typing import Annotated, Any

import tomli
from pydantic import BaseModel, ConfigDict, Field

from bot.compiled import compiled
from bot.phrasebook import Phrasebook

ENGLISH = "en"
COMMAND = compiled(r"/vram (\w+)")  # one that a sentence names
OF_TOPICS = ("topic_headings", "topic_asking", "topic_groups", "topics")  # with English words
GLOSSARY = "glossary"  # the table of a language's file that leads to English words

Words = tuple[str, ...]
MenuName = Annotated[str, Field(max_length=32)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ReadingWords(_Table):
    """Phrases by what they mean. `values`: field → value → phrases; `keys`: field → phrases."""

    values: Mapping[str, Mapping[str, Words]]
    keys: Mapping[str, Words]
    slots: Mapping[str, Words]
    numbers: Mapping[str, int]
    units: Mapping[str, Words]
    greeting: Words
    filler: Words


class ReplyWords(_Table):
    """Sentences with their placeholders, and the names of objectives, moments, lines and more.

    `changes` that advice names, and what each costs, `prices`. `record`: kinds of runs and texts.
    """

    sentences: Mapping[str, str]
    headings: Mapping[str, str]
    verdicts: Mapping[str, str]
    bases: Mapping[str, str]
    objectives: Mapping[str, str]
    moments: Mapping[str, str]
    line_names: Mapping[str, str]
    line_prefixes: Mapping[str, str]
    ways: Mapping[str, str]
    rules: Mapping[str, str]
    rules_about: Mapping[str, str]
    changes: Mapping[str, str]
    prices: Mapping[str, str]
    record: Mapping[str, str]


class CommandWords(_Table):
    """A slash command as Discord lists it: at most 100 characters each; `name`: but in English."""

    name: Annotated[str, Field(max_length=32)] | None = None
    description: str = Field(max_length=100)
    options: Mapping[str, str] = {}


class ListedWords(_Table):
    """All that Discord lists: slash commands, and those in the menu of a message."""

    commands: Mapping[str, CommandWords]
    menus: Mapping[str, MenuName]


class HelpSection(_Table):
    """A paragraph of `/vram help` under its heading."""

    heading: str
    text: str


class HelpWords(_Table):
    """What `/vram help` says, section by section; `right`: the heading of the record."""

    title: str
    right: str
    opening: str
    sections: Mapping[str, HelpSection]


class OomWords(_Table):
    """What is said about an out-of-memory message, by cause, holder, program and step."""

    programs: Mapping[str, str]
    headlines: Mapping[str, str]
    whys: Mapping[str, str]
    parts: Mapping[str, str]
    steps: Mapping[str, str]
    sentences: Mapping[str, str]
    headings: Mapping[str, str]


class PressWords(_Table):
    """What stands on buttons and in lists, in forms and in what a press is answered with.

    `fields`: a label by what it changes, `values`: those that are no names, `grades`: of cards.
    """

    now: str
    fields: Mapping[str, str]
    values: Mapping[str, str]
    grades: Mapping[str, str]
    hints: Mapping[str, str]
    buttons: Mapping[str, str]
    inputs: Mapping[str, str]
    sentences: Mapping[str, str]


class PictureWords(_Table):
    """Words in pictures, all of them short: for parts, moments, and what stands around them."""

    sentences: Mapping[str, str]
    parts: Mapping[str, str]
    moments: Mapping[str, str]


class ExplainWords(_Table):
    """What `/vram explain` says beside its topics: the list of them, by group, and its absence."""

    title: str = Field(max_length=100)
    opening: str
    no_topic: str
    groups: Mapping[str, str]


class TeamWords(_Table):
    """What is said of the cards that a team has: below `/vram team`, and in answers.

    `words`: that are read.
    """

    words: Mapping[str, Words]
    sentences: Mapping[str, str]


class StoreWords(_Table):
    """Why something could not be kept or looked up, and what to do; by a fault's key."""

    faults: Mapping[str, str]


class MeasuredWords(_Table):
    """What is said of peaks that were measured.

    `words`: that are read; `statistics`: what each figure is; `how`: by the snippet that measures.
    """

    words: Mapping[str, Words]
    statistics: Mapping[str, str]
    headings: Mapping[str, str]
    sentences: Mapping[str, str]
    how: Mapping[str, str]
    refused: Mapping[str, str]
    inputs: Mapping[str, str]


class TopicWords(_Table):
    """What an explanation says in another language; `says`: of its examples, in their order."""

    title: str = Field(max_length=100)
    brief: str = Field(max_length=300)
    more: str = Field(max_length=500)
    formula: str = Field(max_length=200)
    says: Words = Field(min_length=1, max_length=4)


class StepWords(_Table):
    """A step of the walk: its number first, one idea, and its arithmetic; or `otherwise` that."""

    title: str
    text: str
    sum: str
    otherwise: str = ""


class LearnWords(_Table):
    """What the walk says: `steps` by their names, `values` on buttons by what they change.

    `further`: the lines it ends in.
    """

    steps: Mapping[str, StepWords]
    values: Mapping[str, Mapping[str, str]]
    buttons: Mapping[str, str]
    sentences: Mapping[str, str]
    further: Words


class Locale(_Table):
    """`code` as in Discord's locales (`en`, `pt-BR`).

    `estimator`: what the estimator says → the same in this language; English needs none, and has
    its topics with the words that mean them.
    """

    code: str = Field(min_length=2, max_length=8)
    capital_nouns: bool = False  # as in German: a noun inside of a sentence keeps its capital
    reading: ReadingWords
    reply: ReplyWords
    errors: Mapping[str, str]
    commands: Mapping[str, CommandWords]
    menus: Mapping[str, MenuName]  # commands in the menu of a message
    discord: Mapping[str, str]
    help: HelpWords
    press: PressWords
    oom: OomWords
    pictures: PictureWords
    learn: LearnWords
    explain: ExplainWords
    team: TeamWords
    store: StoreWords
    measured: MeasuredWords
    estimator: Mapping[str, str] = {}
    topic_headings: Mapping[str, str] = {}
    topics: Mapping[str, TopicWords] = {}

    @cached_property
    def _phrasebook(self) -> Phrasebook:
        return Phrasebook(self.estimator)

    def phrased(self, text: str) -> str:
        """A text of the estimator's in this language."""
        return self._phrasebook.phrased(text) if self.estimator else text

    def say(self, key: str, /, **values: object) -> str:
        """A sentence of the reply with its placeholders filled."""
        return self.reply.sentences[key].format(**values)

    def say_on_discord(self, key: str, /, **values: object) -> str:
        """A sentence that only Discord's surface needs."""
        return self.discord[key].format(**values)

    def say_of_team(self, key: str, /, **values: object) -> str:
        """A sentence about the cards of a team."""
        return self.team.sentences[key].format(**values)

    def say_wrong(self, key: str, /, **values: object) -> str:
        """A sentence that says what is wrong."""
        return self.errors[key].format(**values)


@cache
def load_locale(code: str = ENGLISH) -> Locale:
    """The locale `code` from its file; raises FileNotFoundError where there is none.

    The words that reading knows are English in all of them: a glossary leads there.
    """
    aside = OF_TOPICS if code == ENGLISH else (GLOSSARY,)
    document = {name: part for name, part in document_of(code).items() if name not in aside}
    if code != ENGLISH:
        document["reading"] = load_locale().reading
    return Locale.model_validate({"code": code, **document})


@cache
def listed_in(code: str) -> ListedWords:
    """What Discord lists in a language, without the rest of its file, which is much."""
    document = document_of(code)
    return ListedWords.model_validate({name: document[name] for name in ListedWords.model_fields})


def document_of(code: str) -> dict[str, Any]:
    """All tables of a language's file."""
    file = resources.files("bot").joinpath("locales", f"{code}.toml")
    document = tomli.loads(file.read_text(encoding="utf-8"))
    return document if code == ENGLISH else _with_own_names(document)


def _with_own_names(document: dict[str, Any]) -> dict[str, Any]:
    """Sentences that name a command, as `/vram compare`, name it as it is called there."""
    names = {key: words["name"] for key, words in document["commands"].items() if "name" in words}

    def named(value: Any) -> Any:  # noqa: ANN401  (of any shape)
        match value:
            case str():
                return COMMAND.sub(lambda found: f"/vram {names.get(found[1], found[1])}", value)
            case dict():
                return {key: named(part) for key, part in value.items()}
            case list():
                return [named(part) for part in value]
            case _:
                return value

    return {key: part if key == GLOSSARY else named(part) for key, part in document.items()}
