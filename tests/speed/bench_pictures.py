"""How long a picture takes, from an answer to its PNG file: the process that draws included.

`python -m pytest -q -s tests/speed/bench_pictures.py`
"""

import asyncio
import statistics
from time import perf_counter, process_time

from bot.ask import Answered, Desk, open_desk
from bot.pictures.choosing import picture_of
from bot.pictures.drawing import draw
from bot.pictures.painter import Painter
from bot.pictures.sample import SAMPLE
from bot.pictures.vega import specification

KINDS = {
    "moments of a step": "train 7B lora bs {n}",
    "cards": "train 8B qlora bs {n} on a 3090",
    "contexts": "infer 8B q4_k_m ctx {n}k",
    "comparison": "lora vs qlora vs full 7B seq {n}00",
}
EACH = 40
MS = 1e3


async def test_pictures() -> None:
    """Prints milliseconds: the median and the 95th of a hundred, of each kind and of all.

    On a machine that does other things as well, the last line is what drawing takes of it.
    """
    desk, painter = open_desk(), Painter()
    painter.start()
    begun = perf_counter()
    await asyncio.wait({painter.paint(SAMPLE)})
    print(f"\nstarted and warm after {MS * (perf_counter() - begun):.0f} ms")
    every: list[float] = []
    alone: list[float] = []
    for kind, line in KINDS.items():
        spent = []
        for number in range(2, 2 + EACH):
            answer = desk.ask(line.format(n=number))
            begun = perf_counter()
            asked = _specification(desk, answer)
            drawn = painter.paint(asked)
            await asyncio.wait({drawn})
            spent.append(MS * (perf_counter() - begun))
            assert drawn.result() is not None
            begun = process_time()
            draw(asked)
            alone.append(MS * (process_time() - begun))
        every += spent
        print(f"{kind:24} {_said(spent)}")
    await painter.close()
    print(f"{'all':24} {_said(every)}")
    print(f"{'drawing, processor time':24} {_said(alone[1:])}")


def _specification(desk: Desk, answer: Answered) -> str:
    """What is drawn."""
    picture = picture_of(answer, desk.catalog, desk.locale)
    assert picture is not None
    return specification(picture)


def _said(spent: list[float]) -> str:
    return (
        f"median {statistics.median(spent):5.1f} ms, "
        f"95th {statistics.quantiles(spent, n=20)[-1]:5.1f} ms"
    )
