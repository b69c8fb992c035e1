"""Secrets taken out of a text before it is written anywhere.

What is a secret here: the bot's token, the Hugging Face Hub's, a database's address, and the
tokens of interactions and webhooks, with which anyone may answer in the bot's name for a quarter
of an hour.
discord.py writes Discord's into its log, in addresses and in bodies. Rather too much is taken
out than too little.
"""

import re
from collections.abc import Sequence

from bot.ops.token import TOKEN_LIKE

GONE = "[secret]"
PATTERNS = (  # each keeps what stands before the secret, so that the line can still be read
    re.compile(r"(/(?:interactions|webhooks)/[^/\s]+/)[^/\s?#'\"<>,;)\]}\\]+"),
    re.compile(
        r"(\bauthorization\\*['\"]?\s*[:=,]\s*(?:b?\\*['\"])?)"
        r"(?:(?:bot|bearer|basic)\s+)?[^\s'\",;)\]}\\]+",
        re.IGNORECASE,
    ),
    re.compile(r"(token\\*['\"]?\s*[:=]\s*b?\\*['\"])[^'\"\\\s]+", re.IGNORECASE),
    re.compile(r"(\bBot\s+)[\w-]+\.[\w-]+\.[\w-]+"),
    re.compile(r"()aW50ZXJhY3Rpb24[\w+/=-]+"),  # how every interaction's token begins
    re.compile(rf"(){TOKEN_LIKE.pattern}", re.ASCII),
    re.compile(r"(postgres(?:ql)?(?:\+\w+)?://)[^\s'\"]+"),  # with its password
    re.compile(r"()\b(?:hf|api_org)_[A-Za-z0-9]{8,}", re.ASCII),  # the Hugging Face Hub's
)


def redact(text: str, secrets: Sequence[str] = ()) -> str:
    """`text` without `secrets`, and without what looks like a secret."""
    for secret in secrets:
        text = text.replace(secret, GONE)
    for pattern in PATTERNS:
        text = pattern.sub(rf"\g<1>{GONE}", text)
    return text
