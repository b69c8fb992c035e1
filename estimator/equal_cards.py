"""The same question of equal cards, where unequal ones were named."""

from contextlib import suppress

from estimator.catalog import Catalog
from estimator.errors import EstimatorError
from estimator.resolve_serve import resolve_serve
from estimator.setup import ServeSetup


def of_equal_cards(setup: ServeSetup, catalog: Catalog) -> ServeSetup | None:
    """`setup` on as many cards of one kind, whichever; none where those named are of one kind."""
    kinds = {entry.card.id for entry in setup.cards}
    if len(kinds) == 1 or not setup.split.slices:
        return None
    fields = {"gpus": (), "world": setup.world, "engine": setup.engine.id}
    with suppress(EstimatorError):
        return resolve_serve(setup.request.model_copy(update=fields), catalog)
    return None
