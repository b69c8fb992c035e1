"""How a model is spread over cards, as servers have it: `-ts 3,1`, `--split-mode row`.

Each is put in the words that a line has for it, before the other flags are looked at.
"""

import re
from collections.abc import Mapping
from math import prod
from typing import Any

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said

PARTS, EVERY_EXPERT = "layer_split", "every_expert"  # fields of facts
SPREADS = (EVERY_EXPERT,)  # that are no field of a request
HINTS = ("split", "-ts", "partition", "layers", "-sm", "expert", "-ep", "_ep")  # one is there
_FLAGS = re.IGNORECASE
_NUMBER = r"\d+(?:\.\d+)?"
_SPLIT = compiled(
    r"(?<![\w-])(?:export\s+)?(?:-ts|--?tensor[-_ ]split|tensor[-_ ]split|layer[-_ ]splits?"
    r"|(?:VLLM|SGLANG)_PP_LAYER_PARTITION)[\s=:]+"
    rf"[\"']?(?P<parts>{_NUMBER}(?:\s?[,/:]\s?{_NUMBER})*)[\"']?(?![\w.])",
    _FLAGS,
)
_LAYERS = compiled(
    rf"(?<![\w-])layers[\s=:]+(?P<parts>{_NUMBER}(?:[,/:]\s?{_NUMBER})+)(?![\w.])", _FLAGS
)
_SPLIT_OF_LAYERS = compiled(
    rf"(?<![\w-])splits?[\s=:]+(?P<parts>{_NUMBER}(?:\s?[,/:]\s?{_NUMBER})+)\s+layers?\b", _FLAGS
)
_SPREADING = compiled(r"(?<!\w)(?:pp|pipeline|split|across|over)(?!\w)", _FLAGS)
_MODE = compiled(
    r"(?<!\S)(?:-sm|--split[-_]mode)[\s=]+(?P<mode>none|layer|row|tensor)(?![\w-])", _FLAGS
)
_MODES = {
    "none": "strategy single",
    "layer": "device map",
    "row": "tensor parallel",
    "tensor": "tensor parallel",
}
_EXPERTS = compiled(
    r"(?<![\w-])(?:--?enable[-_]expert[-_]parallel|--?enable[-_]ep|enable expert parallel"
    r"|(?:with |and )?expert[- ]parallel(?:ism)?)(?![\w-])(?!\s*(?:size)?[\s=:]+\d)",
    _FLAGS,
)

Fields = dict[str, Any]


def take_splits(text: str, said: Said) -> str:
    """`text` without the parts of each card, which are facts; modes in words of a line."""

    def take(match: re.Match[str]) -> str:
        parts = re.split(r"\s?[,/:]\s?", match["parts"])
        said.facts.append(Fact(PARTS, ",".join(parts), match[0].strip()))
        return " , "

    words = text.casefold()
    if not any(hint in words for hint in HINTS):
        return text
    text = _SPLIT_OF_LAYERS.sub(take, _SPLIT.sub(take, text))
    if _SPREADING.search(text):
        text = _LAYERS.sub(take, text)
    text = _MODE.sub(lambda match: f" , {_MODES[match['mode'].casefold()]} , ", text)

    def note(match: re.Match[str]) -> str:
        said.facts.append(Fact(EVERY_EXPERT, "all", match[0].strip()))
        return " , "

    return _EXPERTS.sub(note, text)


def settle_card_splits(fields: Fields, said: Said, locale: Locale) -> None:
    """Parts as numbers; experts over all cards that there are, where that is how many."""
    if PARTS in fields:
        parts = [float(part) for part in str(fields[PARTS]).split(",")]
        fields[PARTS] = [int(part) if part == int(part) else part for part in parts]
    facts = said.all_of(EVERY_EXPERT)
    if not facts or "ep" in fields:
        return
    cards = _cards_of_experts(fields)
    if cards > 1:
        fields["ep"] = cards
    else:
        words = echo(facts[0].text)
        said.remarks.append(locale.say("experts_over_what", words=words))


def _cards_of_experts(fields: Mapping[str, Any]) -> int:
    """All cards of a stage: tensor parallel × data parallel, or as many as there are."""
    named = [int(fields[name]) for name in ("tp", "dp") if name in fields]
    cards = int(fields.get("world") or sum(c["count"] for c in fields.get("gpus", ())) or 1)
    if "tp" in fields or cards == 1:
        return prod(named)
    return cards // int(fields.get("pp") or 1)
