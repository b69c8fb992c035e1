"""Parts and multiples of cards: `half an H100`, `80% of 24gb`, `two pairs of 3090s`.

A part of one card is what is free of it, or the share that a server takes; of several, that
many of them.
"""

import re

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.rooms import ROOM, SHARE, USED

PARTS = {"half": 0.5, "quarter": 0.25, "third": 1 / 3, "fifth": 0.2, "eighth": 0.125}
SETS = {"pair": 2, "couple": 2, "duo": 2, "trio": 3, "quad": 4}
NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple": 2,
           "pair": 2}  # fmt: skip
SERVERS = ("vllm", "sglang", "tensorrt", "trt")  # that take a share of the card
UTILIZATION = "utilization"
HINTS = ("%", "half", "quarter", "third", "fifth", "eighth")
SET_HINTS = ("pair", "couple", "duo", "trio", "quad")

_NAME = (
    r"(?:(?:nvidia|geforce|rtx|gtx|tesla|amd|radeon|instinct|quadro)\s+)*"
    r"(?:[ahlvtbp]\d{1,4}s?|g[hb]\d{3}|[1-9]0[5-9]0|mi\d{2,3}[ax]?)(?![\w.]*b\b)"
)
_SETS_OF = compiled(  # a number before one pair is another thing's: `--max-num-seqs 12 pair of`
    rf"\b(?:(?P<n>{'|'.join(NUMBERS)}|\d{{1,3}}(?=\s+(?:of\s+)?(?:{'|'.join(SETS)})s\b))"
    rf"\s+(?:of\s+)?)?(?P<set>{'|'.join(SETS)})s?\s+(?:of\s+)?"
    rf"(?={_NAME}|\d{{1,3}}\s?gb\b)",
    re.IGNORECASE,
)
_SHARE = (
    rf"(?P<percent>\d{{1,2}}(?:\.\d{{1,2}})?)\s?%|(?:(?P<n>a|one|two|three|four)\s+)?"
    rf"(?P<part>{'|'.join(PARTS)})s?"
)
_OF_ONE = compiled(
    rf"(?<![\w.])(?:{_SHARE})(?=\s)(?P<of>\s+of)?(?:\s+the\s+(?:v?ram|memory)\s+(?:of|on))?"
    r"\s+(?P<one>(?:(?:a|an|the|my|our|one|this|that|each)\s+)?"
    rf"(?:single\s+)?(?:{_NAME}|\d{{1,3}}\s?g(?:i?b)?\b|(?:gpu|card)\b(?!\s+(?:layers|blocks|time|hours))))",
    re.IGNORECASE,
)
_OF_SEVERAL = compiled(
    rf"\b(?P<part>half|quarter)\s+(?:of\s+)?(?:(?:the|my|our|those|these)\s+)?"
    rf"(?P<count>\d{{1,3}})\s*[x×]?\s*(?={_NAME}|(?:gpus|cards)\b)",
    re.IGNORECASE,
)
_COMPARED = compiled(r"\b(?:vs|versus|or|compare|compared)\b", re.IGNORECASE)
_HELD = compiled(  # by others, right before it
    r"\b(?:another|other|others|already|someone|somebody|else|desktop|browser|chrome|game|windows"
    r"|colleague|roommate|process|job|comfyui|display)\b[^,.;?!]{0,40}\b(?:us(?:es|ing|ed)|tak(?:es|en|ing)"
    r"|eat(?:s|ing)|occup(?:ies|ied|ying)|hold(?:s|ing)|reserv(?:es|ed|ing)|has|keeps|fills)\s+"
    r"(?:up\s+|about\s+|around\s+|almost\s+)*$",
    re.IGNORECASE,
)
_HALF = compiled(
    r"\bhalf\s+(?:(?:of\s+(?:it|that)|is|are|already)\s+)*"
    r"(?=(?:free|used|in use|taken|occupied)\b)",
    re.IGNORECASE,
)
_CARD = compiled(rf"\b{_NAME}", re.IGNORECASE)
BEFORE = 80  # characters that tell whose the share is


def take_card_parts(text: str, locale: Locale, said: Said) -> str:
    """`text` with cards as a line counts them; a part of one card is a fact.

    Beside other cards that it is compared with it is a fault: it would be taken of each.
    """
    words = text.casefold()
    if any(hint in words for hint in SET_HINTS):
        text = _SETS_OF.sub(_counted, text)
    if not any(hint in words for hint in HINTS):
        return text
    text = _OF_SEVERAL.sub(_some, _HALF.sub("50% ", text))
    found = _OF_ONE.search(text)
    share = 0 if found is None or _is_count(found) else _share(found)
    if found is None or not 0 < share < 1:
        return text
    if _COMPARED.search(text) and len(_CARD.findall(text)) > 1:
        message = locale.say_wrong("part_compared", words=echo(found[0]))
        said.faults.append(NotUnderstoodError("unsupported", message))
        return text
    held = _HELD.search(text[max(0, found.start() - BEFORE) : found.start()]) is not None
    if not held and any(server in words for server in SERVERS):
        said.add(UTILIZATION, share, found[0])
    else:
        said.add((USED if held else ROOM) + SHARE, share, found[0])
    return f"{text[: found.start()]}{found['one']}{text[found.end() :]}"


def _is_count(found: re.Match[str]) -> bool:
    """`a third 3090` is one more; a part is `of` it, or `half` of it."""
    return (
        found["of"] is None and (found["part"] or "").casefold() != "half" and not found["percent"]
    )


def _share(found: re.Match[str]) -> float:
    if found["percent"]:
        return float(found["percent"]) / 100
    times = NUMBERS[(found["n"] or "one").casefold()]
    return round(times * PARTS[found["part"].casefold()], 4)


def _counted(found: re.Match[str]) -> str:
    """`two pairs of` as `4x`; one alone is read as it is, but for `couple 4090s`."""
    word = (found["n"] or "one").casefold()
    count = NUMBERS[word] if word in NUMBERS else int(word)
    return f"{count * SETS[found['set'].casefold()]}x "


def _some(found: re.Match[str]) -> str:
    """`half of my 4` as `2x`; what does not come out stays."""
    count, part = int(found["count"]), PARTS[found["part"].casefold()]
    some = count * part
    return f"{int(some)}x " if some >= 1 and some == int(some) else found[0]
