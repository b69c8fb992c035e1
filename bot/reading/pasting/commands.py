"""Commands that were pasted, split as a shell would: flags, `key=value`, and what stands between.

Nothing is run, and no variable is put in. Lines that go on behind `\\`, `^` or a backtick are
one. What a person says behind the last flag is not the command's.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bot.reading.pasting.settings import LONGEST_KEY, Setting, bare, path_of

_GOES_ON = re.compile(
    r"[ \t]*(?:\\|\^|(?<=[ \t])`)[ \t]*\r?\n[ \t]*|[ \t]+\\[ \t]+(?=--?\w|\w+=)"
)
_WORD = re.compile(r"""(?:"(?:\\.|[^"\\])*"?|'[^']*'?|[^\s"'])+""")
_FLAG = re.compile(rf"^--?(?P<key>[A-Za-z][\w.-]{{0,{LONGEST_KEY}}})(?:=(?P<value>.*))?$", re.DOTALL)
_PAIR = re.compile(rf"^(?:export\s+)?(?P<key>[A-Za-z_][\w.]{{0,{LONGEST_KEY}}})=(?P<value>.*)$", re.DOTALL)
_OF_PROGRAM = re.compile(r"[./_:=\\]|^\d+$")  # what a word of a command has that prose has not
_NUMBER = re.compile(r"^-?\d")


@dataclass(slots=True)
class Command:
    """`settings` of flags and pairs; `words` that are neither; `rest`: what stands behind it."""

    settings: list[Setting] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    rest: str = ""


def one_line(text: str) -> str:
    """`text` with commands that go on over lines on one."""
    return _GOES_ON.sub(" ", text.replace("\r\n", "\n"))


def command_of(
    line: str, is_bare: Callable[[str], bool], is_listed: Callable[[str], bool]
) -> Command:
    """A command on one line. `is_bare`: flags without a value; `is_listed`: with several."""
    words = [(match[0], match.start()) for match in _WORD.finditer(line)]
    found, at = Command(), 0
    last_flag = max((n for n, (word, _) in enumerate(words) if _is_named(word)), default=-1)
    while at < len(words):
        word, start = words[at]
        flag, pair = _FLAG.match(word), _PAIR.match(word)
        if flag is not None:
            at = _take_flag(words, at, flag, found, is_bare, is_listed)
            continue
        if pair is not None:
            found.settings.append(Setting(path_of(pair["key"]), (bare(pair["value"]),)))
        elif at > last_flag and at and not _OF_PROGRAM.search(bare(word)):
            found.rest = line[start:]
            break
        else:
            found.words.append(bare(word))
        at += 1
    return found


def _is_named(word: str) -> bool:
    return bool(_FLAG.match(word) or _PAIR.match(word)) and _NUMBER.match(word) is None


def _take_flag(
    words: list[tuple[str, int]],
    at: int,
    flag: re.Match[str],
    found: Command,
    is_bare: Callable[[str], bool],
    is_listed: Callable[[str], bool],
) -> int:
    """A flag with what it is set to: the place behind."""
    key = path_of(flag["key"])
    if flag["value"] is not None:
        found.settings.append(Setting(key, tuple(_parts(flag["value"], key, is_listed))))
        return at + 1
    values: list[str] = []
    at += 1
    while at < len(words) and not _is_named(words[at][0]):
        value = bare(words[at][0])
        known = value.casefold() in ("true", "false", "0", "1", "yes", "no")
        if (is_bare(key) and not known) or (values and not is_listed(key)):
            break
        values += _parts(words[at][0], key, is_listed)
        at += 1
    found.settings.append(Setting(key, tuple(values)))
    return at


def _parts(text: str, key: str, is_listed: Callable[[str], bool]) -> Iterator[str]:
    """The one value of a flag, or those of a list: `q_proj,v_proj`."""
    value = bare(text)
    if is_listed(key):
        yield from filter(None, (bare(part) for part in re.split(r"[,\s]+", value)))
    else:
        yield value
