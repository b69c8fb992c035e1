"""Request + Catalog → Setup: names become rows, what was left open becomes a listed default.

Pure: an unknown model raises `UnknownName`; whoever called may look it up elsewhere,
extend the catalogue by the row found, and resolve again. Training and serving have
their own defaults in `resolve_train` and `resolve_serve`; what both need is here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import TypeVar

from estimator.architecture import Architecture
from estimator.card_total import total_bytes
from estimator.cards import Cards, asked_cards
from estimator.catalog import Catalog
from estimator.errors import BadRequest, Contradiction, UnknownName, shown
from estimator.hf_config import architecture_from_config, weights_of_config
from estimator.request import MOST_CARDS, GpuCount, ServeRequest, TrainRequest
from estimator.resolve_packed import packed_as
from estimator.rows import Dtype, Format, TowerHeld
from estimator.setup import Assumption, Numbers, Shape
from estimator.sizes import parse_size, shape_of
from estimator.tensors import Role
from estimator.units import show_count, show_gib

T = TypeVar("T")

FLOATING = ("fp32", "bf16", "fp16")
BPW_STEPS = 100  # EXL2 and EXL3 state bits a weight to a hundredth


@dataclass
class Ledger:
    """Collects the defaults taken and the warnings, in order."""

    assumed: list[Assumption] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def take(self, name: str, given: T | None, default: T, why: str, source: str) -> T:
        """`given`, or the default, written down."""
        if given is not None:
            return given
        self.note(name, default, why, source)
        return default

    def note(self, name: str, value: object, why: str, source: str) -> None:
        """Write down something that was taken without being asked."""
        match value:
            case bool():
                text = "yes" if value else "no"
            case tuple():
                text = ", ".join(map(str, value))
            case _:
                text = str(value)
        self.assumed.append(Assumption(name, text, why, source))

    def warn(self, sentence: str) -> None:
        self.warnings.append(sentence)


def resolve_shape(request: TrainRequest | ServeRequest, catalog: Catalog, ledger: Ledger) -> Shape:
    """The model asked for, the shape of a bare size, or the numbers of a config.json."""
    if request.architecture is not None:
        architecture, context = architecture_from_config(request.architecture)
        family = re.match("[a-z]*", str(request.architecture.get("model_type", "")))
        named = family[0] if family else ""
        return Shape("your config.json", architecture, context, family=named)
    if request.model is None:
        raise BadRequest("model", "which model? A size such as `7B`, or a name")
    size = parse_size(request.model)
    if size is None:
        row = catalog.models.find(request.model)
        if "mtp" in row.apart:
            count = show_count(row.apart["mtp"])
            ledger.warn(
                f"The {count} parameters that predict further tokens (MTP) are left out, as "
                "transformers leaves them out."
            )
        return Shape(row.id, row.architecture, row.context, family=row.family, entry=row.entry)
    shape = shape_of(size, catalog)
    count = show_count(shape.architecture.parameters)
    why = f"a bare size stands for a common shape of that size; this one has {count}"
    ledger.note("model", shape.name, why, "bare-sizes")
    return shape


def warn_of_unused(
    request: TrainRequest | ServeRequest, names: Sequence[str], ledger: Ledger
) -> None:
    """Say which fields were understood and do not move the estimate."""
    given = [f"`{name}`" for name in names if getattr(request, name) is not None]
    if given:
        ledger.warn(f"Understood, but without effect on the estimate: {', '.join(given)}.")


def usual_weights(request: TrainRequest | ServeRequest, why: str) -> tuple[str, str, str]:
    """(format, why, source) of weights that were left open: the config's own, or bf16."""
    if request.architecture is not None and request.weights is None:
        named = weights_of_config(request.architecture)
        if named is not None:
            return named, "as the config says", "transformers-quantizers"
    return "bf16", why, "defaults"


def resolve_cards(gpus: Sequence[GpuCount], catalog: Catalog) -> tuple[Cards, ...]:
    """Cards and classes of cards, by id or alias."""
    return tuple(_card(entry, catalog) for entry in gpus)


def _card(entry: GpuCount, catalog: Catalog) -> Cards:
    row = catalog.gpus.get(entry.id) or catalog.classes.get(entry.id)
    if row is not None:
        return Cards(row, entry.count)
    sizes = catalog.cards_sharing(entry.id)
    if sizes:
        options = tuple(gpu.id for gpu in sizes)
        raise UnknownName("single card", entry.id, closest=options)
    raise UnknownName("card", entry.id, closest=catalog.gpus.closest(entry.id))


def resolve_world(request: TrainRequest | ServeRequest, cards: Sequence[Cards]) -> int:
    """How many cards share the work: as said, or as many as were named."""
    named = asked_cards(cards)
    refuse_too_many(named, "gpus")
    if request.world is not None and named > 1 and request.world != named:
        raise Contradiction(
            ("world", "gpus"),
            f"{request.world} cards in all, but {named} were named.",
            suggestions=(f"{named} gpus",),
        )
    return request.world or max(1, named)


def refuse_too_many(cards: int, field: str) -> None:
    """Raise BadRequest for more cards than any request is about."""
    if cards > MOST_CARDS:
        raise BadRequest(field, f"{cards:,} cards are more than {MOST_CARDS:,}")


def spread(cards: tuple[Cards, ...], world: int, ledger: Ledger) -> tuple[Cards, ...]:
    """One card's name beside a number of cards means that many of it."""
    if len(cards) != 1 or cards[0].count >= world:
        return cards
    kind = cards[0].card
    ledger.note("gpus", f"{world}x {kind.id}", f"{world} cards, all of one kind", "defaults")
    return (Cards(kind, world),)


def find_dtype(name: str, role: str, catalog: Catalog) -> Dtype:
    """A floating type to compute and to keep numbers in; all others are refused by name."""
    dtype = catalog.dtypes.find(name)
    if dtype.id not in FLOATING:
        what = "has too few bits for this" if dtype.plain else "is a packed format"
        raise BadRequest(role, f"`{shown(name)}` {what}; type `bf16`, `fp16` or `fp32`")
    return dtype


def find_format(
    name: str,
    request: TrainRequest | ServeRequest,
    architecture: Architecture,
    catalog: Catalog,
    ledger: Ledger,
) -> tuple[Format, Dtype | None]:
    """The number format `name`; the type of its linears where that is not the row's.

    So it is where bits a weight are asked for, or groups of another size than the usual.
    """
    number_format = catalog.formats.find(name)
    if number_format.with_experts and any(t.role is Role.EXPERT for t in architecture.tensors):
        number_format = catalog.formats.find(number_format.with_experts)
        why = f"{name} of a model with experts packs those alone"
        ledger.note("weights", number_format.id, why, number_format.sources[-1])
    linear = catalog.dtypes.find(number_format.linear)
    if number_format.any_bits:
        return number_format, _of_bits(request.bpw, number_format, linear)
    if linear.groups is None:
        warn_of_unused(request, ("group_size",), ledger)
        return number_format, None
    packing = packed_as(request, catalog)
    own = packing.group_size if packing and packing.format == number_format.id else None
    why = "as the checkpoint says" if own else f"the usual group of {number_format.id}"
    usual = own or linear.groups.size
    size = ledger.take("group_size", request.group_size, usual, why, number_format.sources[0])
    return number_format, None if size == linear.groups.size else linear.regrouped(size)


def _of_bits(bpw: float | None, number_format: Format, linear: Dtype) -> Dtype:
    """The type of so many bits a weight, beside which a matrix has what `linear` says."""
    if bpw is None:
        name = number_format.id
        raise BadRequest(
            "bpw", f"{name.upper()} needs its bits a weight", suggestions=(f"{name} 4.65bpw",)
        )
    steps = round(bpw * BPW_STEPS)
    common = gcd(8 * BPW_STEPS, steps)
    return linear.model_copy(
        update={
            "id": f"{number_format.id}-{bpw:g}",
            "elements_per_block": 8 * BPW_STEPS // common,
            "bytes_per_block": steps // common,
        }
    )


def numbers_of(
    number_format: Format,
    linear: Dtype | None,
    compute: Dtype,
    catalog: Catalog,
    *,
    packs_head: bool = False,
    given_bytes: int | None = None,
) -> Numbers:
    """`number_format` with its element types looked up.

    `linear`: what its linears are held in, if not in the row's type; other roles of that type
    follow. `packs_head`: of frameworks that pack every linear, the head among them.
    `given_bytes`: what all weights take, where that was told.
    """
    chosen = {} if linear is None else {number_format.linear: linear}
    apart = number_format.tower is TowerHeld.APART  # which is held in types of its own

    def find(name: str) -> Dtype:
        return chosen.get(name) or catalog.dtypes.find(name)

    return Numbers(
        format=number_format,
        linear=find(number_format.linear),
        embedding=find(number_format.embedding),
        head=find(number_format.linear if packs_head else number_format.head),
        expert=find(number_format.expert),
        other=find(number_format.other),
        compute=compute,
        types=catalog.recipe_types if number_format.recipe or apart else {},
        given_bytes=given_bytes,
    )


def warn_of_unpacked(
    numbers: Numbers, architecture: Architecture, *, kbit_prepare: bool, ledger: Ledger
) -> None:
    """Say where most of a packed model stays unpacked, so that QLoRA may take more than LoRA."""
    if not numbers.format.quantised or not numbers.expert.plain:
        return
    unpacked = sum(t.parameters for t in architecture.tensors if t.role is not Role.LINEAR)
    if 2 * unpacked > architecture.parameters:
        held = numbers.expert if numbers.expert.plain else numbers.other
        kept = f"{held.id}, which k-bit preparation casts them to" if kbit_prepare else held.id
        ledger.warn(
            f"{show_count(unpacked)} of {show_count(architecture.parameters)} parameters stay in "
            f"{kept}: bitsandbytes packs linears alone, not embeddings, head or fused "
            "experts. LoRA on 16-bit weights may take less."
        )


def warn_of_length(tokens: int, shape: Shape, ledger: Ledger, what: str) -> None:
    """A sequence beyond the model's positions is sized all the same, and said."""
    if shape.context is not None and tokens > shape.context:
        ledger.warn(
            f"{what} {tokens:,} is beyond the {shape.context:,} tokens that {shape.name} was "
            "made for: the memory is sized all the same, but it needs rescaled or more positions."
        )


def warn_of_cards(
    cards: Sequence[Cards], compute: Dtype, *, flash: bool, ledger: Ledger, catalog: Catalog
) -> None:
    """Say where a card cannot do what the estimate assumes."""
    for entry in cards:
        gpu = catalog.gpus.get(entry.card.id)
        if gpu is None:
            continue
        if not gpu.has_total:
            seen = show_gib(total_bytes(gpu, catalog.card_use))
            ledger.warn(
                f"No total of {gpu.name} was seen: of its {gpu.memory_gb} GB, a program is "
                f"assumed to get {seen}."
            )
        software = gpu.microarchitecture.software
        if software is not None:
            ledger.warn(
                f"{gpu.name} runs by {software}, which lays memory out in its own way: what is "
                "counted here is PyTorch on a GPU, so take it as rough."
            )
        if compute.id == "bf16" and not gpu.bf16:
            ledger.warn(
                f"{gpu.name} has no bf16 in hardware: use fp16, which takes the same memory."
            )
        if flash and gpu.flash_attention is False and software is None:
            ledger.warn(
                f"{gpu.name} does not run FlashAttention-2; PyTorch's memory-efficient "
                "attention keeps as little, `eager` keeps the whole score matrix."
            )
