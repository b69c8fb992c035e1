"""A question → how its answer goes into the cards that it names, without the answer itself."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from estimator.breakdown import Estimate
from estimator.catalog import Catalog
from estimator.errors import BadRequest, Contradiction, Unsupported
from estimator.estimate import estimate, spanning
from estimator.fit import Judged, Verdict, judge
from estimator.request import Request, TrainRequest
from estimator.reservation import holds, reservations
from estimator.resolve_serve import resolve_serve
from estimator.resolve_train import resolve_train
from estimator.setup import ServeSetup, Setup, TrainSetup
from estimator.units import KIB, TIB

LARGEST_BYTES = KIB * TIB  # on one card; the largest whole machines hold less


def resolve(request: Request, catalog: Catalog) -> Setup:
    """Request + Catalog → Setup."""
    if isinstance(request, TrainRequest):
        return resolve_train(request, catalog)
    return resolve_serve(request, catalog)


def others_of(setup: Setup, catalog: Catalog) -> Iterator[Setup]:
    """The same question of the other models that a bare size may stand for.

    What was taken from the one shape is held fixed; a model without the modules that
    were named, or that the method does not know, cannot be meant.
    """
    for model in setup.shape.span:
        with suppress(BadRequest, Contradiction, Unsupported):
            yield other_of(setup, model, catalog)


def other_of(setup: Setup, model: str, catalog: Catalog) -> Setup:
    """The same question of one of them; raises what `resolve` does."""
    if isinstance(setup, TrainSetup):
        fixed: dict[str, Any] = {"checkpointing": setup.checkpointing}
    else:
        fixed = {"context": setup.context, "prompt": setup.prompt}
    return resolve(setup.request.model_copy(update={**fixed, "model": model}), catalog)


@dataclass(frozen=True, slots=True)
class Judging:
    """How answers go into the cards that were named; not, where a server's share has no room."""

    catalog: Catalog

    def __call__(self, request: Request, /) -> Judged:
        setup = resolve(request, self.catalog)
        found = spanning(estimate(setup), map(estimate, others_of(setup, self.catalog)))
        return self._on_cards(found, setup)

    def rooms(self, request: Request, /) -> tuple[Callable[[Request], int], ...]:
        """Bytes to spare: of the model itself, and of each other that a bare size stands for."""
        others = resolve(request, self.catalog).shape.span
        return (self._room, *(partial(self._room, other=name) for name in others))

    def _room(self, request: Request, *, other: str = "") -> int:
        setup = resolve(request, self.catalog)
        if not other:
            return self._on_cards(estimate(setup), setup).room_bytes
        with suppress(BadRequest, Contradiction, Unsupported):
            meant = other_of(setup, other, self.catalog)
            return self._fit(estimate(meant), setup).room_bytes
        return LARGEST_BYTES  # a model that cannot be meant takes nothing

    def _fit(self, found: Estimate, setup: Setup) -> Judged:
        return judge(found, setup.cards, self.catalog, setup.request.in_use_bytes or 0)

    def _on_cards(self, found: Estimate, setup: Setup) -> Judged:
        on_cards = self._fit(found, setup)
        if isinstance(setup, ServeSetup) and not all(
            holds(setup, one) for one in reservations(setup, self.catalog)
        ):
            return Judged(Verdict.NO, min(on_cards.room_bytes, -1))
        return on_cards
