"""What a run needs of the host's memory: to load the model, and for what is offloaded.

All processes together, on all machines. Left out: the data loader, the page cache of files
that are mapped (the system takes it back), pinned buffers, what Python itself takes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from estimator.breakdown import Basis, Line
from estimator.engine_rows import EngineKind
from estimator.engines.ggml import host_bytes
from estimator.memory.sharding import Shares
from estimator.memory.weights import weights
from estimator.setup import ServeSetup, Setup, TrainSetup
from estimator.step import graph_of
from estimator.trained import all_of, groups
from estimator.units import GB, show_gib
from estimator.updating import updates
from estimator.words import Checkpointing, Library, Offload, Strategy

FP32 = 4
SHARD, LARGEST_SHARD = 5 * GB, 50 * GB  # of a checkpoint: as most are cut, and as cut today
BUFFER, HALVES = 3, 2  # DeepSpeed's own room for buffers: one and a half times the states
ON_HOST = (Checkpointing.OFFLOADED, Checkpointing.UNSLOTH)
WHOLE = "loaded_whole"
FULLY = (Strategy.FSDP, Strategy.FSDP2)
ZERO = (Strategy.ZERO1, Strategy.ZERO2, Strategy.ZERO3)
ON_TORCH = (EngineKind.TRANSFORMERS, EngineKind.LITGPT, EngineKind.GPT_FAST, EngineKind.AUTOAWQ)


def host_lines(setup: Setup) -> tuple[Line, ...]:
    """Each thing that lies in the host's memory while the run goes on, or while it loads.

    The larger of the two is needed, since loading is over when the run begins.
    """
    loading, resting = tuple(_loading(setup)), tuple(_resting(setup))
    return max(loading, resting, key=_total)


def host_warnings(setup: Setup) -> Iterator[str]:
    """A sentence where the host's memory is part of the plan: offload, sharding, a split."""
    resting = tuple(_resting(setup))
    needed, high = show_gib(_total(resting)), _total(resting, high=True)
    if isinstance(setup, ServeSetup):
        if resting:
            yield f"Left to the CPU: {needed} of weights and cache in the host's memory."
    elif resting:
        most = f", up to {show_gib(high)} with DeepSpeed's buffers"
        beyond = most if high > _total(resting) else ""
        yield f"Host memory: {needed} of what is offloaded, of all cards together{beyond}."
    for line in () if resting else _loading(setup):
        if line.key == WHOLE:
            yield (
                f"Host memory: {show_gib(line.bytes)} on each machine while it loads; one process "
                "reads the whole model (`fsdp_cpu_ram_efficient_loading`)."
            )


def _total(lines: Iterable[Line], *, high: bool = False) -> int:
    return sum(
        line.high_bytes if high and line.high_bytes is not None else line.bytes for line in lines
    )


def _loading(setup: Setup) -> Iterator[Line]:
    if isinstance(setup, ServeSetup):
        if setup.engine.kind in ON_TORCH:
            yield _shard(setup, 1)
        return
    if setup.framework.library is not Library.TRANSFORMERS:
        return
    if setup.strategy in FULLY and setup.world > 1:
        yield _whole_model(setup)
    else:
        # ZeRO-3 gives out a shard of the file at a time; else each process reads its own
        yield _shard(setup, 1 if setup.strategy is Strategy.ZERO3 else setup.world)


def _resting(setup: Setup) -> Iterator[Line]:
    if isinstance(setup, ServeSetup):
        left = host_bytes(setup)
        if left:
            yield Line(
                key="left_to_host",
                bytes=left,
                formula="left_bytes",
                terms={"left_bytes": left},
                source="llama-cpp-defaults",
                basis=Basis.COUNTED,
            )
        return
    if setup.offload in (Offload.OPTIMIZER, Offload.BOTH):
        yield from _states(setup)
    if setup.offload in (Offload.PARAMS, Offload.BOTH):
        for line in weights(setup.shape.architecture, setup.numbers):
            yield _with_buffers(line, setup)
    if setup.offload is Offload.ACTIVATIONS or setup.checkpointing in ON_HOST:
        yield _inputs(setup)


def _inputs(setup: TrainSetup) -> Line:
    """What each block was given, kept on the host until it is recomputed."""
    architecture, stream = setup.shape.architecture, graph_of(setup).stream
    return Line(
        key="inputs_on_host",
        bytes=setup.world * architecture.depth * setup.tokens * architecture.hidden * stream,
        formula="cards × blocks × tokens × width × stream_bytes",
        terms={
            "cards": setup.world,
            "blocks": architecture.depth,
            "tokens": setup.tokens,
            "width": architecture.hidden,
            "stream_bytes": stream,
        },
        source="torch-checkpoint",
        basis=Basis.DERIVED,
    )


def _shard(setup: Setup, processes: int) -> Line:
    """The largest file of a checkpoint, which is read, handed to the card and let go."""
    whole = sum(line.bytes for line in weights(setup.shape.architecture, setup.numbers))
    return Line(
        key="checkpoint_file",
        bytes=processes * min(whole, SHARD),
        formula="processes × min(weight_bytes, file_bytes)",
        terms={"processes": processes, "weight_bytes": whole, "file_bytes": SHARD},
        source="transformers-big-models",
        basis=Basis.ASSUMED,
        high_bytes=processes * min(whole, LARGEST_SHARD),
    )


def _whole_model(setup: TrainSetup) -> Line:
    """Under FSDP one process of each machine reads the whole model, and sends it to the others.

    Of one machine. Without `fsdp_cpu_ram_efficient_loading` every process does.
    """
    whole = sum(line.bytes for line in weights(setup.shape.architecture, setup.numbers))
    return Line(
        key=WHOLE,
        bytes=whole,
        formula="weight_bytes",
        terms={"weight_bytes": whole},
        source="transformers-fsdp-loading",
        basis=Basis.DERIVED,
        high_bytes=whole * setup.world,
    )


def _states(setup: TrainSetup) -> Iterator[Line]:
    """What the optimizer keeps, of all cards, and the gradients that it reads on the host.

    DeepSpeed's Adam on the CPU steps in fp32: 4 bytes of master weights, momentum, variance
    and gradients each. Its own estimate adds half for buffers, which is the high end.
    """
    alone = replace(setup, offload=Offload.NONE, strategy=Strategy.SINGLE, world=1)
    parts = groups(alone)
    for line in updates(alone, parts, Shares(1, 1, 1)).resting:
        if line is not None and line.bytes:
            yield _with_buffers(line, setup)
    trained = sum(tensor.parameters for tensor in all_of(parts))
    each = setup.grads.bytes_per_block if setup.strategy in FULLY else FP32
    gradients = Line(
        key="gradients_on_host",
        bytes=trained * each,
        formula="trained × gradient_bytes",
        terms={"trained": trained, "gradient_bytes": each},
        source="deepspeed-memory",
        basis=Basis.DERIVED,
    )
    yield _with_buffers(gradients, setup)


def _with_buffers(line: Line, setup: TrainSetup) -> Line:
    """The range of what DeepSpeed lays on the host."""
    if setup.strategy not in ZERO:
        return line
    return replace(line, high_bytes=line.bytes * BUFFER // HALVES)
