"""An estimate of the run beside what the message shows, and the line that what was tried is."""

from collections.abc import Iterator

from bot.diagnosis.card import OnCard
from bot.diagnosis.diagnosis import Beside, Match
from bot.reading.oom.message import OomKind, OomMessage
from estimator import Answer, Book, Line, TrainSetup

NEAR = 0.02  # of its size, by which what was tried may differ from what it is
LEAST = 64  # of a run's peak, the smallest part that is worth a name
WIDTHS = {2: "half", 4: "single"}  # bytes of a number, and the name of that
NO_TENSORS = ("fragmentation", "cublas_workspace", "cuda_graphs", "engine_runtime")
PARTS = {  # kinds of buffers: the figure that says how large one is, and the lines in it
    OomKind.LLAMA_CPP_WEIGHTS: ("tried", "weights"),
    OomKind.LLAMA_CPP_KV: ("tried", "kv_cache"),
    OomKind.LLAMA_CPP_COMPUTE: ("tried", "compute_buffer"),
    OomKind.VLLM_KV_TOO_SMALL: ("needed", "kv_cache"),
}


def beside(message: OomMessage, card: OnCard, run: Answer) -> Beside | None:
    """Both on one book; none where the message has nothing to hold an estimate against.

    What PyTorch held and tried is a lower bound of what the run would have held at its peak. A
    server fills its share whatever it needs, so of one nothing follows.
    """
    if message.kind in PARTS:
        figure, part = PARTS[message.kind]
        return _of_part(part, message.figures.get(figure, 0), run)
    if run.reservations or not card.tried or card.allocated is None:
        return None
    held = max(moment.within(Book.ALLOCATED).bytes for moment in run.estimate.moments)
    shown = card.allocated + card.tried
    return Beside(shown, held, bound=True) if shown and held else None


def match_of(card: OnCard, run: Answer) -> Match | None:
    """What of the run is as large as what was tried; the closest, if one is."""
    if card.tried * LEAST < run.estimate.peak.bytes:
        return None
    found = [
        one for one in _candidates(run) if abs(one.bytes - card.tried) <= NEAR * max(1, card.tried)
    ]
    return min(found, key=lambda one: abs(one.bytes - card.tried), default=None)


def _of_part(part: str, said: int, run: Answer) -> Beside | None:
    """One buffer beside the lines that it is made of."""
    held = max(
        sum(line.bytes for line in moment.lines if line.key.startswith(part))
        for moment in run.estimate.moments
    )
    return Beside(said, held, bound=False, part=part) if said and held else None


def _candidates(run: Answer) -> Iterator[Match]:
    """Whole lines, and the tensors of known shape that lines are made of."""
    lines = {line.key: line for moment in run.estimate.moments for line in moment.lines}
    for line in lines.values():
        yield from _logits(line)
    yield from _scores(run)
    yield from _embedding(lines.get("weights"), run)
    for line in lines.values():
        if line.key not in NO_TENSORS:
            yield Match(line.key, "whole", line.bytes)


def _logits(line: Line) -> Iterator[Match]:
    """Tokens × vocabulary in 16 and in 32 bits."""
    tokens, words = line.terms.get("tokens"), line.terms.get("vocabulary")
    if not line.key.endswith("logits") or not tokens or not words:
        return
    for width, name in WIDTHS.items():
        values = {"tokens": tokens, "vocabulary": words}
        yield Match(line.key, f"logits_{name}", tokens * words * width, values)


def _scores(run: Answer) -> Iterator[Match]:
    """Heads × sequence² of every sequence, which attention without a fused kernel writes."""
    setup = run.setup
    if not isinstance(setup, TrainSetup):
        return
    for heads in {heads_of(block) for _, block in setup.shape.architecture.stack} - {0}:
        for width, name in WIDTHS.items():
            size = setup.batch * heads * setup.seq * setup.seq * width
            values = {"batch": setup.batch, "heads": heads, "seq": setup.seq}
            yield Match("attention_scores", f"scores_{name}", size, values)


def heads_of(block: object) -> int:
    """Query heads of a block's attention; 0 of one that has none."""
    return int(getattr(getattr(block, "attention", None), "query_heads", 0))


def _embedding(weights: Line | None, run: Answer) -> Iterator[Match]:
    """The table of all words, in 16 and in 32 bits: as weight, gradient or state."""
    shape = run.setup.shape.architecture
    if weights is None:
        return
    for width, name in WIDTHS.items():
        values = {"vocabulary": shape.vocabulary, "hidden": shape.hidden}
        yield Match("weights", f"table_{name}", shape.vocabulary * shape.hidden * width, values)
