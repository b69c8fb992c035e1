"""Trainers named in a line: those with code of their own are a field, others change nothing."""

from collections.abc import Callable
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said

Fields = dict[str, Any]
Conflict = Callable[[list[Fact]], None]

TRAINER = "trainer"  # the field of a fact
FRAMEWORK = "framework"
OTHER = "other"
MLX = "mlx"  # which serves, and trains by code that is not estimated
SERVES_TOO = ("litgpt",)  # read as what serves, unless a line trains
GENERATING = ("grpo", "ppo")  # objectives whose steps have something that serves
PEFT = "peft"  # which is read as a method, and only beside another is no more than a library


def settle_trainers(fields: Fields, said: Said, locale: Locale, conflict: Conflict) -> None:
    """The framework with code of its own; others that are named are left aside.

    Two with code of their own, `litgpt torchtune`, cannot both train.
    """
    trains = fields.get("task") == "train"
    if trains and fields.get("engine") in SERVES_TOO and fields.get("objective") not in GENERATING:
        fields[FRAMEWORK] = fields.pop("engine")
        said.remarks.append(locale.say(FRAMEWORK, word=echo(fields[FRAMEWORK])))
    if trains and fields.get("engine") == MLX and fields.get("objective") not in GENERATING:
        fields.pop("engine")
        said.remarks.append(locale.say("mlx_trains"))
    own = [fact for fact in said.all_of(TRAINER) if fact.value != OTHER]
    litgpt = [fact for fact in said.all_of("engine") if fact.value == fields.get(FRAMEWORK)]
    if trains and len({fact.value for fact in (*litgpt, *own)}) > 1:
        conflict([Fact(FRAMEWORK, fact.value, fact.text) for fact in (*litgpt, *own)])
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
        framework = fields.get(FRAMEWORK)
        key = "trainers_beside" if framework else "trainers"
        said.remarks.append(locale.say(key, words=words, framework=framework))
