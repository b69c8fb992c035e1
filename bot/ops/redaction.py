"""Secrets taken out of a text before it is written anywhere.

What is a secret here: the bot's token, the Hugging Face Hub's, a database's address, the ids of
sessions with Discord, and the tokens of interactions and webhooks, with which anyone may answer in
the bot's name for a quarter of an hour.
discord.py writes Discord's into its log, in addresses and in bodies. Rather too much is taken
out than too little.
"""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Sequence
from functools import cache
from urllib.parse import quote, quote_plus

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
    re.compile(r"(://)[^\s/?#'\"<>@:]*:[^\s/?#'\"<>@]+(?=@)"),  # of any other address
    re.compile(r"(\bsession[_ ]?(?:id)?\W{1,4})[0-9a-f]{32}\b", re.IGNORECASE),  # with Discord
    re.compile(r"()\b(?:hf|api_org)_[A-Za-z0-9]{8,}", re.ASCII),  # the Hugging Face Hub's
)


def redact(text: str, secrets: Sequence[str] = ()) -> str:
    """`text` without `secrets`, and without what looks like a secret."""
    for secret in secrets:
        for form in _forms(secret):
            text = text.replace(form, GONE)
    for pattern in PATTERNS:
        text = pattern.sub(rf"\g<1>{GONE}", text)
    return text


@cache
def _forms(secret: str) -> tuple[str, ...]:
    """How a secret is written in texts, in addresses, in JSON and in headers; the longest first."""
    body = secret.encode()
    packed = (b64encode(body).decode(), urlsafe_b64encode(body).decode())
    forms = {
        *(secret, quote(secret, safe=""), quote(secret), quote_plus(secret)),
        *(json.dumps(secret)[1:-1], repr(secret)[1:-1]),
        *(one.rstrip("=") for one in packed),
    }
    return tuple(sorted(forms, key=len, reverse=True))
