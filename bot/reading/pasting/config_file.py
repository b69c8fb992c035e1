"""Files of a model's repository that are pasted whole: config.json is its shape, others say none.

A file may be cut off, or have lost its braces: what is there is taken, and what is missing is
said by whoever makes a shape of it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bot.compiled import compiled
from bot.reading.pasting import brackets
from bot.reading.pasting.settings import Setting

SHAPES = (
    *("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"),
    *(
        "num_key_value_heads",
        "max_position_embeddings",
        "rms_norm_eps",
        "hidden_act",
        "n_embd",
        "n_layer",
    ),
    *("n_head", "d_model", "num_layers", "head_dim", "num_experts_per_tok", "rope_theta"),
)
FEWEST = 3  # of them that make a file a model's shape
Scalar = str | int | float | bool | None
_START = compiled(r"\{(?=\s*[\"'])")
_KEY = compiled(r"^[ \t]*[\"'](?P<key>\w{1,60})[\"'][ \t]*:", re.MULTILINE)
_CAMEL = compiled(r"(?<=[a-z0-9])(?=[A-Z])")
_CLASS_END = compiled(
    r"For(?:CausalLM|ConditionalGeneration|MaskedLM|SequenceClassification)$|LMHeadModel$|Model$"
)
_WHOLE = compiled(r"-?\d{1,15}")
_PART = compiled(r"-?(?:\d+\.\d*|\d*\.?\d+[eE][+-]?\d{1,3}|\d+\.\d*[eE][+-]?\d{1,3})")
DTYPES = ("dtype", "torch_dtype")


class Wrong(StrEnum):
    """Files that stand beside a config.json and say nothing of memory."""

    TOKENIZER = "tokenizer"
    GENERATION = "generation"
    INDEX = "index"
    PROCESSOR = "processor"


_SIGNS: Mapping[Wrong, tuple[frozenset[str], ...]] = {
    Wrong.TOKENIZER: (
        frozenset({"tokenizer_class"}),
        frozenset({"added_tokens_decoder"}),
        frozenset({"added_tokens", "pre_tokenizer"}),
        frozenset({"eos_token", "pad_token"}),
        frozenset({"bos_token", "eos_token"}),
    ),
    Wrong.INDEX: (frozenset({"weight_map"}),),
    Wrong.PROCESSOR: (
        frozenset({"image_mean"}),
        frozenset({"image_processor_type"}),
        frozenset({"feature_extractor_type"}),
    ),
    Wrong.GENERATION: (
        frozenset({"eos_token_id", "do_sample"}),
        frozenset({"eos_token_id", "transformers_version"}),
        frozenset({"bos_token_id", "do_sample"}),
    ),
}


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file of a repository: the `config` of a model's shape, or one that is the `wrong` one.

    `flags`: it was no file, but a program's own numbers, which may lack the vocabulary's.
    """

    config: Mapping[str, Any] | None = None
    wrong: Wrong | None = None
    flags: bool = False


def take_file(text: str) -> tuple[str, ConfigFile | None]:
    """`text` without the file of a repository in it, and that file."""
    for start in (match.start() for match in _START.finditer(text)):
        end = brackets.end_of(text, start)
        found = _file_of(brackets.settings_in(text[start:end]))
        if found is not None:
            return f"{text[:start]}\n{text[end:]}", found
        break
    keys = [
        match
        for match in _KEY.finditer(text)
        if match["key"] in (*SHAPES, "model_type", "architectures")
    ]
    if len(keys) < FEWEST or "{" in text[: keys[0].start()]:
        return text, None
    start = keys[0].start()
    end = text.find("\n", keys[-1].end())
    end = len(text) if end < 0 else end
    found = _file_of(brackets.settings_in(f"{{{text[start:end]}"))
    return (text, None) if found is None else (f"{text[:start]}\n{text[end:]}", found)


def _file_of(settings: list[Setting]) -> ConfigFile | None:
    keys = {setting.path.partition(".")[0] for setting in settings}
    inner = {setting.key for setting in settings if setting.path.startswith("text_config.")}
    if len((keys | inner) & set(SHAPES)) >= FEWEST or {"model_type", "architectures"} <= keys:
        return ConfigFile(_completed(_nested(settings)))
    if keys & set(SHAPES) and keys & {"model_type", "architectures", "transformers_version"}:
        return ConfigFile(_completed(_nested(settings)))
    for wrong, signs in _SIGNS.items():
        if any(sign <= keys for sign in signs):
            return ConfigFile(wrong=wrong)
    return None


def _nested(settings: list[Setting]) -> dict[str, Any]:
    """The settings as the object that they stood in."""
    found: dict[str, Any] = {}
    for setting in settings:
        *outer, last = setting.path.split(".")
        place = found
        for key in outer:
            inner = place.setdefault(key, {})
            place = inner if isinstance(inner, dict) else {}
        values = [_value(value) for value in setting.values]
        place[last] = values[0] if len(values) == 1 and last != "architectures" else values
    return found


def _value(text: str) -> Scalar:
    """A JSON value of its text; what is no number stays a text."""
    plain = text.casefold()
    if plain in ("true", "false"):
        return plain == "true"
    if plain in ("null", "none", "nan", "infinity", "-infinity"):
        return None
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _PART.fullmatch(text) else text


def _completed(config: dict[str, Any]) -> dict[str, Any]:
    """With the family that its class names, where it does not itself."""
    classes = config.get("architectures")
    if "model_type" not in config and isinstance(classes, list) and classes:
        name = _CLASS_END.sub("", str(classes[0]))
        config["model_type"] = _CAMEL.sub("_", name).casefold()
    return config
