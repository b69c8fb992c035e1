"""What the settings of each program are in the words of a line: one TOML a program.

An entry is words (`"packing"`, said where the setting is on), words with a place for its number
(`"bs {}"`), a table of its values, `"@reader"` for what a function reads, `"#…"` for what
`settling` puts together, `"!"` for what moves memory uncounted, or nothing: it moves none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import tomli

from bot.compiled import compiled
from bot.reading.pasting.settings import Setting

Entry = str | Mapping[str, str]
TRAINERS = (
    *("nemo", "xtuner"),
    *("axolotl", "llamafactory", "unsloth", "torchtune", "torchtitan", "litgpt", "megatron", "mlx"),
    *("swift", "openrlhf", "verl"),
)
ORDER = (
    *("trainer", *TRAINERS, "h2o", "ludwig"),
    *("aphrodite", "rayserve", "xinference", "gpustack", "localai", "trtllm"),
    *(
        "tgi",
        "koboldcpp",
        "llamacpp",
        "webui",
        "lmdeploy",
        "ktransformers",
        "exllama",
        "tabby",
        "modelfile",
        "lmstudio",
    ),
    *("sglang", "vllm"),
)
BASE = "trainer"  # what programs that train with transformers build on
NEVER = ("trust_", "env")  # what begins settings that move memory nowhere
ELSEWHERE = (  # what begins sections that set nothing of the step, whatever they name alike
    *(
        "eval",
        "valid",
        "val_",
        "test",
        "dataset",
        "generat",
        "checkpointing_",
        "profil",
        "logg",
        "map",
    ),
)
OTHERS = ("ref_model", "reward_model", "value_model", "teacher", "teacher_model", "critic_model")
LOADS = "from_pretrained"  # what gives a tokenizer and its model at once
TELLING = compiled(r"[_.]")  # in names that nobody says in a sentence, nor another program
NAMED = 3  # settings that a program's name in the text weighs as much as


@dataclass(frozen=True, slots=True)
class Program:
    """A program's settings.

    `says`: the words of a line that it says by itself; `usual`: the method where none is named;
    `marks`: words that name it. `bare` flags have no value, `listed` ones several. `command`:
    what it is put as, where its flags are read with commands, `positional` ones without a name.
    `by_name`: only where it is named, since its keys could be anybody's. `unspoken`: its name is
    no word of a line.
    `squeezed`: keys by their names without marks.
    `loading`: keys of a model that is loaded, to be trained or to be run.
    """

    name: str
    says: tuple[str, ...] = ()
    usual: str = ""
    marks: tuple[str, ...] = ()
    bare: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()
    command: str = ""
    positional: tuple[str, ...] = ()
    keys: Mapping[str, Entry] = field(default_factory=dict)
    loading: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    squeezed: Mapping[str, str] = field(default_factory=dict)
    by_name: bool = False
    unspoken: bool = False
    groups: tuple[str, ...] = ()

    def entry_of(self, path: str) -> Entry | None:
        """What the table has for a path, or for the end of it; none if it has nothing."""
        while True:
            if path in self.keys:
                return self.keys[path]
            if path in self.silent:
                return ""
            part, dot, path = path.partition(".")
            if not dot:
                return None
            if _is_elsewhere(part, path):
                return ""

    def spelled(self, setting: Setting) -> Setting:
        """The setting by its name here, where a chart writes it as `maxModelLen`."""
        head, dot, key = setting.path.rpartition(".")
        name = self.squeezed.get(key)
        if name is None or "_" in key or self.entry_of(setting.path) is not None:
            return setting
        return Setting(f"{head}{dot}{name}", setting.values)

    def is_silent(self, path: str) -> bool:
        """Whether the path is of those that move no memory, by itself or by what it lies under."""
        parts = path.split(".")
        return path in self.silent or any(part.startswith((*self.groups, *NEVER)) for part in parts)

    def only_loads(self, settings: Iterable[Setting]) -> bool:
        """Whether all that is set is of a model that is loaded, whatever for."""
        set_here = [s for s in settings if self.entry_of(s.path) and not s.is_nothing]
        return bool(set_here) and all(s.key in self.loading for s in set_here)

    def unnamed(self, prose: str) -> str:
        """`prose` without the program's name, where that says no more than the paste."""
        if not self.unspoken:
            return prose
        names = "|".join(map(re.escape, sorted(self.marks, key=len, reverse=True)))
        return re.sub(rf"(?<![\w-])(?:{names})(?![\w])", " ", prose, flags=re.ASCII | re.IGNORECASE)

    def knows(self, setting: Setting) -> bool:
        return self.entry_of(setting.path) is not None or self.is_silent(setting.path)


@cache
def program(name: str) -> Program:
    """The program's table, with those that it builds on."""
    file = resources.files("bot.reading.pasting").joinpath("programs", f"{name}.toml")
    table = tomli.loads(file.read_text(encoding="utf-8"))
    base = program(table["extends"]) if "extends" in table else Program("")
    silent = table.get("silent", {})
    return Program(
        name=table["name"],
        usual=table.get("usual", ""),
        says=tuple(table.get("says", ())),
        marks=tuple(table.get("marks", ())),
        bare=base.bare | set(table.get("bare", ())),
        listed=base.listed | set(table.get("listed", ())),
        command=table.get("command", ""),
        positional=tuple(table.get("positional", ())),
        by_name=table.get("by_name", False),
        unspoken=table.get("unspoken", False),
        keys={**base.keys, **table["keys"]},
        squeezed={
            name.replace("_", ""): name for name in (*base.keys, *table["keys"]) if "_" in name
        },
        loading=frozenset(table.get("loading", {}).get("keys", ())),
        own=_own_of(table, base),
        silent=(base.silent | set(silent.get("keys", ()))) - set(table["keys"]),
        groups=base.groups + tuple(silent.get("groups", ())),
    )


def _own_of(table: Mapping[str, Any], base: Program) -> frozenset[str]:
    """The settings that are a program's alone: what it builds on has them not."""
    if not base.keys and table["name"] == BASE:
        return frozenset()
    keys = set(table["keys"]) - set(base.keys) - base.silent - set(table.get("shared", ()))
    silent = set(table.get("silent", {}).get("keys", ())) - base.silent - set(base.keys)
    return frozenset(key for key in keys | silent if TELLING.search(key))


@cache
def programs() -> tuple[Program, ...]:
    """All tables, those first that others build on."""
    return tuple(program(name) for name in ORDER)


@dataclass(frozen=True, slots=True)
class _Holders:
    """The programs that have a key: all, those that it is an own of, and of these who use it."""

    known: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()


@cache
def _holders() -> Mapping[str, _Holders]:
    """Which programs have each key, so that a path is looked up once for all of them."""
    all_of = programs()
    names = {name for one in all_of for name in (*one.keys, *one.silent)}
    return {
        name: _Holders(
            frozenset(one.name for one in all_of if name in one.keys or name in one.silent),
            frozenset(one.name for one in all_of if name in one.own),
            frozenset(one.name for one in all_of if name in one.own and one.keys.get(name)),
        )
        for name in names
    }


def program_of(settings: Iterable[Setting], text: str) -> Program | None:
    """The program whose settings these are, by what it is called and what it calls them."""
    known: Counter[str] = Counter()
    own: Counter[str] = Counter()
    used: set[str] = set()
    for setting in settings:
        found, owners = _holding(setting.path)
        known.update(found)
        own.update(owners.own)
        used |= owners.used
    plain = text.casefold()
    best, most = None, 0.0
    for one in programs():
        named = any(_stands_in(plain, mark) for mark in one.marks)
        is_own = named or one.name in used
        if (one.own and not is_own) or (one.by_name and not named):
            continue  # what any program has says nothing of which it is
        score = known[one.name] + is_own * own[one.name] / 2 + NAMED * named
        if known[one.name] and score > most:
            best, most = one, score
    return best


def _holding(path: str) -> tuple[frozenset[str], _Holders]:
    """(Programs that know a path, or the end of it; those that it is an own of)."""
    holders = _holders()
    known: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    while path:
        if (found := holders.get(path)) is not None:
            known, own, used = known | found.known, own | found.own, used | found.used
        part, _, path = path.partition(".")
        if path and _is_elsewhere(part, path):
            return frozenset(ORDER), _Holders(own=own, used=used)
    return known, _Holders(own=own, used=used)


def _is_elsewhere(part: str, rest: str) -> bool:
    """Whether a section sets nothing of the step, whatever it names alike."""
    whole = part in OTHERS or part.startswith(ELSEWHERE)
    return whole or (part == "tokenizer" and not rest.startswith(LOADS))


def _stands_in(text: str, mark: str) -> bool:
    return (
        mark in text
        and re.search(rf"(?<![\w-]){re.escape(mark)}(?![\w-])", text, re.ASCII) is not None
    )
