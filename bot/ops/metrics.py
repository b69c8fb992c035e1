"""What is counted, for monitoring: plain numbers, which `bot.ops.exposition` shows at `/metrics`.

Counting takes a microsecond and nothing of Prometheus' library, so whoever counts needs no more
than this file. Values of labels are of closed sets, and never a person's, a server's, or a text
that somebody typed. All of it is counted in the thread of the event loop.
"""

from bisect import bisect_left
from dataclasses import dataclass, field

MOST_SERIES = 500  # of one metric; what comes beyond is counted as `OTHER`
OTHER = "other"

# Around what is to be reached: 15 ms where little is asked, 50 ms where much is, and the 3 s after
# which Discord gives up.
ANSWER_BUCKETS = (0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0)
STORE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.15, 0.5, 1.0, 2.3)


@dataclass(slots=True)
class Counter:
    """How often something was, by labels; `says` is what monitoring shows beside it."""

    name: str
    says: str
    labels: tuple[str, ...] = ()
    values: dict[tuple[str, ...], float] = field(default_factory=dict)

    def add(self, *labels: str, by: float = 1) -> None:
        """Count it."""
        labels = _bounded(labels, len(self.values), known=labels in self.values)
        self.values[labels] = self.values.get(labels, 0) + by


@dataclass(slots=True)
class Observed:
    """The observations of one series: how many in each bucket, the last one without an end."""

    buckets: list[int]
    total: float = 0.0


@dataclass(slots=True)
class Histogram:
    """How long something took, in seconds; `bounds` are the buckets' upper ends."""

    name: str
    says: str
    bounds: tuple[float, ...]
    labels: tuple[str, ...] = ()
    values: dict[tuple[str, ...], Observed] = field(default_factory=dict)

    def observe(self, seconds: float, *labels: str) -> None:
        """Count one that took so long."""
        labels = _bounded(labels, len(self.values), known=labels in self.values)
        series = self.values.get(labels)
        if series is None:
            series = self.values[labels] = Observed([0] * (len(self.bounds) + 1))
        series.buckets[bisect_left(self.bounds, seconds)] += 1
        series.total += seconds


def _bounded(labels: tuple[str, ...], series: int, *, known: bool) -> tuple[str, ...]:
    """The labels; of a series too many those of all that have no room."""
    return labels if known or series < MOST_SERIES else (OTHER,) * len(labels)


INTERACTIONS = Counter(
    "vram_interactions_total",
    "What was asked: its kind (command, list, press, form, message), which one, its outcome.",
    ("kind", "command", "outcome"),
)
ANSWER_SECONDS = Histogram(
    "vram_answer_seconds",
    "From an event's receipt to the first callback that Discord took.",
    ANSWER_BUCKETS,
    ("kind",),
)
UNREAD = Counter(
    "vram_unread_questions_total", "Questions that were refused, by the error's code.", ("code",)
)
REQUESTS = Counter(
    "vram_discord_requests_total",
    "Calls of Discord's HTTP interface, by template and class of status; error: no answer came.",
    ("method", "route", "status"),
)
RATE_LIMITED = Counter(
    "vram_discord_rate_limited_total", "Answers 429 of Discord, by template.", ("route",)
)
IDENTIFIES = Counter("vram_gateway_identifies_total", "Sessions that were begun anew (IDENTIFY).")
RESUMES = Counter("vram_gateway_resumes_total", "Sessions that were gone on with (RESUMED).")
DROPS = Counter(
    "vram_gateway_drops_total", "Connections of shards that ended, by close code.", ("code",)
)
PICTURES = Counter(
    "vram_pictures_total",
    "Pictures that were asked for: drawn, kept from before, failed, given up, or no room.",
    ("outcome",),
)
LATE_PICTURES = Counter("vram_late_pictures_total", "Pictures put on an answer that was sent.")
WORKER_STARTS = Counter(
    "vram_picture_worker_starts_total", "Starts of the process that draws; the first one too."
)
HUB = Counter(
    "vram_hub_lookups_total",
    "Models that no table has: hit (remembered), found, unknown to the Hub, or failed.",
    ("outcome",),
)
TRANSACTIONS = Counter(
    "vram_store_transactions_total", "Transactions of the store: ok, or the fault.", ("outcome",)
)
STORE_SECONDS = Histogram(
    "vram_store_seconds", "How long who used the store waited for it.", STORE_BUCKETS
)
RELOADS = Counter(
    "vram_settings_reloads_total", "Settings read again: taken, or refused.", ("outcome",)
)

COUNTERS = (
    *(INTERACTIONS, UNREAD, REQUESTS, RATE_LIMITED, IDENTIFIES, RESUMES, DROPS, PICTURES),
    *(LATE_PICTURES, WORKER_STARTS, HUB, TRANSACTIONS, RELOADS),
)
HISTOGRAMS = (ANSWER_SECONDS, STORE_SECONDS)
