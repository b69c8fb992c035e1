"""`7b lora @ 2048`, `bs 4, 4096`: a round number without a word that can only be tokens."""

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said
from estimator import KIB, THOUSAND

SAYING = ("length", "seq", "context", "prompt", "new_tokens", "flag")  # lengths that were said
LEAST, MOST = 512, 10 * THOUSAND * THOUSAND
STEP = 256  # of the lengths that people type, where they are no round thousands
_PLAIN = compiled(r"\d{1,3}(?:[,_'’ ]\d{3})+|\d{3,8}")
_PARTING = compiled(r"[,_'’ ]")


def settle_bare_length(said: Said, locale: Locale) -> None:
    """The one such number of a line that says no length becomes its length, and that is said."""
    if any(fact.field in SAYING and fact.value != "disk" for fact in said.facts) or said.doubted:
        return
    lengths = {text: number for text in said.loose if (number := _length(text)) is not None}
    if len(lengths) != 1:
        return
    ((text, number),) = lengths.items()
    said.add("length", number, text)
    said.loose[:] = [one for one in said.loose if one != text]
    said.remarks.append(locale.say("bare_length", number=echo(text)))


def _length(text: str) -> int | None:
    """The number of tokens that `text` may be: 2048, 4,096, 8000, 131072; not 1660."""
    if _PLAIN.fullmatch(text) is None:
        return None
    number = int(_PARTING.sub("", text))
    binary = number % STEP == 0 and (number >= KIB or number == LEAST)
    round_number = number % THOUSAND == 0
    return number if LEAST <= number <= MOST and (binary or round_number) else None
