"""The other way round: the most that a card holds, found by asking the estimate itself.

The longest context, the most users, or the format with the most bits, all else as it was
asked. What is found fits, and one step more does not.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from estimator.catalog import Catalog
from estimator.engine_rows import EngineKind
from estimator.errors import BadRequest, EstimatorError, Unsupported
from estimator.fit import Judged, Verdict
from estimator.request import MOST_BATCH, MOST_TOKENS, Request, ServeRequest, TrainRequest
from estimator.resolve_experts import MXFP4, MXFP4_FILE, published_as
from estimator.resolve_serve import resolve_serve
from estimator.searching import Room, largest
from estimator.words import Sought, SoughtInTraining

R = TypeVar("R", TrainRequest, ServeRequest)
STEP = 256  # tokens; a context is searched in whole steps, which any engine's pages divide
PACKING = "llama.cpp"  # its files are usually packed, and go down to the fewest bits
ROOMS = ("24GB", "48GB", "80GB", "192GB")  # cards to ask about instead
OF_SERVERS = ("utilization", "max_batched_tokens", "max_num_seqs", "max_model_len", "enforce_eager")
RoomOf = Callable[[Request], int]
Rung = tuple[str, float | None]  # a format, and its bits a weight where it may have any
EXL2 = (8.0, 6.0, 5.0, 4.0, 3.5, 3.0, 2.5)
LADDERS: dict[EngineKind, tuple[Rung, ...]] = {  # what people choose among, the most bits first
    EngineKind.GGML: (
        *(("gguf:BF16", None), ("gguf:Q8_0", None), ("gguf:Q6_K", None), ("gguf:Q5_K_M", None)),
        *(("gguf:Q4_K_M", None), ("gguf:IQ4_XS", None), ("gguf:Q3_K_M", None)),
        *(("gguf:IQ3_XXS", None), ("gguf:Q2_K", None), ("gguf:IQ2_XXS", None)),
    ),
    EngineKind.PAGED: (("bf16", None), ("fp8", None), ("awq4", None)),
    EngineKind.TRANSFORMERS: (("bf16", None), ("int8", None), ("nf4_dq", None)),
    EngineKind.LITGPT: (("bf16", None), ("int8", None), ("nf4_dq", None)),
    EngineKind.GPT_FAST: (("bf16", None), ("int8", None), ("int4", None)),
    EngineKind.AUTOAWQ: (("awq4", None),),
    EngineKind.EXLLAMA: tuple(("exl2", bits) for bits in EXL2),
    EngineKind.MLX: (
        *(("bf16", None), ("mlx8", None), ("mlx6", None)),
        *(("mlx4", None), ("mlx3", None), ("mlx2", None)),
    ),
}


class NoRoom(Unsupported):
    """Not even the least of what was sought fits: `verdict` is its own, `least` asks for it."""

    def __init__(
        self, problem: str, verdict: Verdict, least: Request, *, suggestions: Sequence[str] = ()
    ) -> None:
        super().__init__("gpus", problem, suggestions=suggestions)
        self.verdict = verdict
        self.least = least


class Judge(Protocol):
    """How a question's answer goes into all cards that it names."""

    def __call__(self, request: Request, /) -> Judged:
        """Of all models that it may mean."""

    def rooms(self, request: Request, /) -> tuple[RoomOf, ...]:
        """Bytes to spare, of each model that it may mean by itself."""


@dataclass(frozen=True, slots=True)
class Solved:
    """What was sought, and the most of it that fits; `bound`: no more was looked for.

    That is the model's own longest context, the widest rank that its linears have use for, or
    the most users that a request may name. `aside`: what the question said of it, which gave
    way.
    """

    sought: Sought | SoughtInTraining
    value: int | str
    bound: bool
    aside: str = ""


def without_wish(request: R) -> R:
    """The request without what it seeks; raises BadRequest without a card."""
    if not request.gpus:
        raise BadRequest(
            "gpus", "name a card, since the most that fits depends on it", suggestions=ROOMS
        )
    return request.model_copy(update={"find": None})


def solve(
    request: ServeRequest, catalog: Catalog, judge: Judge
) -> tuple[ServeRequest, Solved | None]:
    """The request with what was sought filled in; as it is where nothing was.

    `judge`: how a question's answer goes into all cards that it names. Raises Unsupported
    where not even the least fits, and BadRequest without a card.
    """
    if request.find is None:
        return request, None
    plain = without_wish(request)
    match request.find:
        case Sought.CONTEXT:
            return _context(plain, catalog, judge)
        case Sought.USERS:
            return _users(plain, judge)
        case Sought.WEIGHTS:
            return _weights(plain, catalog, judge)


def _context(request: ServeRequest, catalog: Catalog, judge: Judge) -> tuple[ServeRequest, Solved]:
    """No shorter than the prompt, the new tokens and the shared prefix that are named."""
    least = max((request.prompt or 0) + (request.new_tokens or 0), request.shared_prefix or 0, 1)
    first = -(-least // STEP)
    shape = resolve_serve(_with_context(request, first * STEP), catalog).shape
    longest = min(shape.context or MOST_TOKENS, request.max_model_len or MOST_TOKENS)
    steps = max(first, longest // STEP)
    rooms = rooms_by(judge, request, lambda n: _with_context(request, n * STEP))
    found = largest(first, steps, *rooms, hopeful=True)  # most cards hold a whole window
    if not found:
        raise _nothing(
            f"{first * STEP:,} tokens of context", _with_context(request, first * STEP), judge
        )
    bound = found == steps
    tokens = max(longest, least) if bound else found * STEP
    aside = f"ctx {request.context:,}" if request.context else ""
    return _with_context(request, tokens), Solved(Sought.CONTEXT, tokens, bound, aside)


def rooms_by(judge: Judge, request: Request, made: Callable[[int], Request]) -> Iterator[Room]:
    """The rooms of `request` by a number that it is `made` with."""
    for room in judge.rooms(request):
        yield lambda number, room=room: room(made(number))  # type: ignore[misc]


def _with_context(request: ServeRequest, tokens: int) -> ServeRequest:
    """A prompt that is not named fills what new tokens leave."""
    return request.model_copy(update={"context": tokens})


def _users(request: ServeRequest, judge: Judge) -> tuple[ServeRequest, Solved]:
    found = largest(1, MOST_BATCH, *rooms_by(judge, request, lambda n: _with_users(request, n)))
    if not found:
        raise _nothing("one user", _with_users(request, 1), judge)
    aside = f"{request.users:,} users" if request.users else ""
    solved = Solved(Sought.USERS, found, found == MOST_BATCH, aside)
    return _with_users(request, found), solved


def _with_users(request: ServeRequest, users: int) -> ServeRequest:
    return request.model_copy(update={"users": users})


def _weights(request: ServeRequest, catalog: Catalog, judge: Judge) -> tuple[ServeRequest, Solved]:
    failed: EstimatorError | None = None
    least: ServeRequest | None = None
    for number, asked in enumerate(_ladder(request, catalog)):
        try:
            verdict = judge(asked).verdict
        except EstimatorError as error:  # an engine, or a card, that does not run that format
            failed = error
            continue
        least = asked
        if verdict is Verdict.FITS:
            bits = "" if asked.bpw is None else f" {asked.bpw:g} bpw"
            named = f"{asked.weights}{bits}"
            solved = Solved(Sought.WEIGHTS, named, number == 0, request.weights or "")
            return asked, solved
    if least is None and failed is not None:
        raise failed
    raise _nothing("the format with the fewest bits", least or request, judge)


def _ladder(request: ServeRequest, catalog: Catalog) -> Iterator[ServeRequest]:
    """The same question in each format of the engine; llama.cpp's without an engine."""
    told = {"engine": _engine(request, catalog), "weight_bytes": None}
    for weights, bits in ladder(request, catalog):
        yield request.model_copy(update={**told, "weights": weights, "bpw": bits})


def ladder(request: ServeRequest, catalog: Catalog) -> tuple[Rung, ...]:
    """The formats of its engine, the most bits first; llama.cpp's without an engine."""
    kind = catalog.engines.find(_engine(request, catalog)).kind
    rungs = LADDERS[kind]
    if kind is EngineKind.GGML and published_as(request, catalog)[0] in MXFP4:
        return ((MXFP4_FILE, None), *rungs)  # experts have no more bits in any other file
    return rungs


def _engine(request: ServeRequest, catalog: Catalog) -> str:
    server = any(getattr(request, name) is not None for name in OF_SERVERS)
    return request.engine or ("vllm" if server else _implied(request, catalog))


def _implied(request: ServeRequest, catalog: Catalog) -> str:
    """The engine that a named format is usual for; llama.cpp's formats go down furthest."""
    named = catalog.formats.get(request.weights or "")
    if named is None or not named.quantised:
        return PACKING
    return named.engine


def _most(least: int, limit: int, holds: Callable[[int], bool]) -> int:
    """The largest number from `least` to `limit` that holds, where larger ones never do.

    0 if none does.
    """
    return largest(least, limit, lambda number: 0 if holds(number) else -1)


def _smaller(least: ServeRequest, judge: Judge) -> tuple[str, ...]:
    """The engine whose usual format has fewer bits, where neither was named and the least fits."""
    if least.engine or least.weights or least.weight_bytes:
        return ()
    asked = least.model_copy(update={"engine": PACKING})
    try:
        return (PACKING,) if judge(asked).verdict is Verdict.FITS else ()
    except EstimatorError:  # a setting, a model or a card that it has not
        return ()


def _nothing(what: str, least: ServeRequest, judge: Judge) -> EstimatorError:
    """Not even `what` fits; it may be tight."""
    verdict = judge(least).verdict
    sentence = (
        f"Nothing fits there with room to spare: {what} would be tight."
        if verdict is Verdict.TIGHT
        else f"There is no room there even for {what}."
    )
    return NoRoom(sentence, verdict, least, suggestions=(*_smaller(least, judge), *ROOMS))
