"""Pictures have a letter for everything that they can show, in every language."""

import pytest
from fontTools.ttLib import TTFont

from bot.locale import ENGLISH, load_locale
from bot.pictures.choosing import IN_ENGLISH, drawn_in
from bot.pictures.fonts import BESIDE, FOLDER, fonts_of
from tests.locales.documents import OTHERS
from tests.locales.fonts import letters_of

LATIN = range(0x250)  # and Cyrillic: Liberation Sans has them
CYRILLIC = range(0x400, 0x530)
SIGNS = frozenset("\u202f–—…≥≤×·“”„«»‘’→−≈")  # those of all fonts that sentences use


@pytest.mark.parametrize("code", BESIDE)
def test_a_language_with_letters_of_its_own_brings_them(code: str) -> None:
    shown = {ord(letter) for letter in letters_of(code) if letter not in SIGNS}
    for style in ("regular", "bold"):
        (file,) = FOLDER.glob(f"{code}-{style}.*")
        with TTFont(file) as font:
            assert shown <= set(font.getBestCmap())
            assert font["name"].getBestFamilyName() == BESIDE[code]
    assert BESIDE[code] in fonts_of(code)


@pytest.mark.parametrize("code", [code for code in OTHERS if code not in (*BESIDE, *IN_ENGLISH)])
def test_the_others_are_written_in_letters_of_the_librarys_font(code: str) -> None:
    strange = {letter for letter in letters_of(code) if ord(letter) not in (*LATIN, *CYRILLIC)}
    assert strange <= SIGNS


def test_what_cannot_be_drawn_is_drawn_in_english() -> None:
    assert drawn_in(load_locale("hi")).code == ENGLISH
    assert drawn_in(load_locale("ja")).code == "ja"
