"""Why the other programs found no room: on a Mac, in JAX and TensorFlow, hosts, loaders."""

from collections.abc import Iterator, Mapping

from bot.diagnosis.card import OnCard
from bot.diagnosis.diagnosis import Cause, Finding, Values
from bot.diagnosis.of_ggml import deficit_of
from bot.diagnosis.of_xla import of_xla
from bot.diagnosis.values import tried_or_bare, values_of
from bot.reading.oom.message import OomKind, OomMessage
from estimator import GIB

BLOCK_LIMIT = 4 * GIB  # of one allocation, on Intel's GPUs


def of_the_rest(message: OomMessage, card: OnCard) -> Iterator[Finding]:
    """The verdict of a kind that is no server's, and none of PyTorch's with a whole card."""
    said, values = message.figures, values_of(message)
    match message.kind:
        case OomKind.MPS | OomKind.METAL:
            yield _unified(message, values)
        case OomKind.BLOCK_SIZE:
            yield _block(message, card, values)
        case OomKind.TENSORFLOW:
            yield Finding(
                Cause.SINGLE,
                values,
                "shape" if message.shape and card.tried else tried_or_bare(card),
            )
        case OomKind.BITSANDBYTES:
            yield Finding(Cause.SINGLE if card.tried else Cause.NO_SIZES, values)
        case OomKind.HOST_RAM:
            code = int(message.counts.get("exit_code", 0))
            yield Finding(Cause.HOST, {**values, "exit_code": code}, _of_host(message, card))
        case OomKind.CUBLAS_ALLOC | OomKind.CUBLAS_INIT:
            kind = "started" if message.kind is OomKind.CUBLAS_INIT else ""
            yield Finding(Cause.LIBRARY, values, kind)
        case OomKind.XLA:
            yield from of_xla(message, card)
        case OomKind.PLACEMENT:
            whole = "whole" if "part" in message.words else ""
            yield Finding(Cause.PLACEMENT, values, "deficit" if "deficit" in said else whole)
        case OomKind.INFO if _falls_short(said):
            yield deficit_of(message, values)  # a plan that does not fit is no good news
        case OomKind.INFO:
            yield Finding(Cause.INFO, values, _of_log(message))
        case _:
            return


def _block(message: OomMessage, card: OnCard, values: Values) -> Finding:
    """The limit of one allocation: what is said, else what Intel's GPUs are known for."""
    intel = "total" in message.figures  # PyTorch's own message, which says what the card has
    most = message.figures.get("limit", BLOCK_LIMIT if intel else 0)
    kind = ("" if intel else "limited") if card.tried and most else "unlimited"
    return Finding(Cause.BLOCK, {**values, "most_bytes": most}, kind if card.tried else "bare")


def _unified(message: OomMessage, values: Values) -> Finding:
    said = message.figures
    if "limit" in said and "allocated_by_pytorch" in said:
        return Finding(Cause.UNIFIED, values, "" if "other" in said else "alone")
    return Finding(Cause.UNIFIED, values, "peak" if "peak" in said else "bare")


def _of_host(message: OomMessage, card: OnCard) -> str:
    if card.tried:
        return "tried"
    if "paging" in message.words:
        return "paging"
    return "killed" if "exit_code" in message.counts else "bare"


def _falls_short(said: Mapping[str, int]) -> bool:
    """Whether a plan takes more than is free; Ollama's also says what is free beside the card."""
    return "free" in said and "available" not in said and said.get("needed", 0) > said["free"]


# What a line of a log says most of: the figures that a sentence needs, and its name.
LOGS = (
    (("weights", "kv_cache"), "server"),
    (("kv_tokens", "kv_cache"), "tokens"),
    (("kv_tokens", "kv_cache_bytes"), "tokens"),
    (("kv_cache",), "cache"),
    (("kv_cache_bytes",), "cache"),
    (("requested_tokens", "profiled_tokens"), "fewer"),
    (("kv_tokens", "max_model_len"), "windows"),
    (("kv_tokens",), "held"),
    (("params_m",), "states"),
    (("cpu_used",), "host"),
    (("needed", "free"), "room"),
    (("needed", "limit"), "close"),
    (("needed",), "needed"),
    (("layers_offload", "layers_model"), "layers"),
    (("weights",), "weights"),
    (("graph",), "graphs"),
    (("tried",), "less"),
)


def _of_log(message: OomMessage) -> str:
    """The first of the sentences whose figures are said."""
    said = {*message.figures, *message.counts}
    return next((kind for needed, kind in LOGS if said.issuperset(needed)), "bare")
