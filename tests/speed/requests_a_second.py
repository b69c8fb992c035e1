"""How many requests `python -m estimator` answers in a second, each of them another one.

`python -m tests.speed.requests_a_second --requests 100000`
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter

from estimator import load_catalog

LENGTHS = (128, 32_768)  # tokens, from and to
TRAINED: dict[str, tuple[object, ...]] = {
    "method": ("full", "lora", "qlora", "dora"),
    "batch": tuple(range(1, 65)),
    "checkpointing": ("none", "full"),
    "optimizer": ("adamw_fused", "adamw_8bit", "adafactor", "sgd"),
}
SERVED: dict[str, tuple[object, ...]] = {
    "users": tuple(range(1, 33)),
    "weights": ("bf16", "gguf:Q4_K_M", "awq4", "fp8"),
}
CARDS: tuple[tuple[str, int], ...] = (
    *(("rtx-3090", 1), ("rtx-4090", 2), ("h100", 8), ("a100-sxm4-80gb", 4)),
)


@dataclass(frozen=True)
class Measured:
    """Of all requests: those that were answered, and the seconds of the clock and of a core."""

    requests: int
    answered: int
    seconds: float
    processor_s: float

    def __str__(self) -> str:
        refused = self.requests - self.answered
        return (
            f"{self.requests:,} requests in {self.seconds:.1f} s: {self.answered:,} answered, "
            f"{refused:,} refused\n{self.requests / self.seconds:,.0f} a second; "
            f"{self.requests / self.processor_s:,.0f} a second of a core's own time"
        )


def requests(count: int, seed: int) -> Iterator[str]:
    """So many lines of JSON, no two alike; half train and half serve, on cards or on any."""
    chance = Random(seed)  # noqa: S311 - a choice, no secret
    models = [row.id for row in load_catalog().models.rows]
    made: set[str] = set()
    while len(made) < count:
        task, fields = chance.choice((("train", TRAINED), ("infer", SERVED)))
        wish = {name: chance.choice(values) for name, values in fields.items()}
        length = "seq" if task == "train" else "context"
        wish |= {"task": task, "model": chance.choice(models), length: chance.randint(*LENGTHS)}
        if chance.random() < 1 / 2:
            card, many = chance.choice(CARDS)
            wish["gpus"] = [{"id": card, "count": many}]
        line = json.dumps(wish)
        if line not in made:
            made.add(line)
            yield line


def measured(count: int, seed: int) -> Measured:
    """Ask all of them of one process, by files: what reads them takes nothing of its time."""
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder, "asked.jsonl"), Path(folder, "told.jsonl")
        asked.write_text("".join(f"{line}\n" for line in requests(count, seed)), encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with asked.open("rb") as source, told.open("wb") as sink:
            begun = perf_counter()
            subprocess.run(
                [sys.executable, "-m", "estimator"], stdin=source, stdout=sink, check=True
            )
            seconds = perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        with told.open(encoding="ascii") as lines:
            errors = [json.loads(line)["error"] for line in lines]
    if len(errors) != count:
        raise ValueError(f"{count} requests had {len(errors)} answers")
    return Measured(count, errors.count(None), seconds, used)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what is measured, the start of the process included."""
    parser = argparse.ArgumentParser(prog="python -m tests.speed.requests_a_second")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args(arguments)
    print(measured(said.requests, said.seed))


if __name__ == "__main__":
    main()
