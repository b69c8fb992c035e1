"""Published peaks of real runs → requests, scored like with like, by category.

A row says which statistic its figure is: what tensors and the allocator take, what the
allocator keeps of the driver, or what the driver shows. An estimate's lines say the same
of themselves, so each row is held against the lines that its statistic holds.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from estimator import Answer, EstimatorError, answer, load_catalog, parse_request
from tests.accuracy.measured_figures import Figure, UnscoredError, figure_of
from tests.accuracy.measured_serving import serving_request
from tests.accuracy.measured_training import training_request
from tests.accuracy.truth import NOT_EXPRESSED, rule_of

Row = Mapping[str, Any]

GIB = 2**30


@dataclass(frozen=True, slots=True)
class Score:
    """One row against its estimate, in bytes; `low` and `high` as the source would print them."""

    id: str
    category: str
    request: Mapping[str, Any]
    truth: int
    estimate: int
    low: int
    high: int
    error: float
    lines: tuple[tuple[str, int], ...] = ()
    problem: str = ""
    rule: int = 0  # bytes of the first rule of thumb, 0 for none or a part

    @property
    def inside(self) -> bool:
        return self.low <= self.truth <= self.high

    @property
    def width(self) -> float:
        """Half the range, as a part of the estimate."""
        return (self.high - self.low) / 2 / self.estimate if self.estimate else 0


def request_of(row: Row) -> dict[str, Any]:
    """The question that asks for what the row measured."""
    if row["settings"]["task"] == "train":
        return training_request(row)
    return serving_request(row)


def scored(row: Row, digits: int) -> Score:
    """The estimate of one row, or 100 % off with the reason.

    `digits`: behind the point of the source's figures. A figure stands for all that are
    printed like it, so half of its last digit is no error.
    """
    truth = round(row["gib"] * GIB)
    request: dict[str, Any] = {}
    try:
        request = request_of(row)
        found: Answer = answer(parse_request(request), load_catalog())
        figure: Figure = figure_of(found, row)
    except (EstimatorError, UnscoredError, KeyError, TypeError, ValueError) as error:
        return Score(
            id=row["id"],
            category=row["category"],
            request=request,
            truth=truth,
            estimate=0,
            low=0,
            high=0,
            error=NOT_EXPRESSED,
            problem=f"{type(error).__name__}: {error}",
        )
    half = _half_a_digit(row, digits)
    return Score(
        id=row["id"],
        category=row["category"],
        request=request,
        truth=truth,
        estimate=figure.bytes,
        low=max(0, figure.low_bytes - half),
        high=figure.high_bytes + half,
        error=figure.bytes / truth - 1,
        lines=figure.lines,
        rule=rule_of(found) if row["what"] == "peak_total" else 0,
    )


def scores_of(rows: Sequence[Row]) -> tuple[list[Score], int]:
    """Every row's score, and how many rows cannot be scored by their own account."""
    digits: dict[str, int] = defaultdict(int)
    for row in rows:
        source = row.get("source_group", "")
        digits[source] = max(digits[source], _digits(row.get("published_value")))
    kept = [row for row in rows if row["settings"].get("scorable") is not False]
    scores = [scored(row, digits[row.get("source_group", "")]) for row in kept]
    return scores, len(rows) - len(kept)


def _half_a_digit(row: Row, digits: int) -> int:
    """Half of what the last digit of a source's figures stands for, in bytes."""
    value = row.get("published_value")
    return round(row["gib"] * GIB / value / 10**digits / 2) if value else 0


def _digits(value: float | None) -> int:
    return 0 if not value else len(repr(float(value)).partition(".")[2].rstrip("0"))


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures of a set of rows, in percent."""

    rows: int
    skipped: int
    expressed: float
    median: float
    p90: float
    inside_range: float
    above_high: float
    width_median: float
    width_p90: float

    def __str__(self) -> str:
        return (
            f"n={self.rows} skipped={self.skipped} expressed={self.expressed:.1f}% "
            f"median={self.median:.2f}% p90={self.p90:.2f}% "
            f"inside_range={self.inside_range:.1f}% above_high={self.above_high:.1f}% "
            f"width_median={self.width_median:.2f}% width_p90={self.width_p90:.2f}%"
        )


def summarise(scores: Sequence[Score], skipped: int = 0) -> Summary:
    """What was not expressed is 100 % off and above; widths are of what was."""
    n = len(scores)
    errors = sorted(abs(s.error) for s in scores)
    widths = sorted(s.width for s in scores if not s.problem) or [0.0]
    return Summary(
        rows=n,
        skipped=skipped,
        expressed=100 * sum(not s.problem for s in scores) / n,
        median=100 * median(errors),
        p90=100 * _ninetieth(errors),
        inside_range=100 * sum(s.inside for s in scores) / n,
        above_high=100 * sum(s.truth > s.high for s in scores) / n,
        width_median=100 * median(widths),
        width_p90=100 * _ninetieth(widths),
    )


def _ninetieth(ordered: Sequence[float]) -> float:
    return ordered[-(-90 * len(ordered) // 100) - 1]


def by_category(scores: Iterable[Score]) -> dict[str, list[Score]]:
    """Scores grouped by the kind of row."""
    groups: dict[str, list[Score]] = defaultdict(list)
    for one in scores:
        groups[one.category].append(one)
    return dict(sorted(groups.items()))


def report(rows: Sequence[Row], worst: int) -> Iterator[str]:
    """The table by category, the worst rows with their lines, and the summary last."""
    scores, skipped = scores_of(rows)
    left: dict[str, int] = defaultdict(int)
    for row in rows:
        left[row["category"]] += row["settings"].get("scorable") is False
    for category, group in by_category(scores).items():
        yield f"{category:22} {summarise(group, left[category])}"
    spread = {row["id"] for row in rows if (row["settings"].get("world") or 1) > 1}
    several = [one for one in scores if one.id in spread]
    if several:
        yield f"{'several_cards':22} {summarise(several)}"
    for one in sorted(scores, key=lambda s: -abs(s.error))[:worst]:
        yield f"{one.error:+8.2%} {one.id} {one.truth / GIB:.3f} GiB"
        yield f"         {one.problem or ', '.join(f'{k} {b:,}' for k, b in one.lines)}"
    if scores:
        yield f"overall {summarise(scores, skipped)}"


def written(scores: Iterable[Score]) -> str:
    """Every row's request, estimate, range and truth, as JSON lines."""
    fields = ("id", "category", "request", "estimate", "low", "high", "truth", "error", "problem")
    documents = ({name: getattr(one, name) for name in fields} for one in scores)
    return "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
