"""An answer's document as text: nothing left out, one fact a line, numbers in columns."""

import json
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any

from estimator import GIB

Part = Mapping[str, Any]
WIDTH = 96


def text_of(request: Part, answered: Part) -> str:
    """The whole document of one answer."""
    parts = [
        ["request", *_fields(request)],
        _error(answered["error"]),
        _peak(answered),
        *_moments(answered["moments"]),
        ["assumed", *_assumed(answered["assumed"])] if answered["assumed"] else [],
        ["warnings", *_sentences(answered["warnings"])] if answered["warnings"] else [],
        *(_opinion(opinion) for opinion in answered["second_opinions"]),
        ["cards", *(_card(card) for card in answered["cards"])] if answered["cards"] else [],
        ["understood", *_fields(answered["understood"] or {})],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _fields(fields: Part) -> Iterator[str]:
    for name, value in fields.items():
        if value is not None:
            yield f"  {name:<22} {json.dumps(value, ensure_ascii=False)}"
    left_open = [name for name, value in fields.items() if value is None]
    if left_open:
        yield from (f"  {line}" for line in wrap(f"left open: {', '.join(left_open)}", WIDTH))


def _error(error: Part | None) -> list[str]:
    if error is None:
        return []
    suggestions = (f"  suggestion: {text}" for text in error["suggestions"])
    return [f"error {error['code']}", *_sentences([error["message"]]), *suggestions]


def _peak(answered: Part) -> list[str]:
    peak, resting = answered["peak"], answered["resting"]
    if peak is None:
        return []
    rows = {
        f"in {peak['moment']}": peak["bytes"],
        "low": peak["low_bytes"],
        "high": peak["high_bytes"],
        "counted": answered["counted_bytes"],
        **{f"resting, {name}": amount for name, amount in (resting or {}).items()},
    }
    counts = (
        f"  {name + ' parameters':<28}{count:>22,}"
        for name, count in answered["parameters"].items()
    )
    return ["peak", *(f"  {name:<28}{_amount(amount)}" for name, amount in rows.items()), *counts]


def _moments(moments: Iterable[Part]) -> Iterator[list[str]]:
    """Each moment's lines; a formula is written where its line comes first."""
    written: set[str] = set()
    for moment in moments:
        lines = [f"moment {moment['name']:<23}{_amount(moment['bytes'])}"]
        for line in moment["lines"]:
            basis = f"{line['basis']}, {line['source']}"
            lines.append(f"  {line['key']:<28}{_amount(line['bytes'])}  {basis}")
            whole = json.dumps(line)
            if whole not in written:
                written.add(whole)
                lines += [f"      {line['formula']}", *_terms(line["terms"])]
        yield lines


def _terms(terms: Part) -> Iterator[str]:
    given = ", ".join(f"{name}={value:,}" for name, value in terms.items())
    yield from (f"      {line}" for line in wrap(given, WIDTH))


def _assumed(assumed: Iterable[Part]) -> Iterator[str]:
    for one in assumed:
        yield f"  {one['field']:<14} {one['value']}"
        yield f"      {one['why']} [{one['source']}]"


def _opinion(opinion: Part) -> list[str]:
    amount = "no amount" if opinion["bytes"] is None else _amount(opinion["bytes"])
    lines = [f"second opinion {opinion['rule']}", f"  {amount.strip()}  {opinion['source']}"]
    if opinion["formula"]:
        lines += [f"      {opinion['formula']}", *_terms(opinion["terms"])]
    return [*lines, *_sentences([opinion["note"]])]


def _card(card: Part) -> str:
    members = "".join(f"\n      {name}: {verdict}" for name, verdict in card["members"].items())
    plan = f"{card['count']}×{card['id']}"
    room = f"usable{_amount(card['usable_bytes'])}, needed{_amount(card['needed_bytes'])}"
    return f"  {plan:<22}{card['verdict']:<6}{room}{members}"


def _sentences(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        yield from (f"  {line}" for line in wrap(sentence, WIDTH))


def _amount(amount: int) -> str:
    return f"{amount:>22,}  {amount / GIB:>9.3f} GiB"
