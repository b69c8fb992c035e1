"""Amounts of memory that are no card's: `the file is 20gb`, `leave 4gb free`, `no gpu, 32gb`.

Each would be taken for a card, and added to those that are there.
"""

import re

from bot.compiled import compiled
from bot.reading.facts import Fact, Said

REMARK = "told_amount"  # the sentence's key
_GB = r"\d{1,4}(?:\.\d{1,2})?\s?(?:gb|gigs?)\b"
_ABOUT = r"(?:about\s+|around\s+|like\s+|roughly\s+|~\s?)?"
_TOLD = compiled(
    rf"\b(?:file|download|model|gguf|quant|game|app|it|that|which|calculator|hf|\d{{1,3}}b)\s+"
    rf"(?:says\s+(?:it\s+)?)?(?:is|takes|needs|uses|wants|eats|weighs)\s+{_ABOUT}{_GB}"
    rf"|\b{_GB}\s+(?:download|file|on disk)\b|\bbut\s+need\s+{_ABOUT}{_GB}",
    re.IGNORECASE,
)
_ANY = compiled(
    rf"(?<![\w.]){_GB}|(?<![\w.])(?:[1-5]0[5-9]0|[ahlv]\d{{2,3}})(?![\w.]*\d)", re.IGNORECASE
)
_SIZE = compiled(r"\d{1,3}b\b", re.IGNORECASE)
_LEFT = compiled(
    rf"\b(?:leave|leaving|keep|keeping|reserve)\s+(?:me\s+|at least\s+)?{_ABOUT}(?P<a>{_GB})"
    rf"(?:\s+(?:free|unused|spare|over))?|\b(?:with|and)\s+{_ABOUT}(?P<b>{_GB})\s+to spare\b"
    rf"|\bmust have\s+(?P<c>{_GB})\s+free(?:\s+after)?\b",
    re.IGNORECASE,
)
_NO_CARD = compiled(
    r"\b(?:cpu only|only (?:a )?cpu|cpu alone|no gpus?|without (?:a |any )?gpu|no vram"
    r"|no graphics card|cpu inference|(?<!experts )(?<!moe )(?<!layers )(?<!weights )on cpu)\b",
    re.IGNORECASE,
)
_NAMED = compiled(
    r"(?<![\w.])(?:[1-5]0[5-9]0|[ahlvtp]\d{2,3}|mi\d{2,3}|rtx|gtx|m[1-5])\b", re.IGNORECASE
)
_BARE = compiled(
    rf"(?<![\w.])(?<![x×] )(?P<gb>{_GB})(?!\s*(?:of\s+)?(?:ram|ddr|vram|memory|card|gpu))",
    re.IGNORECASE,
)


def take_told(text: str, said: Said) -> str:
    """`text` with each as what it is: in use, of the machine, or left aside, which is said."""
    words = text.casefold()
    if "gb" not in words and "gig" not in words:
        return text
    text = _LEFT.sub(lambda f: f" , {f['a'] or f['b'] or f['c']} in use , ", text)
    if _NO_CARD.search(text) and _NAMED.search(text) is None:
        text = _BARE.sub(r"\g<gb> ram", text)
    rest = _TOLD.sub(" , ", text)
    if rest == text or _ANY.search(rest) is None:
        return text
    for found in _TOLD.finditer(text):
        said.facts.append(Fact("remarked", REMARK, found[0].strip()))
    kept = [size[0] for f in _TOLD.finditer(text) if (size := _SIZE.match(f[0]))]
    return f"{' '.join(kept)} {rest}" if kept else rest
