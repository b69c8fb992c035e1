"""Types of a cache that an engine does not keep, or not on the cards that were named."""

from collections.abc import Sequence

from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.engine_rows import Engine
from estimator.errors import BadRequest, Contradiction
from estimator.gpu_rows import Gpu
from estimator.held_as import capability_of, least_card
from estimator.refusals_of_engines import listed
from estimator.rows import Dtype

BITS_OF_CACHES = (  # types of as many bits: what an engine keeps where another's was named
    ("Q8_0", "int8", "hqq8", "mlx8"),
    ("Q6_0", "mlx6"),
    ("Q4_0", "int4", "hqq4", "mlx4"),
    ("hqq2", "mlx2"),
)
NEAREST = {"fp8": "Q8_0"}  # of an engine that nobody named: what it keeps instead


def kept_cache(
    name: str,
    engine: Engine,
    version: str | None,
    compute: str,
    catalog: Catalog,
    *,
    field: str = "kv",
    cards: Sequence[Cards] = (),
    named: bool = True,
) -> Dtype:
    """The type that the engine keeps a cache in where `name` was asked for.

    That is `name` itself, or the engine's own of as many bits; of an engine that was not
    `named`, the nearest that it has. Raises Contradiction, and BadRequest for a type that
    none keeps.
    """
    dtype = catalog.dtypes.find(name)
    held = caches_of(engine, version)
    if dtype.id == compute or dtype.id in held:
        _refuse_older(dtype.id, engine, field, cards, catalog)
        return dtype
    for group in BITS_OF_CACHES:
        own = [one for one in group if one in held]
        if dtype.id in group and own:
            return catalog.dtypes.find(own[0])
    if not named and NEAREST.get(dtype.id) in held:
        return catalog.dtypes.find(NEAREST[dtype.id])
    if not any(dtype.id in _every_cache(row) for row in catalog.engines.rows):
        raise BadRequest(
            field,
            f"no engine keeps a cache in `{dtype.id}`",
            suggestions=("kv fp8", "kv q8_0", "kv q4_0"),
        )
    kept = [
        one
        for one in dict.fromkeys([*held, compute])
        if _offered(engine.least_caches.get(one), cards)
    ]
    raise Contradiction(
        ("engine", field),
        f"{engine.id} keeps no cache in `{dtype.id}`, but in {listed(kept)}.",
        suggestions=_shown(kept, engine, field, catalog),
    )


def _refuse_older(
    name: str, engine: Engine, field: str, cards: Sequence[Cards], catalog: Catalog
) -> None:
    """Raise Contradiction for a type that a card of known capability has no kernels for."""
    least, card = engine.least_caches.get(name), least_card(cards, catalog)
    if least is None or card is None or (card.capability or (0, 0)) >= capability_of(least):
        return
    others = [one for one in engine.caches if one not in engine.least_caches]
    raise Contradiction(
        (field, "gpus"),
        f"{engine.id} keeps a cache in `{name}` from compute capability {least} on; "
        f"{card.name} has {card.compute_capability}.",
        suggestions=_shown(others, engine, field, catalog),
    )


def _offered(least: str | None, cards: Sequence[Cards]) -> bool:
    """Whether a type that needs `least` may be proposed: no card was named, or each has it."""
    if least is None:
        return True
    gpus = [entry.card for entry in cards]
    return all(
        isinstance(gpu, Gpu) and (gpu.capability or (0, 0)) >= capability_of(least) for gpu in gpus
    )


def _shown(names: Sequence[str], engine: Engine, field: str, catalog: Catalog) -> tuple[str, ...]:
    return tuple(
        f"{engine.id}, {field.replace('_', ' ')} {one}" for one in _packed_first(names, catalog)
    )


def caches_of(engine: Engine, version: str | None) -> tuple[str, ...]:
    """Types of a cache; those of a fork that the version names are among them."""
    text = (version or "").casefold()
    forks = [names for fork, names in engine.fork_caches.items() if fork in text]
    return tuple(dict.fromkeys([*engine.caches, *(one for names in forks for one in names)]))


def _every_cache(engine: Engine) -> set[str]:
    forks = {name for names in engine.fork_caches.values() for name in names}
    kept = {*engine.caches, *forks}
    return kept.union(*(group for group in BITS_OF_CACHES if kept & set(group)))


def _packed_first(names: Sequence[str], catalog: Catalog) -> list[str]:
    """Packed types with the most bits first, which lose least; then plain ones."""

    def order(name: str) -> tuple[bool, float, str]:
        dtype = catalog.dtypes.find(name)
        bits = dtype.bytes_per_block / dtype.elements_per_block
        wide = dtype.plain and dtype.bytes_per_block > 1
        return wide, bits if wide else -bits, name

    return sorted(names, key=order)
