"""What each side of a comparison is called: what it alone has, as people say it."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.locale import Locale
from bot.presenting.names import card_name, formats_named
from bot.reading.write import write_line
from estimator import Answer, Catalog


def side_names(
    own: Sequence[Mapping[str, Any]],
    answers: Sequence[Answer | None],
    catalog: Catalog,
    locale: Locale,
) -> list[str]:
    """A name for each: `lora bs 4`, `2× RTX 3090 + RTX 4090`, `4 cards`.

    `own`: of each request the fields that another has otherwise. What one leaves open is
    called by the default that was taken.
    """
    fields = list(dict.fromkeys(name for one in own for name in one))
    whole = [
        _with_taken(one, answer, fields) if answer is not None else dict(one)
        for one, answer in zip(own, answers, strict=True)
    ]
    alike = {n for n in fields if len({repr(one.get(n)) for one in whole}) == 1}
    return [
        _name({n: v for n, v in one.items() if n not in alike} or dict(said), catalog, locale)
        for one, said in zip(whole, own, strict=True)
    ]


def _with_taken(own: Mapping[str, Any], answer: Answer, fields: Sequence[str]) -> dict[str, Any]:
    """`own` with the defaults that were taken for what others say."""
    if all(name in own for name in fields):
        return dict(own)
    taken = answer.document()["understood"]
    missing = {n: taken.get(n) for n in fields if n not in own and n not in ("gpus", "bpw")}
    return dict(own) | {n: v for n, v in missing.items() if isinstance(v, (str, int, float))}


def _name(own: Mapping[str, Any], catalog: Catalog, locale: Locale) -> str:
    of_card = ("gpus", "in_use_bytes") if "gpus" in own else ()
    rest = {name: value for name, value in own.items() if name not in of_card}
    if set(rest) == {"world"} and "gpus" not in own:
        return locale.say("cards_one" if rest["world"] == 1 else "cards_many", count=rest["world"])
    said = formats_named(write_line(rest)) if rest else ""
    if "gpus" not in own:
        return said
    cards = " + ".join(_card(entry, catalog) for entry in own["gpus"])
    return locale.say("side_on", words=said, cards=cards) if said else cards


def _card(entry: Mapping[str, Any], catalog: Catalog) -> str:
    """`2× RTX 3090`: how many there are of a card, or of a class."""
    row = catalog.gpus.get(entry["id"]) or catalog.classes.get(entry["id"])
    name = card_name(row.name) if row is not None else str(entry["id"])
    count = entry.get("count", 1)
    return f"{count}× {name}" if count > 1 else name
