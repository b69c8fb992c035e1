"""Trainers named in a line: those with code of their own are a field, others change nothing."""

from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

Fields = dict[str, Any]

TRAINER = "trainer"  # the field of a fact
FRAMEWORK = "framework"
OTHER = "other"
SERVES_TOO = ("litgpt",)  # read as what serves, unless a line trains
GENERATING = ("grpo", "ppo")  # objectives whose steps have something that serves
PEFT = "peft"  # which is read as a method, and only beside another is no more than a library


def settle_trainers(fields: Fields, said: Said, locale: Locale) -> None:
    """A framework with code of its own, the first that is named; the rest is left aside."""
    trains = fields.get("task") == "train"
    if trains and fields.get("engine") in SERVES_TOO and fields.get("objective") not in GENERATING:
        fields[FRAMEWORK] = fields.pop("engine")
        said.remarks.append(locale.say(FRAMEWORK, word=echo(fields[FRAMEWORK])))
    aside = []
    for fact in [fact for fact in said.facts if fact.field == TRAINER]:
        taken = fields.get(FRAMEWORK, fact.value) == fact.value
        if fact.value == OTHER or not taken or not trains:
            aside.append(fact)
            continue
        fields[FRAMEWORK] = fact.value
        said.remarks.append(locale.say(FRAMEWORK, word=echo(fact.text)))
    method = fields.get("method")
    aside += [fact for fact in said.facts if fact.field == "method" and fact.value != method
              and fact.text.casefold() == PEFT]  # fmt: skip
    if aside:
        words = ", ".join(dict.fromkeys(f"`{echo(fact.text)}`" for fact in aside))
        said.remarks.append(locale.say("trainers", words=words))
