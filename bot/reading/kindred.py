"""Ways to train that hold what another does: `orpo`, `kto`, `gspo` → the words for that one."""

import re

from bot.compiled import compiled
from bot.reading.facts import Said

KINDRED = {  # what is typed, and what holds the same tensors
    "dpo, precomputed reference": ("orpo", "simpo", "cpo", "odds ratio preference optimization"),
    "dpo": ("ipo", "kto", "apo", "robust dpo", "rpo"),
    "grpo": ("rloo", "gspo", "dapo", "dr grpo", "dr. grpo", "cispo", "reinforce++", "grpo++"),
    "zero3 nvme offload": ("zero infinity", "zero-infinity", "deepspeed infinity"),
    "zero3": ("zero++", "zeropp", "zero plus plus"),
}
_USUAL = {name: usual for usual, names in KINDRED.items() for name in names}
_NAMES = compiled(
    r"(?<![\w/.-])(?:"
    + "|".join(re.escape(name) for name in sorted(_USUAL, key=len, reverse=True))
    + r")(?![\w/]|[.-]\w)",
    re.IGNORECASE,
)


def take_kindred(text: str, said: Said) -> str:
    """`text` with the usual words in their place; what was read as what is noted."""

    def take(found: re.Match[str]) -> str:
        usual = _USUAL[found[0].casefold()]
        said.corrections.append((found[0], usual))
        return f" {usual} "

    words = text.casefold()
    return _NAMES.sub(take, text) if any(name in words for name in _USUAL) else text
