"""A model that is trained by its numbers alone: Megatron's flags, nanotron's `model_config`.

`--num-layers 80 --hidden-size 8192 --num-query-groups 8` name no model, but there is mostly one
of that shape. The words of the vocabulary are a tokenizer's, and seldom among the numbers.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.reading.pasting.settings import Setting
from estimator import BadRequest, Catalog, Model, Unsupported, architecture_from_config

LENGTH = "seq_length"  # no position is beyond it, where their number is not said
NAMES = {  # Megatron's and nanotron's → config.json's
    "num_layers": "num_hidden_layers", "num_hidden_layers": "num_hidden_layers",
    "hidden_size": "hidden_size", "ffn_hidden_size": "intermediate_size",
    "intermediate_size": "intermediate_size", "num_attention_heads": "num_attention_heads",
    "num_query_groups": "num_key_value_heads", "num_key_value_heads": "num_key_value_heads",
    "kv_channels": "head_dim", "vocab_size": "vocab_size", "padded_vocab_size": "vocab_size",
    "max_position_embeddings": "max_position_embeddings", "seq_length": LENGTH,
}  # fmt: skip
LEAST = ("hidden_size", "num_hidden_layers", "num_attention_heads")
GPT2 = {  # the same in a config.json of GPT-2, whose kind is Megatron's own
    "hidden_size": "n_embd", "num_hidden_layers": "n_layer", "num_attention_heads": "n_head",
    "vocab_size": "vocab_size", "max_position_embeddings": "n_positions",
}  # fmt: skip
GATED = ("swiglu", "num_hidden_layers", "num_query_groups")  # of Llama's kind, and not GPT-2's
OF_TOKENIZERS = {  # a tokenizer's model, whose vocabulary it has
    "gpt2bpetokenizer": "openai-community/gpt2", "llama2tokenizer": "meta-llama/Llama-2-7b-hf",
}  # fmt: skip
TOKENIZER = "tokenizer_type"
TOKENIZERS = ("tokenizer_model", "tokenizer_name_or_path", TOKENIZER)  # a model's name, or a kind


def shape_said(settings: Iterable[Setting], own: Mapping[str, str]) -> dict[str, Any] | None:
    """The numbers as a config.json has them; none where they make no shape.

    `own`: words of the paste, among which `shape` says that its program has such numbers.
    """
    if "shape" not in own:
        return None
    found: dict[str, Any] = {}
    said: dict[str, Setting] = {}
    for setting in settings:
        said[setting.key] = setting
        name = NAMES.get(setting.key)
        if name is not None and setting.value.isdecimal() and len(setting.value) < len("1000000"):
            found[name] = int(setting.value)
    if any(name not in found for name in LEAST):
        return None
    tied = said.get("tie_word_embeddings")
    found["tie_word_embeddings"] = (
        tied.is_on if tied is not None else "untie_embeddings_and_output_weights" not in said
    )
    found[TOKENIZER] = " ".join(said[name].value for name in TOKENIZERS if name in said)
    length = found.pop(LENGTH, 0)
    gated = not said.keys().isdisjoint(GATED)
    if gated:
        return found | {"model_type": "llama"}
    found.setdefault("max_position_embeddings", length)
    return {new: found[name] for name, new in GPT2.items() if name in found} | {
        "model_type": "gpt2", TOKENIZER: found[TOKENIZER],
    }  # fmt: skip


def settled(config: Mapping[str, Any], catalog: Catalog) -> tuple[Model | None, dict[str, Any]]:
    """The model of the table of that shape, if there is one, and the config with a vocabulary."""
    own = {name: value for name, value in config.items() if name != TOKENIZER}
    if "vocab_size" not in own:
        wide = own.get("hidden_size") or own.get("n_embd")
        for row in catalog.models.rows:
            whole = own | {"vocab_size": row.architecture.vocabulary,
                           "tie_word_embeddings": row.architecture.tied}  # fmt: skip
            if row.architecture.hidden == wide and _is_of(row, whole):
                return row, whole
        for word in str(config.get(TOKENIZER, "")).split():
            named = catalog.models.get(OF_TOKENIZERS.get(word.casefold(), word))
            if named is not None:
                return None, own | {"vocab_size": named.architecture.vocabulary}
    return None, own


def _is_of(row: Model, config: Mapping[str, Any]) -> bool:
    try:
        return architecture_from_config(config)[0] == row.architecture
    except (BadRequest, Unsupported):
        return False
