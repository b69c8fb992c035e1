"""`bot/record.toml`, which `/vram help` shows: `python -m tests.accuracy.record` writes it anew.

Runs are put together by what people ask about: counted steps of one card and of several, runs
that others published by method, and what is served by its format.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from tests.accuracy import measured, oom, queries, truth
from tests.accuracy.queries import Field, Mark

HERE = Path(__file__).parent
FILE = HERE.parents[1] / "bot" / "record.toml"
HEAD = "# How right answers have been. Written by `python -m tests.accuracy.record`.\n"
COUNTED = {
    "counted": ("truth", "counted", "optimizers", "peft", "objectives", "blocks", "others"),
    "counted_sharded": ("fsdp", "sharded", "parallel"),
}
PUBLISHED = {
    "full": ("train_full_1gpu",),
    "lora": ("train_lora_peft_1gpu",),
    "qlora": ("train_qlora_1gpu",),
    "several": ("train_full_multi", "train_lora_peft_multi", "train_qlora_multi"),
    "served": ("infer_16bit", "infer_16bit_long"),
    "packed": ("infer_quant", "infer_quant_long"),
    "gguf": ("infer_gguf", "infer_gguf_file_size"),
}
Scores = Sequence[truth.Score | measured.Score]


def written() -> str:
    """The file as the scorers make it now."""
    return "\n".join([HEAD, *_runs(), *_texts()])


def _runs() -> Iterator[str]:
    for name, files in COUNTED.items():
        rows = [row for file in files for row in truth.read_rows(HERE / f"{file}.jsonl")]
        yield _run(name, [truth.score(row) for row in rows])
    scores, _ = measured.scores_of(truth.read_rows(HERE / "measured.jsonl"))
    groups = measured.by_category(scores)
    for name, categories in PUBLISHED.items():
        yield _run(name, [one for category in categories for one in groups[category]])


def _run(name: str, scores: Scores) -> str:
    errors = sorted(abs(one.error) for one in scores)
    p90 = errors[-(-90 * len(errors) // 100) - 1]
    inside = sum(one.low <= one.truth <= one.high for one in scores) / len(scores)
    rules = [abs(one.rule / one.truth - 1) for one in scores if one.rule]
    lines = [
        "[[runs]]",
        f'id = "{name}"',
        f"rows = {len(scores)}",
        f"median = {median(errors):.4f}",
        f"p90 = {p90:.4f}",
        f"inside = {inside:.4f}",
        *([f"rule = {median(rules):.4f}"] if rules else []),
    ]
    return "\n".join(lines) + "\n"


def _texts() -> Iterator[str]:
    asked = [field for row in ("queries", "own_queries") for field in _asked(f"{row}.jsonl")]
    yield _text("questions", asked)
    files = sorted((HERE / "languages").glob("*.jsonl"))
    yield _text("languages", [f for file in files for f in _asked(f"languages/{file.name}")])
    messages = sorted(HERE.glob("*oom.jsonl"))
    rows = [row for file in messages for row in truth.read_rows(file)]
    yield _text("messages", [field for row in rows for field in oom.score(row)])


def _asked(file: str) -> Sequence[Field]:
    return queries.scores_of_file(HERE / file)


def _text(name: str, fields: Sequence[Field]) -> str:
    right, wrong = (
        sum(field.mark is mark for field in fields) / len(fields)
        for mark in (Mark.RIGHT, Mark.WRONG)
    )
    lines = (f'id = "{name}"', f"fields = {len(fields)}", f"right = {right:.4f}")
    return "\n".join(["[[texts]]", *lines, f"wrong = {wrong:.4f}"]) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
