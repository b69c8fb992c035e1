"""The share of the card that a server was started with: `--mem-fraction-static 0.7`."""

from bot.reading.oom.figures import count_of
from bot.reading.oom.wording import first_of

# A share as it is typed; its name in any spelling of a flag, a keyword or a file.
_SHARE = r"[\"'`]?(?:[ =:(]|\bof\b|\bis\b|\bat\b|\bto\b){1,4} ?[\"'`]?(0?\.\d{1,4}|1\.0{1,3})(?![\d.])"
FLAGS = (
    r"mem[-_ ]fraction[-_ ]static" + _SHARE,
    r"gpu[-_ ]memory[-_ ]utili[sz]ation" + _SHARE,
    r"free[-_]gpu[-_]mem(?:ory)?[-_]fraction" + _SHARE,
)


def share_in(text: str) -> dict[str, float]:
    """The first share that the text says, as `utilization`; nothing where it says none."""
    found = first_of(FLAGS, text)
    return {} if found is None else {"utilization": count_of(found[1])}
