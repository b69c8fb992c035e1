"""What several families share: grouped attention, the stack of blocks, the two ends."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from estimator.architecture import Run
from estimator.blocks import Block
from estimator.configs.numbers import (
    LARGEST_HEAD,
    LARGEST_VOCABULARY,
    LARGEST_WIDTH,
    MOST_HEADS,
    Config,
    divided,
    flag,
    hidden_size,
    number,
    optional,
)
from estimator.mixers import Attention
from estimator.mlps import GatedMlp

SLIDING, FULL = "sliding", "full"


def heads_of(config: Config) -> dict[str, int]:
    """Query heads, key and value heads, and their size."""
    heads = number(config, ("num_attention_heads",), MOST_HEADS)
    size = optional(config, ("head_dim",), LARGEST_HEAD)
    return {
        "query_heads": heads,
        "kv_heads": optional(config, ("num_key_value_heads",), MOST_HEADS) or heads,
        "head_dim": size or divided(hidden_size(config), heads),
    }


def ends(config: Config, *, tied: bool = False) -> dict[str, Any]:
    """Width, vocabulary, and whether the head is the embedding; `tied` where it is not said."""
    return {
        "hidden": hidden_size(config),
        "vocabulary": number(config, ("vocab_size",), LARGEST_VOCABULARY),
        "tied": flag(config, "tie_word_embeddings", default=tied),
    }


def gated(config: Config, name: str = "intermediate_size") -> GatedMlp:
    """A gated MLP as wide as `name` says."""
    inner = number(config, (name,), LARGEST_WIDTH)
    return GatedMlp(kind="gated", inner=inner, bias=flag(config, "mlp_bias", default=False))


def stack(blocks: Mapping[str, Block], names: Sequence[str]) -> dict[str, Any]:
    """The blocks that `names` lists layer by layer, and their order."""
    runs = (Run(times=len(tuple(run)), of=(name,)) for name, run in groupby(names))
    used = {name: block for name, block in blocks.items() if name in names}
    return {"blocks": used, "layers": tuple(runs)}


def windowed(block: Block, window: int | None) -> Block:
    """The block with an attention that looks back over `window` tokens."""
    if not isinstance(block.attention, Attention):
        raise TypeError("only grouped attention has a window here")
    attention = block.attention.model_copy(update={"window": window})
    return block.model_copy(update={"attention": attention})


def every(block: Block, layers: int) -> dict[str, Any]:
    """All layers alike."""
    return stack({"block": block}, ("block",) * layers)
