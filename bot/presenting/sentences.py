"""How sentences begin and end, language by language."""

from bot.locale import Locale

ENDS = tuple(".?!。？！।")


def capital(text: str) -> str:
    """A part of a sentence as its beginning."""
    return f"{text[:1].upper()}{text[1:]}"


def inner(text: str, locale: Locale) -> str:
    """What begins a sentence, or is a heading, inside of one: German keeps its capitals."""
    if locale.capital_nouns or text[:2].isupper():
        return text
    return f"{text[:1].lower()}{text[1:]}"


def ended(text: str, locale: Locale) -> str:
    """A text with the language's stop, unless it ends a sentence already."""
    return text + locale.say("stop") if text and not text.endswith(ENDS) else text


def open_ended(text: str) -> str:
    """A sentence as a heading: without its stop."""
    return text.rstrip("".join(ENDS)) if text.endswith((".", "。", "।")) else text
