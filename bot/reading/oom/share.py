"""The share of the card that a server was started with: `--mem-fraction-static 0.7`."""

from bot.reading.oom.figures import count_of
from bot.reading.oom.wording import first_of

# A share as it is typed; its name in any spelling of a flag, a keyword or a file.
_SHARE = r"[\"'`]?(?:[\s=:(]|\b(?:of|is|at|to|from)\b){1,5}[\"'`]?(0?\.\d{1,4}|1\.0{1,3})(?![\d.])"
FLAGS = (
    r"mem[-_\s]fraction[-_\s]static" + _SHARE,
    r"gpu[-_\s]memory[-_\s]utili[sz]ation" + _SHARE,
    r"free[-_]gpu[-_]mem(?:ory)?[-_]fraction" + _SHARE,
)


def share_in(text: str) -> dict[str, float]:
    """The first share that the text says, as `utilization`; nothing where it says none."""
    found = first_of(FLAGS, text)
    return {} if found is None else {"utilization": count_of(found[1])}
