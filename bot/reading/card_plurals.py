"""Several cards by a name whose last word has the plural: `4070 ti supers`, `two 6000 Adas`.

Without this the word of the grade would be an unknown one, and the card another.
"""

import re

from bot.compiled import compiled
from bot.reading.rules import Rule

_GRADES = r"ti[ -]?super|super|ti|xtx|xt|gre|ada|blackwell"
_GRADED = compiled(
    rf"(?P<card>\b(?:rtx |gtx |rx |quadro |a)?\d{{4}}[ -]?(?:{_GRADES}))['’]?s\b", re.IGNORECASE
)
_CHIPS = compiled(r"(?P<chip>\bm[1-6] (?:pro|max|ultra))['’]?s\b(?! (?:ram|memory))", re.IGNORECASE)
_TITANS = compiled(r"\btitan (?P<kind>rtx|v|xp)s\b", re.IGNORECASE)

RULES: tuple[Rule, ...] = (  # one of the words is there
    (("super", "ti", "xt", "gre", "ada", "blackwell"),
     _GRADED, r"\g<card>"),
    ((" pro", " max", " ultra"), _CHIPS, r"\g<chip>"),
    (("titan",), _TITANS, r"titan \g<kind>"),
)  # fmt: skip
