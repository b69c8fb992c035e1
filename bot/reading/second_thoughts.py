"""What somebody says and takes back in one line → what was meant: `q5_k_m.. nah make it q4_k_m`.

Both would be read, and would contradict each other.
"""

import re

from bot.compiled import compiled

MOST_BEFORE = 60  # characters in which what is taken back stands
_BACK = (
    *("no wait", "wait no", "nah make it", "nah", "no make it", "make it", "make that"),
    *("scratch that", "sorry", "i mean", "i meant", "or rather", "correction", "oops", "whoops"),
    *("actually make it", "no actually", "actually no", "nvm", "wait", "err", "no no", "typo"),
)
_WORDS = "|".join(re.escape(word).replace(r"\ ", r",?\s+") for word in sorted(_BACK, key=len)[::-1])
_CARD = (
    r"(?:(?:nvidia|rtx|gtx|tesla|radeon)\s+)?(?:[ahlvtp]\d{2,3}[a-z]?|l4|t4|[1-5]0[5-9]0|mi\d{2,3}x?)"
    r"(?:\s?(?:ti|super|sxm|pcie))?s?(?:\s+\d{2,3}\s?gb)?"
)
_KINDS = tuple(
    rf"(?:{kind})"
    for kind in (
        r"i?q\d\w*|fp8|fp16|bf16|int[48]|awq|gptq|nf4|mxfp4|\d(?:\.\d+)?\s?bpw|\d-?bit",
        rf"(?:\d{{1,3}}\s?[x×]?\s+|\d{{1,3}}\s?[x×]\s?)?{_CARD}",
        r"\d+(?:\.\d+)?b",
        r"(?:full|q?lora|dora)",
    )
)
_NUMBER = r"\d+(?:\.\d+)?k?"
_KEYS = r"(?:bs|bsz|batch(?:\s+size)?|seq(?:\s?len)?|ctx|context|rank|r|ga|users|alpha)"
_MARK = (
    rf"[\s,.;:…!*(—-]*\b(?:{_WORDS})\b[\s,.;:…!]*(?:(?:{_WORDS})[\s,.;:…!]*)?"
    r"(?:(?:a|an|the|its|it's|in|on|to|with|for|that's|thats|it is)\s+)*"
)


def _without(kind: str) -> str:
    """What stands between the two: nothing of the same kind, so that the nearest is meant."""
    return rf"(?:(?!(?<![\w.]){kind}(?![\w.]*\w))[^\n]){{0,{MOST_BEFORE}}}?"


_TAKEN_BACK = (
    *(
        compiled(
            rf"(?<![\w.])(?P<first>{kind})(?![\w.]*\w)(?P<between>{_without(kind)}){_MARK}"
            rf"(?P<second>{kind})(?![\w.]*\w)\)?",
            re.IGNORECASE,
        )
        for kind in _KINDS
    ),
    compiled(  # `bs 4, seq 4k, no wait bs 2`
        rf"\b(?P<key>{_KEYS})\s*=?\s*(?P<first>{_NUMBER})\b(?P<between>[^\n]{{0,{MOST_BEFORE}}}?)"
        rf"{_MARK}(?P=key)\s*=?\s*(?P<second>{_NUMBER})\b(?!\s?b\b)\)?",
        re.IGNORECASE,
    ),
    compiled(  # `bs 8, no wait, 4`
        rf"\b(?P<key>{_KEYS})\s*=?\s*(?P<first>{_NUMBER})\b(?P<between>[^\d\n]{{0,{MOST_BEFORE}}}?)"
        rf"{_MARK}(?P<second>{_NUMBER})\b(?!\s?(?:b|gb|x)\b)\)?",
        re.IGNORECASE,
    ),
    compiled(  # `at 4096, actually make it 8k`
        rf"(?<![\w.])(?P<first>\d{{3,7}}|\d+k)\b(?P<between>[^\d\n]{{0,{MOST_BEFORE}}}?)"
        rf"{_MARK}(?P<second>\d{{3,7}}|\d+k)\b\)?",
        re.IGNORECASE,
    ),
)
_ANY = compiled(rf"\b(?:{_WORDS})\b", re.IGNORECASE)


def take_back(text: str) -> str:
    """`text` with the second of two things in the place of the first; linear in its length."""
    if _ANY.search(text) is None:
        return text
    for pattern in _TAKEN_BACK:
        text = pattern.sub(_second, text)
    return text


def _second(found: re.Match[str]) -> str:
    """The second in the place of the first, behind the key that both have."""
    key = found.groupdict().get("key")
    return f"{key or ''} {found['second']}{found['between']} "
