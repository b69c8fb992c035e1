"""What a container's file and a terminal say around a command, as the command that it is.

A Dockerfile's `CMD` is what its image runs, flags one a line are one command's, and lines of
`nvidia-smi -L` are so many cards.
"""

import json
import re
from collections import Counter

from bot.compiled import compiled

PROGRAMS = {"vllm-openai": "vllm serve", "sglang": "sglang", "llama.cpp": "llama-server",
            "text-generation-inference": "text-generation-launcher"}  # fmt: skip
IMAGE = rf"(?P<name>{'|'.join(map(re.escape, PROGRAMS))})"
FEWEST_FLAGS = 2  # lines of flags that are one command's
_FROM = compiled(rf"^[ \t]*FROM[ \t]+\S*?{IMAGE}", re.MULTILINE)
_STEP = compiled(
    r"^[ \t]*(?:FROM|ENV|RUN|COPY|ADD|WORKDIR|EXPOSE|ARG|USER|VOLUME|LABEL|SHELL)[ \t].*$"
)
_RUNS = compiled(r"^[ \t]*(?:CMD|ENTRYPOINT)[ \t]+(?P<command>.*)$")
_CARD = compiled(r"^GPU \d{1,2}: (?P<name>[^\n(]{2,60}?)[ \t]*(?:\(UUID:[^)\n]{0,60}\))?[ \t]*$")
_FLAG = compiled(r"^[ \t]*--[a-z]", re.IGNORECASE)


def contained(text: str) -> str:
    """`text` with a Dockerfile, listed cards and flags one a line as what they say."""
    image = _FROM.search(text) if "FROM" in text else None
    lines = text.split("\n")
    if image is not None and any(_RUNS.match(line) for line in lines):
        lines = _run_by(PROGRAMS[image["name"]], lines)
    if "GPU 0:" in text:
        lines = _counted(lines)
    return "\n".join(_joined(lines)) if "\n--" in text or "\n " in text else "\n".join(lines)


def _run_by(program: str, lines: list[str]) -> list[str]:
    """The commands of a container's file, behind the program of its image."""
    found = [(line, _RUNS.match(line)) for line in lines if not _STEP.match(line)]
    return [line if run is None else f"{program} {_words(run['command'])}" for line, run in found]


def _words(command: str) -> str:
    """`["--model", "x"]` as it would be typed."""
    try:
        words = json.loads(command)
    except (ValueError, RecursionError):
        return command
    return " ".join(map(str, words)) if isinstance(words, list) else command


def _counted(lines: list[str]) -> list[str]:
    """Cards that are listed one a line, as so many of each."""
    found = [_CARD.match(line) for line in lines]
    cards = Counter(card["name"] for card in found if card is not None)
    said = [name if count == 1 else f"{count}x {name}" for name, count in cards.items()]
    rest = [line for line, card in zip(lines, found, strict=True) if card is None]
    return [*rest, *said] if max(cards.values(), default=0) > 1 else [
        line if card is None else card["name"] for line, card in zip(lines, found, strict=True)
    ]  # fmt: skip


def _joined(lines: list[str]) -> list[str]:
    """Flags that stand one a line on one, with the command above them."""
    kept: list[str] = []
    run: list[str] = []
    for line in [*lines, ""]:
        if _FLAG.match(line) and not line.rstrip().endswith("\\"):
            run.append(line)
            continue
        if len(run) >= FEWEST_FLAGS and kept and (" --" in kept[-1] or ".py" in kept[-1]):
            kept[-1] = " ".join([kept[-1].rstrip(" \\"), *map(str.strip, run)])
        elif len(run) >= FEWEST_FLAGS:
            kept.append(" ".join(map(str.strip, run)))
        else:
            kept += run
        run = []
        kept.append(line)
    return kept[:-1]
