"""Metrics: their names are as Prometheus wants them, their table is whole, and they stay few."""

import re

import pytest

from bot.ops import exposition, metrics
from bot.ops.exposition import Vitals, registry
from bot.ops.metrics import COUNTERS, HISTOGRAMS, MOST_SERIES, OTHER, Counter, Histogram
from bot.ops.recently import Recently
from bot.ops.requests import template
from bot.ops.shards import ShardState

WEBHOOK = "/webhooks/{id}/{token}"
UNITS = ("_seconds", "_bytes", "_info", "_total", "_known", "_ready", "_guilds", "_waiting")
NOT_BASE = re.compile(r"_(ms|milliseconds|minutes|hours|days|kb|mb|gb|kib|mib|percent)(_|$)")
ROW = re.compile(r"^    (vram_\w+)(?:\{([\w,]+)\})?  +\S", re.MULTILINE)
NAME = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]")


def families() -> dict[str, tuple[str, str, frozenset[str]]]:
    """Kind, help and labels of each metric of ours, by its whole name."""
    for counter in COUNTERS:
        counter.values.setdefault(("x",) * len(counter.labels), 0)
    for histogram in HISTOGRAMS:
        histogram.observe(0, *("x" for _ in histogram.labels))
    found = {}
    shards = [ShardState(0, in_session=True, silent_s=1, latency_s=0.1, allowed_s=9)]
    for family in registry(lambda: Vitals(shards, worker_bytes=1)).collect():
        if not family.name.startswith("vram_"):
            continue
        name = family.name + ("_total" if family.type == "counter" else "")
        labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        found[name] = (family.type, family.documentation, frozenset(labels))
    return found


@pytest.fixture(autouse=True)
def from_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    for metric in (*COUNTERS, *HISTOGRAMS):
        monkeypatch.setattr(metric, "values", {})


def test_the_table_is_what_there_is() -> None:
    table = re.findall(
        r"^    (vram_\w+)(?:\{([\w,]+)\})?  +\S", str(exposition.__doc__), re.MULTILINE
    )
    written = {name: frozenset(filter(None, labels.split(","))) for name, labels in table}
    assert written == {name: labels for name, (_, _, labels) in families().items()}


def test_alarms_name_what_there_is() -> None:
    alarms = str(exposition.__doc__).partition("Worth an alarm:")[2]
    named = set(re.findall(r"vram_\w+", alarms))
    assert len(named) >= 3
    assert named <= set(families())


def test_names_are_as_prometheus_wants_them() -> None:
    for name, (kind, says, _) in families().items():
        assert NAME.fullmatch(name), name
        assert name.endswith(UNITS), name
        assert not NOT_BASE.search(name), name
        assert name.endswith("_total") is (kind == "counter"), name
        assert not name.endswith(("_count", "_sum", "_bucket")), name
        assert says.endswith("."), name


def test_no_label_can_name_a_person() -> None:
    known = {"kind", "command", "outcome", "code", "method", "route", "status", "shard"}
    known |= {"version", "discord_py", "python"}
    assert {label for _, _, labels in families().values() for label in labels} == known


def test_series_are_bounded() -> None:
    counter = Counter("vram_test_total", "A test.", ("code",))
    histogram = Histogram("vram_test_seconds", "A test.", (1.0,), ("code",))
    for number in range(2 * MOST_SERIES):
        counter.add(str(number))
        histogram.observe(2, str(number))
    assert len(counter.values) == len(histogram.values) == MOST_SERIES + 1
    assert counter.values[OTHER,] == MOST_SERIES
    assert histogram.values[OTHER,].buckets == [0, MOST_SERIES]
    counter.add("0")
    assert counter.values["0",] == 2


def test_the_buckets_hold_what_is_to_be_reached() -> None:
    assert {0.015, 0.05, 3.0} <= set(metrics.ANSWER_BUCKETS)


def test_the_last_hour_forgets_what_is_older() -> None:
    seen = Recently()
    for minute in range(120):
        seen.outcome("answered", at=minute * 60)
        seen.answer(0.004 if minute < 119 else 9.0, at=minute * 60)
    assert seen.outcomes(at=119 * 60) == {"answered": 60}
    assert seen.within(0.5, at=119 * 60) == 0.005
    assert seen.within(1.0, at=119 * 60) == float("inf")
    assert seen.within(0.5, at=999 * 60) is None
    assert seen.outcomes(at=150 * 60) == {"answered": 29}


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/api/v10/interactions/12/aW50ZX/callback", "/interactions/{id}/{token}/callback"),
        (
            "/api/v10/webhooks/12/aW50/messages/@original",
            "/webhooks/{id}/{token}/messages/@original",
        ),
        ("/api/v10/webhooks/12/aW50/messages/34", f"{WEBHOOK}/messages/{{id}}"),
        ("/api/v10/webhooks/12/callback", WEBHOOK),
        ("/api/v10/channels/5/messages", "/channels/{id}/messages"),
        ("/api/v10/gateway/bot", "/gateway/bot"),
        ("/api/v10/users/somebody", OTHER),
        ("/", OTHER),
        ("", OTHER),
    ],
)
def test_a_route_holds_no_id_and_no_token(path: str, route: str) -> None:
    assert template(path) == route
