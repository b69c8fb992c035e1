"""`8 GB in fp32 and 4 in fp16?`: sizes that somebody claims, a format each → the formats, compared.

Each amount would be taken for a card.
"""

import re

from bot.compiled import compiled

_FORMAT = r"(?:fp32|fp16|bf16|fp8|int8|int4|nf4|f16|\d{1,2}[- ]?bits?|q\d(?:_\w{1,6})?|half|full)"
_GB = r"\s?(?:gi?b|gigs?)"
_CLAIM = rf"\d{{1,5}}(?:\.\d{{1,3}})?(?:{_GB})?\s+(?:(?:in|at|for|with)\s+)?{_FORMAT}"
_JOINT = r"\s*(?:,|;|and|&|plus|or|,\s*and)\s*"
_CLAIMS = compiled(rf"(?<![\w.]){_CLAIM}(?:{_JOINT}{_CLAIM}){{1,4}}(?![\w.]*\d)", re.IGNORECASE)
_SAYS_GB = compiled(rf"\d{_GB}", re.IGNORECASE)
_OF_CLAIM = compiled(rf"\s({_FORMAT})(?=\W|$)", re.IGNORECASE)


def compare_claims(text: str) -> str:
    """`text` with such formats against each other, without what is claimed of them."""
    return _CLAIMS.sub(_formats, text)


def _formats(found: re.Match[str]) -> str:
    if _SAYS_GB.search(found[0]) is None:
        return found[0]
    return " , " + " vs ".join(_OF_CLAIM.findall(found[0])) + " "
