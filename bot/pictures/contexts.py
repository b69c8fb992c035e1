"""The same serving question at other contexts, asked of the estimate itself."""

from collections.abc import Iterator

from estimator import KIB, Answer, Catalog, EstimatorError, Moment, ServeSetup, answer

STEPS = tuple(n * KIB for n in (2, 8, 32, 128, 512, 2048))  # each four times the one before
MOST_ROWS = 6
NEAR = 1.5  # times: steps that are nearer to what was asked say nothing more
LEAST_GROWTH = 1.02  # from the shortest to the longest, below which a context changes nothing


def by_context(found: Answer, catalog: Catalog) -> tuple[tuple[int, Moment], ...]:
    """Peaks at contexts up to the model's own, the one that was asked for among them.

    None where memory does not grow with the context, or no other can be asked for.
    """
    setup = found.setup
    if not isinstance(setup, ServeSetup):
        return ()
    window = max(setup.shape.context or setup.context, setup.context)
    rows = list(_peaks(found, setup, _lengths(setup.context, window), catalog))
    if len(rows) == 1 or rows[-1][1].bytes < LEAST_GROWTH * rows[0][1].bytes:
        return ()
    return tuple(rows)


def _lengths(asked: int, window: int) -> list[int]:
    """Steps up to the window, without those that are next to it or to what was asked."""
    fixed = {asked, window} if window > NEAR * asked else {asked}
    steps = [
        step
        for step in STEPS
        if step < window and all(max(step, o) > NEAR * min(step, o) for o in fixed)
    ]
    lengths = sorted({*steps, *fixed})
    while len(lengths) > MOST_ROWS:
        lengths.remove(next(one for one in lengths if one not in fixed))
    return lengths


def _peaks(
    found: Answer, setup: ServeSetup, lengths: list[int], catalog: Catalog
) -> Iterator[tuple[int, Moment]]:
    peak = found.estimate.peak
    for tokens in lengths:
        if tokens == setup.context:
            yield tokens, peak
            continue
        request = found.request.model_copy(update={"context": tokens, "find": None})
        try:
            yield tokens, answer(request, catalog).estimate.peak
        except EstimatorError:  # shorter than the prompt, longer than a server was told
            continue
