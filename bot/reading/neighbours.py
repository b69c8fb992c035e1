"""One thing alone that is to be compared: what people usually set beside it.

`compare 7B lora`: with the other common methods. `compare llama 8b`, to run: in the common
formats. `compare 7B adafactor`: with other optimizers.
"""

from collections.abc import Callable, Mapping
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.number_lists import COMPARE, EITHER
from bot.reading.tasks import IMPLYING_LORA, RANKED_OPTIMIZERS
from estimator import Method

Fields = Mapping[str, Any]

METHODS = (Method.FULL, Method.LORA, Method.QLORA)
OPTIMIZERS = ("adamw", "adamw_8bit", "adafactor", "lion", "sgd")
FORMATS = ("bf16", "fp8", "awq4", "gguf:Q4_K_M")
IN_GGUF = ("gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_M", "gguf:Q4_K_M")
GGUF_ENGINES = ("llama.cpp", "ollama")
OF_ADAPTERS = (*IMPLYING_LORA, "weights")  # that full training has none of, or otherwise


def beside_others(
    fields: Fields, said: Said, locale: Locale, read: Callable[[dict[str, Any]], Any]
) -> None:
    """Raise with what is usually set beside the one thing that a line wants compared.

    `read`: the reading of fields. Nothing where no word asks to compare.
    """
    if not said.all_of(COMPARE) or "find" in fields:
        return
    if said.unread and said.all_of(EITHER):  # one of two things is not known
        message = locale.say_wrong("unknown_word", word=echo(said.unread[0].text))
        raise NotUnderstoodError("unknown_word", message)
    name, found = neighbours(fields)
    message = locale.say(f"neighbours_{name}")
    raise NotUnderstoodError("neighbours", message, choices=[read(one) for one in found])


def neighbours(fields: Fields) -> tuple[str, list[dict[str, Any]]]:
    """(what varies, the fields of each); `fields` are of a request that compares nothing."""
    if fields.get("task") == "infer":
        given = fields.get("weights")
        packed = fields.get("engine") in GGUF_ENGINES or str(given).startswith("gguf:")
        values = IN_GGUF if packed else FORMATS
        return "weights", _each(fields, "weights", values)
    own = fields.get("optimizer")
    if own is not None and own not in RANKED_OPTIMIZERS and "method" not in fields:
        return "optimizer", _each(fields, "optimizer", OPTIMIZERS)
    found = _each(fields, "method", METHODS)
    return "method", [_without_adapter(one) if one["method"] == "full" else one for one in found]


def _each(fields: Fields, name: str, values: tuple[str, ...]) -> list[dict[str, Any]]:
    """With each of the usual values, and with what was said."""
    said = fields.get(name)
    wanted = dict.fromkeys([*([said] if said else []), *values])
    return [dict(fields) | {name: value} for value in wanted]


def _without_adapter(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in OF_ADAPTERS}
