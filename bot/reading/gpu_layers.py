"""Layers on the card in words of their own: `GPU offload 20/33`, `20 of 33 layers on the gpu`.

What LM Studio and llama.cpp call offloading goes to the card, where others offload to the host.
"""

import re

from bot.compiled import compiled

_OUT_OF = r"(?P<{name}>\d{{1,3}})\s?(?:/|of|out of)\s?(?:the\s|all\s|its\s)?\d{{1,3}}(?![\w/])"
_ON_CARD = r"(?:(?:on|in|to|onto|into)\s)(?:the\s|my\s)?(?:gpu|vram|card)s?\b"
_SHARE = compiled(
    rf"\b(?:gpu[ -](?:offload(?:ing|ed)?|layers)|offload(?:ed|ing|s)?)(?:[:= ]{{1,3}}|\sis\s)"
    rf"{_OUT_OF.format(name='said')}(?:\slayers?)?(?:\s{_ON_CARD})?"
    rf"|(?<![\w./]){_OUT_OF.format(name='put')}(?:\slayers?)?\s(?:offloaded\b(?:\s{_ON_CARD})?|{_ON_CARD})",
    re.IGNORECASE,
)
_ALL = compiled(
    r"\b(?:(?:full|max|maximum|complete|100 ?%)\s(?:gpu[ -])offload(?:ing|ed)?\b"
    r"|(?:fully|completely|entirely)\soffloaded\sto\s(?:the\s|my\s)?(?:gpu|vram|card)\b"
    r"|gpu[ -]offload(?:ing)?[:= ]{1,3}(?:max\b|full\b|all\b|100 ?%))",
    re.IGNORECASE,
)


def layers_on_card(text: str) -> str:
    """`text` with such words as `ngl 20` and `ngl all`."""
    words = text.casefold()
    if "offload" not in words and "layer" not in words:
        return text
    text = _SHARE.sub(lambda found: f" , ngl {found['said'] or found['put']} , ", text)
    return _ALL.sub(" , ngl all , ", text)
