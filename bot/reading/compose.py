"""Facts → the fields of a request: what goes together, and what contradicts itself.

A field said twice with two values is an error with both lines to type. Words that mean
different things in training and serving (`8k`, `4bit`, `batch`) are settled here, once
the task is known.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bot.locale import Locale
from bot.reading.cards import cards_of
from bot.reading.facts import CardsSaid, Fact, NotUnderstoodError, Said, Value
from bot.reading.optimizers import optimizer_of
from bot.reading.precision import FULL_LIKE, PLAIN, settle_precision
from estimator import Catalog

Fields = dict[str, Any]

SENTENCE = 2  # filler words that make a line a sentence
TRAIN_ONLY = ("method", "rank", "alpha", "lora_dropout", "optimizer", "accumulation",
              "checkpointing", "loss", "objective", "targets")  # fmt: skip
SERVE_ONLY = ("engine", "users", "prompt", "new_tokens", "kv", "gpu_layers", "group_size")
SERVE_STRATEGIES = ("device_map",)
WHOLE = ("rank", "batch", "seq", "accumulation", "context", "prompt", "new_tokens", "users",
         "world", "tp", "pp", "cp", "ep", "group_size", "gpu_layers")  # fmt: skip
FULL_MEMORY = {"galore_adamw": "galore", "apollo": "apollo", "lomo": "lomo"}


@dataclass(frozen=True, slots=True)
class Composer:
    """Puts one line's facts together."""

    said: Said
    catalog: Catalog
    locale: Locale

    def fields(self) -> Fields:
        """Every field that was said; raises NotUnderstoodError for contradictions."""
        fields = self._single_values()
        hints = self.said.all_of("method_hint")
        if hints and fields.get("task") != "infer":
            fields.setdefault("method", str(hints[0].value))
        if fields.get("task") == "infer" and all(
            fact.text.casefold() == "full" for fact in self.said.all_of("method")
        ):
            fields.pop("method", None)  # "the full 128k window"
        fields |= self._flags()
        task = self._task(fields)
        if task is not None:
            fields["task"] = task
        self._refuse_serving_words(fields)
        self._settle_lengths(fields)
        settle_precision(fields, self.said, self._conflict)
        cards = [f.value for f in self.said.all_of("gpus") if isinstance(f.value, CardsSaid)]
        if cards:
            strict = self.said.fillers < SENTENCE
            found = cards_of(_merged(cards), self.catalog, self.locale, strict=strict)
            if found:
                fields["gpus"] = found
        modules = [str(fact.value) for fact in self.said.all_of("module")]
        if modules:
            fields["targets"] = modules
        return fields

    def understood(self) -> Fields:
        """What can be said without contradiction: the first of each."""
        fields: Fields = {}
        for fact in self.said.facts:
            if fact.field in ("task", "method", "model"):
                fields.setdefault(fact.field, fact.value)
            elif fact.field == "method_hint":
                fields.setdefault("method", fact.value)
            elif fact.field in WHOLE and isinstance(fact.value, float):
                fields.setdefault(fact.field, int(fact.value))
            elif fact.field == "size":
                fields.setdefault("model", fact.value)
            elif fact.field == "precision" and fact.value in PLAIN:
                fields.setdefault("weights", fact.value)
            elif fact.field in ("optimizer", "weights", "engine"):
                fields.setdefault(fact.field, fact.value)
        return fields

    def _single_values(self) -> Fields:
        skip = ("gpus", "size", "half_name", "model", "precision", "weights", "flag", "length",
                "dataset", "ram", "optimizer", "optimizer_id", "optimizer_kind", "module",
                "ignored", "method_hint", "task_hint")  # fmt: skip
        fields: Fields = {}
        for name in dict.fromkeys(fact.field for fact in self.said.facts):
            if name not in skip:
                fields[name] = self._whole(name, self._one(name))
        optimizer = optimizer_of(self.said, self._conflict)
        if optimizer is not None and FULL_MEMORY.get(optimizer) != fields.get("method"):
            fields["optimizer"] = optimizer
        return fields

    def _one(self, name: str) -> Fact:
        found = self.said.all_of(name)
        if name == "method":
            found = _methods(found)
        if len(found) > 1:
            raise self._conflict(found)
        return found[0]

    def _conflict(self, found: list[Fact]) -> NotUnderstoodError:
        first, second = found[0], found[1]
        understood = self.understood()
        name = "model" if first.field in ("size", "half_name") else first.field
        name = {"precision": "weights", "optimizer_kind": "optimizer"}.get(name, name)
        understood.pop(name, None)
        message = self.locale.say_wrong("twice", first=first.text, second=second.text)
        return NotUnderstoodError(
            "contradiction",
            message,
            understood=understood,
            field=name,
            names=[str(fact.value) for fact in found[:3]],
        )

    def _whole(self, name: str, fact: Fact) -> Value:
        value = fact.value
        if name not in WHOLE or not isinstance(value, (int, float)):
            return value
        if not float(value).is_integer() or value < 1:
            message = self.locale.say_wrong("not_whole", key=name, number=f"{value:g}")
            raise NotUnderstoodError("bad_number", message, understood=self.understood())
        return int(value)

    def _flags(self) -> Fields:
        fields: Fields = {}
        for fact in self.said.all_of("flag"):
            match fact.value:
                case "bf16_adapters":
                    fields["adapter"] = "bf16"
                case "full_context":
                    pass  # needs the model: `read` fills it in
                case str(name):
                    fields[name.removeprefix("no_")] = not name.startswith("no_")
        return fields

    def _task(self, fields: Fields) -> str | None:
        if "task" in fields:
            return str(fields["task"])
        if fields.get("method") == "full" and any(
            name in fields for name in ("engine", "users", "kv")
        ):
            fields.pop("method")  # "full context", "full fp8": not a way to train
        weights = [str(f.value) for f in self.said.all_of("weights")]
        if any(name in fields for name in TRAIN_ONLY):
            return "train"
        if any(name in fields for name in SERVE_ONLY) or "context" in fields:
            return "infer"
        if any(w.startswith(("gguf:", "awq", "gptq", "exl2", "mxfp4")) for w in weights):
            return "infer"
        hints = self.said.all_of("task_hint")
        if hints:
            return str(hints[0].value)
        if "batch" in fields or "seq" in fields or "strategy" in fields:
            return "train"
        return None

    def _refuse_serving_words(self, fields: Fields) -> None:
        """An engine, users or a cache's type said of a training step."""
        foreign = [name for name in SERVE_ONLY if name in fields]
        if fields.get("task") == "train" and foreign:
            message = self.locale.say_wrong("wrong_task", field=foreign[0])
            raise NotUnderstoodError("contradiction", message, understood=self.understood())

    def _settle_lengths(self, fields: Fields) -> None:
        """`8k` is the sequence in training and the window in serving."""
        training = fields.get("task") == "train"
        lengths = self.said.all_of("length")
        name = "seq" if training else "context"
        if lengths and fields.get("task") is not None:
            if len(lengths) > 1:
                raise self._conflict(lengths)
            fields.setdefault(
                name, self._whole(name, Fact(name, lengths[0].value, lengths[0].text))
            )
        if training and "context" in fields:
            fields.setdefault("seq", fields.pop("context"))
        if fields.get("task") == "infer":
            if "seq" in fields:
                fields.setdefault("context", fields.pop("seq"))
            if "batch" in fields:
                fields.setdefault("users", fields.pop("batch"))
            fields.pop("accumulation", None)


def _methods(found: list[Fact]) -> list[Fact]:
    """`adapter: qlora` and `full parameter APOLLO` say one method each."""
    named = [f for f in found if f.text.casefold() not in ("adapter", "adapters", "peft")]
    found = named or found
    own = [f for f in found if f.value in FULL_LIKE]
    if own and all(f.value == "full" or f in own for f in found):
        return own
    return found


def _merged(cards: Iterable[CardsSaid]) -> list[CardsSaid]:
    """`A100 … 80GB` said apart is one card with its size."""
    entries = list(cards)
    named = [entry for entry in entries if entry.name]
    sizes = [entry for entry in entries if not entry.name]
    if len(named) == 1 and len(sizes) == 1 and named[0].gigabytes is None and sizes[0].count == 1:
        return [CardsSaid(named[0].count, named[0].name, sizes[0].gigabytes)]
    return entries
