"""What somebody says and takes back in one line → what was meant: `q5_k_m.. nah make it q4_k_m`.

Both would be read, and would contradict each other.
"""

import re

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
        r"\d+(?:\.\d+)?k|\d{3,7}",
        r"\d{1,3}",
    )
)
_KEYS = r"(?:bs|bsz|batch(?:\s+size)?|seq(?:\s?len)?|ctx|context|rank|r|ga|users|alpha)"
_TAKEN_BACK = tuple(
    re.compile(
        rf"(?<![\w.])(?P<key>(?:{_KEYS}\s*=?\s*)?)(?P<first>{kind})(?![\w.]*\w)"
        rf"(?P<between>[^\n]{{0,{MOST_BEFORE}}}?)[\s,.;:…!*(—-]*\b(?:{_WORDS})\b[\s,.;:…!]*"
        rf"(?:(?:a|an|the|its|it's|in|on|to|with|for|that's|thats|it is)\s+)*"
        rf"(?:{_KEYS}\s*=?\s*)?(?P<second>{kind})(?![\w.]*\w)\)?",
        re.IGNORECASE,
    )
    for kind in _KINDS
)
_ANY = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)


def take_back(text: str) -> str:
    """`text` with the second of two things in the place of the first; linear in its length."""
    if _ANY.search(text) is None:
        return text
    for pattern in _TAKEN_BACK:
        text = pattern.sub(r"\g<key>\g<second>\g<between> ", text)
    return text
