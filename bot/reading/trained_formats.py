"""Formats that no program trains on as they are: `lora gpt-oss-20b mxfp4` is trained in bf16.

transformers says of its MXFP4 weights that they cannot be trained, and asks for them to be
unpacked to bf16 first (`Mxfp4Config(dequantize=True)`).
"""

from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

UNPACKED = "mxfp4"


def settle_trained_formats(fields: dict[str, Any], said: Said, locale: Locale) -> None:
    """Leave such weights to the default, and say so."""
    if fields.get("task") != "train" or not str(fields.get("weights", "")).startswith(UNPACKED):
        return
    weights = fields.pop("weights")
    words = next((f.text for f in said.all_of("weights") if f.value == weights), weights)
    said.remarks.append(locale.say("unpacked_to_train", words=echo(words)))
