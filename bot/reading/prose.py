"""The passes over a text that put usual words in the place of rarer ones, before it is read."""

from collections.abc import Container

from bot.locale import Locale
from bot.reading import asides, card_plurals, chat, machine_names, phrasings, rewording
from bot.reading.adapter_words import take_adapter_words
from bot.reading.beside_the_point import take_beside
from bot.reading.card_epithets import count_before_epithets
from bot.reading.claims import compare_claims
from bot.reading.counted_apart import count_apart
from bot.reading.facts import Said
from bot.reading.gpu_layers import layers_on_card
from bot.reading.kindred import take_kindred
from bot.reading.pixels import take_pixels
from bot.reading.projections import take_projections
from bot.reading.rules import by_rules
from bot.reading.second_thoughts import take_back
from bot.reading.superlatives import take_superlative
from bot.reading.tokenizers import take_tokenizer
from bot.reading.tried import without_tried
from bot.reading.tuned_already import without_tuned

RULES = (
    *machine_names.RULES,
    *(*asides.RULES, *card_plurals.RULES, *chat.RULES, *rewording.RULES, *phrasings.RULES),
)


def usual_words(text: str, families: Container[str], locale: Locale, said: Said) -> str:
    """`text` in words that the walk knows; what is read as what is noted."""
    text = count_before_epithets(take_back(without_tried(without_tuned(text))))
    text = take_adapter_words(layers_on_card(count_apart(compare_claims(text))))
    text = take_beside(take_projections(text), locale, said)
    text = take_pixels(by_rules(take_tokenizer(text, said), RULES), said)
    return take_kindred(take_superlative(text, families, locale, said), said)
