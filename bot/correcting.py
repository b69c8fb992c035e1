"""What an error blames, and lines with what is to be typed instead."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.locale import Locale
from bot.presenting.present import refuse
from bot.reading.facts import NotUnderstoodError
from bot.reading.helping import examples_of
from bot.reading.read import Reader
from bot.reading.write import write_line
from bot.replies import Refused
from estimator import (
    BadRequest,
    Catalog,
    Contradiction,
    EstimatorError,
    Method,
    UnknownName,
    Unsupported,
    answer,
    can_answer,
)

MOST_LINES = 3  # corrected lines that an error offers

OF_LISTS = ("gpus", "targets")  # fields whose values are more than a word
OF_METHODS = ("method", "optimizer")  # fields that a method's word may stand in
FIELDS_OF_KINDS = {
    "model": "model",
    "card": "gpus",
    "optimizer": "optimizer",
    "number format": "weights",
    "engine": "engine",
    "element type": "kv",
}


def with_fix(kept: Mapping[str, Any], wrong: Sequence[str], fix: str) -> list[str]:
    """Lines with `fix`: as a method, as the value of the one field that is wrong, as a word."""
    method = fix in set(Method)
    fields = ["method"] if method else []
    own = not method or wrong[0] in OF_METHODS
    if len(wrong) == 1 and wrong[0] not in ("gpus", "bpw") and not {" ", "="} & set(fix) and own:
        fields += wrong
    lines = [write_line(dict(kept) | {name: fix}) for name in dict.fromkeys(fields)]
    return lines or [f"{write_line(kept)} {fix}"]


def wrong_fields(error: EstimatorError) -> tuple[str, ...]:
    """The fields of a request that an error blames."""
    match error:
        case Contradiction():
            return error.fields
        case UnknownName():
            return (FIELDS_OF_KINDS.get(error.kind, error.kind),)
        case BadRequest() | Unsupported():
            return (error.field,)
        case _:
            return ()


class Correcting:
    """Makes refusals whose lines are answered, in one language over one catalogue."""

    def __init__(self, reader: Reader, catalog: Catalog, locale: Locale) -> None:
        self._reader = reader
        self._catalog = catalog
        self._locale = locale

    def refused(
        self, code: str, message: str, understood: Mapping[str, Any], lines: Sequence[str]
    ) -> Refused:
        """A refusal that offers only lines that are answered."""
        least = write_line({n: understood[n] for n in ("task", "model") if n in understood})
        examples = examples_of(understood)
        good = self._answered(lines) or self._answered([least]) or examples
        said = write_line(understood)
        asks = code == "ambiguous"
        refusal = refuse(said, message, good[:MOST_LINES], self._locale, asks=asks)
        return Refused(refusal, code, understood)

    def corrected(self, error: EstimatorError, fields: Mapping[str, Any]) -> list[str]:
        """Lines with each suggestion for what is wrong, all else as it is; and without it."""
        wrong = wrong_fields(error)
        kept = {name: value for name, value in fields.items() if name not in wrong}
        same_cards = {name: value for name, value in fields.items() if name in {*kept, "gpus"}}
        first, then = [], []
        for fix in error.suggestions:
            meant = self._reader.fields_of(fix.replace("kv_", "kv "))
            own = {name: meant[name] for name in wrong if name in meant and name not in OF_LISTS}
            cards = "gpus" in wrong and "gpus" in meant  # a plan with its own cards
            if own and fix not in set(Method) and not cards:
                first.append(write_line(dict(fields) | own))
                then += with_fix(kept, wrong, fix) if len(wrong) > 1 else []
            elif "gpus" in wrong and meant and "gpus" not in meant:
                first.append(f"{write_line(same_cards)} {fix}")
            elif "strategy" in meant and "strategy" not in wrong:  # another way to share
                first.append(write_line(kept | meant))
            else:
                first += with_fix(kept, wrong, fix)
        return [*first, *then, write_line(kept)]

    def _answered(self, lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(line for line in dict.fromkeys(lines) if self._answers(line))

    def _answers(self, line: str) -> bool:
        try:
            reading = self._reader.read(line)
            if not reading.tables or not can_answer(reading.request, self._catalog):
                answer(reading.request, self._catalog)
        except NotUnderstoodError as error:
            return any(can_answer(one.request, self._catalog) for one in error.choices)
        except EstimatorError:
            return False
        return True
