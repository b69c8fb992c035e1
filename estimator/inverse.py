"""The other way round: the most that a card holds, found by asking the estimate itself.

The longest context, the most users, or the format with the most bits, all else as it was
asked. Memory never falls as one of them grows, so a search by halves is exact.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from estimator.catalog import Catalog
from estimator.errors import BadRequest, Contradiction, EstimatorError, Unsupported
from estimator.request import MOST_BATCH, MOST_TOKENS, ServeRequest
from estimator.resolve_serve import resolve_serve
from estimator.words import Sought

STEP = 256  # tokens; a context is searched in whole steps, which any engine's pages divide
ROOMS = ("24GB", "48GB", "80GB", "192GB")  # cards to ask about instead
LADDERS = {  # formats that people choose among, the most bits first
    "ggml": (
        *("gguf:BF16", "gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_M", "gguf:Q4_K_M", "gguf:IQ4_XS"),
        *("gguf:Q3_K_M", "gguf:IQ3_XXS", "gguf:Q2_K", "gguf:IQ2_XXS"),
    ),
    "paged": ("bf16", "fp8", "awq4", "gptq3"),
    "transformers": ("bf16", "int8", "nf4_dq"),
}


@dataclass(frozen=True, slots=True)
class Solved:
    """What was sought, and the most of it that fits; `bound`: no more was looked for.

    That is the model's own longest context, or the most users that a request may name.
    """

    sought: Sought
    value: int | str
    bound: bool


Holds = Callable[[ServeRequest], bool]


def solve(
    request: ServeRequest, catalog: Catalog, holds: Holds
) -> tuple[ServeRequest, Solved | None]:
    """The request with what was sought filled in; as it is where nothing was.

    `holds`: whether a question's answer fits all cards that it names. Raises Unsupported
    where not even the least fits, and BadRequest without a card.
    """
    if request.find is None:
        return request, None
    if not request.gpus:
        raise BadRequest(
            "gpus", "name a card, since the most that fits depends on it", suggestions=ROOMS
        )
    plain = request.model_copy(update={"find": None})
    match request.find:
        case Sought.CONTEXT:
            return _context(plain, catalog, holds)
        case Sought.USERS:
            return _users(plain, holds)
        case Sought.WEIGHTS:
            return _weights(plain, catalog, holds)


def _context(request: ServeRequest, catalog: Catalog, holds: Holds) -> tuple[ServeRequest, Solved]:
    shape = resolve_serve(_with_context(request, STEP), catalog).shape
    longest = shape.context or MOST_TOKENS
    steps = max(1, longest // STEP)
    found = _most(steps, lambda n: holds(_with_context(request, n * STEP)))
    if not found:
        raise _nothing(f"Not even {STEP} tokens of context fit there.")
    tokens = longest if found == steps else found * STEP
    return _with_context(request, tokens), Solved(Sought.CONTEXT, tokens, found == steps)


def _with_context(request: ServeRequest, tokens: int) -> ServeRequest:
    """A prompt fills what new tokens leave."""
    new = request.new_tokens if (request.new_tokens or 0) < tokens else None
    return request.model_copy(update={"context": tokens, "prompt": None, "new_tokens": new})


def _users(request: ServeRequest, holds: Holds) -> tuple[ServeRequest, Solved]:
    found = _most(MOST_BATCH, lambda n: holds(request.model_copy(update={"users": n})))
    if not found:
        raise _nothing("Not even one user fits there.")
    solved = Solved(Sought.USERS, found, found == MOST_BATCH)
    return request.model_copy(update={"users": found}), solved


def _weights(request: ServeRequest, catalog: Catalog, holds: Holds) -> tuple[ServeRequest, Solved]:
    ladder = list(_ladder(request, catalog))
    for number, asked in enumerate(ladder):
        if holds(asked):
            return asked, Solved(Sought.WEIGHTS, str(asked.weights), number == 0)
    raise _nothing("Not even the format with the fewest bits fits there.")


def _ladder(request: ServeRequest, catalog: Catalog) -> Iterator[ServeRequest]:
    """The same question in each format that the engine runs; llama.cpp's without an engine."""
    engine = catalog.engines.find(request.engine) if request.engine else None
    kind = engine.kind.value if engine else "ggml"
    for name in LADDERS.get(kind, ()):
        asked = request.model_copy(update={"weights": name, "bpw": None})
        try:
            resolve_serve(asked, catalog)
        except (Contradiction, Unsupported):
            continue
        yield asked


def _most(limit: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to `limit` that holds, where larger ones never do; 0 if none does."""
    if holds(limit):
        return limit
    low, high = 0, 1
    while high < limit and holds(high):
        low, high = high, high * 2
    high = min(high, limit)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _nothing(sentence: str) -> EstimatorError:
    return Unsupported("gpus", sentence, suggestions=ROOMS)
