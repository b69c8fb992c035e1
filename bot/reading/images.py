"""Images in a sequence, and images that a data set has: `4 images`, `10k images`."""

from typing import Any

from bot.reading.facts import Fact, Said, Value
from bot.reading.line import Line
from bot.reading.quantity import unit_at
from bot.reading.vocabulary import JOINING

IMAGES = "images"
IMAGE_TOKENS = "image_tokens"
JOINTS = ("of", "at", "with", "in")  # between images and their length
WORDS = ("image", "images", "pictures", "photos")
MOST = 64  # images that one sequence is likely to hold, where a line does not say `per sample`

Fields = dict[str, Any]


def field_of_images(line: Line, name: str, at: int, value: Value, end: int) -> str:
    """What a `name` from `at` to `end` is: images in each sequence or of a data set, or theirs."""
    if name == "length" and is_of_images(line, at):
        return IMAGE_TOKENS
    if name != IMAGES:
        return name
    words = [atom.text for atom in line.atoms[at:end]]
    set_of = unit_at(line.atoms, end, line.vocabulary) == "samples"
    many = isinstance(value, (int, float)) and value > MOST
    return "dataset" if "per" not in words and (set_of or many) else IMAGES


def is_of_images(line: Line, at: int) -> bool:
    """Whether a length at `at` is that of an image: `3 images of 1024 tokens`."""
    behind = at
    while behind and line.atoms[behind - 1].text in JOINTS and not line.atoms[behind].apart:
        behind -= 1
    if not 0 < behind < at or line.atoms[behind].apart:
        return False
    if line.fact_end != behind:
        return line.atoms[behind - 1].text in WORDS
    last = next(fact for fact in reversed(line.said.facts) if fact.field not in JOINING)
    return last.field == IMAGES


def settle_images(fields: Fields, said: Said, *, seeing: bool) -> None:
    """`4 images` beside a model that sees none are said to be left aside; `images 4` is kept."""
    fact = next((fact for fact in said.facts if fact.field == IMAGES), None)
    if seeing or IMAGES not in fields or fact is None or not fact.text[:1].isdigit():
        return
    own = [fact, *(one for one in said.facts if one.field == IMAGE_TOKENS)]
    said.facts += [Fact("unused", one.value, one.text) for one in own if one.text[:1].isdigit()]
    del fields[IMAGES]
    if len(own) > 1 and own[1].text[:1].isdigit():
        fields.pop(IMAGE_TOKENS, None)
