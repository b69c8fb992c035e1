"""One language: the words that reading knows and the sentences of replies."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

Words = tuple[str, ...]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


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
    """Sentences with their placeholders, and the names of moments, lines and rules."""

    sentences: Mapping[str, str]
    headings: Mapping[str, str]
    verdicts: Mapping[str, str]
    bases: Mapping[str, str]
    moments: Mapping[str, str]
    line_names: Mapping[str, str]
    line_prefixes: Mapping[str, str]
    rules: Mapping[str, str]


class Locale(_Table):
    """`code` as in Discord's locales (`en`, `pt-BR`)."""

    code: str = Field(min_length=2, max_length=8)
    reading: ReadingWords
    reply: ReplyWords
    errors: Mapping[str, str]

    def say(self, key: str, /, **values: object) -> str:
        """A sentence of the reply with its placeholders filled."""
        return self.reply.sentences[key].format(**values)

    def say_wrong(self, key: str, /, **values: object) -> str:
        """A sentence that says what is wrong."""
        return self.errors[key].format(**values)


@cache
def load_locale(code: str = "en") -> Locale:
    """The locale `code` from its file; raises FileNotFoundError where there is none."""
    text = resources.files("bot").joinpath("locales", f"{code}.toml").read_text(encoding="utf-8")
    return Locale.model_validate({"code": code, **tomllib.loads(text)})
