"""`4bit` on a card that is too old for integers of four bits: the usual file of GGUF.

Who says only how many bits means no format, and on such cards files are what people run.
"""

from typing import Any

from bot.reading.bits import BITS, OF_GGUF, bits_of, says_bnb
from bot.reading.facts import Said
from estimator import Catalog

OLDEST = (7, 5)  # compute capability from which kernels for `int4` exist


def settle_old_cards(fields: dict[str, Any], said: Said, catalog: Catalog) -> None:
    """A file in place of `int4`, where that was said in bits alone, and the engine is open."""
    if fields.get("task") != "infer" or fields.get("weights") != BITS["4bit"]:
        return
    plain = {str(f.value) for f in said.all_of("precision") if bits_of(f) is not None}
    if plain != {"4bit"} or said.all_of("weights") or says_bnb(said) or "engine" in fields:
        return
    cards = [catalog.gpus.get(str(card["id"])) for card in fields.get("gpus") or ()]
    known = [card.capability for card in cards if card is not None and card.capability]
    if known and min(known) < OLDEST:
        fields["weights"] = OF_GGUF["4bit"]
