"""`int3`, `Q9_K`, `mxfp6`: words built like a number format that there is none of.

In a sentence such a word would be left aside like any other, and the model counted in 16 bits.
"""

import re

from rapidfuzz import fuzz, process

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.atoms import atoms_of
from bot.reading.clean import echo
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.vocabulary import Vocabulary
from estimator import Catalog

MOST_OFFERED = 3
SLOT, CALLED = "weights", "number format"
_BUILT_SO = compiled(
    r"(?<![\w./:@=\-])(?:ud[-_])?(?:i?q|tq|u?int|fp|bf|nf|mxfp|mxint|nvfp)\d{1,2}"
    r"(?:_(?:[0-9]|[a-z]{1,3}))*(?![\w/:@]|[.\-]\w)",
    re.IGNORECASE,
)


def refuse_unknown_formats(
    text: str, vocabulary: Vocabulary, catalog: Catalog, locale: Locale, said: Said
) -> str:
    """`text` without such words, of which the first is noted as wrong."""

    def take(found: re.Match[str]) -> str:
        word = found[0]
        atoms = list(atoms_of(word))
        match = vocabulary.longest(atoms, 0)
        if match is not None and match.length == len(atoms):
            return word
        near = _nearest(word, catalog)
        message = locale.say_wrong(
            "unknown_in_slot",
            word=echo(word),
            slot=CALLED,
            closest=", ".join(f"`{name}`" for name in near),
        )
        error = NotUnderstoodError("unknown_name", message, field=SLOT, names=near)
        said.faults.append(error)
        return " , "

    return _BUILT_SO.sub(take, text)


def _nearest(word: str, catalog: Catalog) -> list[str]:
    """Names of formats that are spelled most like `word`."""
    names = [name.removeprefix("gguf:") for name in catalog.formats.ids]
    hits = process.extract(word.upper(), names, scorer=fuzz.ratio, limit=MOST_OFFERED)
    return [name for name, _, _ in hits]
