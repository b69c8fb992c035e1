"""Typing errors: the one known word that an unknown word can only mean."""

import re
import unicodedata
from functools import cached_property

from rapidfuzz.distance import OSA

from bot.reading.facts import Said

_MARKS = re.compile("[\u0300-\u036f]")  # of `ĺora`
SHORT, LONG = 5, 8  # letters from which one, and two, typing errors are forgiven
FAMILY = 6  # letters of a family's name in which one too many or too few makes no other
SHORT_FAMILIES = {  # slips in shorter ones, as they are typed; another letter is another's name
    "llama": ("lama", "lamma", "llamma", "lammma", "llma", "lllama", "llamaa", "lllma", "illama"),
    "qwen": ("qwn", "quen", "qwenn", "qween", "qewn", "qven", "kwen"),
    "gemma": ("gema", "gemmma", "gmma", "gemna", "gemmaa"),
    "phi": ("phy", "phii"),
    "mistral": ("misteral", "mistrall"),
    "deepseek": ("deepsick", "deepsik", "depseek", "deapseek"),
}
_SHORT = {slip: name for name, slips in SHORT_FAMILIES.items() for slip in slips}


class Mender:
    """Knows the words of one vocabulary; `kept` are never taken for typing errors."""

    def __init__(self, words: frozenset[str], kept: frozenset[str]) -> None:
        self._words = words
        self._kept = kept

    @cached_property
    def _by_first_letter(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in sorted(self._words):
            if len(word) >= SHORT - 1:
                found.setdefault(word[0], []).append(word)
        return found

    def meant(self, word: str) -> str | None:
        """The one word that differs by a slip of the finger; none if there is not just one.

        A long family's name is one of them: `deepseak`. In a short one a letter makes another.
        """
        if word in self._kept:
            return None
        if not word.isascii():
            plain = _MARKS.sub("", unicodedata.normalize("NFKD", word))
            return plain if plain in self._words or plain in self._kept else None
        if (family := self._family(word)) is not None:
            return family
        if len(word) >= LONG - 1:
            like = [name for name in self._kept if len(name) >= LONG and _is_slip(word, name)]
            if len(like) == 1:
                return like[0]
        most = 2 if len(word) >= LONG else 1
        near = [
            known
            for known in self._by_first_letter.get(word[0], ())
            if abs(len(known) - len(word)) <= most
            and OSA.distance(word, known, score_cutoff=most) <= most
        ]
        if len(word) < SHORT:  # `lroa` yes, `lost` no
            near = [known for known in near if sorted(known) == sorted(word)]
        return near[0] if len(near) == 1 else None

    def _family(self, word: str) -> str | None:
        """The family's name that lacks a letter, has one twice, or two the other way round."""
        if word in _SHORT:
            return _SHORT[word]
        like = [
            name
            for name in self._kept
            if len(name) >= FAMILY and name[0] == word[0] and _is_dropped(word, name)
        ]
        return like[0] if len(like) == 1 else None


_THING = r"an?|the|my|this|\d+(?:\.\d+)?\s?[bm]|\d+x\d+b|(?!g(?:b|ib|ig))[a-z]{4,}[\d.]*"
_FOR = re.compile(
    rf"\b(vram|memory|mem|enough|much|needed|(?:what|which|wat|best) (?:gpu|card))( +)4( +)"
    rf"(?=(?:{_THING})\b)",
    re.IGNORECASE,
)

_DONE = (  # what is done with a model; `have 2 rtx 3090` counts cards
    "train|pretrain|pre-train|fine|finetune|fine-tune|tune|lora|qlora|dpo|sft|run|serve|infer|host|"
    "load|deploy|fit|use|try|make|get|know|put|start|quantize|estimate|calculate"
)
_TO = re.compile(
    rf"\b(how|want|need|trying|try|going|able|enough|like|wanna|have)( +)2( +)(?=(?:{_DONE})\b)",
    re.IGNORECASE,
)


_TIMES = re.compile(r"\b((?:bs|bsz|batch|batch size)[ =]*\d+) +[x×*] +(?=\d+(?:\.\d+)?k\b)",
                    re.IGNORECASE)  # fmt: skip


def spell_out(text: str, said: Said) -> str:
    """`vram 4 7b`, `trying 2 train`: numbers that stand for a word, as they are typed in chats."""
    for pattern, typed, meant in ((_FOR, "4", "for"), (_TO, "2", "to")):
        text, times = pattern.subn(rf"\g<1>\g<2>{meant}\g<3>", text)
        said.corrections += [(typed, meant)] if times else []
    return _TIMES.sub(r"\g<1> , ", text)  # `bsz 16 x 1k tokens`


def _is_slip(word: str, name: str) -> bool:
    return word[0] == name[0] and OSA.distance(word, name, score_cutoff=1) == 1


def _is_dropped(word: str, name: str) -> bool:
    """Whether a letter of `name` is missing, doubled, or in its neighbour's place."""
    if abs(len(word) - len(name)) > 1:
        return False
    apart = OSA.distance(word, name, score_cutoff=1) == 1
    return apart and (len(word) != len(name) or sorted(word) == sorted(name))
