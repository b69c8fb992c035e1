"""A context that several have together: `10 users sharing 32k` has a tenth of it for each.

A request's context is each user's, so what is said of all is divided.
"""

import re
from typing import Any

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

TOGETHER = "length_together"  # a fact: the context said is that of all users
HINTS = ("shar", "split", "divid", "total", "combined", "altogether", "overall", "between", "among")

_N = r"(?:\d{1,5}|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|twenty|fifty|hundred)"
_WHO = (
    rf"\b{_N}\s+(?:concurrent\s+|parallel\s+|simultaneous\s+|active\s+)?(?:users?|usrs?|people"
    r"|persons?|clients?|streams?|sessions?|requests?|reqs|chats?|agents?|dev(?:eloper)?s|students"
    r"|colleagues|employees|customers|of us)\b"
)
_LENGTH = (  # four digits by themselves may be a card's name
    r"(?<![\w.])(?:\d{1,4}(?:\.\d+)?\s?k\b|\d{1,3}(?:,\d{3})+\b|\d{5,7}\b|[248](?:048|096|192)\b"
    r"|\d{4}(?=[ -]?(?:tok|ctx|context)))(?!\s?(?:gb|gib|mb|mib))"
)
_UNIT = r"(?:[ -]?(?:tokens?|tok)\b)?"
_OF = r"(?:\s+(?:of\s+)?(?:context|ctx|window|kv|cache|budget|length))*"
_NOT_ALL = r"(?!\s*(?:system|prefix|prompt|prefill|instruction|document))"
_SHARING = compiled(
    rf"(?P<who>{_WHO})\s+(?:who\s+|that\s+|all\s+|will\s+|would\s+|have\s+to\s+|to\s+)*"
    r"(?:shar(?:e|es|ing)|split(?:s|ting)?|divid(?:e|ing))\s+"
    r"(?:(?:a|an|one|the|of|total|single|same|combined|common|context|ctx|window|kv|cache)\s+)*"
    rf"(?P<len>{_LENGTH}){_UNIT}{_OF}{_NOT_ALL}",
    re.IGNORECASE,
)
_SHARED = compiled(
    rf"(?P<len>{_LENGTH}){_UNIT}{_OF}(?:\s+(?:in\s+)?(?:total|all|context|ctx))*,?\s+"
    r"(?:(?:is|gets|to be|being)\s+)?(?:shared|split|divided|spread|distributed)\s+"
    rf"(?:(?:by|among|amongst|between|across|over|with|equally|evenly|up|all)\s+)*(?P<who>{_WHO})",
    re.IGNORECASE,
)
_OVER = rf"\s+(?:across|over|among|between|for|with)\s+(?:all\s+|the\s+)*(?={_WHO})"
_TOTAL = compiled(  # of each by itself it is said as `total context`, too
    rf"(?P<len>{_LENGTH}){_UNIT}{_OF}\s+(?:(?:in\s+total|altogether|combined|overall)\b"
    r"|(?:between|among)\s+(?:them|us|all|everyone|everybody)\b"
    rf"|total{_UNIT}{_OF}{_OVER})"
    r"(?!\s+(?:batch|bs|steps?|params?|parameters|memory|vram|ram|gpus?|cards?|samples))"
    rf"|\b(?:total|combined|overall)\s+(?:(?:context|ctx|window|kv|cache|length|size|of|is|=)\s+)*"
    rf"(?P<len2>{_LENGTH}){_UNIT}(?:{_OF}{_OVER}|\s+(?:in|of)\s+(?:the\s+)?(?:kv|cache))",
    re.IGNORECASE,
)
_PREFIX = compiled(  # of each prompt, and held once
    rf"\bshar(?:e|es|ing)\s+(?:(?:a|an|one|the|same)\s+)*(?P<len>{_LENGTH}){_UNIT}\s+"
    r"(?:long\s+)?(?:system\s+prompt|system|prefix|prompt)\b",
    re.IGNORECASE,
)
_IN_AND_OUT = compiled(r"\b(?:prompts?|inputs?|outputs?|completions?|generat\w+)\b", re.IGNORECASE)
_USERS = compiled(_WHO, re.IGNORECASE)
_EACH = compiled(r"\b(?:each|per\s+(?:user|request|person|stream)|apiece)\b", re.IGNORECASE)


def take_together(text: str, said: Said) -> str:
    """`text` in the usual words; that the context is that of all is a fact."""
    words = text.casefold()
    if not any(hint in words for hint in HINTS) or not _USERS.search(text) or _EACH.search(text):
        return text
    text = _PREFIX.sub(r", shared prefix \g<len> , ", text)
    for pattern, usual in (
        (_SHARING, r"\g<who> , ctx \g<len> "),
        (_SHARED, r"ctx \g<len> , \g<who> "),
        (_TOTAL, lambda found: f" ctx {found['len'] or found['len2']} "),
    ):
        found = pattern.search(text)
        if found is not None and not (pattern is _TOTAL and _IN_AND_OUT.search(text)):
            said.add(TOGETHER, found[0].strip(), "")
            return pattern.sub(usual, text, count=1)
    return text


def settle_together(fields: dict[str, Any], said: Said, locale: Locale) -> None:
    """Each user's part of what all have together."""
    found, users, context = said.all_of(TOGETHER), fields.get("users"), fields.get("context")
    if not found or not isinstance(users, int) or not isinstance(context, int):
        return
    if users <= 1 or context < users or fields.get("task") == "train":
        return
    each = fields["context"] = context // users
    words = echo(str(found[0].value), 60)
    said.remarks.append(
        locale.say("length_together", words=words, whole=context, users=users, each=each)
    )
