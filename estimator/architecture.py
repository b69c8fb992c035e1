"""The counted shape of a model: blocks in their order, vocabulary, tying.

Everything that is sized is sized over `Architecture.tensors`, which lists every weight
tensor once with its role. Layers are summed, never multiplied by a constant: a model
with two kinds of block has two entries.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Self

from pydantic import Field, PositiveInt, model_validator

from estimator.blocks import Block
from estimator.tensors import Count, Extra, NormKind, Role, Row, Tensor, norm_tensors


class Run(Row):
    """`times` repetitions of the blocks named in `of`, in order."""

    times: PositiveInt
    of: tuple[str, ...] = Field(min_length=1)


class Tower(Row):
    """A tower for images with its projector: all its parameters, and those of its linears.

    `tokens`: what any image becomes in the text; or `token_side`: pixels of a token's side.
    """

    parameters: PositiveInt
    linears: Count
    tokens: Count = 0
    token_side: Count = 0

    def tensors(self) -> tuple[Tensor, ...]:
        rest = self.parameters - self.linears
        parts = ((Role.TOWER_LINEAR, self.linears), (Role.TOWER, rest))
        return tuple(Tensor("tower", role, 1, elements, 1) for role, elements in parts if elements)


class Architecture(Row):
    """A language model, counted to the last parameter.

    `layers` says the order of the named `blocks`. `positions` is the number of rows
    of a learned position table (0: rotary or none). `softcap`: logits pass tanh.
    `dropout`: the residual stream is dropped out in training (GPT-2, OPT). `head`: false
    where the checkpoint ends with the last norm (encoders, embedding models); `embeds`: false
    of a part of a model that lies behind its embeddings, on another card. `embedding`:
    the embedding's width where it is not `hidden`. `extra`: weights of the model itself.
    `own_loss`: the loss is taken in the logits' own type, not in fp32 (T5, BART).
    `scores`: the head gives one number a token in place of the vocabulary's logits.
    `ends`: of a stage of a pipeline, whether it has the last norm and the head.
    """

    hidden: PositiveInt
    vocabulary: PositiveInt
    tied: bool
    norm: NormKind = NormKind.RMS
    norm_bias: bool = False
    final_norm: bool = True
    embedding_norm: bool = False
    head_bias: bool = False
    positions: Count = 0
    head: bool = True
    embeds: bool = True
    embedding: Count = 0
    tower: Tower | None = None
    extra: tuple[Extra, ...] = ()
    softcap: bool = False
    dropout: bool = False
    own_loss: bool = False
    scores: bool = False
    ends: bool = True
    blocks: Mapping[str, Block]
    layers: tuple[Run, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        named = {name for run in self.layers for name in run.of}
        if named != set(self.blocks):
            raise ValueError(f"layers name {sorted(named)}, blocks are {sorted(self.blocks)}")
        return self

    @cached_property
    def stack(self) -> tuple[tuple[int, Block], ...]:
        """(how many, kind) for each kind of block."""
        counts = dict.fromkeys(self.blocks, 0)
        for run in self.layers:
            for name in run.of:
                counts[name] += run.times
        return tuple((counts[name], block) for name, block in self.blocks.items())

    @property
    def order(self) -> tuple[str, ...]:
        """The name of every block, in the order they run."""
        return tuple(name for run in self.layers for name in run.of * run.times)

    @property
    def rotary_width(self) -> int:
        """Elements of a position's rotary table, of the widest block; 0 with learned positions."""
        if self.positions:
            return 0
        return max(block.attention.rotary_width for _, block in self.stack)

    @property
    def first(self) -> Block:
        """The block that reads the embeddings."""
        return self.blocks[self.layers[0].of[0]]

    @property
    def depth(self) -> int:
        return sum(count for count, _ in self.stack)

    @cached_property
    def tensors(self) -> tuple[Tensor, ...]:
        """Every weight tensor once; a tied head is the embedding."""
        found = [*self._first()] if self.embeds else []
        found.extend(extra.tensor(1) for extra in self.extra)
        for count, block in self.stack:
            found.extend(
                block.tensors(self.hidden, count, norm=self.norm, norm_bias=self.norm_bias)
            )
        if self.ends:
            found.extend(self._last())
        if self.tower is not None:
            found.extend(self.tower.tensors())
        return tuple(found)

    def _first(self) -> Iterator[Tensor]:
        """What stands in front of the blocks."""
        width = self.embedding or self.hidden
        yield Tensor("embed_tokens", Role.EMBEDDING, self.vocabulary, width, 1)
        if self.positions:
            yield Tensor("embed_positions", Role.POSITION, self.positions, self.hidden, 1)
        if self.embedding_norm:
            yield from norm_tensors("embed_norm", width, 1, self.norm, bias=self.norm_bias)

    def _last(self) -> Iterator[Tensor]:
        """What stands behind them."""
        if self.final_norm:
            yield from norm_tensors("norm", self.hidden, 1, self.norm, bias=self.norm_bias)
        if self.scores:
            yield Tensor("score", Role.HEAD, 1, self.hidden, 1)
        elif self.head and not self.tied:
            yield Tensor("lm_head", Role.HEAD, self.vocabulary, self.hidden, 1)
        if self.head_bias:
            yield Tensor("lm_head", Role.BIAS, 1, self.vocabulary, 1)

    def with_layers(self, counts: Mapping[str, int]) -> Self:
        """The same model with so many blocks of each kind."""
        present = {name: count for name, count in counts.items() if count}
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        fields["blocks"] = {name: self.blocks[name] for name in present}
        fields["layers"] = tuple(Run(times=count, of=(name,)) for name, count in present.items())
        return type(self)(**fields)

    def changed(self, **fields: object) -> Self:
        """The same model but for `fields`, counted anew."""
        own = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**own | fields)

    def scoring(self) -> Self:
        """The same model with a head that scores: of a reward or value model."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**fields | {"scores": True, "tied": False, "head_bias": False})

    @cached_property
    def parameters(self) -> int:
        return sum(tensor.parameters for tensor in self.tensors)

    @cached_property
    def active_parameters(self) -> int:
        """Parameters that one token passes through; embeddings and head included."""
        return sum(
            tensor.copies * tensor.active_experts * tensor.rows * tensor.columns
            for tensor in self.tensors
        )

    @cached_property
    def linear_modules(self) -> tuple[str, ...]:
        """Names of the adaptable linears of the blocks, in order of appearance."""
        return tuple(dict.fromkeys(t.module for t in self.tensors if t.role is Role.LINEAR))
