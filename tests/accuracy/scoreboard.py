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
COUNTED = (
    *("truth", "counted", "optimizers", "peft", "objectives", "blocks", "others"),
    *("fsdp", "sharded", "parallel"),
)
NAMES = {  # of categories, within the width of a phone
    "infer_16bit": "served 16-bit",
    "infer_16bit_long": "long prompts",
    "infer_quant": "served packed",
    "infer_quant_long": "long prompts",
    "infer_gguf": "llama.cpp",
    "infer_gguf_file_size": "GGUF files",
    "infer_component_other": "weights",
    "infer_component_kv": "caches",
    "train_full_1gpu": "full",
    "train_lora_peft_1gpu": "LoRA",
    "train_qlora_1gpu": "QLoRA",
    "train_full_multi": "full, cards",
    "train_lora_peft_multi": "LoRA, cards",
    "train_qlora_multi": "QLoRA, cards",
}
COLUMNS = f"{'n':>4}{'median':>7}{'p90':>6}{'in':>5}{'rule':>5}"


def counted_lines() -> Iterator[str]:
    """Steps that were counted operation by operation, file by file."""
    yield f"counted rows{COLUMNS} peak"
    for name in COUNTED:
        scores = [truth.score(row) for row in truth.read_rows(HERE / f"{name}.jsonl")]
        named = truth.summarise(scores).peak_moment
        yield f"{_line(name, scores, 12)} {named:3.0f}%"


def measured_lines() -> Iterator[str]:
    """Runs that others measured and published, category by category."""
    yield f"measured rows{COLUMNS}"
    scores, _ = measured.scores_of(truth.read_rows(HERE / "measured.jsonl"))
    groups = measured.by_category(scores)
    for category, name in NAMES.items():
        yield _line(name, groups[category]).rstrip()
    yield _line("all", scores)


def _line(name: str, scores: Sequence[truth.Score | measured.Score], wide: int = 13) -> str:
    errors = sorted(abs(one.error) for one in scores)
    p90 = errors[-(-90 * len(errors) // 100) - 1]
    inside = sum(one.low <= one.truth <= one.high for one in scores) / len(scores)
    rules = [abs(one.rule / one.truth - 1) for one in scores if one.rule]
    rule = f"{median(rules):5.0%}" if rules else " " * 5
    figures = f"{len(scores):4}{median(errors):7.2%}{p90:6.1%}{inside:5.0%}{rule}"
    return f"{name:{wide}}{figures}"
