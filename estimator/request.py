"""What is asked, in the fixed words that everything shares; names are still text.

A field that is none was left open: `resolve` takes its default and lists it.
Unknown fields, wrong types and numbers beyond any machine are refused here.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveFloat,
    PositiveInt,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from estimator.errors import BadRequest
from estimator.units import KIB, MILLION, TIB

LONGEST_NAME = 128
MOST_TOKENS = 128 * MILLION  # a sequence; ten times the longest window on offer
MOST_CARDS = 64 * KIB
MOST_BATCH = 64 * KIB
MOST_RANK = 64 * KIB

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
Tokens = Annotated[int, Field(ge=1, le=MOST_TOKENS)]
Cards = Annotated[int, Field(ge=1, le=MOST_CARDS)]
Batch = Annotated[int, Field(ge=1, le=MOST_BATCH)]


class Task(StrEnum):
    """What is done with the model."""

    TRAIN = "train"
    INFER = "infer"


class Method(StrEnum):
    """What is trained, and how: PEFT's names where it has them."""

    FULL = "full"
    LORA = "lora"
    RSLORA = "rslora"
    DORA = "dora"
    QLORA = "qlora"
    VERA = "vera"
    ADALORA = "adalora"
    IA3 = "ia3"
    LOHA = "loha"
    LOKR = "lokr"
    OFT = "oft"
    BOFT = "boft"
    LORA_FA = "lora_fa"
    PROMPT = "prompt"
    PREFIX = "prefix"
    PTUNING = "ptuning"
    LN_TUNING = "ln_tuning"
    LLAMA_ADAPTER = "llama_adapter"
    FREEZE = "freeze"
    GALORE = "galore"
    APOLLO = "apollo"
    LOMO = "lomo"
    BADAM = "badam"
    LISA = "lisa"


class Checkpointing(StrEnum):
    """Which activations are recomputed in backward instead of kept."""

    NONE = "none"
    FULL = "full"
    EVERY_2 = "every_2"
    SELECTIVE = "selective"
    UNSLOTH = "unsloth"
    OFFLOADED = "offloaded"


class AttentionKernel(StrEnum):
    """How attention is computed, which decides whether scores are held."""

    FLASH = "flash"
    SDPA = "sdpa"
    EAGER = "eager"
    FLEX = "flex"


class Loss(StrEnum):
    """How the loss is computed from the logits."""

    STOCK = "stock"
    STOCK_4 = "stock_4"
    FUSED_CE = "fused_ce"
    LIGER = "liger"
    CHUNKED = "chunked"
    CCE = "cce"


class Objective(StrEnum):
    """What is optimised; some hold more than one model."""

    SFT = "sft"
    DPO = "dpo"
    REWARD = "reward"
    PPO = "ppo"
    GRPO = "grpo"
    DISTILL = "distill"
    PRETRAIN = "pretrain"


class Strategy(StrEnum):
    """How many cards share the work."""

    SINGLE = "single"
    DDP = "ddp"
    FSDP = "fsdp"
    FSDP2 = "fsdp2"
    ZERO1 = "zero1"
    ZERO2 = "zero2"
    ZERO3 = "zero3"
    TP = "tp"
    PP = "pp"
    DEVICE_MAP = "device_map"
    THREE_D = "3d"


class Offload(StrEnum):
    """What lies in host memory."""

    NONE = "none"
    PARAMS = "params"
    OPTIMIZER = "optimizer"
    BOTH = "both"
    ACTIVATIONS = "activations"


class Master(StrEnum):
    """Whether an fp32 copy of 16-bit weights is kept."""

    FP32 = "fp32"
    NONE = "none"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GpuCount(_Strict):
    """`count` cards of the kind `id`: a card's id or alias, or a class such as `class-24gb`."""

    id: Name
    count: Cards = 1


class MpPolicy(_Strict):
    """FSDP's mixed precision: dtype gathered and computed in, dtype gradients reduce in."""

    param: Name | None = None
    reduce: Name | None = None


class _Request(_Strict):
    """Fields that training and serving share."""

    model: Name | None = None
    architecture: dict[str, Any] | None = None
    weights: Name | None = None
    bpw: Annotated[float, Field(gt=0.5, le=32)] | None = None
    group_size: PositiveInt | None = None
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
    gpus: tuple[GpuCount, ...] = Field(default=(), max_length=8)

    @model_validator(mode="after")
    def _names_one_model(self) -> Self:
        if (self.model is None) == (self.architecture is None):
            raise ValueError("name either a `model` or an `architecture`")
        return self


class TrainRequest(_Request):
    """One training step's memory.

    `rule_bytes_per_parameter` and `rule_activation_bytes` are N and A of the rule of
    thumb V = N·B + A; they change the second opinion, never the estimate.
    """

    task: Literal[Task.TRAIN] = Task.TRAIN
    method: Method | None = None
    rank: Annotated[int, Field(ge=1, le=MOST_RANK)] | None = None
    alpha: PositiveFloat | None = None
    targets: tuple[Name, ...] | Name | None = None
    adapter: Name | None = None
    lora_dropout: Annotated[float, Field(ge=0, lt=1)] | None = None
    modules_to_save: tuple[Name, ...] | None = None
    autocast: bool | None = None
    grads: Name | None = None
    states: Name | None = None
    master: Master | None = None
    kbit_prepare: bool | None = None
    optimizer: Name | None = None
    optimizer_in_backward: bool | None = None
    batch: Batch | None = None
    seq: Tokens | None = None
    accumulation: Batch | None = None
    packing: bool | None = None
    checkpointing: Checkpointing | None = None
    loss: Loss | None = None
    outputs_kept: bool | None = None
    objective: Objective | None = None
    mp_policy: MpPolicy | None = None
    reshard: bool | None = None
    rule_bytes_per_parameter: Annotated[float, Field(gt=0, le=128)] | None = None
    rule_activation_bytes: Annotated[int, Field(ge=0, le=KIB * TIB)] | None = None


class ServeRequest(_Request):
    """A model that answers `users` at once, each with a cache of `context` tokens."""

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
    gpu_layers: Annotated[int, Field(ge=0, le=4 * KIB)] | Literal["all"] | None = None


Request = TrainRequest | ServeRequest

_ADAPTER: TypeAdapter[Request] = TypeAdapter(
    Annotated[TrainRequest | ServeRequest, Field(discriminator="task")]
)


def parse_request(document: object) -> Request:
    """A request from decoded JSON; raises BadRequest with the first field that is wrong."""
    if not isinstance(document, dict):
        raise BadRequest("request", "a request is one JSON object", suggestions=(EXAMPLE,))
    if document.get("task") not in (Task.TRAIN.value, Task.INFER.value):
        raise BadRequest("task", "is `train` or `infer`", suggestions=(EXAMPLE,))
    try:
        return _ADAPTER.validate_python(document)
    except ValidationError as error:
        raise _bad_request(error, document) from None


EXAMPLE = '{"task": "train", "model": "7B", "method": "lora"}'


def _bad_request(error: ValidationError, document: dict[str, Any]) -> BadRequest:
    first = error.errors(include_url=False, include_input=False)[0]
    parts = [str(part) for part in first["loc"][1:] if part not in ("train", "infer")]
    field = ".".join(parts) or "request"
    kind = TrainRequest if document["task"] == Task.TRAIN.value else ServeRequest
    if first["type"] == "extra_forbidden":
        known = sorted(kind.model_fields)
        return BadRequest(field, f"is no field; the fields are {', '.join(known)}")
    return BadRequest(field, first["msg"].removeprefix("Value error, "))
