"""Anything in brackets: JSON, also broken or cut off, and calls of Python as data.

Nothing is evaluated. One walk over tokens with a stack of its own, so that neither depth nor
length can break it: `{"zero_optimization": {"stage": 3}}`, `LoraConfig(r=16, lora_alpha=32)`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.compiled import compiled
from bot.reading.pasting.settings import MOST_KEPT, Setting, bare, path_of

DEEPEST = 24  # levels; no configuration has more
ARGUMENT = "argument"  # the key of what a call is given without one
_TOKEN = compiled(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
      | (?P<comment>(?:\#|//)[^\n]*)
      | (?P<mark>[{}\[\](),:=])
      | (?P<word>[^\s{}\[\](),:="'\#]+)""",
    re.VERBOSE,
)
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_OPERATORS = ("+", "*", "-", "/", "if", "else", "not", "and", "or", "==", "lambda")


@dataclass(slots=True)
class _Frame:
    """An open bracket: what its settings lie under, and its key that waits for a value.

    `asked`: it is the environment, and was asked for a name.
    """

    path: tuple[str, ...]
    mark: str = ""
    key: str = ""
    listed: list[str] = field(default_factory=list)
    asked: bool = False


def settings_in(text: str) -> list[Setting]:
    """The settings of `text` in order; whatever is no setting is passed over."""
    tokens = [m for m in _TOKEN.finditer(text) if m["comment"] is None]
    found: list[Setting] = []
    frames = [_Frame(())]
    for at, token in enumerate(tokens):
        if len(found) >= MOST_KEPT:
            break
        frame, mark = frames[-1], token["mark"]
        behind = tokens[at + 1][0] if at + 1 < len(tokens) else ""
        if mark is None:
            _take_word(frame, token, behind, found)
        elif mark in _CLOSING:
            if len(frames) > DEEPEST:
                break
            keys = (frame.key, _called(tokens, at)) if mark == "(" else (frame.key,)
            frames.append(_Frame((*frame.path, *filter(None, keys)), mark))
            frame.key = frame.key if mark == "[" else ""
        elif mark in _CLOSING.values() and len(frames) > 1:
            frames.pop()
            if frame.mark == "[" and frame.listed:
                found.append(Setting(path_of(*frame.path), tuple(frame.listed)))
            frames[-1].key = ""
        elif mark == ",":
            frame.key = ""
    found += [Setting(path_of(*f.path), tuple(f.listed)) for f in frames if f.listed]
    return found


def _take_word(frame: _Frame, token: re.Match[str], behind: str, found: list[Setting]) -> None:
    """A key where `:` or `=` stands behind, else a value."""
    text = bare(token[0])
    if behind in (":", "=") and frame.mark != "[":
        frame.key = text
    elif behind == "(" and token["word"] is not None:
        return
    elif frame.mark == "[":
        frame.listed.append(text)
    elif frame.key and behind == "or":
        return  # what holds unless somebody says otherwise stands behind it
    elif frame.key and text not in _OPERATORS:
        found.append(Setting(path_of(*frame.path, frame.key), (text,)))
        frame.key = ""
    elif frame.path[-1:] in (("get",), ("getenv",)) and token["text"] is not None:
        if frame.asked:  # `os.environ.get("MODEL", "Qwen/…")`
            found.append(Setting(path_of(*frame.path[:-1]), (text,)))
        frame.asked = True
    elif frame.mark == "(" and frame.path and token["text"] is not None:
        found.append(Setting(path_of(*frame.path, ARGUMENT), (text,)))


def _called(tokens: Sequence[re.Match[str]], at: int) -> str:
    """The last part of the name before a `(`: the `from_pretrained` of `AutoModel.from_…`."""
    word = tokens[at - 1]["word"] if at else None
    return (word or "").rpartition(".")[2]


def end_of(text: str, start: int) -> int:
    """Where the bracket that opens at `start` is closed; the end of the text if it is not."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token["mark"] in _CLOSING:
            depth += 1
        elif token["mark"] in _CLOSING.values():
            depth -= 1
            if depth <= 0:
                return token.end()
    return len(text)
