"""Typing errors: the one known word that an unknown word can only mean."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from bot.compiled import compiled
from bot.reading.facts import Said

_MARKS = compiled("[\u0300-\u036f]")  # of `ĺora`
SHORT, LONG = 5, 8  # letters from which one, and two, typing errors are forgiven
LONGEST = 40  # letters; no word is longer
REMEMBERED = 4096  # words, and what they mean

Shelves = dict[tuple[str, int], list[str]]  # words by first letter and length
FAMILY = 6  # letters of a family's name in which one too many or too few makes no other
SHORT_FAMILIES = {  # slips in shorter ones, as they are typed; another letter is another's name
    "llama": ("lama", "lamma", "llamma", "lammma", "llma", "lllama", "llamaa", "lllma", "illama"),
    "qwen": ("qwn", "quen", "qwenn", "qween", "qewn", "qven", "kwen"),
    "gemma": ("gema", "gemmma", "gmma", "gemna", "gemmaa"),
    "phi": ("phy", "phii"),
    "mistral": ("misteral", "mistrall"),
    "deepseek": ("deepsick", "deepsik", "depseek", "deapseek"),
}
SHORTENED = {  # words as they are shortened, too far from the word for a slip
    "context": ("cntxt", "cntx", "contxt", "ctxt", "contx", "contex", "kontekst", "kontekstem"),
    "checkpointing": ("gradckpt", "ckpting", "chkpting"),
}
_SHORT = {
    slip: name
    for table in (SHORT_FAMILIES, SHORTENED)
    for name, slips in table.items()
    for slip in slips
}


class Mender:
    """Knows the words of one vocabulary; `kept` are never taken for typing errors.

    Words lie by first letter and length, so that one is held against a few others.
    """

    def __init__(self, words: frozenset[str], kept: frozenset[str]) -> None:
        self._kept = kept
        self._known = words | kept
        self._words = _shelved(word for word in words if len(word) >= SHORT - 1)
        self._names = _shelved(name for name in kept if len(name) >= LONG)
        self._families = _shelved(name for name in kept if len(name) >= FAMILY)
        self.meant = lru_cache(maxsize=REMEMBERED)(self._meant)

    def _meant(self, word: str) -> str | None:
        """The one word that differs by a slip of the finger; none if there is not just one.

        A long family's name is one of them: `deepseak`. In a short one a letter makes another.
        """
        if word in self._kept or not SHORT - 2 <= len(word) <= LONGEST:
            return None
        if not word.isascii():
            plain = _MARKS.sub("", unicodedata.normalize("NFKD", word))
            return plain if plain in self._known else None
        if (family := self._family(word)) is not None:
            return family
        if len(word) >= LONG - 1:
            like = [name for name, apart in _near(word, self._names, 1) if apart == 1]
            if len(like) == 1:
                return like[0]
        most = 2 if len(word) >= LONG else 1
        slips = list(_near(word, self._words, most))
        least = min((apart for _, apart in slips), default=0)
        near = [known for known, apart in slips if apart == least]
        if len(word) < SHORT:  # `lroa` yes, `lost` no
            near = [known for known in near if sorted(known) == sorted(word)]
        return near[0] if len(near) == 1 else None

    def _family(self, word: str) -> str | None:
        """The family's name that lacks a letter, has one twice, or two the other way round."""
        if word in _SHORT:
            return _SHORT[word]
        like = [
            name
            for name, apart in _near(word, self._families, 1)
            if apart == 1 and _is_dropped(word, name)
        ]
        return like[0] if len(like) == 1 else None


def _shelved(words: Iterable[str]) -> Shelves:
    shelves: Shelves = {}
    for word in sorted(words):
        shelves.setdefault((word[0], len(word)), []).append(word)
    return shelves


def _near(word: str, shelves: Shelves, most: int) -> Iterator[tuple[str, int]]:
    """Words with the same first letter that at most `most` slips make of `word`, and how many."""
    for length in range(len(word) - most, len(word) + most + 1):
        shelf = shelves.get((word[0], length))
        if shelf is None:
            continue
        for known, apart, _ in process.extract(
            word, shelf, scorer=OSA.distance, score_cutoff=most, limit=None
        ):
            yield known, apart


_THING = r"an?|the|my|this|\d+(?:\.\d+)?\s?[bm]|\d+x\d+b|(?!g(?:b|ib|ig))[a-z]{4,}[\d.]*"
_FOR = compiled(
    rf"\b(vram|memory|mem|enough|much|needed|(?:what|which|wat|best) (?:gpu|card))( +)4( +)"
    rf"(?=(?:{_THING})\b)",
    re.IGNORECASE,
)

_DONE = (  # what is done with a model; `have 2 rtx 3090` counts cards
    "train|pretrain|pre-train|fine|finetune|fine-tune|tune|lora|qlora|dpo|sft|run|serve|infer|host|"
    "load|deploy|fit|use|try|make|get|know|put|start|quantize|estimate|calculate"
)
_TO = compiled(
    rf"\b(how|want|need|trying|try|going|able|enough|like|wanna|have)( +)2( +)(?=(?:{_DONE})\b)",
    re.IGNORECASE,
)


_TIMES = compiled(r"\b((?:bs|bsz|batch|batch size)[ =]*\d+) +[x×*] +(?=\d+(?:\.\d+)?k\b)",
                    re.IGNORECASE)  # fmt: skip


def spell_out(text: str, said: Said) -> str:
    """`vram 4 7b`, `trying 2 train`: numbers that stand for a word, as they are typed in chats."""
    for pattern, typed, meant in ((_FOR, "4", "for"), (_TO, "2", "to")):
        if f" {typed} " not in text:
            continue
        text, times = pattern.subn(rf"\g<1>\g<2>{meant}\g<3>", text)
        said.corrections += [(typed, meant)] if times else []
    words = text.casefold()
    if "bs" not in words and "batch" not in words:
        return text
    return _TIMES.sub(r"\g<1> , ", text)  # `bsz 16 x 1k tokens`


def _is_dropped(word: str, name: str) -> bool:
    """Whether the one slip is a letter missing or doubled, or two the other way round."""
    return len(word) != len(name) or sorted(word) == sorted(name)
