"""Everything looked up: the last place where a name was a string is behind us.

A `Setup` holds rows and values that memory terms read, defaults that were taken for what
was left open, and what is worth a warning.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.cards import Cards
from estimator.degrees import Degrees
from estimator.engine_rows import Engine
from estimator.framework_rows import Framework
from estimator.local import Local
from estimator.optimizer_rows import Optimizer
from estimator.paging import Loras, Paging
from estimator.part import Part
from estimator.request import ServeRequest, TrainRequest
from estimator.rows import Dtype, Format
from estimator.split import Slice, Split
from estimator.tensors import Role
from estimator.words import (
    AttentionKernel,
    Checkpointing,
    Loss,
    Method,
    Objective,
    Offload,
    Reference,
    Strategy,
)

REFERRING = (Objective.DPO, Objective.GRPO, Objective.PPO)  # that may have a reference
PAIRED = (Objective.DPO, Objective.REWARD)  # a batch of pairs: chosen and rejected


@dataclass(frozen=True, slots=True)
class Assumption:
    """A default that was taken: which field, which value, why, and who says so."""

    field: str
    value: str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Shape:
    """The model that is sized.

    `typed` is the number of parameters that was asked for, where a bare size was;
    `span` are ids of the other models that size may stand for. `context` is the longest
    sequence it was made for; `family`: its maker's line of models; `entry`: the table's row.
    """

    name: str
    architecture: Architecture
    context: int | None
    typed: int | None = None
    span: tuple[str, ...] = ()
    family: str = ""
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Numbers:
    """How each weight role is held, and what the model is computed in.

    `types`: by id, those that a GGUF recipe may choose from. `given_bytes`: what all
    weights take, where that was told or is published.
    """

    format: Format
    linear: Dtype
    embedding: Dtype
    head: Dtype
    expert: Dtype
    other: Dtype
    compute: Dtype
    types: Mapping[str, Dtype] = field(default_factory=dict)
    given_bytes: int | None = None
    given_source: str = "given-bytes"


@dataclass(frozen=True, slots=True)
class Adapter:
    """What is trained beside a frozen model: on `targets`, of `rank`, held in `dtype`.

    `rank`: PEFT's r; for OFT its number of blocks, 0 for blocks of its usual size. `saved`:
    roles of modules that are trained whole, as copies. `virtual_tokens`: of prompts and
    prefixes. `second_norms`: LN tuning of each block's second norm alone. `late`: prompts
    from the third block on, with a gate a head (LitGPT's). `scales`: a scale and a bias of
    every linear, and the norms, are trained too (LLaMA-Adapter V2).
    """

    method: Method
    rank: int
    targets: tuple[str, ...]
    dtype: Dtype
    dropout: float
    saved: tuple[Role, ...] = ()
    virtual_tokens: int = 0
    second_norms: bool = False
    late: bool = False
    scales: bool = False

    @property
    def lengthens(self) -> int:
        """Virtual tokens that stand in front of each sequence."""
        return self.virtual_tokens if self.method in (Method.PROMPT, Method.PTUNING) else 0

    @property
    def looked_at(self) -> int:
        """Virtual keys and values that each token sees beside the sequence's own."""
        return self.virtual_tokens if self.method is Method.PREFIX else self.lengthens

    @property
    def leaves_input_frozen(self) -> bool:
        """Whether nothing in front of the first block is trained, its first norm included."""
        trains_norms = self.method is Method.LN_TUNING and not self.second_norms
        return not (self.virtual_tokens or trains_norms or Role.EMBEDDING in self.saved)

    def norms_of(self, block: Block) -> int:
        """How many norms of the stream LN tuning trains in `block`."""
        return 1 if self.second_norms else block.norms


@dataclass(frozen=True, slots=True)
class Companion:
    """Another model on the card, as `role`: reference, teacher, reward or value."""

    role: str
    shape: Shape
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Rollout:
    """What generates, before the step, the completions that it learns from.

    `sequences` at once, each of `prompt` and `new_tokens`. `reserved_bytes`: what the engine
    takes of a card that was named, whatever it needs; none if no card was, or none is taken.
    """

    engine: Engine
    numbers: Numbers  # the engine's own copy of the weights: in 16 bits, adapters merged
    prompt: int
    new_tokens: int
    sequences: int
    asleep: bool
    reserved_bytes: int | None


@dataclass(frozen=True, slots=True)
class Goal:
    """What is optimised. `scored`: tokens of each sequence whose logits the loss reads."""

    objective: Objective
    reference: Reference
    companions: tuple[Companion, ...]
    rollout: Rollout | None
    scored: int

    @property
    def engine(self) -> str:
        """What generates, by its id; empty where nothing is generated."""
        return self.rollout.engine.id if self.rollout else ""

    def beside(self, role: str) -> Companion | None:
        """The other model in that role, if there is one."""
        return next((one for one in self.companions if one.role == role), None)


@dataclass(frozen=True, slots=True)
class TrainSetup:
    """A training step, looked up. `batch` and `seq` are per card; some batches are of pairs."""

    request: TrainRequest
    shape: Shape
    numbers: Numbers
    method: Method
    adapter: Adapter | None
    optimizer: Optimizer
    projection_rank: int  # of optimizers that project gradients; 0 for others
    part: Part | None  # none: all of it, or an adapter
    states: Dtype | None  # none: that of the weight a state belongs to
    embedding_states: Dtype | None  # of an embedding whose states are not packed
    grads: Dtype
    main_grads: Dtype | None  # of the buffer that gradients are added to
    passing: bool  # a gradient is used up before the next one is there
    master: Dtype | None
    autocast: bool
    kbit_prepare: bool
    batch: int
    seq: int
    accumulation: int
    checkpointing: Checkpointing
    attention: AttentionKernel
    loss: Loss
    outputs_kept: bool
    goal: Goal
    in_backward: bool
    world: int
    strategy: Strategy  # of the cards that hold the same weights
    plan: Degrees
    offload: Offload
    cards: tuple[Cards, ...]
    fp32: Dtype
    products_in_fp8: bool
    framework: Framework
    compiled: bool
    optimizer_dtypes: Mapping[str, Dtype]  # that the optimizer's row names, and fp32
    assumed: tuple[Assumption, ...]
    warnings: tuple[str, ...]

    @property
    def head_trained(self) -> bool:
        """Whether the final norm and the head get gradients."""
        if self.adapter is not None:
            return Role.HEAD in self.adapter.saved
        return self.part is None or self.part.ends

    @property
    def recomputes(self) -> bool:
        """Whether blocks are recomputed in backward, or some of them."""
        return self.checkpointing is not Checkpointing.NONE

    @property
    def tokens(self) -> int:
        """Tokens of one micro-step on one card, virtual ones among them."""
        return self.sequences * (self.seq + (self.adapter.lengthens if self.adapter else 0))

    @property
    def sequences(self) -> int:
        """Sequences of one micro-step on one card: two of each pair."""
        return self.batch * (2 if self.goal.objective in PAIRED else 1)

    @property
    def keys(self) -> int:
        """Keys that the last token of a sequence looks at, virtual ones among them."""
        return self.seq + (self.adapter.looked_at if self.adapter else 0)


@dataclass(frozen=True, slots=True)
class ServeSetup:
    """A model that serves `users` at once with `context` tokens of cache each.

    `world`: cards of one copy, over which it is spread as `split` says. `here`: what of it lies
    on the card that is looked at; none: all, or there is but one stage.
    `paging`: of engines that keep the cache in pages. `draft`: a smaller model that guesses
    ahead, with a cache as long. `shared`: tokens that all users' prompts begin with.
    `square_mask`: a mask of context × context stays.
    """

    request: ServeRequest
    shape: Shape
    numbers: Numbers
    engine: Engine
    kv_k: Dtype
    kv_v: Dtype
    attention: AttentionKernel
    context: int
    prompt: int
    users: int
    world: int
    strategy: Strategy
    split: Split
    cards: tuple[Cards, ...]
    assumed: tuple[Assumption, ...]
    warnings: tuple[str, ...]
    paging: Paging | None = None
    draft: Companion | None = None
    loras: Loras | None = None
    shared: int = 0
    square_mask: bool = False
    here: Slice | None = None
    local: Local | None = None  # of llama.cpp and Ollama


Setup = TrainSetup | ServeSetup
