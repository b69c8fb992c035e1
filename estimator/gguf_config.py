"""What a GGUF file says of its model → the words of config.json, from which shapes are counted."""

from collections.abc import Collection, Mapping
from typing import Any

# Architectures of llama.cpp whose tensors are those of a family that is counted here.
FAMILIES = {
    "llama": "llama",
    "qwen2": "qwen2",
    "qwen3": "qwen3",
    "qwen3moe": "qwen3_moe",
    "gemma": "gemma",
    "gemma2": "gemma2",
    "gemma3": "gemma3_text",
    "phi3": "phi3",
    "gpt2": "gpt2",
    "gptneox": "gpt_neox",
    "starcoder2": "starcoder2",
    "olmo2": "olmo2",
    "granite": "granite",
    "gpt-oss": "gpt_oss",
    "smollm3": "smollm3",
    "seed_oss": "seed_oss",
}
KEYS = {  # key of config.json: key of the file, behind its architecture's name
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "max_position_embeddings": "context_length",
    "sliding_window": "attention.sliding_window",
    "num_experts_per_tok": "expert_used_count",
    "num_local_experts": "expert_count",
    "moe_intermediate_size": "expert_feed_forward_length",
    "vocab_size": "vocab_size",
}
GPT2 = {
    "n_embd": "hidden_size",
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_inner": "intermediate_size",
    "n_positions": "max_position_embeddings",
}
TOKENS = "tokenizer.ggml.tokens"  # the list of its words, told by its length
HEAD = "output.weight"  # a tensor that only an untied model has


def config_of_gguf(metadata: Mapping[str, object], tensors: Collection[str]) -> Mapping[str, Any]:
    """A config.json of the same model. An architecture that is not known keeps its name.

    `tensors`: names of the file's tensors; whether there is a head of its own, or biases,
    only they tell.
    """
    kind = str(metadata.get("general.architecture", ""))
    config: dict[str, Any] = {"model_type": FAMILIES.get(kind, kind or "none")}
    for key, name in KEYS.items():
        value = metadata.get(f"{kind}.{name}")
        if value is not None:
            config[key] = value
    config.setdefault("vocab_size", metadata.get(TOKENS))
    if tensors:
        config["tie_word_embeddings"] = HEAD not in tensors
        config["attention_bias"] = "blk.0.attn_q.bias" in tensors
    if kind == "llama" and config.get("num_local_experts"):
        config["model_type"] = "mixtral"
    if kind == "llama":
        config.pop("sliding_window", None)
    if kind == "gpt2":
        config |= {key: config.get(name) for key, name in GPT2.items()}
    return config
