"""Settings → words, each by its program's table; what no table knows is kept to be named."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from bot.compiled import compiled
from bot.reading.pasting import naming
from bot.reading.pasting.settings import Setting
from bot.reading.pasting.tables import Entry, Program

OWN = "#"  # begins words that no line has, for `settling`
MOVES = "!"
MODEL = "@model"
NONE = ("0", "-1")
ANY = "*"  # any other value
_OWNED = compiled(
    r"^([A-Za-z][A-Za-z-]{1,40})_(?=[\w.-]+$)(?!.*\.(?:gguf|safetensors)$)"
)  # text-generation-webui's
_NUMBER = compiled(r"^\+?(\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE]\+?(\d+))?[kK]?$")
_MEMBER = compiled(r"^[A-Z]\w{1,40}\.[A-Z]\w{0,40}$")
_PLAIN = compiled(r"^[\w.\-]{1,40}$")
_OBJECTIVES = {
    "dpo": "dpo", "ipo": "dpo", "grpo": "grpo", "gspo": "grpo", "gdpo": "grpo",
    "kto": "#as_dpo kto", "bco": "#as_dpo bco", "orpo": "#no_reference orpo",
    "simpo": "#no_reference simpo", "cpo": "#no_reference cpo",
}  # fmt: skip
_PRECISIONS = {
    "bf16-true": "bf16", "bf16-mixed": "fp32 , autocast", "32-true": "fp32", "16-true": "fp16",
    "16-mixed": "fp32 , autocast", "32": "fp32", "bf16": "bf16", "fp32": "fp32",
}  # fmt: skip


@dataclass(slots=True)
class Meant:
    """What settings mean: `words` by what says them, later ones in the place of earlier.

    `moving`: settings that move memory, uncounted; `unread`: those that no table has.
    """

    words: dict[str, str] = field(default_factory=dict)
    moving: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def put(self, key: str, words: str) -> None:
        self.words.pop(key, None)
        if words:
            self.words[key] = words


def meant(settings: Iterable[Setting], program: Program) -> Meant:
    """The words of all settings, in their order."""
    found = Meant()
    for setting in settings:
        entry = program.entry_of(setting.path)
        if setting.is_nothing and not _is_chosen(setting, entry):
            continue
        if entry is None:
            if not (program.is_silent(setting.path) or setting.is_off):
                found.unread.append(_said(setting))
        else:
            _take(setting, entry, found)
    return found


def _is_chosen(setting: Setting, entry: Entry | None) -> bool:
    """Whether `none` is a value of its own: `mode = "none"`."""
    return isinstance(entry, Mapping) and setting.value.casefold() in entry


def _take(setting: Setting, entry: Entry, found: Meant) -> None:
    """One setting as its table has it."""
    if not isinstance(entry, str):
        words = _chosen(setting, entry)
        if words is None and not setting.is_off:
            found.unread.append(_said(setting))
        _put(setting, words or "", found)
    elif entry.startswith("@"):
        words = READERS[entry[1:]](setting)
        if words or entry != MODEL:
            found.put(setting.path if entry != MODEL else entry, words)
    elif "{}" in entry:
        _count(setting, entry, found)
    elif entry.startswith(OWN):
        found.put(setting.path, f"{entry} {' '.join(setting.values)}")
    elif entry == MOVES:
        found.moving += [] if setting.is_off or setting.value in NONE else [_said(setting)]
    elif setting.is_on or setting.value == "1" or not entry:
        found.put(setting.path, entry)


def _put(setting: Setting, words: str, found: Meant) -> None:
    """What a table has for a value: words, or words with a place for it."""
    if words == MOVES:
        found.moving.append(_said(setting))
    elif "{}" in words:
        _count(setting, words, found)
    else:
        found.put(setting.path, words)


def _chosen(setting: Setting, table: Mapping[str, str]) -> str | None:
    """What a table of values has for this one; none if it has nothing."""
    words = {key.casefold(): said for key, said in table.items()}
    value = setting.value.casefold()
    for switch, name in ((setting.is_on, "true"), (setting.is_off, "false")):
        value = name if switch and name in words else value
    if value not in words and _MEMBER.match(setting.value):
        value = value.rpartition(".")[2]  # of an enumeration: `QuantAlgo.FP8`
    if value in words or ANY not in words or not _PLAIN.match(setting.value):
        return words.get(value)
    any_number = words[ANY].partition("{}")[0].strip() and _number(setting.value)
    return words[ANY] if any_number else words[ANY].replace("{}", setting.value)


def _count(setting: Setting, entry: str, found: Meant) -> None:
    number = _number(setting.value)
    if number is None:
        found.unread.append(_said(setting))
    else:
        found.put(entry, entry.replace("{}", number))


def _number(value: str) -> str | None:
    """A number as a line has it; none for what is no count."""
    found = _NUMBER.match(value.strip())
    if found is None:
        return None
    if found[2] is not None:
        return value if len(found[2]) > 1 else f"{float(found[1]) * 10 ** int(found[2]):.0f}"
    return value.lstrip("+").replace("_", "")


def _said(setting: Setting) -> str:
    """A setting as it is named in a note."""
    values = ",".join(setting.values[:2])
    return f"{setting.key}: {values}" if values else setting.key


def _objective(setting: Setting) -> str:
    return _OBJECTIVES.get(setting.value.casefold(), setting.value)


def _visible(setting: Setting) -> str:
    """`CUDA_VISIBLE_DEVICES=0,1`: as many cards as are named."""
    cards = [part for value in setting.values for part in value.split(",") if part.strip()]
    return f"#visible {len(cards)}" if cards and all(c.strip().isdigit() for c in cards) else ""


def _included(setting: Setting) -> str:
    """DeepSpeed's `--include localhost:0,1@worker:0,1`."""
    hosts = [part.partition(":")[2] for part in setting.value.split("@")]
    return f"#processes {sum(len(host.split(',')) for host in hosts if host)}" if any(hosts) else ""


READERS: dict[str, Callable[[Setting], str]] = {
    "model": lambda s: naming.model_words(s.value),
    "teacher": lambda s: f"teacher {naming.model_words(s.value)}",
    "draft": lambda s: naming.draft_words(s.value),
    "file": lambda s: naming.format_words(s.value),
    "path": lambda s: naming.model_words(s.value),
    "targets": naming.targets_words,
    "saved": naming.saved_words,
    "optimizer": lambda s: naming.optimizer_words(s.value),
    "dtype": lambda s: f"#held {dtype}" if (dtype := naming.dtype_words(s.value)) else "",
    "compute": lambda s: f"compute {dtype}" if (dtype := naming.dtype_words(s.value)) else "",
    "precision": lambda s: _PRECISIONS.get(s.value.casefold(), ""),
    "attention": lambda s: naming.attention_words(s.value),
    "deepspeed": lambda s: naming.stage_words(s.value),
    "strategy_file": lambda s: naming.strategy_of_file(s.value),
    "fsdp": naming.sharding_words,
    "objective": _objective,
    "visible": _visible,
    "included": _included,
    "component": lambda s: naming.component_words(s.value),
    "recipe_config": lambda s: naming.recipe_words(s.value),
    "recipe": lambda s: s.value.replace("_", " "),
    "folder": lambda s: naming.model_words(_OWNED.sub(r"\1/", s.value)),
    "plugins": lambda s: "cut cross entropy" if "cut_cross_entropy" in " ".join(s.values) else "",
    "titan": lambda s: f"#titan {s.value}",
}
