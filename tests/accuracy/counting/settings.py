"""The settings of a row, read strictly: a word that is not known is an error."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

DTYPES = ("fp32", "bf16", "int8", "nf4_dq")
METHODS = (
    *("full", "lora", "rslora", "dora", "qlora", "lora_fa", "adalora", "vera", "ia3", "loha"),
    *("lokr", "oft", "boft", "prompt", "ptuning", "prefix", "ln_tuning", "llama_adapter"),
    *("badam", "lisa", "freeze"),
)
CHECKPOINTING = ("none", "full", "every_2", "selective")
ATTENTION = ("flash", "eager")
OPTIMIZERS = (
    *("adamw", "adamw_loop", "adamw_fused", "adamw_8bit", "paged_adamw_8bit", "paged_adamw"),
    *("adamw_4bit", "adamw_fp8", "sgd", "sgd_momentum", "adafactor", "lion", "lion_8bit", "muon"),
    *("galore_adamw", "apollo", "adam_mini", "sophia", "lamb", "soap", "schedule_free"),
    *("rmsprop", "adagrad", "lomo"),
)
PARTIAL = ("badam", "lisa", "freeze")  # train some blocks of the model
OBJECTIVES = ("sft", "dpo", "reward", "grpo", "ppo", "distill")
LOSSES = ("stock", "stock_4", "fused_ce", "liger", "chunked", "cce")
REFERENCES = ("none", "model", "adapters_off")

CLOSED: Mapping[str, tuple[str, ...]] = {
    "weights": DTYPES,
    "method": METHODS,
    "checkpointing": CHECKPOINTING,
    "attention": ATTENTION,
    "optimizer": OPTIMIZERS,
    "objective": OBJECTIVES,
    "reference": REFERENCES,
    "loss": LOSSES,
    "adapter": ("fp32", "bf16"),
    "master": ("none", "fp32"),
    "grads": ("bf16", "fp32"),
    "main_grads": ("none", "fp32"),
}
ALSO_NAMED = {"adamw_foreach": "adamw"}
FIGURES_AND_NAMES = {
    *("id", "recipe", "kind", "note", "params", "trainable", "weights_bytes", "before_step"),
    *("after_forward", "forward_peak", "fwd_bwd_peak", "peak_op", "after_backward"),
    *("optimizer_peak", "peak"),
}


class UnknownSettingError(ValueError):
    """A row says something that is not counted here."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What one row asks to be counted.

    `weights`: how the base is held. A QLoRA row says `bf16` for what is not packed.
    `targets`: module names, or `all-linear`. `layers`: the model is cut to its first so many
    blocks; 0 means all. `rank`: PEFT's r; of OFT how many blocks, 0 for its usual size.
    `virtual_tokens`: of prompts and prefixes. `adapter_layers`: the top blocks that
    LLaMA-Adapter adapts. `batch`: sequences, or pairs of them with `objective` `dpo`, whose
    `reference` is a second frozen model, the model with its adapters off, or none (computed
    before). `accumulation`: micro-steps of `batch` each before the optimizer's step. `new_tokens`:
    how many of a sequence's tokens were generated (`grpo`, `ppo`). `teacher`: the model that
    `distill` learns from. `outputs_kept`: the logits are held through backward.
    `optimizer_in_backward`: each weight is updated as its gradient is there. `master`: an fp32
    copy that is updated; `grads` `fp32`: gradients are added up in an fp32 buffer and dropped;
    `main_grads` `fp32`: they stay beside that buffer. `rank` is also that of a projection.
    `world`: over how many ranks `fully_shard` divides the model; `fsdp`: the type `param` that
    is gathered and computed in, and `reduce`, that gradients are reduced in. Without `reshard`
    a unit stays gathered from forward to backward. `replicas`: copies of the shards (HSDP). `tp`:
    cards that divide each block, `sp` the tokens between blocks too. `pp`: stages, of which
    `stage` is counted, with `accumulation` micro-batches.
    """

    model: str
    batch: int
    seq: int
    weights: str
    optimizer: str
    method: str = "full"
    rank: int = 0
    targets: tuple[str, ...] | str = ()
    adapter: str = "fp32"
    lora_dropout: float = 0.0
    modules_to_save: tuple[str, ...] = ()
    virtual_tokens: int = 0
    adapter_layers: int = 0
    autocast: bool = False
    kbit_prepare: bool = False
    checkpointing: str = "none"
    attention: str = "flash"
    accumulation: int = 1
    objective: str = "sft"
    reference: str = "none"
    loss: str = "stock"
    outputs_kept: bool = False
    new_tokens: int = 0
    teacher: str = ""
    optimizer_in_backward: bool = False
    master: str = "none"
    grads: str = "bf16"
    main_grads: str = "none"
    layers: int = 0
    tp: int = 1
    sp: bool = False
    pp: int = 1
    stage: int = 1
    world: int = 1
    fsdp: Mapping[str, str] = field(default_factory=dict)
    reshard: bool = True
    replicas: int = 1

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The settings of a row; figures and names are left aside."""
        names = {field.name for field in fields(cls)}
        strange = set(row) - names - FIGURES_AND_NAMES
        if strange:
            raise UnknownSettingError(f"{row.get('id', 'a row')}: unknown {sorted(strange)}")
        given = {name: row[name] for name in row if name in names}
        given["optimizer"] = ALSO_NAMED.get(given["optimizer"], given["optimizer"])
        if isinstance(given.get("checkpointing"), bool):
            given["checkpointing"] = "full" if given["checkpointing"] else "none"
        for name in ("targets", "modules_to_save"):
            if isinstance(given.get(name), list):
                given[name] = tuple(given[name])
        for name, words in CLOSED.items():
            if name in given and given[name] not in words:
                raise UnknownSettingError(
                    f"{row.get('id', 'a row')}: {name} {given[name]!r} is none of {list(words)}"
                )
        return cls(**given)

    @property
    def adapts(self) -> bool:
        """Whether adapters are trained instead of the model."""
        return self.method not in ("full", *PARTIAL)

    @property
    def sequences(self) -> int:
        """Sequences that pass the model at once: two of each pair."""
        return self.batch * (2 if self.objective in ("dpo", "reward") else 1)

    @property
    def packed(self) -> str:
        """The format in which the blocks' linears are packed, or nothing."""
        if self.method == "qlora" or self.weights == "nf4_dq":
            return "nf4_dq"
        return "int8" if self.weights == "int8" else ""


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON-lines file, in order."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)
