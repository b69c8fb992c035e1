"""How a server is started, said of training: `util 0.9` there moves nothing that is estimated."""

from typing import Any

from bot.reading.facts import Fact, Said

OF_SERVERS = ("utilization", "max_batched_tokens", "max_num_seqs", "max_model_len", "enforce_eager")


def settle_servers(fields: dict[str, Any], said: Said) -> None:
    """In training, note what is said of a server as without effect."""
    if fields.get("task") != "train":
        return
    for name in OF_SERVERS:
        if fields.pop(name, None) is not None:
            own = [fact for fact in said.facts if _speaks_of(fact, name)]
            said.facts += [Fact("unused", fact.value, fact.text) for fact in own]


def _speaks_of(fact: Fact, name: str) -> bool:
    return fact.field == name or (
        fact.field == "flag" and str(fact.value).removeprefix("no_") == name
    )
