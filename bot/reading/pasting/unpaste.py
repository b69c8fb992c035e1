"""Anybody's text → the words of a line for what was pasted into it, and the prose around it.

text ─ cut ─▶ settings + prose ─ program's table ─▶ words ─ settle ─▶ the words of one run
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.reading.pasting.commands import one_line
from bot.reading.pasting.config_file import ConfigFile, take_file
from bot.reading.pasting.cutting import Cut, cut
from bot.reading.pasting.links import shortened
from bot.reading.pasting.meaning import meant
from bot.reading.pasting.naming import model_words
from bot.reading.pasting.settings import Setting
from bot.reading.pasting.settling import Settler
from bot.reading.pasting.tables import Program, program_of

CLASSES = {
    "dpo": "dpo", "grpo": "grpo", "ppo": "ppo", "reward": "reward model", "kto": "#as_dpo kto",
    "orpo": "#no_reference orpo", "cpo": "#no_reference cpo", "sft": "",
}  # fmt: skip
FEWEST = 2  # settings that make a paste of lines that could be anybody's
MOST_READ = 20_000  # characters; more than any message has
_LIKELY = re.compile(r"[:={]|```|--\w|(?:^|\s)(?:FROM|tune|axolotl|litgpt|torchrun|lms)\s")
_TELLING = re.compile(r"[_.]|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class Pasted:
    """`words`: of a line, for what was pasted; `prose`: what the person says of it.

    `moving`: settings that move memory uncounted; `unread`: those that no table has; `remarks`:
    sentences of the locale with their words; `usual`: the method that nothing named; `file`: one
    of a model's repository.
    """

    words: str
    prose: str
    moving: Sequence[str] = ()
    unread: Sequence[str] = ()
    remarks: Sequence[tuple[str, str]] = ()
    usual: str = ""
    file: ConfigFile | None = None


def taken_apart(text: str) -> tuple[str, Pasted | None]:
    """(What is left to be read as a line, what was pasted beside it)."""
    if len(text) > MOST_READ:
        return text, None
    text = shortened(one_line(text))
    rest, file = take_file(text) if "{" in text or '":' in text else (text, None)
    pasted = unpasted(rest)
    if file is not None:
        pasted = replace(pasted, file=file) if pasted else Pasted("", rest, file=file)
    return (text, None) if pasted is None else (pasted.prose, pasted)


def unpasted(text: str) -> Pasted | None:
    """What was pasted into `text`; none where nothing was, or nothing that is known."""
    if not _LIKELY.search(text):
        return None
    found = cut(text)
    if not found.settings:
        return None
    program = program_of(found.settings, text)
    if program is None or not _is_paste(found, program, text):
        return None
    settings = _resolved(found.settings)
    if program.command:
        return _as_command(settings, program, found)
    understood = meant(settings, program)
    for word in found.words:
        understood.put(word, word)
    for words in objectives_of(settings):
        understood.put(words, words)
    settler = Settler(understood, program)
    words = [*program.says, *settler.settled()]
    settled = [word for word in words if word]
    return Pasted(" , ".join(settled), prose_of(found), settler.moving, understood.unread,
                  settler.remarks, usual=program.usual)  # fmt: skip


def _is_paste(found: Cut, program: Program, text: str) -> bool:
    """Whether enough of it is known, by names that nobody says in a sentence."""
    known = [s for s in found.settings if program.knows(s)]
    told = [s for s in known if _TELLING.search(s.path)]
    if found.commands or "```" in text:
        return bool(known)
    return len(known) >= FEWEST and bool(told)


def _resolved(settings: Sequence[Setting]) -> list[Setting]:
    """The settings, with names of variables replaced by what these were set to before."""
    values: dict[str, str] = {}
    found = []
    for setting in settings:
        value = values.get(setting.value, setting.value)
        if len(setting.values) == 1 and value != setting.value:
            setting = Setting(setting.path, (value,))
        if "." not in setting.path and len(setting.values) == 1:
            values.setdefault(setting.key, setting.value)
        found.append(setting)
    return found


def _as_command(settings: Sequence[Setting], program: Program, found: Cut) -> Pasted:
    """A server's settings as its command, whose flags are read where commands are."""
    flags, models, unread = [], [], []
    for setting in settings:
        if setting.is_nothing:
            continue
        if any(setting.path == name or setting.path.endswith(f".{name}") for name in program.positional):
            models.append(model_words(setting.value))
        elif program.entry_of(setting.path) == "--":
            if setting.is_off:
                continue
            value = "" if setting.is_on else f" {setting.value}"
            flags.append(f"--{setting.key.replace('_', '-')}{value}")
        elif not (program.is_silent(setting.path) or program.entry_of(setting.path) == "" or setting.is_off):
            unread.append(f"{setting.key}: {setting.value}")
    words = " ".join([program.command, *models[:1], *flags])
    return Pasted(words, prose_of(found), unread=unread)


def prose_of(found: Cut) -> str:
    return "\n".join(line for line in found.prose if line.strip())


def objectives_of(settings: Sequence[Setting]) -> list[str]:
    """What classes of code say: `GRPOConfig(`, `DPOTrainer(`."""
    parts = {part for setting in settings for part in setting.path.split(".")}
    return [words for name, words in CLASSES.items() if {f"{name}config", f"{name}trainer"} & parts]
