"""The graph that llama.cpp builds of a model for its widest batch, tensor by tensor.

Everything between two matrices is fp32. Norms, biases, activations and residual sums
overwrite what they read, so they have no node unless that is read again. Left out: what is
a few kilobytes wide (a router's sums, positions of sequences).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.engines.ggml_batch import FP16, FP32, Batch
from estimator.engines.ggml_mixers import Attending
from estimator.engines.ggml_plan import Graph
from estimator.mixers import Attention, LatentAttention
from estimator.mlps import ExpertsMlp, GatedMlp, NoMlp, PlainMlp
from estimator.recurrent import NoMixer

INDEX = 8  # bytes of a 64-bit row index
MASK_ROWS = 64  # masks in fp32 that are cast are padded to so many rows
PRE_NORMS = 2  # norms of a block that has none behind its halves
LONG = 32  # tokens, from which on a product with a matrix of the host is the card's


def copied(tokens: int) -> bool:
    """Whether a product of so many tokens is worth copying a matrix to the card.

    `ggml_backend_cuda_device_offload_op`, unless an environment variable says otherwise.
    """
    return tokens >= LONG


class Layer(NamedTuple):
    """A block, and what of it is on the host.

    `hosted`: bytes of the largest of its MLP's matrices there, all experts at once; 0: it is on
    the card. `whole`: so is the rest of the block.
    """

    block: Block
    hosted: int = 0
    whole: bool = False


class Ends(NamedTuple):
    """Of layers on one of several cards: whether the model's `last` is among them, and the head."""

    last: bool = True
    head: bool = True


def pass_graph(
    shape: Architecture,
    batch: Batch,
    layers: Sequence[Layer],
    *,
    hosted_head: int = 0,
    ends: Ends = Ends(),  # noqa: B008  (a value)
) -> Graph:
    """The nodes of a forward pass over `layers`, and the head; its bytes, if it is on the host.

    In a long batch the card multiplies by matrices of the host all the same, and each is copied
    into the buffer first; a short one stays with the CPU. Layers of the same kind between two
    others of it add nothing: see `telling`.
    """
    return _Pass(shape, batch).build(layers, hosted_head, ends)


def telling(layers: Sequence[Layer]) -> list[Layer]:
    """Layers enough for a walk to have met every neighbourhood: of 48 equal ones, three."""
    kinds = [(id(layer.block), layer.hosted, layer.whole) for layer in layers]
    kept, seen = list(layers[:1]), set()
    for number in range(1, len(layers) - 1):
        around = tuple(kinds[number - 1 : number + 2])
        if around not in seen:
            seen.add(around)
            kept.append(layers[number])
    return [*kept, *layers[1:][-1:]]


class _Pass:
    def __init__(self, shape: Architecture, batch: Batch) -> None:
        self.shape, self.batch, self.graph = shape, batch, Graph()

    def build(self, layers: Sequence[Layer], hosted_head: int, ends: Ends) -> Graph:
        """Layers that the CPU works through alone have no node; behind them the stream comes in."""
        batch, last = self.batch, layers[-1] if layers else None
        here = [one for one in layers if not one.whole or copied(batch.tokens)]
        stream = self._inputs([layer.block for layer in here]) if here else -1
        for number, layer in enumerate(here, start=1):
            picks = ends.last and number == len(here) and layer is last
            stream = self._block(layer, stream, batch.outputs if picks else None)
        if (hosted_head and not copied(batch.outputs)) or not (hosted_head or ends.head):
            return self.graph
        if not here or (last is not None and last.whole and not copied(batch.outputs)):
            stream = self._input("stream", batch.outputs * self.shape.hidden * FP32)
        self._output(stream, hosted_head)
        return self.graph

    def _input(self, kind: str, size: int) -> int:
        """What the CPU hands over; each copy is kept where there are several."""
        for _ in range(self.batch.copies - 1):
            self.graph.add(kind, size, kept=True)
        return self.graph.add(kind, size, kept=self.batch.copies > 1)

    def _inputs(self, blocks: list[Block]) -> int:
        """Embeddings, positions, rows of the cache, masks, all copied at the start."""
        batch = self.batch
        stream = self._input("stream", batch.wide(self.shape.hidden))
        self.attend = Attending(
            self.shape.hidden, batch, self.graph, self._input("inputs", batch.tokens * FP32)
        )
        for slides, values in self._caches(blocks):
            if batch.indexed:
                key = self._input("inputs", batch.tokens * INDEX)
                each = 1 if batch.flash else values  # a transposed cache is written by element
                value = self._input("inputs", batch.tokens * INDEX * each) if each else key
                self.attend.rows[slides] = (key, value)
            cells = batch.cells_of(slides=slides)
            if batch.half_mask and batch.flash:
                self.attend.masks[slides] = self._input("mask", cells * batch.tokens * FP16)
                continue
            rows = batch.tokens if batch.half_mask else -(-batch.tokens // MASK_ROWS) * MASK_ROWS
            masks = self.attend.wide_masks if batch.flash else self.attend.masks
            masks[slides] = self._input("mask", cells * rows * FP32)
        self.out_ids = self._input("inputs", batch.outputs * FP32)
        return stream

    def _caches(self, blocks: list[Block]) -> Iterator[tuple[bool, int]]:
        """(slides, elements of a value) of the caches, in the order that layers need them."""
        seen = set()
        for block in blocks:
            for mixer in block.mixers:
                slides = self.batch.slides(mixer)
                if isinstance(mixer, Attention | LatentAttention) and slides not in seen:
                    seen.add(slides)
                    held = mixer.cached if self.batch.latents else mixer.expanded
                    yield slides, held.heads * held.value

    def _block(self, layer: Layer, stream: int, outputs: int | None) -> int:
        """`outputs`: so many tokens go on behind the last block's mixer; none: all."""
        graph, block = self.graph, layer.block
        whole = self.batch.wide(self.shape.hidden)
        normed = self._normed(stream, whole)
        mixed = self._mixer(block, normed)
        tokens = self.batch.tokens
        if outputs is not None:
            mixed, stream = self._picked(mixed), self._picked(stream)
            normed = self._picked(normed) if block.parallel else normed
            tokens, whole = outputs, outputs * self.shape.hidden * FP32
        if layer.whole and not copied(tokens):  # the CPU goes on from here
            self.graph.read(mixed, stream)
            return stream
        if block.parallel:
            out = self._mlp(layer, normed, tokens)
            joined = graph.inplace("stream", whole, out, stream)
            return graph.inplace("stream", whole, joined, mixed)
        both_ends = block.norms > PRE_NORMS
        if both_ends:
            mixed = self._normed(mixed, whole)
        joined = graph.inplace("stream", whole, mixed, stream)
        if isinstance(block.mlp, NoMlp):
            return joined
        out = self._mlp(layer, self._normed(joined, whole), tokens)
        if both_ends:
            out = self._normed(out, whole)
        return graph.inplace("stream", whole, out, joined)

    def _normed(self, node: int, size: int, *, kept: bool = False) -> int:
        over = () if self.batch.fused_norm else (node,)
        return self.graph.add("stream", size, node, over=over, kept=kept)

    def _picked(self, node: int) -> int:
        """The tokens of `node` whose logits are wanted."""
        size = self.batch.outputs * self.shape.hidden * FP32
        return self.graph.add("stream", size, node, self.out_ids)

    def _mixer(self, block: Block, normed: int) -> int:
        mixer = block.attention
        if isinstance(mixer, Attention):
            return self.attend.grouped(mixer, normed)
        if isinstance(mixer, LatentAttention):
            return self.attend.latent(mixer, normed)
        if isinstance(mixer, NoMixer):
            return normed
        kernel = getattr(mixer, "kernel", 1)
        return self.attend.recurrent(mixer.state, kernel, mixer.output_width, normed)

    def _matrix(self, kind: str, size: int, hosted: int, *reads: int) -> int:
        """A product with a matrix, which is copied here if it is on the host."""
        if not hosted:
            return self.graph.add(kind, size, *reads)
        return self.graph.add(kind, size, self.graph.add("weights", hosted), *reads)

    def _mlp(self, layer: Layer, normed: int, tokens: int) -> int:
        mlp, hosted = layer.block.mlp, layer.hosted
        if isinstance(mlp, ExpertsMlp):
            return self._experts(mlp, hosted, normed, tokens)
        if isinstance(mlp, PlainMlp):
            up = self._matrix("mlp", tokens * mlp.inner * FP32, hosted, normed)
            return self._matrix("stream", tokens * self.shape.hidden * FP32, hosted, up)
        if isinstance(mlp, GatedMlp):
            return self._gated(normed, mlp.inner, tokens, hosted, fused=mlp.fused)
        return normed

    def _gated(self, normed: int, inner: int, tokens: int, hosted: int, *, fused: bool) -> int:
        graph, size = self.graph, tokens * inner * FP32
        if not fused:
            gate = self._matrix("mlp", size, hosted, normed)
            up = self._matrix("mlp", size, hosted, normed)
            product = self._product("mlp", size, gate, up)
        else:
            both = self._matrix("mlp", 2 * size, hosted, normed)
            if self.batch.one_glu:
                product = graph.add("mlp", size, both)
            else:
                gate, up = graph.add("mlp", size, both), graph.add("mlp", size, both)
                product = graph.inplace("mlp", size, gate, up)
        return self._matrix("stream", tokens * self.shape.hidden * FP32, hosted, product)

    def _product(self, kind: str, size: int, gate: int, up: int) -> int:
        over = () if self.batch.one_glu else (gate,)
        return self.graph.add(kind, size, gate, up, over=over)

    def _experts(self, mlp: ExpertsMlp, hosted: int, normed: int, tokens: int) -> int:
        """Each token's chosen experts side by side, then their sum."""
        graph, whole = self.graph, tokens * self.shape.hidden * FP32
        every, chosen = tokens * mlp.experts * FP32, tokens * mlp.per_token * FP32
        scores = graph.add("router", every, normed)
        scores = graph.inplace("router", every, scores)
        picked = graph.add("router", every, scores)
        weights = graph.add("router", chosen, scores, picked)
        inner, wide = chosen * mlp.inner, chosen * (mlp.latent or self.shape.hidden)
        if hosted and not copied(tokens):  # the CPU hands over what the experts made
            graph.read(normed, picked)
            down = graph.add("experts", wide)
        else:
            product = self._matrix("experts", inner, hosted, normed, picked)
            if not mlp.plain:
                up = self._matrix("experts", inner, hosted, normed, picked)
                product = self._product("experts", inner, product, up)
            down = self._matrix("experts", wide, hosted, product, picked)
        total = graph.inplace("experts", wide, down, weights)
        if mlp.per_token > 1:
            down, total = total, graph.add("stream", wide // mlp.per_token, total, total)
            for _ in range(mlp.per_token - 2):
                total = graph.inplace("stream", wide // mlp.per_token, total, down)
        if mlp.shared_inner:
            shared = self._gated(normed, mlp.shared_inner, tokens, 0, fused=False)
            total = graph.inplace("stream", whole, total, shared)
        return total

    def _output(self, stream: int, hosted: int) -> None:
        size = self.batch.outputs * self.shape.hidden * FP32
        normed = self._normed(stream, size, kept=True)
        if self.shape.head:
            logits = self.batch.outputs * self.shape.vocabulary * FP32
            reads = (normed, self.graph.add("weights", hosted)) if hosted else (normed,)
            self.graph.add("logits", logits, *reads, kept=True)
