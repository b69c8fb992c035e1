"""The closed sets of words of a request, fixed for everything that asks or scores."""

from enum import StrEnum


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


class Library(StrEnum):
    """Whose code the model runs in: what of a block is kept, and how the loss is taken."""

    TRANSFORMERS = "transformers"
    LITGPT = "litgpt"
    TORCHTUNE = "torchtune"
    UNSLOTH = "unsloth"
    MEGATRON = "megatron"


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


class Reference(StrEnum):
    """Where the reference policy's log-probabilities come from."""

    MODEL = "model"  # a second, frozen model
    ADAPTERS_OFF = "adapters_off"  # the trained model without its adapters
    NONE = "none"  # computed before, or there is no penalty against it


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


class SplitKind(StrEnum):
    """How a served model is spread over cards, by the field of a request that says so."""

    TP = "tp"  # each tensor is divided
    PP = "pp"  # each card has some of the blocks
    EP = "ep"  # each card has some of the experts
    DP = "dp"  # attention stands on each card, for a part of the users
    CP = "cp"  # each card has some of the cached tokens


class Offload(StrEnum):
    """What lies in host memory."""

    NONE = "none"
    PARAMS = "params"
    OPTIMIZER = "optimizer"
    BOTH = "both"
    ACTIVATIONS = "activations"


class Sought(StrEnum):
    """What is to be as large as the named cards allow."""

    CONTEXT = "context"
    USERS = "users"
    WEIGHTS = "weights"  # the format with the most bits


class SoughtInTraining(StrEnum):
    """The same of a training step."""

    BATCH = "batch"
    SEQ = "seq"
    RANK = "rank"


class Master(StrEnum):
    """Whether an fp32 copy of 16-bit weights is kept."""

    FP32 = "fp32"
    NONE = "none"
