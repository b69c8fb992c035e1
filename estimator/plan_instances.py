"""Machines of clouds that hold it: one or several, each provider's smallest."""

from collections.abc import Iterator
from dataclasses import dataclass

from estimator.catalog import Catalog
from estimator.gpu_rows import Gpu, Instance
from estimator.plan_judging import Judge
from estimator.plan_ways import IN_ONE_BOX, MOST_PLANNED, ways_of
from estimator.units import GB, GIB
from estimator.words import Strategy


@dataclass(frozen=True, slots=True)
class Machine:
    """`machines` of an instance, `count` cards in all; `host_bytes`: memory of one, if known."""

    provider: str
    id: str
    machines: int
    card: str
    count: int
    strategy: Strategy
    host_bytes: int | None


def machines(judge: Judge, most: int) -> Iterator[Machine]:
    """At most `most`, one a provider: single machines first, with the least memory in all.

    Of equal ones that with fewer cards; none whose cards lack the type that is computed in.
    """
    found: set[str] = set()
    for instance, times, gpu in _candidates(judge.catalog):
        count = instance.count * times
        if instance.provider in found or judge.room(gpu) < judge.loaded(count):
            continue
        held = judge.held(gpu, count, ways_of(judge.request, count))
        if held is None or (held.setup.numbers.compute.id == "bf16" and not gpu.bf16):
            continue
        found.add(instance.provider)
        yield Machine(
            provider=instance.provider,
            id=instance.id,
            machines=times,
            card=gpu.name,
            count=count,
            strategy=held.setup.strategy,
            host_bytes=host_memory(instance),
        )
        if len(found) == most:
            return


def host_memory(instance: Instance) -> int | None:
    """Bytes of the host's memory of a machine."""
    if not instance.host_memory:
        return None
    return round(instance.host_memory * (GIB if instance.host_unit == "GiB" else GB))


def _candidates(catalog: Catalog) -> list[tuple[Instance, int, Gpu]]:
    """Each machine, and so many of the large ones, the least memory in all first.

    Of a provider's machines with the same cards the one with the least host memory; chips that
    are programmed in their own way are left out.
    """
    smallest: dict[tuple[str, str, int], Instance] = {}
    for one in catalog.instances.rows:
        key = (one.provider, one.gpu, one.count)
        if key not in smallest or (one.host_memory or 0) < (smallest[key].host_memory or 0):
            smallest[key] = one
    found = []
    for one in smallest.values():
        gpu = catalog.gpus.find(one.gpu)
        if gpu.microarchitecture.software is not None:
            continue
        times = 1
        while times * one.count <= MOST_PLANNED:
            found.append((one, times, gpu))
            if one.count < IN_ONE_BOX:
                break
            times *= 2
    return sorted(found, key=_size)


def _size(candidate: tuple[Instance, int, Gpu]) -> tuple[bool, int, int]:
    instance, times, gpu = candidate
    count = instance.count * times
    return times > 1, gpu.memory_gb * count, count
