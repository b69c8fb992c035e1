"""What the soak calls lost, and what it calls grown."""

from dataclasses import replace

import pytest

from tests.soak.doing import Doing
from tests.soak.ledger import Ledger, Span
from tests.soak.soaking import Soak
from tests.soak.watching import Look, grown, slope_mb_an_hour
from tests.wire.callbacks import MESSAGE, THINK, Exchange
from tests.wire.messages import create
from tests.wire.standin import StandIn

MB = 10**6
LOOK = Look(at=0, rss=100 * MB, rss_drawer=80 * MB, files=14, threads=8, tasks=12)
SENT = 10.0


@pytest.fixture
def exchange() -> Exchange:
    """A press, without a word about it yet."""
    standin = StandIn()
    message = standin.bot_message(
        components=[
            {"type": 1, "components": [{"type": 2, "style": 2, "custom_id": "x", "label": "X"}]}
        ]
    )
    return standin.people().press("x", message, 2, None)


def answered(exchange: Exchange) -> Exchange:
    exchange.after_s, exchange.callback_type = 0.1, MESSAGE
    return exchange


@pytest.mark.parametrize(
    ("of_callbacks", "of_gateway", "lost"),
    [
        ([], [], True),
        ([Span(10.5, 11.5)], [], True),  # two of the three seconds are left
        ([Span(9, 12.5)], [], False),
        ([Span(10, 11), Span(11.5, 13)], [], False),
        ([], [Span(9, 11)], True),  # it came with the session that went on, in time
        ([], [Span(9, 12.5)], False),
        ([], [Span(10.05, 12.5)], False),  # it was on its way as the connection broke
        ([Span(11, 12.5)], [Span(9, 11)], False),
    ],
)
def test_lost_is_what_could_have_been_answered(
    exchange: Exchange, of_callbacks: list[Span], of_gateway: list[Span], *, lost: bool
) -> None:
    ledger = Ledger()
    ledger.outages.of_callbacks += of_callbacks
    ledger.outages.of_gateway += of_gateway
    ledger.settle(Doing("press", exchange), SENT, heard=True, replied=False)
    assert (ledger.lost["press"], ledger.impossible["press"]) == (int(lost), int(not lost))
    assert ledger.asked["press"] == 1
    assert not ledger.answered["press"]


def test_what_is_answered_is_never_lost(exchange: Exchange) -> None:
    ledger = Ledger()
    ledger.settle(Doing("press", answered(exchange)), SENT, heard=True, replied=False)
    assert ledger.answered["press"] == 1
    assert Soak(ledger, [LOOK]).faults == []


def test_what_no_session_heard_could_not_be_answered(exchange: Exchange) -> None:
    ledger = Ledger()
    ledger.settle(Doing("press", exchange), SENT, heard=False, replied=False)
    assert ledger.impossible["press"] == 1


def test_an_announced_answer_that_never_comes_is_lost(exchange: Exchange) -> None:
    ledger = Ledger()
    exchange.after_s, exchange.callback_type = 0.1, THINK
    exchange.original = create({"flags": 1 << 7}, ())
    ledger.settle(Doing("command", exchange), SENT, heard=True, replied=False)
    assert ledger.lost["command"] == 1
    assert "1 answers lost" in Soak(ledger, [LOOK]).faults


@pytest.mark.parametrize("replied", [True, False])
def test_a_message_is_answered_by_a_reply(*, replied: bool) -> None:
    ledger = Ledger()
    message = create({"content": "7B"}, ())
    ledger.settle(Doing("mention", message=message), SENT, heard=True, replied=replied)
    assert ledger.lost["mention"] == int(not replied)


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (LOOK, []),
        (replace(LOOK, rss=102 * MB, files=18), []),
        (replace(LOOK, rss=104 * MB), ["RSS grew by 4.0%"]),
        (replace(LOOK, files=28), ["files grew by 100.0%"]),
        (replace(LOOK, threads=16, tasks=24), ["threads grew by 100.0%", "tasks grew by 100.0%"]),
        (replace(LOOK, rss=90 * MB, rss_drawer=200 * MB), []),
    ],
)
def test_what_grows_is_told(last: Look, words: list[str]) -> None:
    looks = [replace(LOOK, at=at) for at in range(30)] + [
        replace(last, at=30 + at) for at in range(10)
    ]
    assert grown(looks) == words


def test_the_slope_is_of_memory_over_time() -> None:
    looks = [replace(LOOK, at=60 * minute, rss=(100 + minute) * MB) for minute in range(10)]
    assert round(slope_mb_an_hour(looks), 6) == 60
    assert slope_mb_an_hour(looks[:1]) == 0


def test_a_process_that_ended_is_a_fault() -> None:
    assert Soak(looks=[LOOK], status=1, broken=["too long"]).faults == [
        "Discord's rule broken: too long",
        "the process ended with 1",
    ]
