"""A picture that is drawn before anyone asks for one, so that all that it takes is loaded."""

from bot.pictures.picture import Bar, Label, Limit, Part, Picture, Piece
from bot.pictures.vega import specification

SAMPLE = specification(
    Picture(
        title="A",
        subtitle="b",
        bars=(Bar("c", "1", tuple(Piece(part, 1) for part in Part), strong=True),),
        limits=(Limit("d", 1),),
        labels=tuple(Label(part, part) for part in Part),
        dashed="e",
        alt="",
    )
)
