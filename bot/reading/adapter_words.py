"""`lora adapters` without a number format are LoRA, and beside a server's `--enable-lora` nothing.

As a key the word wants a format, `adapters bf16`; people say it of what is trained or loaded.
"""

import re

from bot.compiled import compiled

_FORMAT = r"(?:fp|bf|int|float|half|dtype|weights|size|file|served|off|in (?:fp|bf|float|half)|\d)"
_TRAINED = compiled(
    r"\b(?P<method>q?lora|dora|rslora|adalora|vera)[ -]adapters?\b(?![-\w])"
    rf"(?!\s{{0,2}}[:=]?\s{{0,2}}{_FORMAT})",
    re.IGNORECASE,
)
_LOADED = compiled(r"\b(?:lora[ -])?adapters?\b(?! served)(?<!served adapters)", re.IGNORECASE)
_SERVING = ("enable-lora", "enable_lora", "max-loras", "max_loras", "lora-modules")


def take_adapter_words(text: str) -> str:
    """`text` without such words."""
    words = text.casefold()
    if "adapter" not in words:
        return text
    if any(flag in words for flag in _SERVING):
        return _LOADED.sub(" ", text)
    return _TRAINED.sub(r"\g<method>", text)
