"""Bare sizes: what shape "7B", "3B" or "8x7b" stands for.

A typed size that is a row of the table is that row's model. Any other gets a shape
between its two neighbours: width, depth and MLP follow a straight line in the
logarithm of the parameters, as published model families do; the vocabulary is the
nearer neighbour's, keys and values have eight heads, and the MLP's width is then set so
that the count comes closest to the number typed. `4x7B` is the 7B shape with four routed
copies of its MLP.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from estimator.architecture import Architecture, Run
from estimator.blocks import Block
from estimator.catalog import Catalog
from estimator.errors import BadRequest
from estimator.mixers import Attention
from estimator.mlps import ExpertsMlp, GatedMlp
from estimator.rows import Size
from estimator.setup import Shape
from estimator.units import BILLION, MILLION, TRILLION

SMALLEST = 10 * MILLION
LARGEST = 4 * TRILLION
MOST_EXPERTS = 512
ROUTED_PER_TOKEN = 2  # Mixtral's, for sizes such as 4x7B that no table has
HEAD_DIM = 64  # width of a head below HEAD_DIM_WIDE_FROM parameters, then twice that
WIDE_HEADS_FROM = 2 * BILLION
CALLED_WITHIN = 0.35  # Gemma 2 2B has 2.6 billion parameters; farther off is another thing
MOST_SPANNED = 8
KV_HEADS = 8  # key and value heads, as Llama 3, Mistral and Qwen 2.5 have them
MLP_STEP = 64  # MLP widths are multiples of this

_BARE = re.compile(
    r"(?:(?P<experts>\d{1,4})\s*x\s*)?(?P<number>\d{1,13}(?:\.\d{1,6})?)\s*(?P<unit>[mbt])",
    re.IGNORECASE | re.ASCII,
)
_UNITS = {"m": MILLION, "b": BILLION, "t": TRILLION}


@dataclass(frozen=True, slots=True)
class BareSize:
    """`parameters` of one copy; `experts` copies of the MLP."""

    text: str
    parameters: int
    experts: int

    @property
    def total(self) -> int:
        """The number a rule of thumb would take: 8x7B is read as 56 billion."""
        return self.experts * self.parameters


def parse_size(text: str) -> BareSize | None:
    """`"7B"`, `"350M"`, `"8x7b"` as a size, none if it is not one.

    Raises BadRequest for a size that no language model has.
    """
    match = _BARE.fullmatch(text)
    if match is None:
        return None
    experts = int(match["experts"] or 1)
    parameters = round(float(match["number"]) * _UNITS[match["unit"].lower()])
    size = BareSize(text, parameters, experts)
    if parameters == 0 or experts == 0:
        raise BadRequest("model", f"`{text}` has no parameters", suggestions=("7B", "0.5B"))
    if not parameters >= SMALLEST or size.total > LARGEST:
        raise BadRequest(
            "model",
            f"`{text}` is outside 10M to 4T, the sizes that language models have",
            suggestions=("7B", "70B", "0.5B"),
        )
    if experts > MOST_EXPERTS:
        raise BadRequest("model", f"`{text}` has more than {MOST_EXPERTS} experts")
    return size


def shape_of(size: BareSize, catalog: Catalog) -> Shape:
    """The shape that stands for a bare size, with the models its range spans."""
    for row in catalog.sizes:
        if row.parameters == size.total and row.experts == size.experts:
            model = catalog.models.find(row.shape)
            known = (model.id, model.architecture, model.context)
            return Shape(*known, size.total, row.span, model.family, model.entry)
    called = _called(size, catalog)
    if size.experts > 1:
        one = shape_of(BareSize(size.text, size.parameters, 1), catalog)
        name = f"{size.experts} experts of {one.name}"
        return Shape(name, _routed(one.architecture, size.experts), one.context, size.total)
    below, above = _neighbours(size.parameters, catalog)
    low, high = catalog.models.find(below.shape), catalog.models.find(above.shape)
    architecture = interpolate(
        size.parameters,
        (low.architecture, low.parameters),
        (high.architecture, high.parameters),
    )
    name = f"a shape between those of {low.id} and {high.id}"
    if size.parameters < low.parameters:
        name = f"a shape below that of {low.id}"
    elif size.parameters > high.parameters:
        name = f"a shape beyond that of {high.id}"
    return Shape(name, architecture, None, size.total, called)


def _called(size: BareSize, catalog: Catalog) -> tuple[str, ...]:
    """Models whose own name says this size: what else may be meant by it."""
    number = re.escape(size.text.casefold().replace(" ", ""))
    name = re.compile(rf"(?<![\d.x]){number}(?![a-z0-9])")
    rows = (row for row in catalog.models.rows if name.search(row.id.casefold()))
    near = (row for row in rows if abs(row.parameters - size.total) <= CALLED_WITHIN * size.total)
    return tuple(row.id for row in near)[:MOST_SPANNED]


def _neighbours(parameters: int, catalog: Catalog) -> tuple[Size, Size]:
    anchors = [row for row in catalog.sizes if row.anchor and row.experts == 1]
    return neighbours(parameters, anchors)


def neighbours(parameters: int, anchors: Sequence[Size]) -> tuple[Size, Size]:
    """The two rows around `parameters`; the outermost two where it lies outside."""
    above = next(
        (i for i, row in enumerate(anchors) if row.parameters > parameters), len(anchors) - 1
    )
    above = max(above, 1)
    return anchors[above - 1], anchors[above]


def interpolate(
    parameters: int, low: tuple[Architecture, int], high: tuple[Architecture, int]
) -> Architecture:
    """A gated, grouped-attention shape of about `parameters`, between two others.

    Off by less than one step of the MLP's width: 3 × depth × hidden × MLP_STEP / 2. Where two
    tables of the vocabulary would be half of it, head and embedding are one.
    """
    (small, few), (large, many) = low, high
    share = (log(parameters) - log(few)) / (log(many) - log(few))
    nearer = small if share < 0.5 else large  # noqa: PLR2004
    head_dim = HEAD_DIM if parameters < WIDE_HEADS_FROM else 2 * HEAD_DIM
    wish = _between(small.hidden, large.hidden, share) / head_dim
    step = KV_HEADS if wish >= 2 * KV_HEADS else 2
    heads = step * max(1, round(wish / step))
    hidden = head_dim * heads
    depth = max(1, round(_between(small.depth, large.depth, share)))
    kv_heads = KV_HEADS if heads % KV_HEADS == 0 else 2
    attention = Attention(query_heads=heads, kv_heads=kv_heads, head_dim=head_dim)

    def sized(inner: int) -> Architecture:
        block = Block(attention=attention, mlp=GatedMlp(kind="gated", inner=inner))
        return Architecture(
            hidden=hidden,
            vocabulary=nearer.vocabulary,
            tied=nearer.tied or 4 * nearer.vocabulary * hidden > parameters,
            blocks={"block": block},
            layers=(Run(times=depth, of=("block",)),),
        )

    without = sized(MLP_STEP)
    missing = parameters - without.parameters
    steps = max(0, round(missing / (3 * hidden * depth * MLP_STEP)))
    return sized(MLP_STEP * (1 + steps))


def _between(low: int, high: int, share: float) -> float:
    return exp(log(low) + share * (log(high) - log(low)))


def _routed(dense: Architecture, experts: int) -> Architecture:
    """`dense` with its MLPs as routed experts."""
    blocks = {
        name: block.model_copy(
            update={
                "mlp": ExpertsMlp(
                    kind="experts",
                    experts=experts,
                    per_token=min(ROUTED_PER_TOKEN, experts),
                    inner=block.mlp.token_inner,
                )
            }
        )
        for name, block in dense.blocks.items()
    }
    return Architecture.model_validate(dense.model_dump() | {"blocks": blocks})
