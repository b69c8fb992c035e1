"""Which language a question is in: by its script, or by words that English does not have."""

import re
from collections import Counter
from functools import cache

from bot.compiled import compiled
from bot.reading.glossary import ANY_END, LANGUAGES, plain, read_glossary

ENGLISH = "en"
_WORD = compiled(r"(?<![\w/.:@-])[^\W\d_]+(?![\w/@])")
_NAMES = compiled(r"flux[ .\d-]{0,4}kontext", re.IGNORECASE)  # of words that tell a language
_SCRIPTS = (  # the first that a text holds; Han alone is Chinese
    ("ja", compiled("[\u3041-\u30ff]")),
    ("ko", compiled("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")),
    ("zh-CN", compiled("[\u3400-\u9fff]")),
    ("ru", compiled("[\u0400-\u04ff]")),
    ("hi", compiled("[\u0900-\u097f]")),
)
_SIGNS = (  # what one of the languages in Latin letters alone writes; what of it to look for first
    ("es-ES", ("¿", "¡", "ñ"), compiled("[¿¡ñ]")),
    ("pt-BR", ("ã", "õ"), compiled("[ãõ]")),
    ("fr", ("'", "’"), compiled("(?<!\\w)(?:[cdjlmnst]|qu)['’](?=[a-zà-ÿ])")),
    ("fr", ("œ", "ù", "û"), compiled("[œùû]")),
    ("fr", ("go", "mo"), compiled(r"\d\s?[gm]o\b")),
)
_OF_ENGLISH = frozenset(
    (
        *("the", "how", "much", "many", "what", "which", "why", "does", "can", "could", "would"),
        *("should", "is", "are", "of", "for", "with", "and", "to", "my", "it", "this", "that"),
        *("need", "enough", "if", "not", "be", "or", "you", "your", "has", "have", "from", "by"),
        *("at", "there", "when", "new", "available"),
    )
)


def language_of(text: str) -> str:
    """The code of the language that most of `text`'s words tell; English where none do."""
    return told_language(text) or ENGLISH


def told_language(text: str) -> str | None:
    """The same, and None where no word tells one; linear in the length of `text`."""
    if not text.isascii():
        for code, letters in _SCRIPTS:
            if letters.search(text):
                return code
    told = _telling_words()
    folded = text.casefold()
    words = _WORD.findall(_NAMES.sub(" ", folded))
    bare = words if text.isascii() else map(plain, words)
    found = Counter(
        code
        for word, without_accents in zip(words, bare, strict=True)
        for code in told.get(word) or told.get(without_accents, ())
    )
    for code, marks, sign in _SIGNS:
        if any(mark in folded for mark in marks):
            found[code] += len(sign.findall(folded))
    english = sum(map(_OF_ENGLISH.__contains__, words))
    code, most = found.most_common(1)[0] if found else (ENGLISH, 0)
    if most and most >= english:
        return code
    return ENGLISH if english else None


@cache
def _telling_words() -> dict[str, tuple[str, ...]]:
    """The languages that a word tells; one with an accent tells only where it is typed so.

    Any word of a glossary with an accent tells its language, since English has none. Nothing else
    of the glossaries is kept before somebody asks in that language.
    """
    told: dict[str, list[str]] = {}
    for glossary in map(read_glossary, LANGUAGES):
        known = (
            word for phrases in glossary.phrases.values() for word in " ".join(phrases).split()
        )
        accented = (word for word in known if not word.isascii() and ANY_END not in word)
        for word in dict.fromkeys(map(str.casefold, (*glossary.told_by, *accented))):
            told.setdefault(word, []).append(glossary.code)
    same = {codes: codes for codes in map(tuple, told.values())}  # few, of ten thousand words
    return {word: same[tuple(codes)] for word, codes in told.items()}
