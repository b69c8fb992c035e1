"""What no estimate here is about: models of pictures or speech, models nobody can load, prices."""

import re

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.atoms import atoms_of
from bot.reading.clean import echo
from bot.reading.facts import Fact, NotUnderstoodError, Said
from bot.reading.vocabulary import Vocabulary

OTHER_KIND = "other_kind"  # a fact: the name of a model that is no language model
CLOSED = "closed"  # of those: language models whose weights are not published
PRICE = "price"  # a fact: an amount of money, or that one is asked for
ASKED = "asked"
NOT_LANGUAGE = "not_language"  # the code of such refusals
PROGRAMS = (
    "comfyui",
    "controlnet",
    "stable diffusion",
    "gaming",
    "games",
    "mining",
)  # that may run beside what is asked
REFUSED = "refused"  # a fact: the sentence for a thing that does not exist, or has no estimate
INSTEAD = {  # the field that it was said of, and what to type instead
    "no_stage": ("strategy", ("zero1", "zero2", "zero3")),
    "no_optimizer": ("optimizer", ("adamw", "adamw_8bit", "adafactor")),
    "no_method": ("method", ("lora", "qlora", "full")),
}
MODEL = ("model", "half_name")

MONEY = (*"$€£¥₹", "dollar", "usd", "buck", "eur", "gbp")  # one of them is there
_PRICE = compiled(
    r"(?:[$€£¥₹]\s?\d[\d,.]*\s?k?\b)|(?:\b\d[\d,.]{0,15}\s?k?\s?(?:dollars?|usd|bucks|euros?|eur|gbp)\b)"
    r"(?:\s?(?:/|per|an?)\s?(?:h|hr|hour|month|mo|day))?",
    re.IGNORECASE,
)


def take_prices(text: str, said: Said) -> str:
    """`text` without amounts of money, which go to `said`."""

    def take(match: re.Match[str]) -> str:
        said.facts.append(Fact(PRICE, match[0], match[0]))
        return " , "

    words = text.casefold()
    return _PRICE.sub(take, text) if any(sign in words for sign in MONEY) else text


def other_kind(name: str, vocabulary: Vocabulary) -> str:
    """What kind `owner/FLUX.1-dev` is of, where its name begins as that of no language model."""
    atoms = atoms_of(name.partition("/")[2])
    match = vocabulary.longest(atoms, 0) if atoms else None
    kinds = () if match is None else match.meanings
    found = next((str(one.value) for one in kinds if one.field == OTHER_KIND), "")
    return "" if found == CLOSED else found


def refuse_others(said: Said, locale: Locale) -> None:
    """Raise for what there is none of, another kind of model, or a price without a model."""
    for fact in said.all_of(REFUSED):
        field, names = INSTEAD[str(fact.value)]
        message = locale.say_wrong(str(fact.value), word=echo(fact.text))
        raise NotUnderstoodError("unknown_name", message, field=field, names=names)
    if any(said.all_of(name) for name in MODEL):
        return
    others = said.all_of(OTHER_KIND)
    sized = bool(said.all_of("size"))
    for fact in others:
        beside = fact.value == CLOSED or fact.text.casefold() in PROGRAMS
        if not (sized and beside):
            message = locale.say_wrong(f"kind_{fact.value}", name=echo(fact.text))
            raise NotUnderstoodError(NOT_LANGUAGE, message)
    prices = said.all_of(PRICE)
    if prices and not sized:
        message = locale.say_wrong("price", price=echo(prices[0].text))
        raise NotUnderstoodError(NOT_LANGUAGE, message)


def others_aside(said: Said) -> list[Fact]:
    """Prices and closed models that are named beside what is asked."""
    amounts = [fact for fact in said.all_of(PRICE) if fact.value != ASKED]
    return [*amounts, *said.all_of(OTHER_KIND)]
