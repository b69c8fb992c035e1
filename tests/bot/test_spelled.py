"""Numbers in words: how Portuguese, Spanish and French spell them."""

import pytest

from bot.reading.glossary import load_glossary
from bot.reading.spelled import spell_numbers

SPELLED = [
    ("pt-BR", "duas placas de vinte e quatro", "2 placas de 24"),
    ("pt-BR", "uma quatro mil e noventa", "uma 4090"),
    ("pt-BR", "dois mil e quarenta e oito tokens", "2048 tokens"),
    ("pt-BR", "cento e vinte e oito", "128"),
    ("pt-BR", "16 mil tokens", "16 mil tokens"),
    ("es-ES", "treinta y dos mil", "32000"),
    ("es-ES", "una treinta noventa", "una 3090"),
    ("es-ES", "ciento veintiocho", "128"),
    ("es-ES", "un modelo", "un modelo"),
    ("fr", "vingt-quatre gigas", "24 gigas"),
    ("fr", "quarante quatre-vingt-dix", "4090"),
    ("fr", "soixante-dix milliards", "70 milliards"),
    ("fr", "vingt et un", "21"),
    ("fr", "deux cents", "200"),
    ("de", "acht", "acht"),
]


@pytest.mark.parametrize(("code", "words", "digits"), SPELLED)
def test_a_number_in_words_is_put_in_digits(code: str, words: str, digits: str) -> None:
    assert spell_numbers(words, load_glossary(code)) == digits
