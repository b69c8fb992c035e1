"""Images in a sequence, and images that a data set has: `4 images`, `10k images`."""

from typing import Any

from bot.reading.facts import Fact, Said, Value
from bot.reading.line import Line
from bot.reading.quantity import unit_at

IMAGES = "images"
MOST = 64  # images that one sequence is likely to hold, where a line does not say `per sample`

Fields = dict[str, Any]


def field_of_images(line: Line, at: int, value: Value, end: int) -> str:
    """What images from `at` to `end` are: in each sequence, or of a data set."""
    words = [atom.text for atom in line.atoms[at:end]]
    set_of = unit_at(line.atoms, end, line.vocabulary) == "samples"
    many = isinstance(value, (int, float)) and value > MOST
    return "dataset" if "per" not in words and (set_of or many) else IMAGES


def settle_images(fields: Fields, said: Said, *, seeing: bool) -> None:
    """`4 images` beside a model that sees none are said to be left aside; `images 4` is kept."""
    fact = next((fact for fact in said.facts if fact.field == IMAGES), None)
    if seeing or IMAGES not in fields or fact is None or not fact.text[:1].isdigit():
        return
    del fields[IMAGES]
    said.facts.append(Fact("unused", fact.value, fact.text))
