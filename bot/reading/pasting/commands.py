r"""Commands that were pasted, split as a shell would: flags, `key=value`, and words between.

Nothing is run, and no variable is put in. Lines that go on behind `\`, `^` or a backtick are
one. What a person says behind the last flag is not the command's.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.compiled import compiled
from bot.reading.pasting.settings import LONGEST_KEY, Setting, bare, path_of, path_of_pair

BARE = ("enable_", "disable_", "no_", "do_", "trust_")  # what flags without a value begin with
SWITCHES = ("true", "false", "0", "1", "yes", "no")  # what a bare flag may be followed by
_GOES_ON = compiled(
    r"(?<![ \t])[ \t]*(?:\\|\^|(?<=[ \t])`)[ \t]*\r?\n[ \t]*"
    r"|(?<![ \t])[ \t]+\\[ \t]+(?=--?\w|\w{1,80}=)"
)
_WORD = compiled(r"""(?:"(?:\\.|[^"\\])*"?|'[^']*'?|[^\s"'])+""")
_FLAG = compiled(rf"^--?(?P<key>[A-Za-z][\w.-]{{0,{LONGEST_KEY}}})(?:=(?P<value>.*))?$", re.DOTALL)
_PAIR = compiled(
    rf"^(?:export\s+)?\+{{0,2}}(?P<key>[A-Za-z_][\w.]{{0,{LONGEST_KEY}}})=(?P<value>.*)$", re.DOTALL
)
_OF_PROGRAM = compiled(  # what a word of a command has that prose has not
    r"[:=\\_]|^[./\d]|\.(?:py|ya?ml|json|toml|sh|txt)$", re.IGNORECASE
)


_OF_PERSON = compiled(  # `8xA100`, `24GB?`, `3090够吗`
    r"^\d{1,4}(?:x\w*|gi?b?(?![A-Za-z0-9]))|^[^/\\=:]*[^\x00-\x7f]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Flags:
    """How a program takes its flags: `bare` ones without a value, `listed` ones with several."""

    bare: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()


@dataclass(slots=True)
class Command:
    """`settings` of flags and pairs; `words` that are neither; `rest`: what stands behind it."""

    settings: list[Setting] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    rest: str = ""


def one_line(text: str) -> str:
    """`text` with commands that go on over lines on one."""
    return _GOES_ON.sub(" ", text.replace("\r\n", "\n"))


def command_of(line: str, flags: Flags, begins: int = 0) -> Command:
    """A command on one line; what stands before `begins` is its own."""
    words = [(match[0], match.start()) for match in _WORD.finditer(line)]
    found, at = Command(), 0
    last_flag = max((n for n, (word, _) in enumerate(words) if _is_named(word)), default=-1)
    while at < len(words):
        word, start = words[at]
        flag, pair = _FLAG.match(word), _PAIR.match(word)
        if flag is not None and start >= begins:  # else the launcher's: `python -u`
            at = _take_flag(words, at, flag, found, flags)
            continue
        if pair is not None:
            found.settings.append(Setting(path_of_pair(pair["key"]), (bare(pair["value"]),)))
        elif at > last_flag and at and start >= begins and _is_said(bare(word)):
            found.rest = line[start:].lstrip("#- ")
            break
        else:
            found.words.append(bare(word))
        at += 1
    return found


def _is_said(word: str) -> bool:
    """Whether a word behind the last flag is the person's: `8xA100`, `fits`."""
    return _OF_PERSON.match(word) is not None or not _OF_PROGRAM.search(word)


def _is_named(word: str) -> bool:
    return bool(_FLAG.match(word) or _PAIR.match(word))


def _take_flag(
    words: list[tuple[str, int]], at: int, flag: re.Match[str], found: Command, flags: Flags
) -> int:
    """A flag with what it is set to: the place behind."""
    key = path_of(flag["key"])
    listed = key in flags.listed
    if flag["value"] is not None:
        found.settings.append(Setting(key, tuple(_parts(flag["value"], listed=listed))))
        return at + 1
    values: list[str] = []
    at += 1
    while at < len(words) and not _is_named(words[at][0]):
        known = bare(words[at][0]).casefold() in SWITCHES
        alone = key in flags.bare or key.startswith(BARE)
        if (alone and not known) or (values and not listed):
            break
        values += _parts(words[at][0], listed=listed)
        at += 1
    found.settings.append(Setting(key, tuple(values)))
    return at


def _parts(text: str, *, listed: bool) -> Iterator[str]:
    """The one value of a flag, or those of a list: `q_proj,v_proj`."""
    value = bare(text)
    if listed:
        yield from filter(None, (bare(part) for part in re.split(r"[,\s]+", value)))
    else:
        yield value
