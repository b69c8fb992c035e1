"""Which language a question is in: by its script, or by words that English does not have."""

import re
from collections import Counter
from functools import cache

from bot.reading.glossary import glossaries, plain

ENGLISH = "en"
_WORD = re.compile(r"(?<![\w/.:@-])[^\W\d_]+(?![\w/@])")
_SCRIPTS = (  # the first that a text holds; Han alone is Chinese
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh-CN", re.compile("[\u3400-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)


def language_of(text: str) -> str:
    """The code of the language that most of `text`'s words tell; linear in its length."""
    if not text.isascii():
        for code, letters in _SCRIPTS:
            if letters.search(text):
                return code
    told = _telling_words()
    found = Counter(code for word in _WORD.findall(text) for code in told.get(plain(word), ()))
    return found.most_common(1)[0][0] if found else ENGLISH


@cache
def _telling_words() -> dict[str, tuple[str, ...]]:
    told: dict[str, list[str]] = {}
    for glossary in glossaries():
        for word in dict.fromkeys(map(plain, glossary.told_by)):
            told.setdefault(word, []).append(glossary.code)
    return {word: tuple(codes) for word, codes in told.items()}
