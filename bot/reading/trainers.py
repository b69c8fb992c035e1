"""Trainers named in a line: those with code of their own are a field, others change nothing."""

from collections.abc import Callable
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said
from bot.reading.number_lists import COMPARE, EITHER

Fields = dict[str, Any]
Conflict = Callable[[list[Fact]], None]

TRAINER = "trainer"  # the field of a fact
FRAMEWORK = "framework"
OTHER = "other"
TRANSFORMERS = "transformers"
JOINTS = (EITHER, COMPARE)
MLX = "mlx"  # which serves, and trains by code that is not estimated
SERVES_TOO = ("litgpt",)  # read as what serves, unless a line trains
GENERATING = ("grpo", "ppo")  # objectives whose steps have something that serves
PEFT = "peft"  # which is read as a method, and only beside another is no more than a library


def settle_compared_trainers(said: Said) -> None:
    """`unsloth vs trl`, `unsloth vs transformers`: those without code of their own are one side.

    Only beside one that has; else nothing that they are compared for is counted.
    """
    facts = said.facts
    own = [fact for fact in facts if fact.field == TRAINER and fact.value != OTHER]
    joined = any(fact.field in JOINTS for fact in facts)
    if not own or not joined or any(f.field == "task" and f.value == "infer" for f in facts):
        return
    for n, fact in enumerate(facts):
        other = fact.field == TRAINER and fact.value == OTHER
        if other or (fact.field == "engine" and fact.value == TRANSFORMERS):
            facts[n] = Fact(TRAINER, TRANSFORMERS, fact.text)
        elif fact.field == "engine" and fact.value in SERVES_TOO:
            facts[n] = Fact(TRAINER, fact.value, fact.text)


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
        if any(fact.field in JOINTS for fact in said.facts):
            return  # each is a side of its own
    aside = []
    for fact in [fact for fact in said.facts if fact.field == TRAINER]:
        taken = fields.get(FRAMEWORK, fact.value) == fact.value
        if fact.value == OTHER or not taken or not trains:
            aside.append(fact)
            continue
        fields[FRAMEWORK] = fact.value
        key = "by_transformers" if fact.value == TRANSFORMERS else FRAMEWORK
        said.remarks.append(locale.say(key, word=echo(fact.text)))
    method = fields.get("method")
    aside += [fact for fact in said.facts if fact.field == "method" and fact.value != method
              and fact.text.casefold() == PEFT]  # fmt: skip
    if aside:
        words = ", ".join(dict.fromkeys(f"`{echo(fact.text)}`" for fact in aside))
        framework = fields.get(FRAMEWORK)
        key = "trainers_beside" if framework else "trainers"
        said.remarks.append(locale.say(key, words=words, framework=framework))


def all_the_same(said: Said) -> str:
    """The trainers that a line compares, where none of them changes what is counted; else none."""
    found = [fact for fact in said.facts if fact.field == TRAINER]
    if len(found) > 1 and all(fact.value == OTHER for fact in found):
        return ", ".join(dict.fromkeys(f"`{echo(fact.text)}`" for fact in found))
    return ""
