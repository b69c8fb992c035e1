"""What stands under answers, as a sketch in text: one file a question in `panels/`.

    [ Method, optimizer, precision, checkpointing            v ]
        Method: LoRA                            now
    ( Show the maths )  ( Compare )

A list shows its hint until something is chosen; its options stand below it as when it is open.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from bot.ask import Desk, Refused, open_desk
from bot.asking import completed
from bot.diagnosing import OOM
from bot.explaining.guide import EXPLAIN
from bot.presses.ids import Action, id_of
from bot.presses.offering import offered
from bot.presses.panel import Button, Panel, Select
from bot.presses.panels import panel_of
from bot.reading.options import COMMAND
from bot.reading.whatfits import FIT
from bot.replies import Answered
from bot.surface.again import lines_offered
from bot.surface.embed import embed_of
from bot.surface.limits import MOST_LABEL, MOST_OPTION, cut
from tests.golden.replies import REPLIES, Typed

FOLDER = Path(__file__).parent / "panels"
WIDTH = 56  # of a list's sketch
PANELS: Mapping[str, Typed] = {
    name: REPLIES[name]
    for name in (
        "train-7b-adam-lora",
        "train-qwen-on-a-3090",
        "train-13b-on-2x4090",
        "train-70b-zero3-64xh100",
        "train-largest-batch",
        "infer-8b-q4-k-m",
        "infer-deepseek-v3-8xh100",
        "infer-70b-on-2x4090",
        "advice-8b-128k-on-16gb",
        "compare-methods",
        "fit-a-4090",
        "explain-sharded-qlora",
        "explain-topics",
        "oom-full-with-settings",
        "oom-full",
    )
}


def panel_path(name: str) -> Path:
    """The file of one panel."""
    return FOLDER / f"{name}.txt"


def current_panel(name: str) -> str:
    """What was typed, the answer's first line, and all that can be pressed under it."""
    typed, desk = PANELS[name], _desk()
    own = {COMMAND if typed.task in (FIT, OOM, EXPLAIN) else "task": typed.task}
    found = offered(desk, completed(desk, desk.ask(typed.query, {**own, **typed.options})))
    assert not isinstance(found, Refused)
    query = cut(typed.query, MOST_OPTION)
    head = f"> /vram {typed.task} {query}\n\n# {embed_of(found.shown).title}\n\n"
    return head + "\n".join(_sketch(_panel(found, desk))) + "\n"


def kept_panels() -> set[str]:
    """The questions that have a file."""
    return {path.stem for path in FOLDER.glob("*.txt")}


def _panel(found: Answered, desk: Desk) -> Panel:
    assert not isinstance(found, Refused)
    lines = lines_offered("", [embed_of(found.shown)])
    return panel_of(found, desk.locale, lines, private=False)


def _sketch(panel: Panel) -> Iterator[str]:
    for select in panel.selects:
        yield from _list(select)
    yield "  ".join(map(_button, panel.buttons))
    if panel.note:
        yield panel.note


def _list(select: Select) -> Iterator[str]:
    yield f"[ {select.hint:<{WIDTH}} v ]"
    for one in select.options:
        label, detail = cut(one.label, MOST_LABEL), cut(one.detail, MOST_OPTION)
        value = "" if select.id == id_of(Action.OPEN) else f"  → {one.value}"
        yield f"    {label:<{MOST_LABEL}}  {detail}{value}".rstrip()


def _button(button: Button) -> str:
    return f"(* {button.label} *)" if button.main else f"( {button.label} )"


@cache
def _desk() -> Desk:
    return open_desk()
