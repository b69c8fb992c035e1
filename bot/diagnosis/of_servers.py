"""Why a server found no room: the window, the cache, its share of the card, a warm-up."""

from collections.abc import Iterator

from bot.diagnosis.card import OnCard
from bot.diagnosis.diagnosis import Cause, Finding
from bot.diagnosis.values import count, sizes
from bot.reading.clean import echo
from bot.reading.oom.message import OomKind, OomMessage

PAGE = 16  # tokens of a page of the cache; a window is rounded down to whole ones
HUNDRED = 100
MARGIN = 0.01  # of the card, that is left of what is free when a server starts
MOST_SHARE = 0.95  # of the card, beyond which CUDA graphs run out
LONGEST_NAME = 60  # characters of a component's name
MODEL = "Model"  # how TensorRT-LLM names what has the weights
FEWER = 4  # times fewer requests, where a warm-up was too wide


def of_server(message: OomMessage, card: OnCard) -> Iterator[Finding]:
    """The verdict of one of the kinds that servers print."""
    said = message.figures
    match message.kind:
        case OomKind.VLLM_KV_TOO_SMALL:
            yield _window(message)
        case OomKind.SGLANG_NO_KV if _runs(message):
            yield _pool(message)
        case OomKind.VLLM_NO_KV | OomKind.SGLANG_NO_KV | OomKind.SGLANG_NEGATIVE_KV:
            yield _no_cache(message)
        case OomKind.VLLM_STARTUP:
            yield _share(message, card)
        case OomKind.VLLM_SAMPLER:
            requests = count(message, "dummy_requests")
            fewer = max(1, requests // FEWER)
            kind = "" if requests else "unsaid"
            yield Finding(Cause.WARM_UP, {"requests": requests, "fewer": fewer}, kind)
        case OomKind.TGI_PREFILL | OomKind.TGI_TOTAL:
            yield _tokens(message)
        case OomKind.TENSORRT_LLM:
            yield _component(message, card)
        case OomKind.EXLLAMA:
            sized = "needed" if "needed" in said and "available" in said else ""
            yield Finding(Cause.SPLIT, sizes(message), sized)
        case _:
            return


def window_that_fits(message: OomMessage) -> int:
    """The longest window, in whole pages: what the program says itself, else in proportion."""
    own = count(message, "estimated_max_len", "kv_tokens")
    asked = count(message, "max_seq_len", "max_model_len")
    needed, available = message.figures.get("needed", 0), message.figures.get("available", 0)
    fits = own or (asked * available // needed if needed else 0)
    return fits // PAGE * PAGE


def _window(message: OomMessage) -> Finding:
    asked, fits = count(message, "max_seq_len", "max_model_len"), window_that_fits(message)
    values = {"needed_bytes": 0, "available_bytes": 0, **sizes(message), "asked": asked}
    own = count(message, "estimated_max_len", "kv_tokens")
    values |= {"fits": fits, "own": own}
    if "needed" not in message.figures:
        return Finding(Cause.WINDOW, values, "tokens" if asked and fits else "bare")
    return Finding(Cause.WINDOW, values, "" if asked and fits else "sizes")


def _no_cache(message: OomMessage) -> Finding:
    share = message.counts.get("utilization", 0.0)
    values = {**sizes(message), "share": share, "tokens": count(message, "kv_tokens")}
    if "over" in message.figures:
        return Finding(Cause.NO_CACHE, values, "over")
    return Finding(Cause.NO_CACHE, values, "weights" if "weights" in message.figures else "")


def _runs(message: OomMessage) -> bool:
    """Whether SGLang had started: the pool was full, and not too small to be made."""
    return bool({"requested_tokens", "requests"} & set(message.counts)) or "part" in message.words


def _pool(message: OomMessage) -> Finding:
    """The cache ran full while requests were served: tokens, or places of requests."""
    tokens = count(message, "requested_tokens")
    places = "requests" in message.counts or "out of" not in message.words.get("part", "")
    kind = "" if tokens else "requests" if places else "bare"
    return Finding(Cause.POOL, {"tokens": tokens}, kind)


def _share(message: OomMessage, card: OnCard) -> Finding:
    """The share that goes into what is free; none where that is next to nothing."""
    free, total = card.free or 0, card.total
    desired = message.figures.get("desired", 0)
    fitting = int((free / total - MARGIN) * HUNDRED) / HUNDRED if total else 0.0
    share = message.counts.get("utilization", 0.0)
    values = {
        "free_bytes": free,
        "total_bytes": total,
        "desired_bytes": desired,
        "others_bytes": max(0, total - free),
        "share": share,
        "fitting": max(0.0, fitting),
    }
    return Finding(Cause.SHARE, values)


def _tokens(message: OomMessage) -> Finding:
    total, prefill = count(message, "total_tokens"), count(message, "prefill_tokens")
    kind = "total" if message.kind is OomKind.TGI_TOTAL and total else "prefill"
    fewer = max(1, (total if kind == "total" else prefill) // 2)
    values = {"total": total, "prefill": prefill, "fewer": fewer}
    return Finding(Cause.TOKENS, values, kind if total or prefill else "bare")


def _component(message: OomMessage, card: OnCard) -> Finding:
    (said, *_) = [*message.words.get("component", "").strip().splitlines(), ""]
    name = echo(said, LONGEST_NAME)
    values = {**sizes(message), "component": name, "total_bytes": card.total}
    values["free_bytes"] = card.free or 0
    if not name and card.tried:
        return Finding(Cause.COMPONENT, {**values, "tried_bytes": card.tried}, "building")
    if not (name and card.total and card.free is not None):
        return Finding(Cause.COMPONENT, values, "bare")
    return Finding(Cause.COMPONENT, values, "model" if said.startswith(MODEL) else "")
