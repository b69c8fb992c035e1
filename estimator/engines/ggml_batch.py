"""The widest batch that llama.cpp plans its buffers for, and what of its graph changed."""

from dataclasses import dataclass

from estimator.tensors import Cached

FP32 = 4
FP16 = 2


@dataclass(frozen=True, slots=True)
class Batch:
    """`tokens` in all, `outputs` of them with logits.

    `cells`, `window_cells`: of the cache, of one of `streams`, in full and in sliding layers,
    which have a cache and a mask of their own if they are `mixed`, however long those are.
    `copies`: of each input; several where layers are split over cards, which then work at the
    same time. `latents`: attention works on MLA's latents.

    By release: `one_glu`: gate and up go into a third tensor, else the product overwrites the
    gate; `half_mask`: the mask comes in fp16 with flash attention, else in fp32 and is cast;
    `indexed`: rows of the cache are written by index; `fused_norm`: a norm and its weight are
    one operation, which overwrites nothing. `unpacked_keys`, `unpacked_values`: flash attention
    has room in the buffer for a packed cache in fp16, of one layer.
    """

    tokens: int
    outputs: int
    cells: int
    window_cells: int
    flash: bool
    latents: bool
    copies: int = 1
    one_glu: bool = True
    half_mask: bool = True
    indexed: bool = True
    fused_norm: bool = False
    unpacked_keys: bool = False
    unpacked_values: bool = False
    streams: int = 1
    mixed: bool = False

    def wide(self, width: int) -> int:
        """Bytes of `width` fp32 elements a token."""
        return self.tokens * width * FP32

    def slides(self, mixer: object) -> bool:
        """Whether a layer is one of those that slide, beside others that do not."""
        return self.mixed and getattr(mixer, "window", None) is not None

    def unpacked(self, held: Cached, *, slides: bool) -> int:
        """Bytes of a layer's keys and values in fp16, of those that are packed."""
        each = self.unpacked_keys * held.key + self.unpacked_values * held.value
        return self.streams * self.cells_of(slides=slides) * held.heads * each * FP16

    def cells_of(self, *, slides: bool) -> int:
        return self.window_cells if slides else self.cells
