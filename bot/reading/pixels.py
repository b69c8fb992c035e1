"""How large images are: `images of 1024x1024`, `max_pixels=128*28*28` → tokens of each."""

import re
from typing import Any

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said
from estimator import Catalog

PIXELS = "pixels"  # a fact: of one image
WORDS = ("pixel", "px", "image", "picture", "photo", "screenshot")  # one of them is there
_N = r"\d{1,7}"
_PRODUCT = rf"{_N}(?:\s?[x×*]\s?{_N}){{1,2}}"
_SAID = compiled(
    rf"(?:\b(?:max|min)[ _]?pixels\s?[=:]?\s?(?P<key>{_PRODUCT}|\d{{4,9}}))"
    rf"|(?P<unit>{_PRODUCT}|\d{{4,9}})\s?(?:pixels?|px)\b"
    rf"|(?P<size>{_N}\s?[x×]\s?{_N})(?=\s(?:images?|pictures?|photos?|screenshots?)\b)"
    rf"|(?<=images )(?:(?:of|at)\s)?(?P<of>\d{{2,5}}\s?[x×]\s?\d{{2,5}})\b",
    re.IGNORECASE,
)  # fmt: skip
_NUMBER = compiled(r"\d+")


def take_pixels(text: str, said: Said) -> str:
    """`text` without sizes of images, which go to `said` as pixels of each."""

    def take(found: re.Match[str]) -> str:
        words = found["key"] or found["unit"] or found["size"] or found["of"]
        pixels = 1
        for number in _NUMBER.findall(words):
            pixels *= int(number)
        said.add(PIXELS, pixels, found[0].strip())
        return " "

    words = text.casefold()
    return _SAID.sub(take, text) if any(word in words for word in WORDS) else text


def settle_pixels(
    fields: dict[str, Any], model: str, said: Said, catalog: Catalog, locale: Locale
) -> None:
    """Images of so many pixels as tokens, where the model tells how many pixels a token has."""
    facts, row = said.all_of(PIXELS), catalog.models.get(model)
    if not facts:
        return
    pixels, words = int(str(facts[0].value)), echo(facts[0].text)
    tower = None if row is None else row.architecture.tower
    if tower is None or not tower.token_side or pixels < tower.token_side**2:
        said.remarks.append(locale.say("pixels_aside", words=words, pixels=pixels))
        return
    tokens = -(-pixels // tower.token_side**2)
    fields.setdefault("images", 1)
    fields.setdefault("image_tokens", tokens)
    said.remarks.append(locale.say("pixels_taken", words=words, pixels=pixels, tokens=tokens))
