"""The load harness counts right: what it asked is what was sent, answered and let go of."""

from math import inf, isnan
from pathlib import Path

import pytest

from tests.load.__main__ import plan_of
from tests.load.crowd import AUTOCOMPLETE, COMMAND, KINDS, MIXED, PRESS, Crowd
from tests.load.figures import Figures, Tally, percentile
from tests.load.phases import holds, warm
from tests.load.processes import open_files, processor_s, rss, threads, waited_s
from tests.load.programs import the_floor
from tests.load.questions import kept, questions
from tests.load.report import Target, summary
from tests.wire.callbacks import CHOICES, MESSAGE, UPDATE
from tests.wire.faults import CALLBACK
from tests.wire.people import Json
from tests.wire.standin import StandIn

ANSWER: Json = {
    "embeds": [{"title": "an answer"}],
    "components": [
        {"type": 1, "components": [{"type": 2, "style": 2, "label": "Why?", "custom_id": "why"}]}
    ],
}
RATE, SECONDS = 80, 0.4
KIND_OF = {COMMAND: MESSAGE, AUTOCOMPLETE: CHOICES, PRESS: UPDATE}


async def test_all_that_is_asked_is_counted_once(tmp_path: Path) -> None:
    """A bot in a process of its own is asked in every way, and once its answers get lost."""
    async with warm(the_floor, tmp_path, None, [ANSWER], questions=1) as asking:
        world = asking.standin.world
        before = len(world.requests)
        asking.standin.settings.answer_within_s = 60  # however slow this machine is
        asked = {kind: await asking.at(RATE, SECONDS, kind) for kind in KIND_OF}
        bodies = [one.body for one in world.requests[before:] if one.route == CALLBACK]
        asking.standin.settings.answer_within_s = 0.2
        asking.standin.faults.refuse_callback(10062, times=None)
        refused = await asking.at(RATE, SECONDS / 2, COMMAND)
        pid = asking.program.pid
        assert rss(pid) > 0
        assert processor_s(pid) > 0
        assert waited_s(pid) > 0
        assert open_files(pid) > 2
        assert threads(pid) >= 1
        assert not world.exchanges.by_id
        assert not world.exchanges.by_token
        assert not world.messages.by_id
    for kind, figures in asked.items():
        total = figures.all
        assert total.asked == len(figures.lateness) == len(total.latencies) > 0
        assert total.answered == total.asked
        assert sum(body["type"] == KIND_OF[kind] for body in bodies) == total.asked
        assert figures.rss > 0
    assert refused.all.answered == 0
    assert set(refused.all.latencies) == {inf}
    assert asking.program.process.returncode is not None
    assert asking.standin.violations == []


def test_what_is_not_answered_counts_as_slow() -> None:
    figures = Figures(rate=10, seconds=1)
    figures.tallies["command"] = Tally(asked=4, answered=3, latencies=[0.001, 0.002, 0.003, inf])
    assert figures.all.ms(0.5) == 2
    assert figures.all.ms(0.99) == inf
    assert not holds(figures)
    assert isnan(percentile([], 0.5))


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 50), (0.95, 95), (0.99, 99), (1, 100), (0.001, 1)]
)
def test_percentiles_are_values_that_were_measured(share: float, value: float) -> None:
    assert percentile([float(number) for number in range(100, 0, -1)], share) == value


def test_a_target_that_has_no_value_is_missed() -> None:
    targets = [
        Target("fast", 1, 2, "ms"),
        Target("often", 1, 2, "/s", at_least=True),
        Target("none", float("nan"), 2, "ms"),
    ]
    assert summary(targets) == "overall: 1 of 3 reached; missed: often, none"


def test_no_question_comes_twice_while_others_are_left() -> None:
    scored, made = kept(), questions(seed=3)
    assert len({question.line for question in scored}) > 1500
    assert len({question.locale for question in scored}) == 10
    first = [next(made) for _ in range(1000)]
    assert len(set(first)) == len(first)


def test_the_same_seed_asks_the_same() -> None:
    said = []
    for _ in range(2):
        crowd = Crowd(StandIn(), seed=5, answers=[ANSWER])
        said.append([crowd.kind(MIXED) for _ in range(50)])
    assert said[0] == said[1]
    assert set(said[0]) == set(KINDS)


def test_a_brief_run_is_of_everything() -> None:
    plan = plan_of(["--brief"])
    assert set(KINDS) < set(plan.scenarios)
    assert plan_of(["--scenario", "press"]).scenarios == ("press",)
