"""Lines of YAML, TOML and the like, as people paste them: cut off, indented anyhow, on one line.

A parser of YAML would refuse most of what a chat holds, and would run what a hostile file asks
of it. Here a line is a key and its value; aliases, anchors and tags are text that says nothing.
"""

import re
from collections.abc import Iterable

from bot.compiled import compiled
from bot.reading.pasting import brackets
from bot.reading.pasting.settings import LONGEST_KEY, MOST_KEPT, Setting, bare, path_of

_KEY = rf"[\"']?(?P<key>[A-Za-z_][\w./-]{{0,{LONGEST_KEY}}})[\"']?"
_LINE = compiled(
    rf"^(?P<indent>[ \t]*)(?P<item>(?:-[ \t]+)*){_KEY}[ \t]*(?:[:=](?=[ \t]|$)|=)[ \t]*"
    r"(?P<value>.*)$"
)
_ITEM = compiled(r"^(?P<indent>[ \t]*)-[ \t]+(?P<value>.*)$")
_SECTION = compiled(r"^[ \t]*\[+(?P<name>[\w.\- ]{1,80})\]+[ \t]*$")
_COMMENT = compiled(r"^\s*;.*$|(?:^|(?<=\s))(?:#|//).*$")
# What a key may begin with that is said in several words: `batch size:`.
_SAID_IN_TWO = "(?i:(?:micro|batch|context|sequence|seq|max|gradient|grad|kv)[ \\t]+){0,2}"
_INLINE = compiled(
    rf"(?<![\w./:\"'=-])(?P<key>{_SAID_IN_TWO}[A-Za-z_][\w.-]{{0,80}})[ \t]*:(?=[ \t]|$)"
)
_OFF_BEFORE = compiled(r"#[ \t]*(?:-[ \t]+)?$")  # what stands before a key that is commented out
_BLOCK = compiled(r"^[|>][-+]?\d*$")  # `chat_template: |`, whose text goes on below
_OPEN = {"[": "]", "{": "}"}
_VALUED = compiled(
    r"(?P<key>(?:[A-Za-z]+[ \t]+){0,2}[\w.-]+[ \t]*:)[ \t]*"
    r"(?P<value>\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\{[^}]*\}"
    r"|(?:-[ \t]+\S+[ \t]*)+|[^\s#]\S*)"
)
_ASSIGNED = compiled(r"^(?:\"[^\"]*\"|'[^']*'|[\[{].*|\S+)?\s*(?:#.*)?$")  # what stands behind `=`
COMMANDS = (
    "command",
    "cmd",
    "args",
    "entrypoint",
    "cmd_flags",
    "commandline_args",
    "backend_parameters",
    "extraArgs",
    "extra_args",
)  # keys whose text is a command
NESTED = ("serveConfigV2", "values", "valuesContent")  # whose text is a file of its own
_SWITCH = compiled(
    r"^(?P<setting>[ \t]*(?:-[ \t]+)?[A-Za-z_][\w.-]{0,80}[ \t]*:[ \t]+(?:true|false|yes|no))[ \t]+"
    r"(?P<rest>[^#\s].*)$",
    re.IGNORECASE,
)
_TAG = compiled(r"^(?:!{1,2}[\w./:-]*|&\w+)(?:[ \t]+|$)")


def unfolded(text: str) -> str:
    """`text` with each `key:` of a line that holds several on a line of its own."""
    lines: list[str] = []
    for line in text.split("\n"):
        keys = [m for m in _INLINE.finditer(line) if line.count("{", 0, m.start()) == 0]
        if len(keys) <= 1 or line.lstrip().startswith("#"):
            lines += _switched(line)
            continue
        starts = [match.start() for match in keys]
        lines.append(line[: starts[0]])
        for start, end in zip(starts, [*starts[1:], len(line)], strict=True):
            off = _OFF_BEFORE.search(line, max(0, start - 8), start)
            setting, rest = _first_value(line[start:end])
            lines.append("" if off else setting)
            lines.append(rest.strip(" -,;|"))
    return "\n".join(lines)


def _switched(line: str) -> list[str]:
    """The line; of `bf16: true on 2x 4090` the switch, and what is said behind it."""
    found = _SWITCH.match(line)
    return [line] if found is None else [found["setting"], found["rest"]]


def _first_value(piece: str) -> tuple[str, str]:
    """`seq_len: 512 will it fit?` as the setting, with one value or all items, and the rest."""
    found = _VALUED.match(piece)
    if found is None:
        return piece.rstrip(), ""
    items = re.findall(r"-[ \t]+(\S+)", found["value"]) if found["value"].startswith("- ") else []
    value = f"[{', '.join(items)}]" if items else found["value"]
    return f"{found['key']} {value}", piece[found.end() :].strip()


def is_line(line: str) -> bool:
    """Whether a line can be one of a file: a key with a value, an item, a section, a comment."""
    found = _LINE.match(line)
    if found is not None:
        sign = line[found.end("key") : found.start("value")]
        return ":" in sign or _ASSIGNED.match(found["value"]) is not None
    return bool(_SECTION.match(line) or line.lstrip().startswith(("#", ";")))


def is_item(line: str) -> bool:
    """Whether a line can be one of a list: a dash with something behind it."""
    return _ITEM.match(line) is not None


def settings_of(lines: Iterable[str]) -> list[Setting]:
    """The settings of the lines, with keys that they are indented under."""
    return _Lines().read(lines)


class _Lines:
    """One walk over lines: the keys that are open, outermost first, and the section."""

    def __init__(self) -> None:
        self._found: list[Setting] = []
        self._open: list[tuple[int, str]] = []
        self._section = ""
        self._skipped = -1  # the indent of a text that goes on below
        self._text = -1  # the same, of a command
        self._lists = False  # whether that may be a list, or keys
        self._unclosed = ""  # a value in brackets that goes on below

    def read(self, lines: Iterable[str]) -> list[Setting]:
        for line in lines:
            if len(self._found) >= MOST_KEPT:
                break
            self._take(line)
        if self._unclosed:
            self._close()
        return self._found

    def _take(self, line: str) -> None:
        plain = _COMMENT.sub("", line).rstrip()
        if not plain.strip():
            return
        indent = len(plain) - len(plain.lstrip())
        if self._skipped >= 0 and indent > self._skipped:
            return
        self._skipped = -1
        if self._text >= 0 and self._lists and _LINE.match(plain) and indent > self._text:
            self._text = -1  # what lies under it are keys
        if self._text >= 0 and indent > self._text:
            item = _ITEM.match(plain)
            self._add(plain.strip() if item is None else bare(item["value"]))
            return
        self._text = -1
        if self._unclosed:
            self._unclosed += f" {plain}"
            if plain.rstrip(" ,").endswith(_OPEN[self._unclosed[0]]):
                self._close()
            return
        section = _SECTION.match(plain)
        if section is not None:
            self._section, self._open = section["name"].strip(), []
            return
        found = _LINE.match(plain)
        if found is not None:
            self._take_key(found)
        elif (item := _ITEM.match(plain)) is not None:
            self._take_item(item)

    def _take_key(self, found: re.Match[str]) -> None:
        indent = len(found["indent"]) + len(found["item"])
        while self._open and self._open[-1][0] >= indent:
            self._open.pop()
        self._open.append((indent, found["key"]))
        value = _TAG.sub("", found["value"].strip())
        if _BLOCK.match(value) and found["key"] in NESTED:
            return
        if (not value or _BLOCK.match(value)) and found["key"] in COMMANDS:
            self._text, self._lists = indent, not value
        elif _BLOCK.match(value) or value[:3] in ('"""', "'''"):
            self._skipped = indent
        elif value[:1] in _OPEN and not value.rstrip(" ,").endswith(_OPEN[value[0]]):
            self._unclosed = value
        elif value[:1] in _OPEN:
            self._unclosed = value
            self._close()
        elif value and not value.startswith("*"):
            self._found.append(Setting(self._path(), (bare(value),)))

    def _close(self) -> None:
        """A value in brackets is whole: what it holds lies under its key."""
        inner = brackets.settings_in(f"{self._path()}={self._unclosed}")
        self._found += inner
        self._unclosed = ""

    def _take_item(self, item: re.Match[str]) -> None:
        indent = len(item["indent"])
        while len(self._open) > 1 and self._open[-1][0] > indent:
            self._open.pop()
        value = bare(_TAG.sub("", item["value"]))
        if value:
            self._add(value)

    def _add(self, value: str) -> None:
        """One more value of the key that is open."""
        path = self._path()
        if not path:
            return
        if self._found and self._found[-1].path == path:
            self._found[-1] = Setting(path, (*self._found[-1].values, value))
        else:
            self._found.append(Setting(path, (value,)))

    def _path(self) -> str:
        return path_of(self._section, *(key for _, key in self._open))
