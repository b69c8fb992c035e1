"""Names for the keys of lines, rules and cards, in one language."""

from collections.abc import Sequence

from bot.compiled import compiled
from bot.locale import Locale
from bot.presenting.sentences import inner
from estimator import Gpu

MAKERS = ("NVIDIA GeForce ", "NVIDIA ", "AMD Instinct ", "AMD Radeon ", "AMD ", "Tesla ", "Intel ")
UNSAID = " Generation"  # of `RTX 6000 Ada Generation`
GGUF = compiled(r"\bgguf:(?!(?:F32|F16|BF16)\b)")  # those are other formats without it


def line_name(key: str, locale: Locale, *, serving: bool = False) -> str:
    """A line's name: its own, or that of its kind (`weights_nf4_dq`: Weights in nf4_dq)."""
    names = locale.reply.line_names
    own = (names.get(f"serving_{key}") if serving else None) or names.get(key)
    if own is not None:
        return own
    for prefix, shape in locale.reply.line_prefixes.items():
        if key.startswith(prefix):
            name = key.removeprefix(prefix)
            return shape.format(name=name, words=_in_words(name, locale, serving=serving))
    return key


def _in_words(key: str, locale: Locale, *, serving: bool) -> str:
    """A line's name behind that of its model: `Draft's KV cache`; a state's name as it is."""
    named = line_name(key, locale, serving=serving)
    if named == key:
        return key.replace("_", " ")
    return inner(named, locale)


def rule_name(rule: str, about: Sequence[str], locale: Locale) -> str:
    """A rule of thumb's name, and what it is about where that is not this run."""
    names = locale.reply
    return ", ".join((names.rules.get(rule, rule), *(names.rules_about[key] for key in about)))


def formats_named(text: str) -> str:
    """A text with number formats as people type them: `Q5_K_S` for `gguf:Q5_K_S`."""
    return GGUF.sub("", text)


def card_name(name: str) -> str:
    """A card as people say it: without its maker, and in short."""
    for maker in MAKERS:
        name = name.removeprefix(maker)
    return name.removesuffix(UNSAID)


def card_names(cards: Sequence[Gpu]) -> list[str]:
    """Several cards as people say them."""
    return [card_name(card.name) for card in cards]
