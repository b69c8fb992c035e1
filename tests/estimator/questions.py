"""Requests to try things on: a table that spans every word, and made-up ones."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from estimator import load_catalog, parse_request
from estimator.errors import Contradiction
from estimator.resolve_serve import resolve_serve
from tests.estimator.words import (
    ADAPTERS,
    ATTENTION,
    CHECKPOINTING,
    ENGINES,
    GGUF_ENGINES,
    GGUF_WEIGHTS,
    KV_TYPES,
    LOSSES,
    MASTERS,
    OFFLOAD,
    OPTIMIZERS,
    OTHERS,
    PACKED_WEIGHTS,
    PLAIN_WEIGHTS,
    SHARDING,
    TRAIN_ALL,
    TRAIN_BLOCKS,
)

Document = dict[str, Any]

FIXED = settings(deadline=None, derandomize=True, max_examples=100)  # the same each time

MODELS = (  # one a shape
    "meta-llama/Llama-3.1-8B",  # grouped heads, gated MLP
    "Qwen/Qwen2.5-7B",  # biases on q, k, v
    "Qwen/Qwen3-8B",  # norms on queries and keys
    "google/gemma-2-2b",  # tied, every other layer a window
    "mistralai/Mistral-7B-v0.1",  # a window on every layer
    "mistralai/Mixtral-8x7B-v0.1",  # experts
    "tencent/Hunyuan-A13B-Instruct",  # experts, some shared
    "microsoft/Phi-3-mini-4k-instruct",  # fused q-k-v and gate-up
    "openai-community/gpt2",  # plain MLP, learned positions, layer norms
    "facebook/opt-1.3b",
    "EleutherAI/pythia-1.4b",
    "tiiuae/falcon-7b",  # one kv head, parallel
    "bigscience/bloom-560m",  # a norm on the embedding
    "deepseek-ai/DeepSeek-V2-Lite",  # latents, experts behind a dense layer
    "openai/gpt-oss-20b",  # sinks, clamped experts with biases
    "google/gemma-3n-E2B-it",  # a tower, borrowed keys and values
    "ai21labs/Jamba-v0.1",  # states, attention and experts
    "tiiuae/Falcon-H1-0.5B-Base",  # attention and a state side by side
    "nvidia/Nemotron-H-8B-Base-8K",  # layers of one half each
    "Qwen/Qwen3-Next-80B-A3B-Instruct",  # the delta rule, gated attention
    "google-bert/bert-base-uncased",  # an encoder
    "google/flan-t5-base",  # an encoder and a decoder
)


PLAIN_GOALS = ("dpo", "reward", "grpo", "ppo")  # objectives that need no other model named


def train(**fields: object) -> Document:
    """A training request on a small model."""
    return {"task": "train", "model": "TinyLlama/TinyLlama-1.1B-Chat-v1.0", **fields}


def serve(**fields: object) -> Document:
    """A serving request of the usual 8B."""
    return {"task": "infer", "model": "meta-llama/Llama-3.1-8B", **fields}


TRAINING: tuple[Document, ...] = (
    train(),
    *(train(model=size) for size in ("7B", "0.3B", "8x7B", "4x3B", "100B")),
    *(train(model=size, method="lora") for size in ("7B", "14B", "70B")),
    *(train(method=method) for method in (*ADAPTERS, *OTHERS, *TRAIN_ALL)),
    *(train(method=method, adapter="bf16", autocast=False) for method in OTHERS[:8]),
    *(train(method=method, checkpointing="none", seq=333) for method in OTHERS),
    *(train(method=method, virtual_tokens=7, attention="eager") for method in OTHERS[8:11]),
    train(method="oft", rank=16),
    train(method="lokr", rank=512),
    train(method="lora", modules_to_save=["embed_tokens", "lm_head"]),
    train(method="qlora", modules_to_save=["lm_head"], optimizer="adamw_loop"),
    train(method="vera", modules_to_save=["embed_tokens"], optimizer="adamw_foreach"),
    *(train(method=method) for method in TRAIN_BLOCKS),
    *(train(method=method, checkpointing="none") for method in TRAIN_BLOCKS),
    train(method="lisa", active_blocks=4, optimizer_in_backward=True),
    *(train(model=model, method="full") for model in MODELS),
    *(train(model=model, method="lora", checkpointing="none") for model in MODELS),
    *(train(model=model, method="qlora") for model in MODELS),
    *(train(method="full", optimizer=optimizer) for optimizer in OPTIMIZERS),
    train(method="lora", optimizer="adamw_8bit", adapter="bf16"),
    train(method="full", optimizer="adamw_8bit", strategy="zero1", world=3),
    *(train(method="full", weights=weights) for weights in PLAIN_WEIGHTS),
    train(method="full", weights="fp32", autocast=True),
    train(method="full", master="none", grads="fp32", states="fp32"),
    *(train(method="lora", weights=weights) for weights in (*PLAIN_WEIGHTS, *PACKED_WEIGHTS)),
    train(method="qlora", weights="exl2", bpw=4.65, kbit_prepare=False),
    *(train(checkpointing=how, method="full") for how in CHECKPOINTING),
    *(train(checkpointing=how, method="qlora") for how in CHECKPOINTING),
    *(train(loss=loss, method="full", seq=4097) for loss in LOSSES),
    *(train(loss=loss, method="lora", outputs_kept=True) for loss in LOSSES),
    *(train(strategy=strategy, world=3, method="full") for strategy in SHARDING),
    *(train(strategy=strategy, world=8, method="lora") for strategy in SHARDING),
    *(train(offload=what, strategy="zero3", world=4) for what in OFFLOAD if what != "activations"),
    *(train(attention=attention, checkpointing="none") for attention in ATTENTION),
    train(method="dora", lora_dropout=0.1, targets="attention", rank=64),
    train(method="lora", targets=["q_proj", "down_proj"], autocast=False),
    train(batch=7, seq=333, accumulation=5),
    train(optimizer_in_backward=True),
    *(train(optimizer_in_backward=True, optimizer=one, master="none") for one in OPTIMIZERS),
    train(method="full", master="fp32", grads="fp32"),
    train(method="full", master="fp32", main_grads="fp32"),
    train(method="full", optimizer="adamw_8bit", embedding_states="fp32"),
    train(method="lora", optimizer="paged_adamw_8bit", rank=64),
    train(gpus=[{"id": "class-24gb", "count": 4}], strategy="fsdp2"),
    *(train(objective=goal, method=method) for goal in PLAIN_GOALS for method in ADAPTERS),
    *(train(objective=goal, master=master) for goal in PLAIN_GOALS for master in MASTERS),
    *(train(objective="dpo", reference="model", weights=w) for w in PLAIN_WEIGHTS),
    *(train(objective=goal, loss="chunked", method="lora") for goal in ("dpo", "grpo")),
    train(objective="distill", teacher="meta-llama/Llama-2-7b-hf", method="full"),
    train(objective="distill", teacher="meta-llama/Llama-2-7b-hf", loss="chunked"),
    train(objective="grpo", engine="vllm", method="lora", engine_asleep=True),
    train(objective="grpo", engine="vllm", gpus=[{"id": "h100", "count": 1}]),
    train(objective="ppo", value_model="0.5B", reward_model="7B", autocast=True, weights="fp32"),
    train(objective="ppo", prompt=700, new_tokens=300, batch=3, accumulation=40),
    train(rule_bytes_per_parameter=6.5, rule_activation_bytes=20_000_000_001),
)

SERVING: tuple[Document, ...] = (
    serve(),
    *(serve(model=model) for model in MODELS),
    *(serve(model=size) for size in ("7B", "0.3B", "8x7B")),
    *(serve(engine=engine) for engine in ENGINES),
    *(serve(kv=kv) for kv in KV_TYPES),
    serve(kv_k="Q8_0", kv_v="Q4_0", context=1000),
    *(serve(weights=weights) for weights in (*PLAIN_WEIGHTS, *PACKED_WEIGHTS, *GGUF_WEIGHTS)),
    serve(weights="exl2", bpw=4.65),
    *(serve(attention=attention, users=3) for attention in ATTENTION),
    serve(users=64, context=131_072, prompt=4000, new_tokens=500),
    *(serve(engine=engine, draft="meta-llama/Llama-3.2-1B", users=3) for engine in ENGINES),
    *(serve(engine=engine, lora_adapters=3, rank=12, world=2) for engine in ENGINES),
    *(serve(engine_version=version, users=2) for version in ("0.8", "0.11", "0.17", "0.25")),
    *(serve(model=model, engine_version="0.19", gpus=[{"id": "h100"}]) for model in MODELS),
    serve(users=9, shared_prefix=1000, max_num_seqs=16, max_batched_tokens=512),
    serve(utilization=0.5, max_model_len=4096, enforce_eager=True),
    *(serve(model=model, gpus=[{"id": "h100", "count": 3}], users=5) for model in MODELS[-6:]),
)

TABLE = (*TRAINING, *SERVING)


def label(request: Document) -> str:
    """A name for a case: what it asks beside the usual."""
    usual = (train()["model"], serve()["model"])
    asked = (f"{k}={v}" for k, v in request.items() if k != "task" and v not in usual)
    return " ".join((request["task"], *asked))


_TYPED = st.one_of(
    st.sampled_from(("7B", "8B", "3B", "70B", "8x7B", "0.5B")),
    st.integers(min_value=200, max_value=500_000).map(lambda millions: f"{millions}M"),
)
MODEL = st.one_of(st.sampled_from(load_catalog().models.ids), st.sampled_from(MODELS), _TYPED)
_SMALL = st.integers(min_value=1, max_value=64)

OWN_OPTIMIZER = ("galore", "apollo", "lomo")
PROJECTING = ("galore_adamw", "apollo")
_STEP: dict[str, st.SearchStrategy[Any]] = {
    "optimizer": st.sampled_from(OPTIMIZERS),
    "accumulation": _SMALL,
    "checkpointing": st.sampled_from(CHECKPOINTING),
    "attention": st.sampled_from(ATTENTION),
    "loss": st.sampled_from(LOSSES),
    "outputs_kept": st.booleans(),
    "autocast": st.booleans(),
    "grads": st.sampled_from(PLAIN_WEIGHTS),
    "states": st.sampled_from(PLAIN_WEIGHTS),
    "optimizer_in_backward": st.booleans(),
    "objective": st.sampled_from(("sft", *PLAIN_GOALS)),
}
_SHARED = {
    "task": st.just("train"),
    "model": MODEL,
    "batch": _SMALL,
    "seq": st.integers(min_value=1, max_value=32_768),
}
_FULL = st.fixed_dictionaries(
    _SHARED | {"method": st.sampled_from(TRAIN_ALL)},
    optional=_STEP
    | {"weights": st.sampled_from(PLAIN_WEIGHTS), "master": st.sampled_from(MASTERS)},
)
_LORA = st.fixed_dictionaries(
    _SHARED | {"method": st.sampled_from(ADAPTERS), "rank": _SMALL},
    optional=_STEP
    | {
        "weights": st.sampled_from((*PLAIN_WEIGHTS, *PACKED_WEIGHTS)),
        "targets": st.sampled_from(("all-linear", "attention")),
        "adapter": st.sampled_from(PLAIN_WEIGHTS),
        "lora_dropout": st.sampled_from((0, 0.05)),
        "kbit_prepare": st.booleans(),
    },
)
_NO_SPLIT: Document = {}
_SPLIT = st.one_of(
    st.just(_NO_SPLIT),
    st.fixed_dictionaries(
        {
            "world": st.integers(min_value=2, max_value=64),
            "strategy": st.sampled_from(SHARDING),
        }
    ),
)


def _writes(model: str) -> bool:
    """Whether the model decodes alone, and has a head over the vocabulary."""
    shape = load_catalog().models.get(model)
    if shape is None:  # a bare size
        return True
    blocks = shape.architecture.blocks.values()
    return shape.architecture.head and all(block.caches for block in blocks)


def _joined(parts: tuple[Document, Document]) -> Document:
    joined = parts[0] | parts[1]
    lomo = "lomo" in (joined.get("method"), joined.get("optimizer"))
    if lomo or joined.get("optimizer_in_backward"):  # nothing is left to accumulate
        joined.pop("accumulation", None)
    if not _writes(joined["model"]):
        joined.pop("objective", None)  # there is nothing to prefer
    if joined.get("objective") in PLAIN_GOALS:
        joined["seq"] += 1  # a prompt, and what is generated
        joined.pop("loss", None)  # not every trainer has every loss
    method = joined.get("method")
    projects = joined.get("optimizer") in PROJECTING
    if method in OWN_OPTIMIZER or (projects and method in ADAPTERS):
        joined.pop("optimizer", None)  # these exclude each other
    return joined


TRAIN_REQUESTS = st.tuples(st.one_of(_FULL, _LORA), _SPLIT).map(_joined)
LORA_REQUESTS = st.tuples(_LORA, _SPLIT).map(_joined)
FULL_REQUESTS = st.tuples(_FULL, _SPLIT).map(_joined)

_ENGINE_AND_WEIGHTS = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "engine": st.sampled_from(ENGINES),
            "weights": st.sampled_from((*PLAIN_WEIGHTS, *PACKED_WEIGHTS)),
        },
    ),
    st.fixed_dictionaries(
        {"weights": st.sampled_from(GGUF_WEIGHTS)},
        optional={"engine": st.sampled_from(GGUF_ENGINES)},
    ),
)
_SERVE = st.fixed_dictionaries(
    {
        "task": st.just("infer"),
        "model": MODEL,
        "context": st.integers(min_value=64, max_value=200_000),
        "users": _SMALL,
    },
    optional={
        "prompt": _SMALL,
        "kv": st.sampled_from(KV_TYPES),
        "attention": st.sampled_from(ATTENTION),
        "world": st.integers(min_value=1, max_value=16),
    },
)


PACKED_CACHES = ("Q8_0", "Q5_1", "Q5_0", "Q4_1", "Q4_0", "int8")  # the last: llama.cpp's Q8_0


def _possible(request: Document) -> Document:
    """`request` without what excludes the rest of it: a cache's type first, then the engine."""
    if request.get("kv") in PACKED_CACHES:  # llama.cpp's, which needs flash attention for it
        request.pop("attention", None)
    for name in ("kv", "engine"):
        try:
            resolve_serve(parse_request(request), load_catalog())  # type: ignore[arg-type]
        except Contradiction:
            request.pop(name, None)
    return request


SERVE_REQUESTS = st.tuples(_SERVE, _ENGINE_AND_WEIGHTS).map(_joined).map(_possible)
REQUESTS = st.one_of(TRAIN_REQUESTS, SERVE_REQUESTS)
