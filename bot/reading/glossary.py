"""The words of one language → those of an English line: a locale file's `[glossary]`.

A phrase is matched without regard to case and accents. `entren*` stands for every word that
begins so. In languages without spaces between words (`spaced = false`) phrases are found
anywhere in a run of letters.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

import tomli
from pydantic import BaseModel, ConfigDict, Field

LANGUAGES = ("pt-BR", "ru", "es-ES", "zh-CN", "de", "fr", "ja", "ko", "hi")
ANY_END = "*"


class Rule(BaseModel):
    """A pattern of the language's grammar, put in English order before words are looked up.

    `when`: letters, plain, of which some stand in any text that it can find something in.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    find: str
    put: str
    when: tuple[str, ...] = ()


class Glossary(BaseModel):
    """One language. `phrases`: English words → what is said for them; under "" what says nothing.

    `told_by`: words that English questions do not hold, and that tell the language where the
    script does not; one with an accent tells it only where it is typed with it. `numerals`:
    words and signs for numbers; `joints`: what stands between those of one number; `scales`:
    words for powers of ten behind a number; `counters`: what stands between a number and the
    cards it counts, and `links` between them and the cards' name; `cards`: words for cards.
    `parted`: whether a part of a hyphenated word is looked up by itself: in `7B-Modell`, but
    not in `command-r-plus`. `decimal_comma`: whether 0,9 is 0.9 and 4.096 is 4096. `variants`:
    letters that are also written otherwise → as phrases write them. `rules` come after spelled
    numbers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    code: str
    spaced: bool = True
    parted: bool = True
    told_by: tuple[str, ...] = ()
    decimal_comma: bool = False
    numerals: Mapping[str, float] = {}
    scales: Mapping[str, float] = {}
    counters: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    variants: Mapping[str, str] = {}
    rules: tuple[Rule, ...] = ()
    phrases: Mapping[str, tuple[str, ...]] = Field(min_length=1)

    def as_written(self, text: str) -> str:
        """`text`, as long as it was, with its letters as phrases write them."""
        return text.translate({ord(letter): other for letter, other in self.variants.items()})

    def entries(self) -> Iterator[tuple[str, str]]:
        """Every phrase, plain, with its English."""
        for english, phrases in self.phrases.items():
            for phrase in phrases:
                yield plain(phrase), english


def read_glossary(code: str) -> Glossary:
    """The glossary of the locale `code`; raises FileNotFoundError where there is none."""
    text = resources.files("bot").joinpath("locales", f"{code}.toml").read_text(encoding="utf-8")
    return Glossary.model_validate({"code": code, **tomli.loads(text)["glossary"]})


@cache
def load_glossary(code: str) -> Glossary:
    """The same, read once."""
    return read_glossary(code)


def plain(text: str) -> str:
    """`text` in lower case without accents, as long as it was; other scripts keep their marks."""
    return text.lower() if text.isascii() else text.translate(_PLAIN)


class _Plain(dict[int, str]):
    """Each letter's plain one, found when it is first met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        folded = letter.casefold() if len(letter.casefold()) == 1 else letter
        base = unicodedata.normalize("NFD", folded)[:1]
        self[code] = base if base.isascii() else folded
        return self[code]


_PLAIN = _Plain()
