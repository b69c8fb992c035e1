"""What is asked, in the fixed words that everything shares; names are still text.

A field that is none was left open: `resolve` takes its default and lists it.
Unknown fields, wrong types and numbers beyond any machine are refused here.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from estimator.units import KIB, MILLION, TIB, TRILLION
from estimator.words import (
    AttentionKernel,
    Checkpointing,
    Loss,
    Master,
    Method,
    Objective,
    Offload,
    Reference,
    Sought,
    SoughtInTraining,
    Strategy,
    Task,
)

LONGEST_NAME = 128
MOST_TOKENS = 128 * MILLION  # a sequence; ten times the longest window on offer
MOST_IMAGES = KIB
MOST_CARDS = 64 * KIB
MOST_BATCH = 64 * KIB
MOST_RANK = 64 * KIB

MOST_ALPHA = MILLION
MOST_GROUP = 64 * KIB

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Flag = Annotated[bool, Field(strict=True)]
Tokens = Annotated[int, Field(strict=True, ge=1, le=MOST_TOKENS)]
Images = Annotated[int, Field(strict=True, ge=1, le=MOST_IMAGES)]
Cards = Annotated[int, Field(strict=True, ge=1, le=MOST_CARDS)]
Batch = Annotated[int, Field(strict=True, ge=1, le=MOST_BATCH)]
Part = Annotated[float, Field(strict=True, ge=0, le=MILLION)]
Names = Annotated[tuple[Name, ...], Field(min_length=1, max_length=64)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class GpuCount(_Strict):
    """`count` cards of the kind `id`: a card's id or alias, or a class such as `class-24gb`."""

    id: Name
    count: Cards = 1


class MpPolicy(_Strict):
    """FSDP's mixed precision: dtype gathered and computed in, dtype gradients reduce in."""

    param: Name | None = None
    reduce: Name | None = None


class _Request(_Strict):
    """Fields that training and serving share.

    `group_size`: weights that share a scale; -1 for a whole row. `weight_bytes`: what the
    weights take as their files or repository say, which then replaces the sum over tensors.

    `images`: in each sequence or prompt, beside its text; each is `image_tokens` more.

    `disk`: whether what the run keeps on disk is asked about. `in_use_bytes`: what others hold
    of each card: a desktop, another process.
    """

    model: Name | None = None
    architecture: dict[str, Any] | None = None
    weights: Name | None = None
    bpw: Annotated[float, Field(strict=True, gt=0.5, le=32)] | None = None
    group_size: Literal[-1] | Annotated[int, Field(strict=True, ge=1, le=MOST_GROUP)] | None = None
    weight_bytes: Annotated[int, Field(strict=True, ge=1, le=KIB * TIB)] | None = None
    compute: Name | None = None
    attention: AttentionKernel | None = None
    world: Cards | None = None
    strategy: Strategy | None = None
    tp: Cards | None = None
    pp: Cards | None = None
    cp: Cards | None = None
    ep: Cards | None = None
    dp: Cards | None = None
    offload: Offload | None = None
    images: Images | None = None
    image_tokens: Tokens | None = None
    gpus: tuple[GpuCount, ...] = Field(default=(), max_length=8)
    disk: Flag | None = None
    in_use_bytes: Annotated[int, Field(strict=True, ge=0, le=KIB * TIB)] | None = None

    @model_validator(mode="after")
    def _names_one_model(self) -> Self:
        if (self.model is None) == (self.architecture is None):
            raise ValueError("name either a `model` or an `architecture`")
        return self


class TrainRequest(_Request):
    """One training step's memory.

    `rule_bytes_per_parameter` and `rule_activation_bytes` are N and A of the rule of
    thumb V = N·B + A; they change the second opinion, never the estimate. `virtual_tokens`:
    those of prompts and prefixes. `variant`: LLaMA-Adapter's. `framework`: what trains.
    `main_grads`: of a buffer that gradients are added to and stay beside; `grads` in fp32
    beside 16-bit weights is such a buffer alone. `sp`: tensor parallelism divides
    the tokens between blocks too. `active_blocks`: how many BAdam, LISA and
    freezing train. `embedding_states` `fp32`: not packed by an 8-bit optimizer.
    `checkpoints_kept`, `dataset_tokens`, `dataset_samples`: of what is on disk.
    `replicas`: copies of FSDP's shards, each over its part of the cards (hybrid sharding).
    `find`: what is to be as large as the cards allow.

    Of objectives with more than one model: `reference` (dpo, grpo, ppo), `teacher`
    (distill), `reward_model` and `value_model` (ppo; the trained model's shape if not
    named). Of those that generate (grpo, ppo): `prompt` and `new_tokens`, together a
    sequence; `generations`, completions of one prompt; `engine`, which generates on the
    same card; `engine_share`, the part of the card that it reserves; `engine_asleep`,
    whether it lets go of that while the step trains.
    """

    task: Literal[Task.TRAIN] = Task.TRAIN
    method: Method | None = None
    rank: Annotated[int, Field(strict=True, ge=1, le=MOST_RANK)] | None = None
    alpha: Annotated[float, Field(strict=True, gt=0, le=MOST_ALPHA)] | None = None
    targets: Names | Name | None = None
    adapter: Name | None = None
    lora_dropout: Annotated[float, Field(strict=True, ge=0, lt=1)] | None = None
    virtual_tokens: Annotated[int, Field(strict=True, ge=1, le=MOST_RANK)] | None = None
    modules_to_save: Annotated[tuple[Name, ...], Field(max_length=64)] | None = None
    autocast: Flag | None = None
    grads: Name | None = None
    states: Name | None = None
    master: Master | None = None
    sp: Flag | None = None
    main_grads: Name | None = None
    embedding_states: Name | None = None
    active_blocks: Annotated[int, Field(strict=True, ge=1, le=MOST_RANK)] | None = None
    kbit_prepare: Flag | None = None
    optimizer: Name | None = None
    optimizer_in_backward: Flag | None = None
    batch: Batch | None = None
    seq: Tokens | None = None
    accumulation: Batch | None = None
    find: SoughtInTraining | None = None
    packing: Flag | None = None
    checkpointing: Checkpointing | None = None
    loss: Loss | None = None
    outputs_kept: Flag | None = None
    objective: Objective | None = None
    reference: Reference | None = None
    teacher: Name | None = None
    reward_model: Name | None = None
    value_model: Name | None = None
    prompt: Tokens | None = None
    new_tokens: Tokens | None = None
    generations: Batch | None = None
    engine: Name | None = None
    engine_share: Annotated[float, Field(strict=True, gt=0, le=1)] | None = None
    engine_asleep: Flag | None = None
    framework: Name | None = None
    variant: Literal["v1", "v2"] | None = None
    compile: Flag | None = None
    mp_policy: MpPolicy | None = None
    reshard: Flag | None = None
    checkpoints_kept: Annotated[int, Field(strict=True, ge=1, le=MILLION)] | None = None
    dataset_tokens: Annotated[int, Field(strict=True, ge=1, le=KIB * TRILLION)] | None = None
    dataset_samples: Annotated[int, Field(strict=True, ge=1, le=TRILLION)] | None = None
    replicas: Cards | None = None
    rule_bytes_per_parameter: Annotated[float, Field(strict=True, gt=0, le=128)] | None = None
    rule_activation_bytes: Annotated[int, Field(strict=True, ge=0, le=KIB * TIB)] | None = None


class ServeRequest(_Request):
    """A model that answers `users` at once, each with a cache of `context` tokens.

    `utilization`: a server's share of the card; `draft`: a smaller model that guesses ahead.
    `prefill_logits`: whether all tokens of a prompt get logits. `mask`: of loops that keep
    one, `full` is context × context. `find`: what is to be as large as the cards allow.
    `activations`: the type that they are quantised to, so that packed weights are multiplied
    as they are.

    `layer_split`: how layers are divided among the cards, a number each: the layers themselves
    (vLLM), or proportions (llama.cpp's `--tensor-split`).

    Of llama.cpp and Ollama: `gpu_layers` on the card, counted as `-ngl` counts them;
    `cpu_moe_layers`, so many first layers whose experts are on the host, or all with
    `experts_on_cpu`; `ubatch`, tokens of one pass; `slots`, sequences that the cache is
    divided among; `swa_full`, sliding layers keep the whole context; `kv_layout`, whether
    MLA's latents are cached or heads made out of them.
    """

    task: Literal[Task.INFER] = Task.INFER
    engine: Name | None = None
    engine_version: Name | None = None
    prompt: Tokens | None = None
    new_tokens: Tokens | None = None
    context: Tokens | None = None
    users: Batch | None = None
    kv: Name | None = None
    kv_k: Name | None = None
    kv_v: Name | None = None
    prefill_logits: Literal["last", "all"] | None = None
    mask: Literal["linear", "full"] | None = None
    activations: Name | None = None
    find: Sought | None = None
    gpu_layers: Annotated[int, Field(strict=True, ge=0, le=MILLION)] | Literal["all"] | None = None
    utilization: Annotated[float, Field(strict=True, gt=0, le=1)] | None = None
    max_batched_tokens: Tokens | None = None
    max_num_seqs: Batch | None = None
    max_model_len: Tokens | None = None
    enforce_eager: Flag | None = None
    shared_prefix: Tokens | None = None
    draft: Name | None = None
    draft_weights: Name | None = None
    lora_adapters: Annotated[int, Field(strict=True, ge=1, le=MOST_RANK)] | None = None
    rank: Annotated[int, Field(strict=True, ge=1, le=MOST_RANK)] | None = None
    cpu_moe_layers: Annotated[int, Field(strict=True, ge=0, le=4 * KIB)] | None = None
    experts_on_cpu: Flag | None = None
    ubatch: Annotated[int, Field(strict=True, ge=1, le=64 * KIB)] | None = None
    slots: Batch | None = None
    layer_split: tuple[Part, ...] | None = Field(default=None, min_length=1, max_length=128)
    swa_full: Flag | None = None
    kv_layout: Literal["mla", "heads"] | None = None


Request = TrainRequest | ServeRequest
