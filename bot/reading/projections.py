"""Projections by their letters: `lora on q,v`, `q/k/v/o`, `qkvo only` → `targets q_proj v_proj`.

Read where adapters are spoken of and the query is among them; keys and values alone are a cache's.
"""

import re

from bot.compiled import compiled

HINTS = ("lora", "dora", "target", "adapter", "ia3", "vera")  # one of them is there
_ONE = r"(?:q|k|v|o|gate|up|down)"
_PROJ = r"(?:[ _-]?proj(?:ection)?s?)?"
_BEFORE = (
    r"(?:(?<!\w)(?:targets?|targeting|target[ _]modules?|modules|on|only|just|for|to)"
    r"\s?[:=]?\s?(?:the\s)?(?:att(?:entio)?n\s)?)?"
)
_BEHIND = r"(?:\s(?:only|alone|projections?|projs?|matrices|modules|layers|weights)\b){0,2}"
_LISTED = compiled(
    rf"{_BEFORE}(?<![\w.-])(?P<names>{_ONE}{_PROJ}(?:(?:\s?[,/+&]\s?|\s(?:and|&)\s|,\sand\s|\s)"
    rf"{_ONE}{_PROJ}){{1,6}})(?![\w-]){_BEHIND}",
    re.IGNORECASE,
)
_GLUED = compiled(rf"{_BEFORE}(?<![\w.-])(?P<names>qv|qkv|qkvo|qko|qvo|qo|qk)(?![\w-]){_BEHIND}")
_FUSED = compiled(
    rf"{_BEFORE}(?<![\w.-])(?P<names>c_attn|query_key_value|w_?qkv|qkv_proj|w_pack)(?![\w-]){_BEHIND}",
    re.IGNORECASE,
)
_NAME = compiled(rf"{_ONE}(?![a-z])", re.IGNORECASE)


def take_projections(text: str) -> str:
    """`text` with such letters as names of modules."""
    words = text.casefold()
    if ("q" not in words and "c_attn" not in words and "w_pack" not in words) or not any(
        hint in words for hint in HINTS
    ):
        return text
    text = _LISTED.sub(_named, text)
    if alone := _FUSED.search(text) if "target" not in words else None:
        text = _FUSED.sub(f" targets {alone['names']} , ", text, count=1)
    return _GLUED.sub(_spelled, text)


def _named(found: re.Match[str]) -> str:
    if "_proj" in found["names"]:
        return found[0]
    names = [name[0].casefold() for name in _NAME.finditer(found["names"])]
    return _targets(names) if "q" in names else found[0]


def _spelled(found: re.Match[str]) -> str:
    return _targets(list(found["names"]))


def _targets(names: list[str]) -> str:
    return f" targets {' '.join(f'{name}_proj' for name in dict.fromkeys(names))} , "
