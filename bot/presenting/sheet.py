"""A reply of a headline, sentences, and sections with text or code; the types alone."""

from dataclasses import dataclass

from bot.presenting.presentation import Tone


@dataclass(frozen=True, slots=True)
class Section:
    """`text` under a heading; below it `rows` of columns, or `code` in its `language`."""

    heading: str
    text: str = ""
    rows: tuple[str, ...] = ()
    code: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The verdict first. `line` asks for what it is about; empty where it is about several.

    `asks`: it asks for a measured peak in return.
    """

    tone: Tone
    headline: str
    title: str
    details: tuple[str, ...]
    sections: tuple[Section, ...] = ()
    line_heading: str = ""
    line: str = ""
    asks: bool = False
