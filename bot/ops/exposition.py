"""What is counted, and how the bot is, in Prometheus' form: `/metrics`, beside `/readyz`.

The library is loaded when somebody first asks. Each page is made from a registry of its own.

    vram_interactions_total{kind,command,outcome}         what was asked, and what became of it
    vram_answer_seconds{kind}                             until Discord took the first callback
    vram_unread_questions_total{code}                     refused, by the error's code
    vram_discord_requests_total{method,route,status}      calls of Discord's HTTP interface
    vram_discord_rate_limited_total{route}                its answers 429
    vram_gateway_identifies_total                         sessions begun anew
    vram_gateway_resumes_total                            sessions gone on with
    vram_gateway_drops_total{code}                        connections that ended
    vram_shards_known                                     shards of this process
    vram_shards_ready                                     those with a session and heartbeats
    vram_heartbeat_latency_seconds{shard}                 of the last heartbeat acknowledged
    vram_guilds                                           servers that the bot is in
    vram_pictures_total{outcome}                          pictures that were asked for
    vram_late_pictures_total                              put on an answer that was sent
    vram_pictures_waiting                                 to be drawn
    vram_picture_worker_starts_total                      starts of the process that draws
    vram_picture_worker_resident_memory_bytes             its memory
    vram_hub_lookups_total{outcome}                       models that no table has
    vram_store_transactions_total{outcome}                ok, or the fault
    vram_store_seconds                                    how long the store was waited for
    vram_settings_reloads_total{outcome}                  settings read again
    vram_build_info{version,discord_py,python}            always 1

and those of the process itself, as every Python program has them (`process_…`).

Worth an alarm:

    not ready       max_over_time((vram_shards_ready == bool vram_shards_known)[5m:]) == 0
                    or max_over_time(vram_shards_known[5m]) == 0
    gone            up == 0 or absent(vram_build_info)
    store           increase(vram_store_transactions_total{outcome!="ok"}[10m]) > 0
    failing         sum(rate(vram_interactions_total{outcome=~"failed|undelivered"}[10m])) > 0.01
                    * sum(rate(vram_interactions_total[10m]))
    near its limit  increase(vram_gateway_identifies_total[1h]) > 30
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING

from bot.ops.metrics import COUNTERS, HISTOGRAMS, Counter, Histogram
from bot.ops.shards import ShardState
from bot.version import VERSION

if TYPE_CHECKING:  # loaded late: who asks for no metrics does not pay for them
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
TOTAL = "_total"


@dataclass(frozen=True, slots=True)
class Vitals:
    """How the bot is now. `worker_bytes`: of the process that draws, where it runs."""

    shards: Sequence[ShardState] = ()
    guilds: int = 0
    pictures_waiting: int = 0
    worker_bytes: int | None = None


Look = Callable[[], Vitals]


def versions() -> tuple[str, str]:
    """Of discord.py and of Python."""
    import discord  # noqa: PLC0415  (who asks whether the bot is alive does not wait for it)

    return discord.__version__, ".".join(map(str, sys.version_info[:3]))


def load() -> None:
    """Load the library: some 20 ms, which need not be the event loop's."""
    import_module("prometheus_client")


def page(look: Look) -> bytes:
    """The whole of `/metrics`."""
    from prometheus_client import generate_latest  # noqa: PLC0415  (see `load`)

    return generate_latest(registry(look))


def registry(look: Look) -> "CollectorRegistry":
    """All metrics, as they are when they are collected."""
    from prometheus_client import CollectorRegistry, ProcessCollector  # noqa: PLC0415  (likewise)
    from prometheus_client.registry import Collector  # noqa: PLC0415

    class Ours(Collector):
        """Shows what is counted elsewhere."""

        def collect(self) -> Iterator["Metric"]:
            yield from map(_counter, COUNTERS)
            yield from map(_histogram, HISTOGRAMS)
            yield from _gauges(look())

    made = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=made)
    made.register(Ours())
    return made


def _counter(counter: Counter) -> "Metric":
    from prometheus_client.metrics_core import CounterMetricFamily  # noqa: PLC0415

    family = CounterMetricFamily(
        counter.name.removesuffix(TOTAL), counter.says, labels=counter.labels
    )
    if not counter.labels and not counter.values:
        family.add_metric((), 0)  # so that a rate has something to begin from
    for labels, value in counter.values.items():
        family.add_metric(labels, value)
    return family


def _histogram(histogram: Histogram) -> "Metric":
    from prometheus_client.metrics_core import HistogramMetricFamily  # noqa: PLC0415

    family = HistogramMetricFamily(histogram.name, histogram.says, labels=histogram.labels)
    bounds = [*(f"{bound:g}" for bound in histogram.bounds), "+Inf"]
    for labels, seen in histogram.values.items():
        buckets = list(zip(bounds, map(float, accumulate(seen.buckets)), strict=True))
        family.add_metric(labels, buckets, seen.total)
    return family


def _gauges(now: Vitals) -> Iterator["Metric"]:
    from prometheus_client.metrics_core import GaugeMetricFamily as Gauge  # noqa: PLC0415

    ready = sum(shard.is_ready for shard in now.shards)
    yield Gauge("vram_shards_known", "Shards of this process.", len(now.shards))
    yield Gauge("vram_shards_ready", "Shards with a session and heartbeats.", ready)
    latency = Gauge(
        "vram_heartbeat_latency_seconds", "Of the last heartbeat acknowledged.", labels=("shard",)
    )
    for shard in now.shards:
        if shard.latency_s is not None and shard.latency_s < inf:
            latency.add_metric((str(shard.id),), shard.latency_s)
    yield latency
    yield Gauge("vram_guilds", "Servers that the bot is in.", now.guilds)
    yield Gauge("vram_pictures_waiting", "Pictures to be drawn.", now.pictures_waiting)
    memory = Gauge(
        "vram_picture_worker_resident_memory_bytes", "Memory of the process that draws.", labels=()
    )
    if now.worker_bytes is not None:
        memory.add_metric((), now.worker_bytes)
    yield memory
    build = Gauge("vram_build_info", "What runs here.", labels=("version", "discord_py", "python"))
    build.add_metric((VERSION, *versions()), 1)
    yield build
