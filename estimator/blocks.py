"""What a decoder block is made of: a mixer, an MLP, and norms around them."""

from collections.abc import Iterator

from estimator.mixers import Mixer
from estimator.mlps import Mlp
from estimator.tensors import Count, NormKind, Row, Tensor, norm_tensors


class Block(Row):
    """One kind of decoder layer; `norms` on the residual stream, each `hidden` wide."""

    attention: Mixer
    mlp: Mlp
    norms: Count = 2
    parallel: bool = False  # attention and MLP read the same input

    def tensors(
        self, hidden: int, copies: int, *, norm: NormKind, norm_bias: bool
    ) -> Iterator[Tensor]:
        yield from self.attention.tensors(hidden, copies)
        yield from self.mlp.tensors(hidden, copies)
        if self.norms:
            yield from norm_tensors("norm", hidden, copies * self.norms, norm, bias=norm_bias)
