"""What a strategy makes of other words: `zero2 offload` is of the optimizer's states."""

import re
from typing import Any

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

Fields = dict[str, Any]

NVME = compiled("nvme", re.IGNORECASE)
OF_STATES = ("zero1", "zero2")  # which shard no weights, so that there are none to offload
OF_ONE = (None, "single", "ddp")  # where each card has all of it
BOTH = "both"
HYBRID = compiled("hsdp|hybrid", re.IGNORECASE)  # words for copies that only shards have


def settle_strategy(fields: Fields, said: Said, locale: Locale) -> None:
    """Hybrid shards are FSDP's. Under ZeRO-1 and ZeRO-2 a plain `offload` is of the states.

    A disk takes what the host would: the cards hold as much.
    """
    copies = [*said.all_of("replicas"), *(f for f in said.idle if f.field == "replicas")]
    if "strategy" not in fields and any(HYBRID.search(fact.text) for fact in copies):
        fields["strategy"] = "fsdp"
    disks = [fact.text for fact in said.all_of("offload") if NVME.search(fact.text)]
    if disks and fields.get("offload") not in (None, "none"):
        said.remarks.append(locale.say("to_nvme", words=echo(disks[0])))
    whole = fields.get("task") == "train" and fields.get("strategy") in OF_ONE
    of_states = whole or fields.get("strategy") in OF_STATES
    if not of_states or fields.get("offload") != BOTH:
        return
    facts = said.all_of("offload")
    if not facts or BOTH in facts[0].text.casefold():
        return
    fields["offload"] = "optimizer"
    words = echo(facts[0].text)
    if whole:
        said.remarks.append(locale.say("states_offloaded_of_one", words=words))
        return
    strategy = fields["strategy"]
    said.remarks.append(locale.say("states_offloaded", words=words, strategy=strategy))
