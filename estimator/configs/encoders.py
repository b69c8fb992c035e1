"""Encoders and encoder-decoders: BERT, RoBERTa and its kin, T5."""

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.configs.numbers import (
    LARGEST_VOCABULARY,
    LARGEST_WIDTH,
    MOST_HEADS,
    MOST_LAYERS,
    MOST_POSITIONS,
    Config,
    count,
    depth,
    flag,
    hidden_size,
    number,
)
from estimator.configs.parts import ends, every, heads_of, stack
from estimator.mixers import Attention
from estimator.mlps import Activation, GatedMlp, PlainMlp
from estimator.tensors import Extra, NormKind, Role

BERT_DROPOUT = 0.1  # of attention, the default of `BertConfig`
T5_BUCKETS = 32  # of relative distances, the default of `T5Config`


def bert(config: Config) -> Architecture:
    """Post-norm layers, learned positions, token types, a pooler; no head."""
    hidden = hidden_size(config)
    mixer = Attention(
        **heads_of(config),
        qkv_bias=True,
        output_bias=True,
        dropout=config.get("attention_probs_dropout_prob", BERT_DROPOUT) != 0,
        modules=("query", "key", "value", "attention.output.dense"),
    )
    mlp = PlainMlp(
        kind="plain",
        inner=number(config, ("intermediate_size",), LARGEST_WIDTH),
        bias=True,
        modules=("intermediate.dense", "output.dense"),
    )
    types = count(config, "type_vocab_size", LARGEST_VOCABULARY, default=2)
    pooler = (
        Extra(module="pooler.dense", role=Role.LINEAR, rows=hidden, columns=hidden),
        Extra(module="pooler.dense", role=Role.BIAS, columns=hidden),
    )
    table = Extra(
        module="token_type_embeddings", role=Role.POSITION, rows=max(1, types), columns=hidden
    )
    return Architecture(
        **ends(config, tied=True),
        norm=NormKind.LAYER,
        norm_bias=True,
        final_norm=False,
        embedding_norm=True,
        head=False,
        dropout=True,
        positions=number(config, ("max_position_embeddings",), MOST_POSITIONS),
        extra=((table, *pooler) if types else pooler),
        **every(Block(attention=mixer, mlp=mlp, caches=False), depth(config)),
    )


def t5(config: Config) -> Architecture:
    """Two stacks; the decoder's layers attend to the encoder's output too."""
    hidden = number(config, ("d_model",), LARGEST_WIDTH)
    heads = number(config, ("num_heads",), MOST_HEADS)
    mixer = Attention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=number(config, ("d_kv",), LARGEST_WIDTH),
        modules=("q", "k", "v", "o"),
    )
    inner = number(config, ("d_ff",), LARGEST_WIDTH)
    act = str(config.get("feed_forward_proj", "relu"))
    gated = act.startswith("gated")
    mlp = _gated_t5(inner) if gated else _plain_t5(inner)
    layers = number(config, ("num_layers",), MOST_LAYERS)
    below = number(config, ("num_decoder_layers",), MOST_LAYERS, default=layers)
    blocks = {
        "encoder": Block(attention=mixer, mlp=mlp, caches=False),
        "decoder": Block(attention=mixer, beside=mixer, mlp=mlp, norms=3),
    }
    buckets = number(config, ("relative_attention_num_buckets",), LARGEST_WIDTH, default=T5_BUCKETS)
    relative = Extra(
        module="relative_attention_bias", role=Role.POSITION, rows=2 * buckets, columns=heads
    )
    return Architecture(
        hidden=hidden,
        vocabulary=number(config, ("vocab_size",), LARGEST_VOCABULARY),
        tied=flag(config, "tie_word_embeddings", default=True),
        norm=NormKind.RMS_KEEPING,
        own_loss=True,
        dropout=True,
        extra=(relative, Extra(module="encoder.final_layer_norm", columns=hidden)),
        **stack(blocks, ("encoder",) * layers + ("decoder",) * below),
    )


def _gated_t5(inner: int) -> GatedMlp:
    names = ("wi_0", "wi_1", "wo")
    return GatedMlp(kind="gated", inner=inner, written_out=True, dropout=True, modules=names)


def _plain_t5(inner: int) -> PlainMlp:
    relu = Activation.RELU
    return PlainMlp(kind="plain", inner=inner, activation=relu, dropout=True, modules=("wi", "wo"))
