"""The colours of pictures.

A picture brings its own ground, so it looks the same on each of Discord's themes. The parts'
colours were searched for: of any two the distance is as large as we could make it, for eyes
that see all colours and for those that lack one of the three kinds of cones.
"""

from collections.abc import Mapping
from types import MappingProxyType

from bot.pictures.picture import Part

GROUND = "#232428"
LETTERS = "#F2F3F5"
FAINT_LETTERS = "#C4C9CE"
ROOM, ROOM_EDGE = "#3A3D44", "#A9AEB5"  # a card, empty
LINE = "#FFFFFF"

PARTS: Mapping[Part, str] = MappingProxyType(
    {
        Part.WEIGHTS: "#B3D3FF",
        Part.GRADIENTS: "#23C970",
        Part.OPTIMIZER: "#EDA10C",
        Part.ACTIVATIONS: "#FFFF83",
        Part.LOGITS: "#9A55A0",
        Part.CACHE: "#0678EC",
        Part.OTHER: "#989898",
    }
)
