"""The same question of equal cards, where unequal ones were named."""

from contextlib import suppress

from estimator.catalog import Catalog
from estimator.errors import EstimatorError
from estimator.resolve_serve import resolve_serve
from estimator.setup import ServeSetup
from estimator.split import copies_of


def of_equal_cards(setup: ServeSetup, catalog: Catalog) -> ServeSetup | None:
    """`setup` on as many cards of one kind, whichever; none where none or one kind was named."""
    kinds = {entry.card.id for entry in setup.cards}
    if len(kinds) <= 1 or not setup.split.slices:
        return None
    fields = {
        "gpus": (),
        "world": setup.world * copies_of(setup.split),
        "engine": setup.engine.id,
        "weights": setup.numbers.format.id,  # an engine that is named would have its own usual one
    }
    with suppress(EstimatorError):
        return resolve_serve(setup.request.model_copy(update=fields), catalog)
    return None
