"""An adapter merged into its model: `merge lora into 70B` trains nothing, it loads the model.

The nearest thing with an estimate is the model in 16 bits with one token, which is what is
counted, and said. What was merged before serving is the model alone.
"""

import re

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import NotUnderstoodError, Said

_VERB = r"(?:merg(?:e|es|ing)|fus(?:e|ing)|bak(?:e|ing))"
_ADAPTER = (
    r"(?:peft|q?lora|dora|rslora)(?:[ _-](?:adapters?|weights?))?|adapters?(?:[ _-]weights?)?"
)
_MERGE = compiled(
    rf"\b{_VERB}\b(?:\s+(?:a|an|the|my|our|your|back|in|this|that|its|trained|finetuned|\d+)\b)*\s+"
    rf"(?:{_ADAPTER})\b(?:\s+(?:back|weights))*(?:\s+(?:in)?to\b|\s+with\b)?"
    rf"|\b(?:{_ADAPTER})\s+(?:merg(?:e|ing)|fus(?:e|ing))\b|\bmerge_and_unload\b(?:\s*\(\s*\))?"
    r"|\bmerge[ _]lora(?:s|\.py)?\b|\bsave_pretrained_merged\b"
    r"|\b(?:export|sav(?:e|ing))\s+(?:(?:a|the|my)\s+)?merged\b",
    re.IGNORECASE,
)
_MERGED = compiled(
    rf"\b(?:with\s+)?(?:(?:a|an|the|my)\s+)?(?:already\s+)?merged\s+(?:{_ADAPTER})\b"
    rf"|\b(?:with\s+)?(?:(?:a|an|the|my)\s+)?(?:{_ADAPTER})\s+(?:already\s+)?merged(?:\s+in(?:to)?)?\b",
    re.IGNORECASE,
)
_MODELS = compiled(
    rf"\bmergekit\b|\b{_VERB}\s+(?:two|three|several|multiple|some|\d{{1,2}})\s+(?:[\w.-]+\s+)?"
    r"(?:models|llms|checkpoints)\b",
    re.IGNORECASE,
)
_ALONE = compiled(rf"\b(?:{_ADAPTER})\b", re.IGNORECASE)
_RANK = compiled(r"\b(?:lora[ _])?(?:rank|alpha|r)\s?[=:]?\s?\d{1,4}\b", re.IGNORECASE)
_TRAINS = compiled(
    r"\b(?:train(?:ing)?|fine[- ]?tun(?:e|ing)|tun(?:e|ing)|sft|dpo|grpo)\b", re.IGNORECASE
)
_SERVES = compiled(
    r"\b(?:serv(?:e|ing)|infer(?:ence)?|vllm|sglang|tgi|ollama|llama[. ]?cpp|gguf)\b", re.IGNORECASE
)
_ENGINE = compiled(r"\b(?:transformers|mlx)\b", re.IGNORECASE)


def take_merging(text: str, locale: Locale, said: Said) -> str:
    """`text` as a line that loads the model; what was taken for what is noted."""
    words = text.casefold()
    if not any(verb in words for verb in ("merg", "fus", "bak")):
        return text
    if found := _MODELS.search(text):
        message = locale.say_wrong("merged_models", words=echo(found[0]))
        said.faults.append(NotUnderstoodError("unsupported", message))
        return text
    if _TRAINS.search(text):
        return text
    serves = _SERVES.search(text) is not None
    if found := _MERGED.search(text):
        said.remarks.append(locale.say("merged_before", words=echo(found[0].strip())))
        return f"infer {_MERGED.sub(' , ', text)}"
    found = _MERGE.search(text)
    if found is None:
        return text
    rest = _ALONE.sub(" , ", _RANK.sub(" , ", _MERGE.sub(" , ", text)))
    if serves:
        said.remarks.append(locale.say("merged_before", words=echo(found[0].strip())))
        return rest
    said.remarks.append(locale.say("merging", words=echo(found[0].strip())))
    engine = "" if _ENGINE.search(text) else ", transformers"
    return f"infer {rest} {engine}, ctx 1"
