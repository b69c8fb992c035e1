"""What llama.cpp's graph holds of a layer's attention, tensor by tensor.

A rotary embedding reads heads through a view, which nothing may overwrite, so queries and
keys are held twice for a moment.
"""

from estimator.engines.ggml_batch import FP16, FP32, Batch
from estimator.engines.ggml_plan import Graph
from estimator.mixers import Attention, LatentAttention
from estimator.recurrent import State
from estimator.tensors import Cached


class Attending:
    """Layers of attention, added to `graph`; each takes and gives nodes of the stream."""

    def __init__(self, hidden: int, batch: Batch, graph: Graph, positions: int) -> None:
        self.hidden, self.batch, self.graph, self.positions = hidden, batch, graph, positions
        self.masks: dict[bool, int] = {}  # by whether the layer slides
        self.wide_masks: dict[bool, int] = {}  # in fp32, that are still to be cast
        self.rows: dict[bool, tuple[int, ...]] = {}  # indices that keys and values are written by

    def grouped(self, mixer: Attention, normed: int) -> int:
        """Projections, rotary embeddings, the cache, scores, and the output."""
        graph, slides = self.graph, self.batch.slides(mixer)
        queries = self.batch.wide(mixer.query_width)
        keys = self.batch.wide(mixer.kv_width)
        index = self.rows.get(slides, ())
        if mixer.fused:
            together = graph.add("heads", queries + 2 * keys, normed)
            query = graph.add("heads", queries, together, self.positions)
            key = graph.add("heads", keys, together, self.positions)
            graph.read(key, *index[:1])
            graph.read(together, *index[1:])
        else:
            query = graph.add("heads", queries, normed)
            query = graph.add("heads", queries, query, self.positions)
            if not mixer.borrows:
                value = graph.add("heads", keys, normed)
                key = graph.add("heads", keys, normed)
                key = graph.add("heads", keys, key, self.positions)
                graph.read(key, *index[:1])
                graph.read(value, *index[1:])
        held = mixer.cached
        mixed = self._scored(query, mixer.query_heads, mixer.query_width, slides=slides, held=held)
        if mixer.output_gate:
            gate = graph.add("heads", queries, normed)
            mixed = graph.inplace("heads", queries, mixed, gate)
        return graph.add("stream", self.batch.wide(self.hidden), mixed)

    def _scored(self, query: int, heads: int, width: int, *, slides: bool, held: Cached) -> int:
        """Attention itself, `width` elements a token; without flash the scores are held."""
        graph, out = self.graph, self.batch.wide(width)
        if self.batch.flash:
            room = self.batch.unpacked(held, slides=slides)
            return graph.add("heads", out + room, query, self._mask(slides=slides))
        size = self.batch.cells_of(slides=slides) * self.batch.tokens * heads * FP32
        scores = graph.add("scores", size, query)
        scores = graph.inplace("scores", size, scores, self._mask(slides=slides))
        if held.value:
            return graph.add("heads", out, graph.add("heads", out, scores))
        # values are part of the keys, and turned for each product
        turned = self.batch.cells * (width // heads) * FP16
        return graph.add("heads", out, scores, graph.add("heads", turned))

    def _mask(self, *, slides: bool) -> int:
        if slides not in self.masks:
            wide = self.wide_masks[slides]
            self.masks[slides] = self.graph.add("mask", self.graph.nodes[wide].size // 2, wide)
        return self.masks[slides]

    def latent(self, mixer: LatentAttention, normed: int) -> int:
        """Multi-head latent attention, on the latent itself or on heads made out of it."""
        graph, heads, wide = self.graph, mixer.query_heads, self.batch.wide
        source = normed
        if mixer.q_rank is not None:
            source = graph.add("heads", wide(mixer.q_rank), normed)
        query = graph.add("heads", wide(heads * (mixer.nope_dim + mixer.rope_dim)), source)
        if self.batch.latents:
            return self._on_latent(mixer, normed, query)
        turned = graph.add("heads", wide(heads * mixer.rope_dim), query, self.positions)
        plain, key_turned = self._compressed(mixer, normed)
        both = graph.add("heads", wide(heads * (mixer.nope_dim + mixer.value_dim)), plain)
        value = graph.add("heads", wide(heads * mixer.value_dim), both)
        size = wide(heads * (mixer.nope_dim + mixer.rope_dim))
        query = graph.add("heads", size, query, turned)
        repeated = graph.add("heads", wide(heads * mixer.rope_dim), key_turned)
        key = graph.add("heads", size, both, repeated)
        index = self.rows.get(False, ())
        graph.read(key, *index[:1])
        graph.read(value, *index[1:])
        out = self._scored(query, heads, heads * mixer.value_dim, slides=False, held=mixer.expanded)
        return graph.add("stream", wide(self.hidden), out)

    def _on_latent(self, mixer: LatentAttention, normed: int, query: int) -> int:
        graph, heads, wide = self.graph, mixer.query_heads, self.batch.wide
        absorbed = graph.add("heads", wide(heads * mixer.kv_rank), query)
        turned = graph.add("heads", wide(heads * mixer.rope_dim), query, self.positions)
        size = wide(heads * (mixer.kv_rank + mixer.rope_dim))
        query = graph.add("heads", size, absorbed, turned)
        plain, key_turned = self._compressed(mixer, normed)
        key = graph.add("heads", wide(mixer.kv_rank + mixer.rope_dim), plain, key_turned)
        graph.read(key, *self.rows.get(False, ()))
        out = self._scored(query, heads, heads * mixer.kv_rank, slides=False, held=mixer.cached)
        value = graph.add("heads", wide(heads * mixer.value_dim), out)
        value = graph.add("heads", wide(heads * mixer.value_dim), value)
        return graph.add("stream", wide(self.hidden), value)

    def _compressed(self, mixer: LatentAttention, normed: int) -> tuple[int, int]:
        """The latent, normed, and the rotated key that all heads share."""
        both = self.graph.add("heads", self.batch.wide(mixer.kv_rank + mixer.rope_dim), normed)
        plain = self.graph.add("heads", self.batch.wide(mixer.kv_rank), both)
        turned = self.graph.add("heads", self.batch.wide(mixer.rope_dim), both, self.positions)
        return plain, turned

    def recurrent(self, state: State, kernel: int, output: int, normed: int) -> int:
        """A layer with a `state`: its projections, the convolution over `kernel` tokens, the scan.

        The scan puts the states behind its output. First order: what queries and keys are
        repeated for, and a chunk's own products, differ from kind to kind.
        """
        graph, wide = self.graph, self.batch.wide
        convolved = state.convolution // kernel
        inner = graph.add("heads", wide(convolved or output), normed)
        gate = graph.add("heads", wide(output), normed)
        if convolved:
            inner = graph.add("heads", wide(convolved), inner)
            inner = graph.add("heads", wide(convolved), inner)
        states = self.batch.streams * state.recurrent * FP32
        scanned = graph.add("heads", wide(output) + states, inner)
        gated = graph.add("heads", wide(output), scanned, gate)
        return graph.add("stream", wide(self.hidden), gated)
