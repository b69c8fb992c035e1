"""What is found out about one out-of-memory message: the types alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.reading.oom.message import OomMessage

Values = Mapping[str, int | float | str]  # bytes in names that end in `_bytes`


class Program(StrEnum):
    """Whose settings the steps name."""

    CUDA = "cuda"  # PyTorch on NVIDIA's cards
    HIP = "hip"
    XPU = "xpu"
    NPU = "npu"
    MPS = "mps"
    VLLM = "vllm"
    SGLANG = "sglang"
    TGI = "tgi"
    TENSORRT_LLM = "tensorrt_llm"
    LLAMA_CPP = "llama_cpp"
    OLLAMA = "ollama"
    LM_STUDIO = "lm_studio"
    EXLLAMA = "exllama"
    MLX = "mlx"
    JAX = "jax"
    TPU = "tpu"  # JAX and PyTorch alike, whose plan XLA makes
    TENSORFLOW = "tensorflow"
    OTHER = "other"


class Cause(StrEnum):
    """Why there was no memory. The notes at the end are never a verdict."""

    FRAGMENTED = "fragmented"
    OTHERS = "others"
    CAP = "cap"
    ONE_TENSOR = "one_tensor"
    LARGER = "larger"
    FULL = "full"
    PLENTY_FREE = "plenty_free"
    CARVE_OUT = "carve_out"
    SPILLED = "spilled"
    UNIFIED = "unified"
    HOST = "host"
    BLOCK = "block"
    WINDOW = "window"
    NO_CACHE = "no_cache"
    POOL = "pool"  # the cache of a server that runs
    SHARE = "share"
    WARM_UP = "warm_up"
    TOKENS = "tokens"
    COMPONENT = "component"
    WEIGHTS = "weights"
    CACHE = "cache"
    COMPUTE = "compute"
    DEFICIT = "deficit"
    PINNED = "pinned"
    SYSTEM = "system"
    GUARDRAIL = "guardrail"
    SPLIT = "split"
    PLACEMENT = "placement"
    LIBRARY = "library"
    XLA = "xla"
    SINGLE = "single"  # all that is said is what was tried
    INFO = "info"
    NO_SIZES = "no_sizes"
    PLACE = "place"  # notes: where its traceback ends
    UNSAID = "unsaid"  # memory that the message does not give to anybody
    IGNORED = "ignored"
    SHORTENED = "shortened"


NOTES = (Cause.PLACE, Cause.UNSAID, Cause.IGNORED, Cause.SHORTENED)


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause that holds; `kind` picks among its sentences, `values` are what they name."""

    cause: Cause
    values: Values = field(default_factory=dict)
    kind: str = ""


class Holder(StrEnum):
    """Who holds a part of the card."""

    ALLOCATED = "allocated"
    IDLE = "idle"
    REST = "rest"  # of this process, beside what PyTorch holds
    OTHER = "other"  # on Apple's chips, of this process beside PyTorch's
    PROCESSES = "processes"
    WEIGHTS = "weights"
    ACTIVATIONS = "activations"
    OUTSIDE = "outside"
    GRAPHS = "graphs"
    CACHE = "cache"
    TAKEN = "taken"
    FREE = "free"
    UNSAID = "unsaid"
    REMAINDER = "remainder"  # all that the message is silent about


@dataclass(frozen=True, slots=True)
class Part:
    """What of the card one holder had. `pid`: of another program, where it is said."""

    holder: Holder
    bytes: int
    pid: int = 0


@dataclass(frozen=True, slots=True)
class Account:
    """What the card held; `total_bytes` is 0 where it is not said. Parts may be more than it."""

    parts: tuple[Part, ...] = ()
    total_bytes: int = 0
    tried_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do, by the name of its sentence."""

    key: str
    values: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Match:
    """What of a run is as large as what was tried: a line by its key, in a form of it."""

    line: str
    form: str
    bytes: int
    values: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Beside:
    """A run's estimate beside what the message shows, on the same book.

    `shown_bytes`: what was held and tried, or one part of it; a lower bound of a peak where
    `bound`. `part`: the line that both are of, where they are of one.
    """

    shown_bytes: int
    estimate_bytes: int
    bound: bool
    part: str = ""

    @property
    def off(self) -> float:
        """How far the estimate is above what is shown, as a share of that."""
        return self.estimate_bytes / self.shown_bytes - 1


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All of it: the first finding is the verdict. `cards`: whose total is the message's."""

    message: OomMessage
    program: Program
    findings: tuple[Finding, ...]
    account: Account
    steps: tuple[Step, ...]
    cards: tuple[str, ...] = ()
    beside: Beside | None = None
    match: Match | None = None

    @property
    def verdict(self) -> Finding:
        return self.findings[0]
