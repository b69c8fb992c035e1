"""The table that README shows: how far off estimates are, beside the rules of thumb.

One line a file of counted rows, and one a category of published ones. The rule is the
first of an answer's second opinions that comes to bytes: for full training 16 bytes a
parameter, for adapters the LoRA rule, for inference 2 bytes a parameter.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from tests.accuracy import measured, truth

HERE = Path(__file__).parent
COUNTED = ("truth", "counted", "optimizers", "peft", "objectives", "blocks", "others", "fsdp")
COLUMNS = "  n  median     p90 inside   rule"


def counted_lines() -> Iterator[str]:
    """Steps that were counted operation by operation, file by file."""
    yield f"{'counted rows':21}{COLUMNS} moment"
    for name in COUNTED:
        scores = [truth.score(row) for row in truth.read_rows(HERE / f"{name}.jsonl")]
        named = truth.summarise(scores).peak_moment
        yield f"{_line(name, scores)} {named:5.1f}%"


def measured_lines() -> Iterator[str]:
    """Runs that others measured and published, category by category."""
    yield f"{'measured rows':21}{COLUMNS}"
    scores, _ = measured.scores_of(truth.read_rows(HERE / "measured.jsonl"))
    for name, group in measured.by_category(scores).items():
        yield _line(name, group)
    yield _line("all", scores)


def _line(name: str, scores: Sequence[truth.Score | measured.Score]) -> str:
    errors = sorted(abs(one.error) for one in scores)
    p90 = errors[-(-90 * len(errors) // 100) - 1]
    inside = sum(one.low <= one.truth <= one.high for one in scores) / len(scores)
    rules = [abs(one.rule / one.truth - 1) for one in scores if one.rule]
    rule = f"{median(rules):6.0%}" if rules else "      "
    return (
        f"{name:21}{len(scores):3} {median(errors):7.2%} {p90:7.2%} {inside:6.0%} {rule}".rstrip()
    )
