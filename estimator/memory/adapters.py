"""What a method adds to a frozen model, tensor by tensor: what is trained, what is not."""

from collections.abc import Iterator, Sequence

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.factors import (
    boft_tensors,
    kronecker_tensors,
    late_prompts,
    oft_tensors,
    prompt_tensors,
    scaled_linears,
)
from estimator.setup import Adapter
from estimator.tensors import NormKind, Role, Tensor
from estimator.words import Method

INDEX_BYTES = 8  # an int64


def adapter_tensors(architecture: Architecture, adapter: Adapter) -> Iterator[Tensor]:
    """Everything that the method trains, copies of whole modules left out.

    Fused 3-D experts are no linears: `all-linear` passes them by, as PEFT does.
    """
    if adapter.method is Method.LN_TUNING:
        yield from _norms(architecture, adapter)
    elif adapter.late:
        yield from late_prompts(architecture, adapter.virtual_tokens)
        if adapter.scales:
            yield from scaled_linears(architecture)
    elif adapter.virtual_tokens:
        yield from prompt_tensors(architecture, adapter.method, adapter.virtual_tokens)
    for linear in targeted(architecture, adapter):
        yield from _beside(architecture, linear, adapter)


def targeted(architecture: Architecture, adapter: Adapter) -> Iterator[Tensor]:
    """The model's linears that are adapted."""
    for tensor in architecture.tensors:
        if tensor.role in (Role.LINEAR, Role.HEAD) and tensor.module in adapter.targets:
            yield tensor


def _beside(architecture: Architecture, linear: Tensor, adapter: Adapter) -> Iterator[Tensor]:
    """What stands beside one linear of `linear.columns` inputs and `linear.rows` outputs."""
    name, rank, copies = linear.module, adapter.rank, linear.copies
    first = Tensor(f"{name}.lora_A", Role.LINEAR, rank, linear.columns, copies)
    second = Tensor(f"{name}.lora_B", Role.LINEAR, linear.rows, rank, copies)
    match adapter.method:
        case Method.LORA_FA:
            yield second
        case Method.LORA | Method.RSLORA | Method.QLORA:
            yield from (first, second)
        case Method.DORA:  # one length a row of the weight
            yield from (first, second)
            yield Tensor(f"{name}.magnitude", Role.NORM, 1, linear.rows, copies)
        case Method.ADALORA:  # singular values, and the rank, which PEFT leaves trainable
            yield from (first, second)
            yield Tensor(f"{name}.lora_E", Role.NORM, rank, 1, copies)
            yield Tensor(f"{name}.ranknum", Role.NORM, 1, 1, copies)
        case Method.VERA:
            yield Tensor(f"{name}.lambda_b", Role.NORM, 1, linear.rows, copies)
            yield Tensor(f"{name}.lambda_d", Role.NORM, 1, rank, copies)
        case Method.IA3:
            width = linear.columns if _last_of_mlp(architecture, name) else linear.rows
            yield Tensor(f"{name}.ia3_l", Role.NORM, 1, width, copies)
        case Method.LOHA:
            for part in ("w1", "w2"):
                yield second._replace(module=f"{name}.hada_{part}_a")
                yield first._replace(module=f"{name}.hada_{part}_b")
        case Method.LOKR:
            yield from kronecker_tensors(linear, rank)
        case Method.OFT:
            yield oft_tensors(linear, rank)
        case Method.BOFT:
            yield from boft_tensors(linear)


def _last_of_mlp(architecture: Architecture, module: str) -> bool:
    """Whether IA3 scales the module's input instead of its output."""
    for _, block in architecture.stack:
        linears = [t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR]
        if linears and module == linears[-1]:
            return True
    return False


def scales_inputs(architecture: Architecture, adapter: Adapter | None) -> bool:
    """Whether IA3's factor, in its own type, stands in front of a linear."""
    if adapter is None or adapter.method is not Method.IA3:
        return False
    return any(_last_of_mlp(architecture, module) for module in adapter.targets)


def _norms(architecture: Architecture, adapter: Adapter) -> Iterator[Tensor]:
    """LN tuning's copies of the norms on the stream, biases too, and of the final one."""
    if architecture.norm is NormKind.NONE:
        return
    sites = sum(count * adapter.norms_of(block) for count, block in architecture.stack)
    sites += 0 if adapter.second_norms else int(architecture.final_norm)
    yield Tensor("ln_tuning", Role.NORM, 1, architecture.hidden, sites)
    if architecture.norm_bias:
        yield Tensor("ln_tuning", Role.BIAS, 1, architecture.hidden, sites)


def saved_tensors(architecture: Architecture, adapter: Adapter | None) -> tuple[Tensor, ...]:
    """`modules_to_save`: trained copies of whole modules; a tied pair becomes two."""
    if adapter is None:
        return ()
    shape = (architecture.vocabulary, architecture.hidden, 1)
    names = {Role.EMBEDDING: "embed_tokens", Role.HEAD: "lm_head"}
    return tuple(Tensor(names[role], role, *shape) for role in adapter.saved)


def frozen_factors(architecture: Architecture, adapter: Adapter) -> tuple[Tensor, ...]:
    """LoRA-FA's first matrices, which stay as they were drawn."""
    if adapter.method is not Method.LORA_FA:
        return ()
    return tuple(
        Tensor(f"{t.module}.lora_A", Role.LINEAR, adapter.rank, t.columns, t.copies)
        for t in targeted(architecture, adapter)
    )


def adapter_weights(trainable: int, adapter: Adapter) -> Line:
    """All that the method trains, in its own type."""
    return Line(
        key="adapters",
        bytes=trainable * adapter.dtype.bytes_per_block,
        formula="trainable × adapter_bytes",
        terms={"trainable": trainable, "adapter_bytes": adapter.dtype.bytes_per_block},
        source="litgpt-adapter" if adapter.late else f"peft-{adapter.method.replace('_', '-')}",
        basis=Basis.COUNTED,
    )


def adapter_buffers(architecture: Architecture, adapter: Adapter) -> Line | None:
    """What the method holds and does not train.

    VeRA: one pair of random matrices that all targets share, as large as the largest.
    LoRA-FA: the first matrices. BOFT: a permutation of each target's inputs as a matrix in
    fp32, which a model that `device_map` loaded leaves in host memory. OFT: two indices for
    each number above the diagonal of a block.
    """
    linears = tuple(targeted(architecture, adapter))
    width = adapter.dtype.bytes_per_block
    match adapter.method:
        case Method.VERA:
            widest = max(t.columns for t in linears) + max(t.rows for t in linears)
            elements = adapter.rank * widest
        case Method.LORA_FA:
            elements = sum(t.parameters for t in frozen_factors(architecture, adapter))
        case Method.BOFT:
            elements, width = sum(t.copies * t.columns**2 for t in linears), 4
        case Method.OFT:
            rotations = [oft_tensors(t, adapter.rank) for t in linears]
            elements, width = sum(2 * t.copies * t.columns for t in rotations), INDEX_BYTES
        case _:
            return None
    return Line(
        key="adapter_buffers",
        bytes=elements * width,
        formula="elements × element_bytes",
        terms={"elements": elements, "element_bytes": width},
        source=f"peft-{adapter.method.replace('_', '-')}",
        basis=Basis.COUNTED,
        low_bytes=0 if adapter.method is Method.BOFT else None,
    )


def saved_weights(saved: Sequence[Tensor], element_bytes: int) -> Line:
    """Copies of whole modules that are trained beside their frozen originals."""
    parameters = sum(tensor.parameters for tensor in saved)
    return Line(
        key="saved_modules",
        bytes=parameters * element_bytes,
        formula="saved × element_bytes",
        terms={"saved": parameters, "element_bytes": element_bytes},
        source="peft-modules-to-save",
        basis=Basis.COUNTED,
    )


def lora_parameters(architecture: Architecture, rank: int) -> int:
    """Parameters that LoRA of `rank` trains on every linear of the blocks."""
    return sum(
        rank * (tensor.rows + tensor.columns) * tensor.copies
        for tensor in architecture.tensors
        if tensor.role is Role.LINEAR
    )
