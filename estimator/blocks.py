"""What a decoder block is made of: a mixer, an MLP, and norms around them."""

from collections.abc import Iterator
from functools import cached_property

from estimator.mixers import Mixer
from estimator.mlps import Mlp
from estimator.tensors import Count, Extra, NormKind, Row, Tensor, norm_tensors


class Block(Row):
    """One kind of layer; `norms` on the residual stream, each `hidden` wide.

    `beside`: a second mixer, of the same input (Falcon-H1) or on an encoder's output (T5's
    decoder). `parallel`: attention and MLP read the same input. `caches`: an encoder's
    layers see the whole text at once and keep none of it.
    """

    attention: Mixer
    beside: Mixer | None = None
    mlp: Mlp
    norms: Count = 2
    parallel: bool = False
    caches: bool = True
    extra: tuple[Extra, ...] = ()

    @property
    def mixers(self) -> tuple[Mixer, ...]:
        return (self.attention,) if self.beside is None else (self.attention, self.beside)

    @property
    def modules(self) -> tuple[str, ...]:
        """Names of its mixers' linears."""
        return tuple(dict.fromkeys(name for mixer in self.mixers for name in mixer.modules))

    def parts(self, hidden: int, copies: int) -> Iterator[Tensor]:
        """All but the norms on the residual stream."""
        for mixer in self.mixers:
            yield from mixer.tensors(hidden, copies)
        yield from self.mlp.tensors(hidden, copies)
        for extra in self.extra:
            yield extra.tensor(copies)

    def one(self, hidden: int) -> tuple[Tensor, ...]:
        """The same of one block, in a model so wide; listed once, since a shape never changes."""
        found = self._listed.get(hidden)
        if found is None:
            found = self._listed[hidden] = tuple(self.parts(hidden, 1))
        return found

    @cached_property
    def _listed(self) -> dict[int, tuple[Tensor, ...]]:
        return {}

    def tensors(
        self, hidden: int, copies: int, *, norm: NormKind, norm_bias: bool
    ) -> Iterator[Tensor]:
        yield from self.parts(hidden, copies)
        if self.norms:
            yield from norm_tensors("norm", hidden, copies * self.norms, norm, bias=norm_bias)
