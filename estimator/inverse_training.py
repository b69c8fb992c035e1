"""The other way round for training: the largest batch, sequence or rank that the cards hold.

All else stays as it was asked. What is found fits, and one step more does not.
"""

from math import lcm

from estimator.catalog import Catalog
from estimator.errors import EstimatorError, Unsupported
from estimator.fit import Verdict
from estimator.inverse import ROOMS, STEP, Judge, NoRoom, Solved, rooms_by, without_wish
from estimator.request import MOST_BATCH, MOST_RANK, MOST_TOKENS, TrainRequest
from estimator.resolve_rollout import GENERATING
from estimator.resolve_train import resolve_train
from estimator.searching import largest
from estimator.words import Method, SoughtInTraining

SMALLER = (Method.QLORA, Method.LORA)  # methods to ask about instead, the least memory first


def solve_training(
    request: TrainRequest, catalog: Catalog, judge: Judge
) -> tuple[TrainRequest, Solved | None]:
    """The request with what was sought filled in; as it is where nothing was.

    `judge`: how a question's answer goes into all cards that it names. Raises Unsupported
    where not even the least fits, and BadRequest without a card.
    """
    if request.find is None:
        return request, None
    plain = without_wish(request)
    match request.find:
        case SoughtInTraining.BATCH:
            return _batch(plain, judge)
        case SoughtInTraining.SEQ:
            return _seq(plain, catalog, judge)
        case SoughtInTraining.RANK:
            return _rank(plain, catalog, judge)


def _batch(request: TrainRequest, judge: Judge) -> tuple[TrainRequest, Solved]:
    """Of one card and one micro-step, as `batch` always is."""
    found = largest(1, MOST_BATCH, *rooms_by(judge, request, lambda n: _with(request, batch=n)))
    if not found:
        raise _nothing("a batch of one", _with(request, batch=1), judge)
    aside = f"bs {request.batch:,}" if request.batch else ""
    solved = Solved(SoughtInTraining.BATCH, found, found == MOST_BATCH, aside)
    return _with(request, batch=found), solved


def _seq(request: TrainRequest, catalog: Catalog, judge: Judge) -> tuple[TrainRequest, Solved]:
    """In whole steps, up to the model's own longest."""
    if request.objective in GENERATING:
        raise Unsupported(
            "find",
            f"A sequence of `{request.objective}` is its prompt and what is generated: I do not "
            "look for the longest. Name both, as in `prompt 512 new tokens 2048`.",
            suggestions=("largest batch",),
        )
    pieces = 2 * (request.cp or 1) * (request.tp or 1) if request.cp or request.tp else 1
    step = lcm(STEP, pieces)  # what context and sequence parallelism cut divides
    shape = resolve_train(_with(request, seq=pieces), catalog).shape
    longest = shape.context or MOST_TOKENS
    longest = max(pieces, longest - longest % pieces)
    steps = max(1, longest // step)

    def tokens(number: int) -> int:
        return longest if number == steps else number * step

    found = largest(1, steps, *rooms_by(judge, request, lambda n: _with(request, seq=tokens(n))))
    if not found:
        raise _nothing(f"sequences of {tokens(1):,} tokens", _with(request, seq=tokens(1)), judge)
    aside = f"seq {request.seq:,}" if request.seq else ""
    solved = Solved(SoughtInTraining.SEQ, tokens(found), found == steps, aside)
    return _with(request, seq=tokens(found)), solved


def _rank(request: TrainRequest, catalog: Catalog, judge: Judge) -> tuple[TrainRequest, Solved]:
    """Up to the width of the widest target: a wider one has parameters and no freedom."""
    least = _with(request, rank=1)
    adapter = resolve_train(least, catalog).adapter  # a method without ranks says so here
    if adapter is not None and adapter.method is Method.OFT:
        raise Unsupported(
            "find",
            "OFT's rank is a number of blocks: a higher one takes less memory, so I do not look "
            "for the highest that fits.",
            suggestions=("largest batch", "longest seq"),
        )

    def refused(number: int) -> int:
        try:
            resolve_train(_with(request, rank=number), catalog)
        except EstimatorError:
            return -1
        return 0

    widest = largest(1, MOST_RANK, refused)
    found = largest(1, widest, *rooms_by(judge, least, lambda n: _with(request, rank=n)))
    if not found:
        raise _nothing("a rank of 1", least, judge)
    aside = f"r={request.rank:,}" if request.rank else ""
    return _with(request, rank=found), Solved(SoughtInTraining.RANK, found, found == widest, aside)


def _with(request: TrainRequest, **fields: int) -> TrainRequest:
    return request.model_copy(update=fields)


def _nothing(what: str, least: TrainRequest, judge: Judge) -> EstimatorError:
    """Not even `what` fits; it may be tight."""
    verdict = judge(least).verdict
    sentence = (
        f"Nothing fits there with room to spare: {what} would be tight."
        if verdict is Verdict.TIGHT
        else f"There is no room there even for {what}."
    )
    return NoRoom(sentence, verdict, least, suggestions=(*_smaller(least, judge), *ROOMS))


def _smaller(least: TrainRequest, judge: Judge) -> tuple[str, ...]:
    """A method with which the least fits, where none was named."""
    if least.method is not None:
        return ()
    for method in SMALLER:
        asked = least.model_copy(update={"method": method})
        try:
            if judge(asked).verdict is Verdict.FITS:
                return (method.value,)
        except EstimatorError:  # a setting that it has not
            continue
    return ()
