"""What a server's share of a card means, and what helps where it is too small."""

from collections.abc import Iterator

from estimator.engine_rows import EngineKind
from estimator.engines.paged import cells_of
from estimator.fit import CardFit, Verdict
from estimator.ranks import ranks_of, users_of_each
from estimator.reservation import Reservation
from estimator.setup import ServeSetup
from estimator.units import show_gib

FEWER = "fewer bits a weight, or more cards"


def reservation_warnings(
    setup: ServeSetup, found: tuple[Reservation, ...], cards: tuple[CardFit, ...]
) -> Iterator[str]:
    """A sentence a card where the server does not start, or has room for fewer users.

    Without a card, one on the share that it takes of any.
    """
    if setup.engine.kind is not EngineKind.PAGED:
        return
    if not (found[0].cached if found else cells_of(ranks_of(setup)[0].setup).parts):
        if setup.request.utilization is not None:
            yield (
                f"{setup.shape.name} keeps no cache, so {setup.engine.id} takes what it needs: "
                "its share of the card is without effect."
            )
        return
    if not found:
        yield _of_any_card(setup)
        return
    fits = {card.name: card.verdict is not Verdict.NO for card in cards if card.asked}
    for one in found:
        yield from _of_card(setup, one, fits=fits.get(one.card, False))


def _of_any_card(setup: ServeSetup) -> str:
    """The share that was named, or the engine's usual one, and what it is of."""
    paging, name = setup.paging, setup.engine.id
    share = None if paging is None else paging.share
    if share is None and paging is not None and paging.version is not None:
        share = paging.version.utilisation
    share = share or setup.engine.utilisation or 1.0
    if name == "tensorrt_llm":
        return (
            f"{name} takes {share:.0%} of what weights and a step leave free of the card as room "
            "for its cache, however little the work needs."
        )
    most = name == "sglang" and setup.request.utilization is None
    taken = f"about {share:.0%}" if most else f"{share:.0%}"
    return (
        f"{name} takes {taken} of the card whatever the model needs; what is left of "
        "it over this need becomes room for more cache."
    )


def _of_card(setup: ServeSetup, one: Reservation, *, fits: bool) -> Iterator[str]:
    name = setup.engine.id
    if not one.pool_bytes:
        yield _used_up(setup, one)
    elif not one.starts:
        yield _too_long(setup, one)
    elif one.users < users_of_each(setup) and fits:
        yield (
            f"{_share(one)}, and leaves {show_gib(one.pool_bytes)} of cache, less than is needed "
            f"here: raise {name}'s share of the card, shorten the context, or serve fewer users."
        )
    if _window_is_too_long(setup, one):
        yield (
            f"Without `--max-model-len` vLLM takes the model's {setup.shape.context:,} tokens, "
            f"and does not start where they exceed its cache ({one.pool_tokens:,} on {one.card})."
        )


def _share(one: Reservation) -> str:
    if one.engine == "tensorrt_llm":
        return f"With {one.share:.0%} of what is free, {one.engine} takes {show_gib(one.bytes)}"
    return f"{one.share:.0%} of {one.card} is {show_gib(one.bytes)}"


def _used_up(setup: ServeSetup, one: Reservation) -> str:
    """Nothing is left for a cache: because of the card, the weights, or a step's tensors."""
    name, weights = setup.engine.id, show_gib(one.loaded_bytes)
    free = show_gib(one.free_bytes)
    if one.loaded_bytes >= one.free_bytes:
        return (
            f"{name} does not start on {one.card}: what it loads is {weights}, of {free} that "
            f"are free there. What helps: {FEWER}."
        )
    if one.held_bytes >= one.free_bytes:
        step = show_gib(one.held_bytes - one.loaded_bytes)
        return (
            f"{name} does not start on {one.card}: what it loads is {weights}, and a step takes "
            f"{step}, of {free} that are free there. What helps: a lower "
            f"`max_num_seqs` and `max_batched_tokens`, {FEWER}."
        )
    if not one.share:
        return (
            f"{name} does not start on {one.card}: by its own rule it keeps as much free for a "
            "step as there is. Name its share (`--mem-fraction-static`), or lower "
            "`max_batched_tokens`."
        )
    helps = f"Raise its share{_and_lower(setup, one)}."
    if one.loaded_bytes >= one.bytes:
        return f"{_share(one)}, and what it loads is {weights}: {name} does not start. {helps}"
    return f"{_share(one)}, which weights and a step use up: {name} does not start. {helps}"


def _and_lower(setup: ServeSetup, one: Reservation) -> str:
    """What else makes room: a narrower step where the share pays for it, or sets it aside."""
    if setup.engine.id == "sglang":
        own = setup.request.utilization is None
        return ", or lower `max_batched_tokens`, for which it keeps memory free" if own else ""
    return "" if one.loaded_bytes >= one.bytes else ", or lower `max_num_seqs`"


def _too_long(setup: ServeSetup, one: Reservation) -> str:
    """Where vLLM refuses to start, and others start but refuse such a request."""
    name = setup.engine.id
    shorten = "`max_model_len`" if setup.request.max_model_len else "the context"
    fails = "does not start" if name == "vllm" else "takes no request so long"
    return (
        f"{name} {fails} on {one.card}: the cache of one request of {one.longest:,} tokens does "
        f"not go into {show_gib(one.pool_bytes)}. Shorten {shorten}, or raise its share of the "
        "card."
    )


def _window_is_too_long(setup: ServeSetup, one: Reservation) -> bool:
    """The longest request is the model's own window, unless the server is told otherwise."""
    told = setup.request.max_model_len is not None or setup.shape.context is None
    return setup.engine.id == "vllm" and not told and one.starts and not one.starts_whole
