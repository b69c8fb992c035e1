"""Colours of pictures: legible on any theme, and told apart by everyone."""

import io
import itertools
import math
from collections.abc import Mapping

import pytest
from PIL import Image

from bot.pictures.drawing import draw
from bot.pictures.palette import FAINT_LETTERS, GROUND, LETTERS, LINE, PARTS, ROOM_EDGE
from bot.pictures.picture import Part
from bot.pictures.sample import SAMPLE

Triple = tuple[float, float, float]
THEMES = ("#313338", "#ffffff")  # the grounds of Discord's dark and light themes
LEAST_OF_LETTERS, LEAST_OF_SHAPES = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11
LEAST_APART = 25.0  # in CIELAB; some 2 can just be told apart side by side

# What eyes make of linear red, green and blue that lack one kind of cones, wholly.
# Source: Machado, Oliveira, Fernandes (2009), doi 10.1109/TVCG.2009.113, severity 1.0.
EYES: Mapping[str, tuple[Triple, Triple, Triple]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> Triple:
    """`#RRGGBB` as linear red, green and blue, from 0 to 1."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return red, green, blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, eyes: str) -> Triple:
    """A colour as such eyes see it, in CIELAB."""
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, linear(colour), strict=True))))
        for row in EYES[eyes]
    )
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (_cube_root(value) for value in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _cube_root(value: float) -> float:
    return value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116


def apart(one: str, other: str, eyes: str) -> float:
    pairs = zip(seen(one, eyes), seen(other, eyes), strict=True)
    return math.sqrt(sum((a - b) ** 2 for a, b in pairs))


def test_the_measures_measure() -> None:
    """White on black, known distances, and red that protanopes take for green."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert apart("#000000", "#ffffff", "all cones") == pytest.approx(100, abs=0.1)
    assert apart("#b05000", "#708000", "all cones") > 2 * apart("#b05000", "#708000", "protanopia")
    assert contrast(*THEMES) == pytest.approx(12.6, abs=0.1)


@pytest.mark.parametrize("theme", THEMES)
def test_a_picture_is_the_same_on_each_theme(theme: str) -> None:
    """It has a ground of its own: nothing of the theme shows through, not even at the corners."""
    with Image.open(io.BytesIO(draw(SAMPLE))) as drawn:
        picture = drawn.convert("RGBA")
    below = Image.new("RGBA", picture.size, theme)
    below.alpha_composite(picture)
    assert below.tobytes() == picture.tobytes()
    assert picture.getpixel((0, 0)) == (*bytes.fromhex(GROUND[1:]), 255)


@pytest.mark.parametrize("letters", [LETTERS, FAINT_LETTERS])
def test_letters_are_legible(letters: str) -> None:
    assert contrast(letters, GROUND) >= LEAST_OF_LETTERS


@pytest.mark.parametrize("shape", [*PARTS.values(), ROOM_EDGE, LINE])
def test_shapes_stand_out(shape: str) -> None:
    assert contrast(shape, GROUND) >= LEAST_OF_SHAPES


def test_every_part_has_a_colour() -> None:
    assert set(PARTS) == set(Part)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(Part, 2)))
def test_parts_are_told_apart(one: Part, other: Part, eyes: str) -> None:
    assert apart(PARTS[one], PARTS[other], eyes) >= LEAST_APART
