"""Text → what was pasted into it, and what the person says of it.

Fences, commands, calls and JSON have an end of their own; a file's lines stand together.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.compiled import compiled
from bot.reading.pasting import brackets, launching, lines
from bot.reading.pasting.commands import Flags, command_of, one_line
from bot.reading.pasting.settings import Setting, bare

_FENCE = compiled(r"```(?P<language>[A-Za-z+.-]{0,12}[ \t]*\n)?(?P<body>.*?)(?:```|\Z)", re.DOTALL)
_OBJECT = compiled(  # also a body that `curl -d '{"model": …}'` sends
    r"(?:(?<=-d ')|(?<=data ')|(?<=json ')|(?<![\w'\"={:,])\s?)"
    r"\{(?=\s*(?:[\"'][^\"'\n]{1,80}[\"']\s*:|//|#))"
)
_CALLED = (
    *("from_pretrained", "get_peft_model", "LLM", "Engine", "pipeline"),
    *("Llama", r"model\.generate", "tok", "tokenizer"),
    *("prepare_model_for_kbit_training", r"\w+Config", r"\w*Arguments", r"\w*Trainer"),
    *(r"\w*EngineArgs", r"\w*Params", "dict", "launch_model", "finetune_recipe"),
)
_CALL = compiled(
    rf"(?<![\w.-])(?:[\w, ]{{1,60}}=\s*)?(?P<name>(?:\w+\.)?(?:{'|'.join(_CALLED)}))\s*\("
)
_DICTIONARY = compiled(r"^[ \t]*[A-Za-z_]\w{0,60}[ \t]*=[ \t]*\{(?=[ \t]*\n)", re.MULTILINE)
_STATEMENT = compiled(
    r"^\s*(?:from\s+[\w.]+\s+import\b.*|import\s+\w.*|(?:export|set)\s+\w+=(?:\"[^\"]*\"|[^\s;&]*)\s*"
    r"|[)\]}]+,?|@\w.*|def\s.*|#!.*)$"
)
_ASSIGNED = compiled(
    r"^\s*[A-Za-z_][\w.]*\s*=\s*(?:\"[^\"]*\"|'[^']*'|[\[{(].*|[\w.\-]+(?:\s*[*+/]\s*[\w.]+)*(?:\(.*)?)\s*(?:#.*)?$"
)
_MODELFILE = compiled(
    r"^\s*(?P<key>FROM|PARAMETER|ADAPTER|TEMPLATE|SYSTEM|LICENSE|MESSAGE|DRAFT)\s+(?P<value>.+)$"
)
_FLAGS = compiled(r"^\s*--\w[\w-]*(?:[ =]\S+)?\s+--\w")  # flags alone: a file of them
_SERVED = compiled(r"\bserve ([\w.-]+/[\w.-]+)")
_QUOTES = compiled(r"^['\"]|['\"]$")
_SHELL = compiled(r"^\s*(?:export|set)\s+")
_PERSONAL = compiled(  # keys that a person says beside a file
    r"^(?!spec:\s*$)(?:my\s+)?(?:gpus?|vram|ram|hardware|hw|box|pc|nodes?(?=\s*:\s*\S)|laptop|workstation|setup|cards?|specs?|rig|machine|question|q|edit|note|error|os|cpu|goal|problem)\s*:",
    re.IGNORECASE,
)
_CUT_OFF = compiled(r"^\s*[a-z]+_\w*$")  # a key whose rest did not fit into the message
_TURNED_OFF = compiled(r"^[ \t]*(?:#|//)[ \t]*[\w.-]+[ \t]*[:=][ \t]*\S+[ \t]*$", re.MULTILINE)
_ENDLESS = compiled(r"\S{300}")  # nobody's word
_QUOTED = compiled(r"^>[ \t]?", re.MULTILINE)


@dataclass(slots=True)
class Cut:
    """`settings` of all that was pasted, `words` that commands say, and the `prose`.

    `commands`: how many parts of it cannot be prose, commands, calls and objects; `launched`:
    how many of them are commands.
    """

    settings: list[Setting] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    commands: int = 0
    launched: int = 0


def cut(text: str) -> Cut:
    """All that can be a paste; what is none of anything stays prose."""
    found = Cut()
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    if text.lstrip().startswith(">"):
        text = _QUOTED.sub("", text)
    text = _TURNED_OFF.sub("", text)
    at = 0
    for fence in _FENCE.finditer(text):
        _cut_part(text[at : fence.start()], found)
        _cut_part(fence["body"], found)
        at = fence.end()
    _cut_part(text[at:], found)
    return found


def _cut_part(part: str, found: Cut) -> None:
    part = one_line(part)
    kept: list[str] = []
    for line in part.split("\n") if launching.may_start(part) else [part]:
        start = launching.start_of(line)
        if start is None or line.lstrip().startswith("#"):
            kept.append(line)
            continue
        command, after = _within_code(line, start)
        launched = launching.launched(command)
        found.settings += launched.settings
        found.words += launched.words
        found.launched += launched.trains
        found.commands += 1
        kept += [line[:start], launched.rest, after]
    kept = ["".join(_dictionaries("\n".join(kept), found))]
    part = _without(_calls("\n".join(kept), found), "\n")
    part = _without(_objects(part, found), "\n")
    _cut_lines(part.split("\n"), found)


def _within_code(line: str, start: int) -> tuple[str, str]:
    """A command, and what stands behind the backtick that ends it, if one begins it."""
    end = line.find("`", start) if line[:start].rstrip().endswith("`") else -1
    return (line[start:], "") if end < 0 else (line[start:end], line[end + 1 :])


def _without(spans: Iterator[str], between: str) -> str:
    return between.join(spans)


def _dictionaries(text: str, found: Cut) -> Iterator[str]:
    """What stands between dictionaries that code names: `ds_config = {`."""
    at = 0
    for named in _DICTIONARY.finditer(text) if "{" in text else ():
        if named.start() < at:
            continue
        end = brackets.end_of(text, named.end() - 1)
        yield text[at : named.start()]
        found.settings += brackets.settings_in(text[named.start() : end])
        found.commands += 1
        at = end
    yield text[at:]


def _calls(text: str, found: Cut) -> Iterator[str]:
    """What stands between calls of Python; their arguments are taken."""
    at = 0
    for call in _CALL.finditer(text) if "(" in text else ():
        if call.start() < at or _is_off(text, call.start()):
            continue
        end = brackets.end_of(text, call.end() - 1)
        before = _assignments(text[at : call.start()], found)
        yield before
        found.settings += brackets.settings_in(text[call.start() : end])
        found.commands += 1
        at = end
    yield text[at:] if not at else _assignments(text[at:], found)


def _is_off(text: str, at: int) -> bool:
    """Whether what begins there stands behind a `#` of its line."""
    return re.search(r"(?:^|\s)#", text[text.rfind("\n", 0, at) + 1 : at + 1]) is not None


def _assignments(text: str, found: Cut) -> str:
    """Lines of code around calls: `max_seq_length = 2048`."""
    kept: list[str] = []
    for line in text.split("\n"):
        if _STATEMENT.match(line):
            continue
        if _ASSIGNED.match(line):
            found.settings += brackets.settings_in(line)
        else:
            kept.append(line)
    return "\n".join(kept)


def _objects(text: str, found: Cut) -> Iterator[str]:
    at = 0
    for start in (match.end() - 1 for match in _OBJECT.finditer(text)):
        if start < at or _is_off(text, start):
            continue
        end = brackets.end_of(text, start)
        yield text[at:start]
        found.settings += brackets.settings_in(text[start:end])
        found.commands += 1
        at = end
    yield text[at:]


def _cut_lines(raw: list[str], found: Cut) -> None:
    """A file's lines, and what else is there."""
    whole = lines.unfolded("\n".join(raw)).split("\n")
    own: list[str] = []
    nested = False
    for line in whole:
        modelfile = _MODELFILE.match(line)
        if modelfile is not None:
            _take_modelfile(modelfile, found)
        elif _STATEMENT.match(line) and line.strip()[:1] not in ")]}":
            found.settings += command_of(_SHELL.sub("", line), Flags()).settings
        elif _FLAGS.match(line) and not (nested and line[:1] == " "):
            found.settings += command_of(line, Flags()).settings
            found.commands += 1
        elif _PERSONAL.match(line):
            found.prose.append(line)
        elif lines.is_line(line) or (own and _goes_on(line, nested=nested)):
            own.append(line)
            nested = True
        elif (
            _ENDLESS.search(line)
            or (own and _CUT_OFF.match(line))
            or line.strip() in ("---", "...", "{", "}", "]", ")")
        ):
            continue
        else:
            nested = nested and not line.strip()
            found.prose.append(line)
    found.settings += _expanded(lines.settings_of(own))


def _goes_on(line: str, *, nested: bool) -> bool:
    """Whether a line belongs to the one before: an item, or what is indented under it."""
    return lines.is_item(line) or (nested and line[:1] in " ]}")


def _expanded(settings: list[Setting]) -> Iterator[Setting]:
    """The settings, with the flags of commands among them: `command: --model x --port 8000`."""
    for setting in settings:
        if setting.key not in lines.COMMANDS:
            yield setting
            continue
        text = " ".join(setting.values)
        if "--" in text or " -" in text:
            served = _SERVED.search(text)
            yield from [Setting("model", (served[1],))] if served else []
            yield from command_of(_QUOTES.sub("", text), Flags()).settings


def _take_modelfile(line: re.Match[str], found: Cut) -> None:
    key, value = line["key"].casefold(), line["value"].strip()
    if key == "parameter":
        key, _, value = value.partition(" ")
    if key in ("system", "template", "license", "message"):
        return
    found.settings.append(Setting(key.casefold(), (bare(value.split(" #", 1)[0]),)))
