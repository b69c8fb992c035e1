"""A question in another language → the same in the words of an English line.

`4张3090 微调 7B` becomes `4x 3090 finetune 7B`: grammar by rules, numbers by their signs, then
the longest phrases by the glossary. What no phrase says stays where letters are Latin, since
it may be a name; in other scripts it is left aside, and said.
"""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache

from bot.compiled import compiled
from bot.reading.atoms import LONGEST_NUMBER
from bot.reading.counting import count_in_digits
from bot.reading.facts import Said, Unread
from bot.reading.glossary import ANY_END, Glossary, Rule, load_glossary, plain
from bot.reading.languages import ENGLISH, language_of
from bot.reading.slips import mend_words
from bot.reading.spelled import spell_numbers

MOST_WORDS = 8  # of a phrase
SHORTEST_STEM = 2  # letters
LAST_LATIN = "\u024f"
SENTENCE = 2  # fillers that make one: unknown words in it are left aside
LEAST_SAID = 2  # letters of what is left aside and said; less is a particle
_LETTER = "(?:[^\\W\\d_]|[\u0900-\u0903\u093a-\u094f])"  # with the vowel signs of Hindi
_WORD = compiled(rf"(?<![\w/.@]){_LETTER}+(?:['’]{_LETTER}+)?(?![\w/@]|\.\w)")
_FOREIGN = compiled("(?:(?![a-zA-Z])[^\\W\\d_]|[\u0900-\u097f])+")
_ENDING = compiled("[\u3041-\u309f\u30fc]+|[\uac00-\ud7a3]{1,4}(?![\uac00-\ud7a3])")
_KANA = compiled("[\u3041-\u309f\u30fc]+")  # grammar, where no phrase says it
_LATIN = compiled("[A-Za-z\u00c0-\u024f]")


def gloss(text: str, said: Said, kept: AbstractSet[str] = frozenset()) -> str:
    """`text` in English words; what was left aside goes to `said`.

    `kept`: English words and names, beside which other words may have typing errors; none are
    mended without.
    """
    code = language_of(text)
    if code == ENGLISH:
        return text
    glossary = load_glossary(code)
    said.fillers += SENTENCE
    typed = text
    text = glossary.as_written(text)
    if kept and not glossary.parted:
        text = mend_words(text, code, said, kept)
    text = spell_numbers(text, glossary)
    letters = plain(text)
    for rule, pattern in _rules(code):
        if not rule.when or any(word in letters for word in rule.when):
            text, count = pattern.subn(rule.put, text)
            letters = plain(text) if count else letters
    text = count_in_digits(" ".join(text.split()), glossary)
    if glossary.spaced:
        return _of_words(text, code, said)
    text = _of_letters(text, code, said)
    said.unread = [replace(one, text=_as_typed(one.text, typed, glossary)) for one in said.unread]
    return text


def _as_typed(part: str, typed: str, glossary: Glossary) -> str:
    """`part` in the letters of `typed`, which may be variants of those that phrases have."""
    at = glossary.as_written(typed).find(part)
    return part if at < 0 else typed[at : at + len(part)]


@cache
def _rules(code: str) -> tuple[tuple[Rule, re.Pattern[str]], ...]:
    """What is found, in which no number goes on for ever: from each digit it would again."""
    return tuple(
        (rule, re.compile(rule.find.replace(r"\d+", rf"\d{{1,{LONGEST_NUMBER}}}"), re.IGNORECASE))
        for rule in load_glossary(code).rules
    )


@dataclass(slots=True)
class _Node:
    """`stems`: beginnings of words that may follow; `lengths`: theirs, the longest first.

    `starts`: how those begin, so that most words need not be cut.
    """

    following: dict[str, "_Node"] = field(default_factory=dict)
    stems: dict[str, "_Node"] = field(default_factory=dict)
    lengths: tuple[int, ...] = ()
    starts: set[str] = field(default_factory=set)
    english: str | None = None

    def grown(self, part: str) -> "_Node":
        """The node that stands for what follows by `part`, made where there is none."""
        stem = part.removesuffix(ANY_END)
        if stem == part:
            return self.following.setdefault(part, _Node())
        self.lengths = tuple(sorted({len(stem), *self.lengths}, reverse=True))
        self.starts.add(stem[:SHORTEST_STEM])
        return self.stems.setdefault(stem, _Node())


@cache
def _trie(code: str) -> _Node:
    """Phrases over words, or over letters where none stand between words."""
    glossary: Glossary = load_glossary(code)
    root = _Node()
    for phrase, english in glossary.entries():
        if not glossary.spaced:
            _grow(root, phrase, english)
            continue
        node = root
        for part in phrase.split():
            node = node.grown(part)
        node.english = english
    return root


def _grow(root: _Node, phrase: str, english: str) -> None:
    """Adds a phrase of letters; where it has a space, or another script begins, texts may."""
    ends = [root]
    for at, letter in enumerate(phrase):
        if letter != " ":
            ends = [node.following.setdefault(letter, _Node()) for node in ends]
        after = phrase[at + 1 : at + 2]
        if letter == " " or (after.isalnum() and letter.isascii() != after.isascii()):
            ends += [node.following.setdefault(" ", _Node()) for node in ends]
    for node in ends:
        node.english = english


def _of_words(text: str, code: str, said: Said) -> str:
    """The same with each phrase of whole words in English."""
    letters, root = plain(text), _trie(code)
    words = list(_WORD.finditer(text))
    parted = load_glossary(code).parted
    parts: list[str] = []
    at = end = 0
    while at < len(words):
        start = words[at].start()
        inside = not parted and letters[start - 1 : start] == "-"
        length, english = (0, "") if inside else _longest(root, words, at, letters, parted=parted)
        if length == 0:
            at += 1
            continue
        parts += [text[end:start].removesuffix("-"), f" {english} "]
        end = words[at + length - 1].end()
        said.typed.setdefault(english.casefold(), text[words[at].start() : end])
        end += text[end : end + 1] == "-"  # of `Laptop-4060` and `KV-Cache`
        at += length
    return _without_foreign("".join([*parts, text[end:]]), said)


def _longest(
    root: _Node, words: list[re.Match[str]], at: int, letters: str, *, parted: bool
) -> tuple[int, str]:
    """How many words the longest phrase at `at` has, and its English; 0 where there is none."""
    best, english = 0, ""
    nodes, end = [root], words[at].start()
    for length, word in enumerate(words[at : at + MOST_WORDS], start=1):
        start, before = word.start(), end
        end = word.end()
        if letters[before:start].strip(" -"):
            break
        nodes = _after(nodes, letters[start:end])
        if not parted and letters[end : end + 1] == "-":
            continue
        for node in nodes[:1] if nodes and nodes[0].english is not None else nodes:
            if node.english is not None:
                best, english = length, node.english
                break
        if not nodes:
            break
    return best, english


def _after(nodes: Iterable[_Node], word: str) -> list[_Node]:
    """What follows each of `nodes` by `word`, then by its beginnings, the longest first."""
    found: list[_Node] = []
    for node in nodes:
        if word in node.following:
            found.append(node.following[word])
        if word[:SHORTEST_STEM] in node.starts:
            cut = (word[:length] for length in node.lengths if length <= len(word))
            found += [node.stems[stem] for stem in cut if stem in node.stems]
    return found


def _of_letters(text: str, code: str, said: Said) -> str:
    """The same where words are not kept apart: the longest phrase at each letter."""
    letters, root = plain(text), _trie(code)
    parts: list[str] = []
    at = end = 0
    while at < len(text):
        inside = letters[at].isascii() and _inside(letters, at)
        length, english = (0, "") if inside else _phrase_at(root, letters, at)
        if length:
            parts += [_less_ending(text, end, at), f" {english} "]
            end = at + length
        at += max(1, length)
    return _without_foreign("".join([*parts, _less_ending(text, end, len(text))]), said)


def _less_ending(text: str, start: int, end: int) -> str:
    """`text` between two phrases, less an ending that hangs on the word before `start`."""
    ending = _ENDING.match(text, start, end) if text[start - 1 : start].isalnum() else None
    return text[start if ending is None else ending.end() : end]


def _phrase_at(root: _Node, letters: str, at: int) -> tuple[int, str]:
    """How many letters the longest phrase at `at` has, and its English; 0 where there is none."""
    node, length, english = root, 0, ""
    for end in range(at + 1, len(letters) + 1):
        following = node.following.get(letters[end - 1])
        if following is None:
            break
        node = following
        if node.english is None:
            continue
        ends = not (letters[end - 1].isascii() and _inside(letters, end) and letters[end].isalpha())
        if ends:
            length, english = end - at, node.english
    return length, english


def _inside(letters: str, at: int) -> bool:
    """Whether `at` is within a run of Latin letters and digits: before the `ft` of `sft`."""
    pair = letters[at - 1 : at + 1] if at else ""
    return len(pair) > 1 and pair.isascii() and pair.isalnum()


def _without_foreign(text: str, said: Said) -> str:
    """`text` without letters that no English line has; of more than a few it is said."""
    text = " ".join(text.split())
    if max(text, default="") <= LAST_LATIN:
        return text

    def take(match: re.Match[str]) -> str:
        if _LATIN.search(match[0]):
            return match[0]
        if len(match[0]) >= LEAST_SAID and not _KANA.fullmatch(match[0]):
            said.unread.append(Unread(match[0]))
        return " "

    return _FOREIGN.sub(take, text)
