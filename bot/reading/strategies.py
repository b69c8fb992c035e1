"""What a strategy makes of other words: `zero2 offload` is of the optimizer's states."""

import re
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

Fields = dict[str, Any]

NVME = re.compile("nvme", re.IGNORECASE)
OF_STATES = ("zero1", "zero2")  # which shard no weights, so that there are none to offload
BOTH = "both"


def settle_offload(fields: Fields, said: Said, locale: Locale) -> None:
    """Under ZeRO-1 and ZeRO-2 a plain `offload` is of the states; `offload both` stays.

    A disk takes what the host would: the cards hold as much.
    """
    disks = [fact.text for fact in said.all_of("offload") if NVME.search(fact.text)]
    if disks and fields.get("offload") not in (None, "none"):
        said.remarks.append(locale.say("to_nvme", words=echo(disks[0])))
    if fields.get("strategy") not in OF_STATES or fields.get("offload") != BOTH:
        return
    facts = said.all_of("offload")
    if not facts or BOTH in facts[0].text.casefold():
        return
    fields["offload"] = "optimizer"
    words, strategy = echo(facts[0].text), fields["strategy"]
    said.remarks.append(locale.say("states_offloaded", words=words, strategy=strategy))
