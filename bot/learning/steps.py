"""The walk as data: its steps, and what can be changed at each of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Step(StrEnum):
    """One idea each, in the order of the walk."""

    RULE = "rule"  # parameters × bytes
    RUN = "run"  # and a cache beside them
    TRAIN = "train"  # gradients and an optimizer
    ADAPTERS = "adapters"  # of little of it
    TOKENS = "tokens"  # what each token leaves behind
    LOSS = "loss"  # tokens × vocabulary
    REAL = "real"  # what somebody measured


class Axis(StrEnum):
    """One thing that can be changed."""

    SIZE = "size"
    CONTEXT = "context"
    USERS = "users"
    OPTIMIZER = "optimizer"
    METHOD = "method"
    BATCH = "batch"
    SEQ = "seq"
    CHECKPOINTING = "checkpointing"
    LOSS = "loss"
    MODEL = "model"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Values:
    """What an axis can have, in the words of a request; `first`: the place of what it begins with.

    Of two values a button offers the other one; of more there is a button for each.
    """

    all: tuple[str, ...]
    first: int = 0


OWN, OTHER = "own", "other"  # the model of the size, or another one

VALUES: Mapping[Axis, Values] = {
    Axis.SIZE: Values(("1B", "7B", "14B", "70B"), first=1),
    Axis.CONTEXT: Values(("8192", "32768")),
    Axis.USERS: Values(("1", "8")),
    Axis.OPTIMIZER: Values(("adamw", "adamw_8bit", "sgd")),
    Axis.METHOD: Values(("full", "lora", "qlora"), first=1),
    Axis.BATCH: Values(("1", "4")),
    Axis.SEQ: Values(("2048", "8192")),
    Axis.CHECKPOINTING: Values(("full", "none")),
    Axis.LOSS: Values(("stock", "chunked", "liger")),
    Axis.MODEL: Values((OWN, OTHER)),
    Axis.RUN: Values(("lora", "qlora", "batch")),
}

# Of each size a model with another vocabulary.
OTHERS: Mapping[str, str] = {
    "1B": "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
    "7B": "Qwen/Qwen2.5-7B",
    "14B": "microsoft/phi-4",
    "70B": "meta-llama/Llama-2-70b-hf",
}

AXES: Mapping[Step, tuple[Axis, ...]] = {
    Step.RULE: (Axis.SIZE,),
    Step.RUN: (Axis.CONTEXT, Axis.USERS),
    Step.TRAIN: (Axis.OPTIMIZER,),
    Step.ADAPTERS: (Axis.METHOD,),
    Step.TOKENS: (Axis.BATCH, Axis.SEQ, Axis.CHECKPOINTING),
    Step.LOSS: (Axis.LOSS, Axis.MODEL),
    Step.REAL: (Axis.RUN,),
}

STEPS = tuple(Step)
