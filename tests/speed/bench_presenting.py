"""How long an answer takes to be put into words, and into a message of Discord's.

`python -m pytest -q -p pytest_benchmark.plugin tests/speed/bench_presenting.py`
"""

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bot.ask import Answered, Desk, Replied, open_desk
from bot.asking import completed
from bot.locale import ENGLISH
from bot.presenting.present import present
from bot.presses.offering import offered
from bot.shown import shown

LINES = (
    "train 7B adam lora",
    "train 13B full on 2x4090",
    "train 70B qlora 2x3090",
    "infer 8B q4_k_m ctx 8k",
    "infer deepseek v3 on 8xH100",
    "lora vs qlora 7B",
    "fit 4090",
    "explain lora",
)
LANGUAGES = (ENGLISH, "de", "ja")
EACH = 100  # rounds of every line


@pytest.fixture(scope="module", params=LANGUAGES)
def desk(request: pytest.FixtureRequest) -> Desk:
    language: str = request.param
    return open_desk().speaking(language)


@pytest.fixture
def answers(desk: Desk) -> tuple[Answered, ...]:
    """Whole answers, with all that is worked out for them."""
    return tuple(offered(desk, completed(desk, desk.ask(line))) for line in LINES)


def test_answer_to_words(
    benchmark: BenchmarkFixture, desk: Desk, answers: tuple[Answered, ...]
) -> None:
    replied = cycle([one for one in answers if isinstance(one, Replied)])

    def words(one: Replied) -> object:
        line = one.presentation.line
        return present(
            one.answer, line=line, notes=one.notes, catalog=desk.catalog, locale=desk.locale
        )

    _timed(benchmark, words, replied)


def test_answer_to_message(
    benchmark: BenchmarkFixture, desk: Desk, answers: tuple[Answered, ...]
) -> None:
    """Its embed, and all that can be pressed under it, as discord.py sends them."""
    _timed(benchmark, lambda one: shown(desk.locale, one, private=False), cycle(answers))


def _timed(
    benchmark: BenchmarkFixture, work: Callable[[Any], object], answers: Iterator[Answered]
) -> None:
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        work,
        setup=lambda: ((next(answers),), {}),
        rounds=EACH * len(LINES),
        warmup_rounds=len(LINES),
    )
