"""Lines to type that put a refused one right."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.reading.compose import BLAMED, Fields
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.number_lists import COMPARE
from bot.reading.numbers import LENGTHS
from bot.reading.precision import PLAIN
from bot.reading.tasks import SERVE_ONLY, TRAIN_ONLY
from bot.reading.whatfits import EXAMPLES as TABLED
from bot.reading.whatfits import as_tables, table_line
from bot.reading.write import write_line
from estimator import (
    BadRequest,
    Catalog,
    Contradiction,
    EstimatorError,
    Unsupported,
    answer,
    can_answer,
    parse_request,
)

EXAMPLES = (
    "train 7B adam lora",
    "infer 8B q4_k_m ctx 8k",
    "train Qwen2.5-7B qlora bs 2 seq 4096",
    "infer 70B awq 4 users ctx 16k",
)
COMPARED = (
    "compare lora vs qlora 7B",
    "compare infer 8B q4_k_m vs q8_0 on a 3090",
    "compare infer 8B ctx 8k vs 32k",
)
NEEDED = ("task", "model")  # fields that no line can be without
WHICH = ("unknown_name", "ambiguous")  # codes of a model that is none, or one of several
MOST_LINES = 5  # that an error offers
MOST_NAMES = 4  # lines before the one that is answered
MOST_DROPPED = 4  # fields left out of a line, until it is answered


def helped(
    error: NotUnderstoodError,
    fields: Fields,
    choices: Sequence[Any],
    catalog: Catalog,
    readable: Callable[[Iterable[str]], list[str]],
    *,
    fit: bool = False,
) -> NotUnderstoodError:
    """The error with what was understood, and lines to type that can be read.

    `fit`: they ask for tables of the same, or of what is left of it.
    """
    if error.field is not None:
        fields.pop(error.field, None)
    offered = lines_for(error, fields, catalog)
    if fit:
        offered = [*as_tables(offered), table_line(fields, {})]
    lines = readable(offered) or readable([least_line(fields)])
    known = fields or error.names or error.lines
    return NotUnderstoodError(
        error.code,
        error.message,
        understood=fields,
        lines=(lines if lines and known else list(TABLED if fit else EXAMPLES))[:MOST_LINES],
        field=error.field,
        names=error.names,
        choices=choices,
        told=error.told,
        strange=error.strange,
    )


def lines_for(error: NotUnderstoodError, fields: Fields, catalog: Catalog) -> list[str]:
    """Lines that may put it right: with each name for what is wrong, and without it.

    To a question with names, leaving it out would be no answer.
    """
    likely = _likely_task(fields, served=error.code in WHICH and error.field == "model")
    known = {"task": likely, "model": "7B"} | fields
    lines = list(error.lines)
    asked = error.code == "ambiguous" and error.names
    if asked and error.field in NEEDED:  # what is answered of each, where not all of it is
        return lines + [_answered(known | {error.field: name}, catalog) for name in error.names]
    if error.field is None or error.field in ("gpus", "targets"):
        lines += [f"{write_line(known)} {name}" for name in error.names]
    else:
        lines += [write_line(known | {error.field: name}) for name in error.names]
    if asked:
        return lines
    whole, answered = write_line(known), _answered(known, catalog)
    first = [] if answered == whole else [answered]
    return [*lines[:MOST_NAMES], *first, *lines[MOST_NAMES:], whole]


def _answered(fields: Fields, catalog: Catalog) -> str:
    """The line of all that is answered together: less what the estimator blames, one by one."""
    kept = dict(fields)
    for _ in range(MOST_DROPPED):
        names = blamed_of(kept, catalog)
        if "gpus" in names and "gpus" not in kept:  # that what is sought depends on
            names = ("find",)
        blamed = [n for n in names if n in kept and n not in NEEDED]
        if not blamed:
            break
        kept.pop(blamed[0])
    return write_line(kept)


def blamed_of(fields: Fields, catalog: Catalog) -> tuple[str, ...]:
    """Fields for which the estimator has no answer; none where it has one."""
    try:
        request = parse_request(dict(fields))
        if request.find is not None or not can_answer(request, catalog):
            answer(request, catalog)
    except Contradiction as error:
        return error.fields
    except (BadRequest, Unsupported) as error:
        return (error.field.split(".")[0],)
    except EstimatorError:
        return ()
    return ()


def least_line(fields: Fields) -> str:
    """The shortest line about the same model."""
    return write_line({"task": _likely_task(fields), "model": fields.get("model", "7B")})


def _likely_task(fields: Fields, *, served: bool = False) -> str:
    """What the words may be about; of an unknown model, `served`, that it is to run."""
    serving = any(name in fields for name in SERVE_ONLY)
    packed = str(fields.get("weights", "bf16")) not in (*PLAIN, "nf4", "nf4_dq")
    training = any(name in fields for name in TRAIN_ONLY)
    return "infer" if (serving or packed or served) and not training else "train"


def undoubted(fields: Fields, said: Said) -> Fields:
    """`fields` without numbers that may be a part of one: the 131 of `ctx 131 072`."""
    doubted = {BLAMED.get(fact.field, fact.field) for fact in said.doubted}
    if doubted & set(LENGTHS):
        doubted |= {"seq", "context"}
    return {name: value for name, value in fields.items() if name not in doubted}


def examples_of(options: Mapping[str, object] | None) -> tuple[str, ...]:
    """Lines to begin with: those of the task among `options`, of comparisons, or all."""
    if COMPARE in (options or {}):
        return COMPARED
    task = (options or {}).get("task")
    return tuple(line for line in EXAMPLES if line.startswith(f"{task} ")) or EXAMPLES
