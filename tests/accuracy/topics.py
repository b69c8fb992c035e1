"""`python -m tests.accuracy.topics`: how many questions of newcomers get the topic they mean.

Their writer saw the titles of topics and nothing else. A row names the topics that answer it.
"""

import json
from pathlib import Path
from typing import NamedTuple

from bot.ask import Explained, Refused, open_desk
from bot.explaining.guide import EXPLAIN
from bot.reading.options import COMMAND

ROWS = Path(__file__).parent / "topics.jsonl"


class Score(NamedTuple):
    """Questions: all, those answered right, those offered the topic, those answered by another."""

    n: int
    right: int
    offered: int
    wrong: int


def score() -> Score:
    """Ask every question as `/vram explain` does."""
    desk = open_desk()
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    right = offered = wrong = 0
    for row in rows:
        found = desk.ask(row["text"], {COMMAND: EXPLAIN})
        if isinstance(found, Explained):
            right += found.topic in row["topics"]
            wrong += found.topic not in row["topics"]
        elif isinstance(found, Refused):
            lines = {line.removeprefix(f"{EXPLAIN} ") for line in found.refusal.lines}
            offered += bool(lines & set(row["topics"]))
    return Score(len(rows), right, offered, wrong)


if __name__ == "__main__":
    found = score()
    print(f"overall n={found.n} right={found.right} offered={found.offered} wrong={found.wrong}")
