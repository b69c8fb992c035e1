"""Every phrase that means something, in one trie over atoms: the longest match wins.

Phrases come from the locale and from the estimator's tables. Where a phrase glues a
single letter to a number (`L4`, `A100`, `r16`), the text must glue it too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from sys import intern

from bot.compiled import compiled
from bot.locale import Locale, ReadingWords
from bot.reading.atoms import Atom, atoms_of
from estimator import Catalog, Model


class Kind(StrEnum):
    """What a phrase is."""

    VALUE = "value"  # sets `field` to `value`
    KEY = "key"  # `field` takes the number beside it
    SLOT = "slot"  # announces `field`
    MODEL = "model"
    CARD = "card"  # a card's id, or a word that several cards share
    NUMBER = "number"
    UNIT = "unit"
    FILLER = "filler"


GGUF_PLAIN = ("gguf:F32", "gguf:F16", "gguf:BF16")  # plain types elsewhere: said with `gguf`
NO_TYPO = (  # too weak to be read into a slip
    *("variant", "device", "processor", "both_ways", "negation", "switch", "module", "ignored"),
    *("unused", "remarked", "refused", "trainer", "server", "other_kind"),
)
JOINING = ("either", "both", "range", "compare")  # fillers: one of them, together, from … to
NAMING = (Kind.MODEL, Kind.FILLER)
SHORTEST_FAMILY = 3  # letters of a word that begins a model's other name
SIZE_UNIT = "gb"
SHORT_UNITS = {
    "k": "thousand",
    "x": "times",
    "b": "billion",
    "m": "million",
    "t": "trillion",
    "g": "gigabytes",
}
PLUS = "+"
COMMON = frozenset(
    (*("open", "code", "small", "oss", "all", "ring", "utter", "multilingual", "paraphrase"),)
)  # such words that are others' as well
APART = {  # names of one word that are typed as two
    "codellama": "code llama",
    "tinyllama": "tiny llama",
    "deepseek": "deep seek",
    "starcoder": "star coder",
}
_LETTER = compiled(r"^([a-z]{3,})-([a-z])(?=-|$)", re.IGNORECASE)  # the j of `gpt-j-6b`
BESIDE_BLOCKS = ("embed_tokens", "lm_head")  # modules that an adapter may be wanted on as well
_MADE: dict[tuple[int, int], tuple[ReadingWords, Catalog, "Vocabulary"]] = {}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a phrase says: of which field, and which value."""

    kind: Kind
    field: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """`length` atoms from where it was asked, and all that they may mean.

    `units`: which units; `says_nothing`: whether it only fills a sentence.
    """

    length: int
    meanings: tuple[Meaning, ...]
    units: tuple[str, ...] = ()
    says_nothing: bool = False

    def of(self, kind: Kind) -> Meaning | None:
        for meaning in self.meanings:
            if meaning.kind is kind:
                return meaning
        return None


@dataclass(slots=True)
class _Node:
    """Most phrases end in one, so that what can follow is made where something does."""

    loose: dict[str, "_Node"] | None = None
    tight: dict[str, "_Node"] | None = None  # only what is glued
    match: "Match | None" = None

    def following(self, text: str, *, tight: bool) -> "_Node":
        """Where phrases go on with the atom `text`; made where none did."""
        there = self.tight if tight else self.loose
        if there is None:
            there = {}
            if tight:
                self.tight = there
            else:
                self.loose = there
        return there.setdefault(intern(text), _Node())

    def say(self, meaning: Meaning, length: int) -> None:
        """Add what the phrase of `length` atoms that ends here means."""
        said = () if self.match is None else self.match.meanings
        if meaning not in said:
            meanings = (*said, meaning)
            units = tuple(one.field for one in meanings if one.kind is Kind.UNIT)
            silent = meanings == (Meaning(Kind.FILLER, ""),)
            self.match = Match(length, meanings, units, silent)


class Vocabulary:
    """Phrases → meanings; `words` are the single words that a typing error may mean.

    `families` are the words that begin a model's name; `parts` all words of all phrases.
    """

    def __init__(
        self, families: frozenset[str] = frozenset(), same: "Vocabulary | None" = None
    ) -> None:
        """`same`: whose phrases these are as well."""
        self.root: _Node = _Node() if same is None else same.root
        self.families = families
        self.words: set[str] = set() if same is None else same.words
        self.parts: set[str] = set() if same is None else same.parts

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The words by the alphabet, to be asked for when all are there."""
        return tuple(sorted(self.words))

    def add(self, phrase: str, meaning: Meaning) -> None:
        node = self.root
        atoms = atoms_of(phrase)
        self.parts.update(atom.text for atom in atoms)
        for number, atom in enumerate(atoms):
            previous = atoms[number - 1] if number else None
            tight = _must_glue(previous, atom, 2 if meaning.kind is Kind.CARD else 1)
            node = node.following(atom.text, tight=tight)
        if atoms:
            node.say(meaning, len(atoms))
        if len(atoms) == 1 and not atoms[0].numeric and meaning.kind in (Kind.VALUE, Kind.KEY):
            if meaning.field in NO_TYPO:
                return
            self.words.add(atoms[0].text)

    def spells(self, text: str) -> bool:
        """Whether all of `text` is phrases that say something.

        Names of models are left out, and those of trainers, who publish models.
        """
        atoms, at = atoms_of(text), 0
        while at < len(atoms):
            match = self.longest(atoms, at)
            if match is None or all(
                m.kind in NAMING or m.field == "trainer" for m in match.meanings
            ):
                return False
            at += match.length
        return bool(atoms)

    def longest(self, atoms: Sequence[Atom], at: int, below: int | None = None) -> Match | None:
        """The longest phrase that starts at `at`, of fewer than `below` atoms."""
        most = len(atoms) - at if below is None else min(len(atoms) - at, below - 1)
        first = (self.root.loose or {}).get(atoms[at].text) if most > 0 else None
        if first is None:
            return None
        best, open_ = first.match, [first]
        for length in range(1, most):
            atom = atoms[at + length]
            if atom.apart or atom.flag:
                break
            before, open_ = open_, []  # where phrases go on; the last is preferred
            for node in before:
                for there in (node.tight if atom.glued else None, node.loose):
                    if there is not None and (found := there.get(atom.text)) is not None:
                        open_.append(found)
            if not open_:
                break
            for node in open_:
                best = node.match or best
        return best

    def unit(self, atoms: Sequence[Atom], at: int) -> str | None:
        """The unit at `at`; a letter glued to a number behind it (`B200`) is none."""
        if at >= len(atoms) or atoms[at].apart or atoms[at].flag:
            return None
        short = SHORT_UNITS.get(atoms[at].text)
        if short is not None:
            name = at + 1 < len(atoms) and atoms[at + 1].numeric and atoms[at + 1].glued
            return None if name and short != "times" else short
        match = self.longest(atoms, at)
        return match.units[0] if match is not None and match.units else None


def _must_glue(previous: Atom | None, atom: Atom, most: int) -> bool:
    """Whether at most `most` letters are glued to a number: `L4`, and of cards `GB10`.

    Not the unit of a size, which people write apart: `A100 40 GB`.
    """
    if previous is None or not atom.glued or (previous.numeric and atom.text == SIZE_UNIT):
        return False
    letter = atom.text if not atom.numeric else previous.text
    return len(letter) <= most and previous.numeric != atom.numeric


def vocabulary_of(locale: Locale, catalog: Catalog) -> Vocabulary:
    """The vocabulary of one language over one catalogue; who asks again gets the same one."""
    key = (id(locale.reading), id(catalog))
    if (made := _MADE.get(key)) is None:
        vocabulary = Vocabulary(_families(catalog))
        _add_tables(vocabulary, catalog)
        _add_words(vocabulary, locale)
        _MADE.clear()  # one is asked for, nearly always
        made = _MADE[key] = (locale.reading, catalog, vocabulary)  # held: their ids stay theirs
    return made[-1]


def _add_words(vocabulary: Vocabulary, locale: Locale) -> None:
    words = locale.reading
    for value, phrases in words.values.get("joining", {}).items():
        _add_all(vocabulary, phrases, Meaning(Kind.FILLER, value))
    for name, values in words.values.items():
        for value, phrases in values.items() if name != "joining" else ():
            _add_all(vocabulary, phrases, Meaning(Kind.VALUE, name, value))
    for kind, table in (
        (Kind.KEY, words.keys),
        (Kind.SLOT, words.slots),
        (Kind.UNIT, words.units),
    ):
        for name, phrases in table.items():
            _add_all(vocabulary, phrases, Meaning(kind, name))
    for phrase, number in words.numbers.items():
        vocabulary.add(phrase, Meaning(Kind.NUMBER, "", str(number)))
    _add_all(vocabulary, words.greeting, Meaning(Kind.FILLER, "greeting"))
    _add_all(vocabulary, words.filler, Meaning(Kind.FILLER, ""))


def _add_all(vocabulary: Vocabulary, phrases: Iterable[str], meaning: Meaning) -> None:
    for phrase in phrases:
        vocabulary.add(phrase, meaning)


def _add_tables(vocabulary: Vocabulary, catalog: Catalog) -> None:
    for model in catalog.models.named:
        for name in spellings(model):
            vocabulary.add(name, Meaning(Kind.MODEL, "model", model.id))
    for gpu in catalog.gpus.rows:
        for name in (gpu.id, *gpu.aliases, *gpu.shared):
            value = name if name in gpu.shared else gpu.id
            vocabulary.add(name, Meaning(Kind.CARD, "gpus", value))
    for number_format in catalog.formats.rows:
        meaning = Meaning(Kind.VALUE, "weights", number_format.id)
        for name in (number_format.id, *number_format.aliases):
            vocabulary.add(name, meaning)
        if number_format.id not in GGUF_PLAIN:
            vocabulary.add(number_format.id.removeprefix("gguf:"), meaning)
    for optimizer in catalog.optimizers.rows:
        vocabulary.add(optimizer.id, Meaning(Kind.VALUE, "optimizer_id", optimizer.id))
    for engine in catalog.engines.rows:
        for name in (engine.id, *engine.aliases):
            vocabulary.add(name, Meaning(Kind.VALUE, "engine", engine.id))
    modules = {name for model in catalog.models.rows for name in model.architecture.linear_modules}
    for name in sorted(modules | set(BESIDE_BLOCKS)):
        vocabulary.add(name, Meaning(Kind.VALUE, "module", name))


def spellings(model: Model) -> Iterator[str]:
    """A model's names, and some of them with their first words written as one, or as two."""
    for name in (model.id, *model.aliases):
        if PLUS in name:  # of `command-r+`, which is no atom
            continue
        yield name
        joined = _LETTER.sub(r"\1\2", name)
        if joined != name:
            yield joined
        for word, parts in APART.items():
            if name.casefold().startswith(word):
                yield parts + name[len(word) :]


def _families(catalog: Catalog) -> frozenset[str]:
    """Words that begin a model's name: `llama`, `qwen`, `tinyllama`."""
    words = {model.family for model in catalog.models.rows}
    for model in catalog.models.named:
        for name in model.aliases:
            first = atoms_of(name)[0]
            if not first.numeric and len(first.text) >= SHORTEST_FAMILY:
                words.add(first.text)
    return frozenset(words - COMMON)
