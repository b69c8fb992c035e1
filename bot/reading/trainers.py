"""Trainers named in a line: `unsloth` brings its own checkpointing, others change nothing."""

from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

Fields = dict[str, Any]

TRAINER = "trainer"  # the field of a fact
UNSLOTH = "unsloth"
PEFT = "peft"  # which is read as a method, and only beside another is no more than a library


def settle_trainers(fields: Fields, said: Said, locale: Locale) -> None:
    """Unsloth's checkpointing, unless another is named; the rest is said to be left aside."""
    aside = []
    for fact in [fact for fact in said.facts if fact.field == TRAINER]:
        if fact.value == UNSLOTH and fields.get("task") == "train" and _checkpoints(fields):
            fields["checkpointing"] = UNSLOTH
            said.remarks.append(locale.say("unsloth", word=echo(fact.text)))
        else:
            aside.append(fact)
    method = fields.get("method")
    aside += [fact for fact in said.facts if fact.field == "method" and fact.value != method
              and fact.text.casefold() == PEFT]  # fmt: skip
    if aside:
        words = ", ".join(dict.fromkeys(f"`{echo(fact.text)}`" for fact in aside))
        said.remarks.append(locale.say("trainers", words=words))


def _checkpoints(fields: Fields) -> bool:
    return "checkpointing" not in fields or fields["checkpointing"] == UNSLOTH
