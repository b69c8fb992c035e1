"""A message as Discord's client shows it on a phone, as one HTML page.

It draws what our replies hold and no more: embeds of a title, a description and fields.
A part that it cannot draw is an error, so that no picture leaves out what people see.
"""

import re
from collections.abc import Mapping
from html import escape
from importlib.metadata import files
from pathlib import Path
from string import Template
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

TEMPLATE = Path(__file__).with_name("picture.html")
WIDTH = 390  # of a phone, in CSS pixels

PERSON, BOT = "ana", "vram-bot"
UNSEEN = {"tts", "flags", "type", "allowed_mentions"}  # parts that nobody sees
DRAWN = {"embeds", "title", "description", "color", "fields"}
FIELD = {"name", "value", "inline"}  # side by side is for wide screens; a phone stacks them

MENTION = re.compile(r"</([\w -]+):\d+>")

Part = Mapping[str, Any]


class UndrawnError(Exception):
    """The message holds what the page does not draw."""


def page(message: Part, command: str) -> str:
    """The page for a `message` that answers `command`."""
    _check(message, UNSEEN | {"embeds"})
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        width=WIDTH,
        sans=_font("noto-sans-latin-v*.ttf"),
        mono=_font("noto-sans-mono-v*.ttf"),
        person=escape(PERSON),
        bot=escape(BOT),
        command=escape(command),
        embeds="\n".join(map(_embed, message["embeds"])),
    )


def _embed(embed: Part) -> str:
    _check(embed, UNSEEN | DRAWN)
    parts = [f"<h2>{_line(embed['title'])}</h2>", _text(embed["description"])]
    for field in embed["fields"]:
        _check(field, FIELD)
        parts += [f"<h3>{_line(field['name'])}</h3>", _text(field["value"])]
    inside = "\n".join(parts)
    return f'<div class="embed" style="border-color: #{embed["color"]:06x}">\n{inside}\n</div>'


def _check(part: Part, known: set[str]) -> None:
    unknown = sorted(name for name, value in part.items() if value and name not in known)
    if unknown:
        raise UndrawnError(f"tests/bot/message_html.py does not draw {', '.join(unknown)} yet.")


def _font(pattern: str) -> str:
    """The address of a font that simcord brings along, so that the picture is the same anywhere."""
    (font,) = (path for path in files("simcord") or () if path.match(pattern))
    return Path(str(font.locate())).as_uri()


def _mention(state: StateInline, silent: bool) -> bool:
    """`</vram train:1>`: a command that a press puts into the message box."""
    found = MENTION.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("html_inline", "", 0)
        token.content = f'<span class="mention">/{escape(found[1])}</span>'
    state.pos = found.end()
    return True


def _discord_markdown() -> MarkdownIt:
    """What our texts use of Discord's Markdown: all else stays text, HTML above all."""
    rules = ["emphasis", "backticks", "escape", "newline", "fence", "list"]
    markdown = MarkdownIt("zero", {"breaks": True}).enable(rules)
    markdown.inline.ruler.push("mention", _mention)
    return markdown


_MARKDOWN = _discord_markdown()


def _text(text: str) -> str:
    return str(_MARKDOWN.render(text)).strip()


def _line(text: str) -> str:
    return str(_MARKDOWN.renderInline(text))
