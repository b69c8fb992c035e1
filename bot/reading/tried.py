"""What was tried and failed, or only wished for: the `bs 8` of `bs 8 -> oom. so bs 2?`.

Where another value of the same setting is said, that one is meant.
"""

import re

from bot.compiled import compiled

_KEYS = r"(?:bs|bsz|batch(?:\s+size)?|seq(?:\s?len)?|ctx|context|rank|r|ga|users|alpha)"
_FAILS = (
    r"(?:oom(?:ed|s|ing)?|out of memory|crash(?:ed|es|ing)|fail(?:ed|s|ing)|died|dies|dying|blew up"
    r"|(?:is |was )?too (?:big|much|high)|(?:didn['’]?t|doesn['’]?t|does not|did not) fit|no go)\b"
)
_TRIED = compiled(
    rf"(?:\b(?:tried|with|at)\s+)?\b(?P<key>{_KEYS})\s*=?\s*(?P<n>\d{{1,7}}k?)\s*"
    r"(?P<beside>(?:[,/]?\s*(?:bs|sl|seq|ctx|ga|r)\s*=?\s*\d{1,7}k?\s*)?)"
    r"(?:->|=>|→|:|=|-)?\s*(?:(?:was|is|got|gave|gives|just|also|still|keeps?|kept|an?)\s+){0,3}"
    + _FAILS,
    re.IGNORECASE,
)
_FAILING = compiled(_FAILS, re.IGNORECASE)
_SAID = compiled(rf"\b({_KEYS})\s*=?\s*(\d{{1,7}}k?)\b", re.IGNORECASE)
_IN_BRACKETS = compiled(
    rf"\(\s*(?:{_KEYS}\s*=?\s*)?\d{{1,7}}\s*k?\s*{_FAILS}[^)]{{0,20}}\)", re.IGNORECASE
)
_WISHED = compiled(  # `wanted a 70b but no money so … 32b`
    r"\b(?:originally\s+)?"
    r"(?:wanted|was hoping for|was going for|would love|wish i could run)\b"
    r"[^\n.;]{0,60}?\bbut\b(?=[^\n]{0,200}?\d\s?b\b)",
    re.IGNORECASE,
)
_FAILED = ("oom", "out of memory", "crash", "fail", "die", "dying", "too ", "blew", " fit", "no go")


def without_tried(text: str) -> str:
    """`text` without settings that failed, where another is said; linear in its length."""
    words = text.casefold()
    if " but " in words:
        text = _WISHED.sub(" ", text)
    if any(hint in words for hint in _FAILED) and _FAILING.search(text):
        text = _IN_BRACKETS.sub(" , ", text)
        said = {(found[1].casefold(), found[2]) for found in _SAID.finditer(_TRIED.sub(" ", text))}
        text = _TRIED.sub(lambda found: _unless_last(found, said), text)
    return text


def _unless_last(found: re.Match[str], said: set[tuple[str, str]]) -> str:
    """Nothing in its place; where no other value is said, it is what is asked about."""
    key = found["key"].casefold()
    others = any(other == key and value != found["n"] for other, value in said)
    return f" , {found['beside']} " if others else found[0]
