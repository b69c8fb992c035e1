"""A model that was trained before, and is to be run: `q8_0 of our private finetune of qwen3-8b`.

The word tells where the weights come from and asks for no training, where a format or a program
that only runs models is named, and nothing that trains.
"""

import re

from bot.compiled import compiled

HINTS = ("finetun", "fine-tun", "fine tun")
_TUNE = r"fine[- ]?tun"
_OWNED = compiled(
    rf"\b(?P<whose>(?:my|our|a|an|the|this|that|their|his|her|some|any|own|private|custom|local"
    rf"|internal|personal|unpublished|domain|company)\s+(?:(?!full\b)[a-z]{{2,12}}\s+){{0,2}}?)"
    rf"{_TUNE}(?:es?|ed|ing)\b(?:\s+(?:version|copy|variant|checkpoint|weights))?(?:\s+of\b)?",
    re.IGNORECASE,
)
_BEHIND = compiled(
    rf"(?<=[\w)]\s){_TUNE}e(?=\s+(?:as|in|at|gguf|awq|gptq|exl2|i?q\d)\b)", re.IGNORECASE
)
_BEFORE = compiled(rf"\b{_TUNE}ed\s+(?=[\w./-]+)", re.IGNORECASE)
_RUN = compiled(
    r"(?<![a-z])(?:i?q[2-8]_\w+|gguf|awq|gptq|exl[23]|vllm|sglang|llama[.-]?cpp|llama-server|ollama"
    r"|lm ?studio|koboldcpp|tgi|serv(?:e|ing)|inference|infer|host(?:ing)?)(?![a-z])",
    re.IGNORECASE,
)
_TRAIN = compiled(
    r"(?<![a-z])(?:[qr]?s?lora|dora|train(?:ing|er)?|epochs?|batch|bs|adam\w*|unsloth|axolotl|trl"
    r"|sft|dpo|grpo|grad\w*|checkpointing|zero ?[123]|fsdp|accum\w*|full)(?![a-z])",
    re.IGNORECASE,
)


def without_tuned(text: str) -> str:
    """`text` without that its model was trained, where it is to be run."""
    words = text.casefold()
    if not any(hint in words for hint in HINTS):
        return text
    if _RUN.search(text) is None or _TRAIN.search(text) is not None:
        return text
    return _BEFORE.sub("", _BEHIND.sub("", _OWNED.sub(r"\g<whose>", text)))
