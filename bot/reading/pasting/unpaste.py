"""Anybody's text → the words of a line for what was pasted into it, and the prose around it.

text ─ cut ─▶ settings + prose ─ program's table ─▶ words ─ settle ─▶ the words of one run
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.compiled import compiled
from bot.reading.pasting.clusters import Asked, taken_from
from bot.reading.pasting.commands import one_line
from bot.reading.pasting.commented import live
from bot.reading.pasting.config_file import ConfigFile, take_file
from bot.reading.pasting.containers import contained
from bot.reading.pasting.cutting import Cut, cut
from bot.reading.pasting.flag_shape import shape_said
from bot.reading.pasting.links import shortened
from bot.reading.pasting.meaning import MOVES, READERS, meant
from bot.reading.pasting.naming import model_words
from bot.reading.pasting.nodes_said import with_nodes
from bot.reading.pasting.prompts import without_prompts
from bot.reading.pasting.remarked import said_in_comments, settings_alone, unnamed
from bot.reading.pasting.settings import Setting
from bot.reading.pasting.settle_method import settle_formats, settle_method, settle_objective
from bot.reading.pasting.settle_programs import settle_programs
from bot.reading.pasting.settle_sharing import settle_cards, settle_parts, settle_sharing
from bot.reading.pasting.several import one_of
from bot.reading.pasting.shown import without_shown
from bot.reading.pasting.spelled_out import as_commands
from bot.reading.pasting.tables import Program, program_of
from bot.reading.pasting.variables import with_values
from bot.reading.pasting.words import Words
from bot.reading.pasting.wrapped import unwrapped

CLASSES = {
    "dpo": "dpo", "grpo": "grpo", "ppo": "ppo", "reward": "reward model", "kto": "#as_dpo kto",
    "orpo": "#no_reference orpo", "cpo": "#no_reference cpo", "sft": "",
}  # fmt: skip
LOADED = ("run",)  # what is done with a model, unless the person says otherwise
FEWEST = 2  # settings that make a paste of lines that could be anybody's
BY_HAND = (  # keys that people write in a list of their own, in the words of a line
    *("model", "method", "mode", "task", "batch_size", "batch", "bs", "seq_len", "seq"),
    *(
        "seq_length",
        "sequence_length",
        "max_seq_len",
        "max_seq_length",
        "context",
        "context_length",
        "context_size",
    ),
    *("ctx", "rank", "r", "lora_rank", "lora_r", "alpha", "lora_alpha", "optimizer", "gpu", "gpus"),
    *("gpu_type", "num_gpus", "gpu_count", "dtype", "precision", "quant", "quantization"),
    *("users", "engine"),
)
MOST_DIFFERING = 2  # that one note names
MOST_READ = 8_000  # characters; more than any message has
FLAG = "--"  # the entry of a setting that is a flag of the same name; else it is the flag's name
SHORT_NAMED = ("llama-server",)  # commands whose flags of a few letters have one dash
SHORTEST = 3  # letters
_HINTS = (
    "--",
    ".py -",
    "FROM",
    "tune",
    "axolotl",
    "litgpt",
    "torchrun",
    "lms",
)  # one of them is there
_LIKELY = compiled(r"--\w|\.py -\w|(?:^|\s)(?:FROM|tune|axolotl|litgpt|torchrun|lms)\s")
_FILE_NAME = compiled(  # of what was pasted, and no model's
    r"(?:(?<!\S)--?[a-z][\w-]{0,30}[= ]+)?(?<![\w/:.-])(?:[\w.-]{1,60}[/\\]){0,8}"
    r"[\w.-]{1,80}\.(?:ya?ml|json|toml|sh|py|bat|kcpps)\b(?!/)"
)
_TELLING = compiled(r"[_.]|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class Pasted:
    """`words`: of a line, for what was pasted; `prose`: what the person says of it.

    `moving`: settings that move memory uncounted; `unread`: those that no table has; `remarks`:
    sentences of the locale with their words; `usual`: the method where nothing named one;
    `file`: one of a model's repository; `asked`: the cards that a scheduler is asked for.
    """

    words: str
    prose: str
    moving: Sequence[str] = ()
    unread: Sequence[str] = ()
    remarks: Sequence[tuple[str, str]] = ()
    usual: str = ""
    file: ConfigFile | None = None
    asked: Asked | None = None


def taken_apart(text: str) -> tuple[str, Pasted | None]:
    """(What is left to be read as a line, what was pasted beside it)."""
    if len(text) > MOST_READ:
        return text, None
    text = contained(unwrapped(without_prompts(as_commands(text.replace("\r\n", "\n")))))
    text, asked = taken_from(with_values(text))
    text = with_nodes(settings_alone(said_in_comments(text)))
    text = shortened(one_line(without_shown(live(text))))
    rest, file = take_file(text) if "{" in text or '":' in text else (text, None)
    pasted = unpasted(rest)
    if file is not None or asked is not None:
        pasted = pasted or Pasted("", rest)
        pasted = replace(pasted, file=file or pasted.file, asked=asked)
    return (text, None) if pasted is None else (pasted.prose, pasted)


def unpasted(text: str) -> Pasted | None:
    """What was pasted into `text`; none where nothing was, or nothing that is known."""
    if not _is_likely(text):
        return None
    found = cut(text)
    if not found.settings:
        return None
    program = program_of(found.settings, text)
    if program is None or not _is_paste(found, program, text):
        return None
    settings = [program.spelled(setting) for setting in _resolved(found.settings)]
    prose = "\n".join(_FILE_NAME.sub(" ", line) for line in found.prose if line.strip())
    prose = unnamed(program.unnamed(prose), (setting.key for setting in found.settings))
    made = _as_command if program.command else _as_words
    return made(settings, program, found, prose)


def _is_likely(text: str) -> bool:
    """Whether there is a sign of a paste, which most questions have none of."""
    if any(sign in text for sign in (":", "=", "{", "```")):
        return True
    return any(hint in text for hint in _HINTS) and _LIKELY.search(text) is not None


def _as_words(settings: Sequence[Setting], program: Program, found: Cut, prose: str) -> Pasted:
    """The settings in the words of a line, put together as their program would."""
    understood = meant(settings, program)
    for word in (*found.words, *_objectives_of(settings)):
        understood.put(word, word)
    loads = not found.launched and program.only_loads(settings)
    words = Words([*(LOADED if loads else program.says), *understood.words.values()])
    if loads and words.count("out"):
        words.add(f"new tokens {words.count('out')}")
    remarks, heads = settle_objective(words)
    settle_method(words, program, has_model="@model" in understood.words)
    settle_formats(words, program)
    shape = None if "@model" in understood.words else shape_said(settings, words.own)
    if shape is None and "@model" not in understood.words and "tokenizer" in words.own:
        words.add(model_words(words.own["tokenizer"]))
    settle_cards(words, program)
    settle_parts(words)
    remarks += settle_programs(words)
    settle_sharing(words)
    moving = [*understood.moving, *heads]
    remarks += [("twice", words) for words in _differing(settings, program)]
    file = None if shape is None else ConfigFile(config=shape, flags=True)
    return Pasted(" , ".join(words.whole()), prose, moving, understood.unread, remarks,
                  usual=program.usual, file=file)  # fmt: skip


def _differing(settings: Sequence[Setting], program: Program) -> list[str]:
    """Settings of several files, or of one, that do not agree: the last of them counts."""
    values: dict[str, list[str]] = {}
    for setting in settings:
        if len(setting.values) == 1 and not setting.is_nothing and program.entry_of(setting.path):
            values.setdefault(setting.path, []).append(setting.value)
    apart = {path: dict.fromkeys(said) for path, said in values.items() if len(set(said)) > 1}
    named = [f"{path.rpartition('.')[2]}: {', '.join(said)}" for path, said in apart.items()]
    return [" ; ".join(named[:MOST_DIFFERING])] if named else []


def _as_command(settings: Sequence[Setting], program: Program, found: Cut, prose: str) -> Pasted:
    """A server's settings as its command, whose flags are read where commands are."""
    flags: list[str] = list(found.words)
    models: dict[int, str] = {}
    unread: list[str] = []
    moving: list[str] = []
    settings, others = one_of(settings, prose, lambda path: _positional(path, program))
    for setting in settings:
        entry = program.entry_of(setting.path)
        if setting.is_nothing or setting.is_off:
            continue
        if (place := _positional(setting.path, program)) is not None:
            models.setdefault(place, model_words(setting.value))
            models = {n: model for n, model in models.items() if model}
        elif isinstance(entry, str) and entry.startswith("@"):
            flags.append(f", {READERS[entry[1:]](setting)} ,")
        elif isinstance(entry, str) and "{}" in entry and setting.value.isdecimal():
            flags.append(f", {entry.replace('{}', setting.value)} ,")
        elif entry is None and not program.is_silent(setting.path):
            unread.append(f"{setting.key}: {setting.value}")
        elif entry == MOVES:
            moving.append(f"{setting.key}: {setting.value}")
        elif entry and isinstance(entry, str):
            name = setting.key if entry == FLAG else entry
            flags.append(_flag(name, setting, program))
    model = models[min(models)] if models else ""
    words = " ".join(filter(None, (program.command, model, *flags)))
    remarks = [("others", " ".join(others[:MOST_DIFFERING]))] if others else []
    return Pasted(words, prose, moving=moving, unread=unread, remarks=remarks)


def _flag(name: str, setting: Setting, program: Program) -> str:
    """A setting as a flag, of one dash where the program has short names: `-ngl 99`."""
    short = len(name) <= SHORTEST and program.command in SHORT_NAMED
    value = "" if setting.is_on else f" {setting.value}"
    return f"{'-' if short else '--'}{name.replace('_', '-')}{value}"


def _positional(path: str, program: Program) -> int | None:
    """Which of the names for a model without a flag a path has: the first is the best."""
    names = enumerate(program.positional)
    return next((at for at, n in names if path == n or path.endswith(f".{n}")), None)


def _is_paste(found: Cut, program: Program, text: str) -> bool:
    """Whether enough of it is known, by names that nobody says in a sentence."""
    known = [s for s in found.settings if program.knows(s)]
    if not found.launched and all(s.path.casefold() in BY_HAND for s in found.settings):
        return False
    if found.commands or "```" in text:
        return bool(known)
    told = program.by_name or any(_TELLING.search(s.path) for s in known)
    return len(known) >= FEWEST and told


def _resolved(settings: Sequence[Setting]) -> list[Setting]:
    """The settings, with names of variables replaced by what these were set to before."""
    values: dict[str, str] = {}
    found: list[Setting] = []
    for setting in settings:
        single = len(setting.values) == 1
        name = setting.value.casefold() if setting.value.isupper() else setting.value
        value = values.get(name, setting.value)
        found.append(Setting(setting.path, (value,)) if single else setting)
        if single and "." not in setting.path:
            values[setting.key] = value
    return found


def _objectives_of(settings: Sequence[Setting]) -> list[str]:
    """What classes of code say: `GRPOConfig(`, `DPOTrainer(`."""
    parts = {part for setting in settings for part in setting.path.split(".")}
    return [words for name, words in CLASSES.items() if {f"{name}config", f"{name}trainer"} & parts]
