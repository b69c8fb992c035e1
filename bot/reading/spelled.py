"""Numbers in words → digits: `trinta e dois` is 32, `quatre-vingt-dix` 90, `treinta noventa` 3090.

Only in languages that have a word for the joint in them. An article (`un`) is no number.
"""

import re
from functools import cache

from bot.reading.glossary import Glossary, load_glossary, plain
from estimator import THOUSAND

ARTICLE = 1  # by itself the word for one is an article
TEN, SCORE, HUNDRED = 10, 20, 100


def spell_numbers(text: str, glossary: Glossary) -> str:
    """`text` with its spelled numbers in digits."""
    if not glossary.joints:
        return text
    letters = plain(text)
    known = _values(glossary.code)
    if _numbers(glossary.code).isdisjoint(letters.replace("-", " ").split()):
        return text
    parts: list[str] = []
    end = 0
    for found in _spelled(glossary.code).finditer(letters):
        parts += [text[end : found.start()], str(_value(re.split("[ -]", found[0]), known))]
        end = found.end()
    return "".join([*parts, text[end:]])


@cache
def _values(code: str) -> dict[str, int]:
    """Each single word's number."""
    numerals = load_glossary(code).numerals
    return {plain(word): int(value) for word, value in numerals.items() if " " not in word}


@cache
def _numbers(code: str) -> frozenset[str]:
    """Words that a number can begin with."""
    return frozenset(word for word, value in _values(code).items() if value > ARTICLE)


@cache
def _spelled(code: str) -> re.Pattern[str]:
    """Words for numbers in a row, with the joints between them.

    The first is no article, nor the `mil` of `16 mil`, which has its number before it.
    """
    known = _values(code)
    words = sorted(known, key=len, reverse=True)
    first = "|".join(word for word in words if ARTICLE < known[word] < THOUSAND)
    thousand = "|".join(word for word in words if known[word] == THOUSAND)
    joint = "|".join(map(plain, load_glossary(code).joints))
    more = rf"(?:(?: (?:{joint}) |[ -](?:(?:{joint})-)?)(?:{'|'.join(words)}))*"
    return re.compile(rf"(?<![\w-])(?:{first}|(?<!\d )(?:{thousand})){more}(?!\w)")


def _value(words: list[str], known: dict[str, int]) -> int:
    """`quatre vingt dix` is 90, `dois mil e quarenta` 2040, `cuarenta noventa` 4090."""
    whole = part = last = 0
    for value in (known[word] for word in words if word in known):
        before = part - last
        if value == THOUSAND:
            whole, part, last = whole + max(part, 1) * value, 0, 0
        elif value in (SCORE, HUNDRED) and 1 < last < TEN:  # quatre-vingts, deux cents
            last *= value
            part = before * (HUNDRED if value == SCORE else 1) + last
        elif TEN <= value < HUNDRED and TEN <= last < HUNDRED and not _goes_on(last, value):
            part, last = part * HUNDRED + value, value
        else:
            part, last = part + value, value
    return whole + part


def _goes_on(last: int, value: int) -> bool:
    """The `dix` of `soixante-dix`, which is counted on from the tens."""
    return last % SCORE == 0 and value < SCORE < last
