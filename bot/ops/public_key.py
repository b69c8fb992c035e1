"""The application's public key: what Discord signs its calls over HTTP for."""

import re

WHERE_IT_IS = (
    "It stands in the developer portal (https://discord.com/developers/applications), in your "
    "application, under General Information, as Public Key: 64 digits and letters from a to f"
)
KEY = re.compile(r"[0-9a-f]{64}")


def check_public_key(text: str) -> str:
    """A check that a text is such a key, written small; raises ValueError with words."""
    key = text.strip().lower()
    if not KEY.fullmatch(key) or not _is_point(bytes.fromhex(key)):
        raise ValueError(f"is no public key. {WHERE_IT_IS}")
    return key


def _is_point(key: bytes) -> bool:
    """Whether signatures can be for it: of all texts of that length one in sixteen is a key."""
    from nacl.bindings import crypto_core_ed25519_is_valid_point  # noqa: PLC0415  (seldom needed)

    return bool(crypto_core_ed25519_is_valid_point(key))
