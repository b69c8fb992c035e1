"""The passes over a text that put usual words in the place of rarer ones, before it is read."""

from collections.abc import Container

from bot.locale import Locale
from bot.reading.beside_the_point import take_beside
from bot.reading.counted_apart import count_apart
from bot.reading.facts import Said
from bot.reading.kindred import take_kindred
from bot.reading.phrasings import phrase_usually
from bot.reading.pixels import take_pixels
from bot.reading.rewording import reword
from bot.reading.superlatives import take_superlative


def usual_words(text: str, families: Container[str], locale: Locale, said: Said) -> str:
    """`text` in words that the walk knows; what is read as what is noted."""
    text = take_pixels(phrase_usually(reword(take_beside(count_apart(text), locale, said))), said)
    return take_kindred(take_superlative(text, families, locale, said), said)
