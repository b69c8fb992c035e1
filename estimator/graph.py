"""How a forward graph holds its tensors: what every part of a block is counted with."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from estimator.setup import Adapter
from estimator.tensors import NormKind, Role
from estimator.words import AttentionKernel, Library, Method

FP32 = 4
HALF = 2
RMS_NORMS = (*(NormKind.RMS, NormKind.RMS_PLUS_ONE, NormKind.RMS_IN_FP32, NormKind.RMS_KEEPING),)
SCALED_IN_FP32 = (NormKind.RMS_PLUS_ONE, NormKind.RMS_IN_FP32)

Part = Iterator[tuple[str, int]]  # (a size's name, bytes a token for each of it)


class GraphKind(NamedTuple):
    """What of a graph decides a block's operations: `Graph` without an adapter's rank.

    `targets`: the modules that have one; `adapter`: its width, 0 for none. `prompts`: attention
    looks at trained tokens; `scales`: each linear's output is scaled by a trained factor.
    `gathers`: of tensor parallelism, tokens are gathered in front of its linears and scattered
    behind them; `reduces`: they are on every card, and what linears give is summed up.
    """

    stream: int
    compute: int
    attending: int
    product: int
    weight: int
    base_trained: bool
    autocast: bool
    norm: NormKind
    dropout: bool
    packed: bool
    inputs_kept: bool
    eager: bool
    targets: tuple[str, ...]
    adapter: int
    adapter_dropout: bool
    library: Library
    flash: bool
    prompts: bool
    scales: bool
    compiled: bool
    unpacked: bool = False
    gathers: bool = False
    reduces: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """How the forward graph holds its tensors, in bytes an element.

    `stream`: the residual stream; `compute`: what linears put out; `attending`: what
    attention is computed in and keeps. `base_trained`: the base's weights get gradients.
    `recast`: fp32 weights under autocast, where each linear casts its own input.
    `autocast`: adapters too are cast, and LayerNorm runs in fp32. `dropout`: the residual
    stream is dropped out. `product`: what a linear's product is computed in. `weight`: the
    norms' weights. `packed`: linears of NF4 or int8, which hand back the type that they were
    given. `inputs_kept`: frozen linears keep their inputs all the same (LLM.int8). `unpacked`:
    a packed matrix is written out in whole to be multiplied, and goes with its product.
    `library`: whose modules it is made of; `compiled`: by torch.compile, block by block.
    `cut`: cards that divide each block's matrices; `spread`: the tokens between blocks too.
    `every_second_product`: all that selective checkpointing keeps of matrix products.
    """

    stream: int
    compute: int
    attending: int
    product: int
    weight: int
    base_trained: bool
    recast: bool
    autocast: bool
    norm: NormKind
    dropout: bool
    packed: bool
    inputs_kept: bool
    attention: AttentionKernel
    adapter: Adapter | None
    unpacked: bool = False
    library: Library = Library.TRANSFORMERS
    compiled: bool = False
    cut: int = 1
    spread: int = 1
    every_second_product: bool = False

    @property
    def kind(self) -> GraphKind:
        """What it shares with every graph of its kind."""
        adapter = self.adapter
        return GraphKind(
            stream=self.stream,
            compute=self.compute,
            attending=self.attending,
            product=self.product,
            weight=self.weight,
            base_trained=self.base_trained,
            autocast=self.autocast,
            norm=self.norm,
            dropout=self.dropout,
            packed=self.packed,
            inputs_kept=self.inputs_kept,
            eager=self.attention is AttentionKernel.EAGER,
            targets=adapter.targets if adapter else (),
            adapter=adapter.dtype.bytes_per_block if adapter else 0,
            adapter_dropout=bool(adapter and adapter.dropout),
            unpacked=self.unpacked,
            library=self.library,
            flash=self.attention is AttentionKernel.FLASH,
            prompts=bool(adapter and adapter.virtual_tokens),
            scales=self.scales,
            compiled=self.compiled,
            gathers=self.spread > 1,
            reduces=self.cut > 1 and self.spread == 1,
        )

    @property
    def given(self) -> str:
        """The size of what the linears of a block are given, by name: gathered, if it is spread."""
        return "gathered" if self.spread > 1 else "hidden"

    def widths(self, hidden: int) -> dict[str, int]:
        """The stream's width for each token of the step: between blocks, and in their linears."""
        return {"hidden": hidden // self.spread} | ({"gathered": hidden} if self.spread > 1 else {})

    @property
    def scales(self) -> bool:
        """Whether each linear's output is scaled by a trained factor."""
        return self.adapter is not None and self.adapter.scales

    @property
    def scaled_bytes(self) -> int:
        """What a trained RMSNorm of the stream scales by its weight, which it keeps."""
        return FP32 if self.recast or self.norm in SCALED_IN_FP32 else self.stream

    @property
    def head_trained(self) -> bool:
        """Whether the head gets a gradient, and so keeps its input."""
        return self.base_trained or (self.adapter is not None and Role.HEAD in self.adapter.saved)

    @property
    def final_norm_trained(self) -> bool:
        """Whether the norm in front of the head is trained."""
        adapter = self.adapter
        if adapter is None:
            return self.base_trained
        if adapter.scales:
            return True
        return adapter.method is Method.LN_TUNING and not adapter.second_norms
