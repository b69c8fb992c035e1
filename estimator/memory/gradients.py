"""Gradients: one number for each trained parameter, unless it is used up at once."""

from collections.abc import Sequence

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.rows import Dtype
from estimator.tensors import Tensor

FP32 = 4


def gradients(trained: Sequence[Tensor], dtype: Dtype, *, cards: int = 1) -> Line:
    """Trained parameters × bytes. `cards`: over how many they are sharded once reduced."""
    parameters = sum(tensor.parameters for tensor in trained)
    return Line(
        key="gradients",
        bytes=parameters * dtype.bytes_per_block,
        formula="trainable × gradient_bytes",
        terms={"trainable": parameters, "gradient_bytes": dtype.bytes_per_block},
        source="zero-2019",
        basis=Basis.COUNTED,
    ).divided(cards)


def passing_gradient(
    tensors: Sequence[Tensor], dtype: Dtype, *, key: str = "gradients"
) -> Line | None:
    """The largest tensor's gradient, where each is used up before the next one is there.

    That is so where the optimizer steps within backward, and where gradients are added to
    an fp32 buffer and dropped.
    """
    largest = max((tensor.elements for tensor in tensors), default=0)
    if not largest:
        return None
    return Line(
        key=key,
        bytes=largest * dtype.bytes_per_block,
        formula="largest_tensor × gradient_bytes",
        terms={"largest_tensor": largest, "gradient_bytes": dtype.bytes_per_block},
        source="lomo-2023",
        basis=Basis.COUNTED,
    )


def main_gradients(
    trained: Sequence[Tensor], dtype: Dtype | None, *, beside: bool, cards: int
) -> Line | None:
    """The fp32 buffer that 16-bit gradients are added to, for a master in fp32.

    It stays between steps. Megatron drops each 16-bit gradient once it is added: 18 bytes a
    parameter with Adam. Where they stay `beside` it, as in DeepSpeed's BF16_Optimizer: 20.
    """
    if dtype is None:
        return None
    parameters = sum(tensor.parameters for tensor in trained)
    return Line(
        key="main_gradients" if beside else "gradients",
        bytes=parameters * dtype.bytes_per_block,
        formula="trainable × main_gradient_bytes",
        terms={"trainable": parameters, "main_gradient_bytes": dtype.bytes_per_block},
        source="deepspeed-bf16-optimizer" if beside else "megatron-distributed-optimizer",
        basis=Basis.COUNTED,
    ).divided(cards)


def copied_weight(trained: Sequence[Tensor], dtype: Dtype) -> Line:
    """BAdam copies each fp32 weight back by way of a 16-bit one: the largest."""
    largest = max(tensor.elements for tensor in trained)
    return Line(
        key="optimizer_temporaries",
        bytes=largest * dtype.bytes_per_block,
        formula="largest_tensor × weight_bytes",
        terms={"largest_tensor": largest, "weight_bytes": dtype.bytes_per_block},
        source="badam-package",
        basis=Basis.COUNTED,
    )


def head_in_backward(architecture: Architecture, *, tokens: int, element_bytes: int) -> Line:
    """The logits' gradient and the hidden states', there when the head's own is made."""
    return Line(
        key="logits",
        bytes=tokens * (architecture.vocabulary + architecture.hidden) * element_bytes,
        formula="tokens × (vocabulary + hidden) × element_bytes",
        terms={
            "tokens": tokens,
            "vocabulary": architecture.vocabulary,
            "hidden": architecture.hidden,
            "element_bytes": element_bytes,
        },
        source="transformers-loss",
        basis=Basis.DERIVED,
    )


def norm_in_backward(architecture: Architecture, *, tokens: int, element_bytes: int) -> Line:
    """The final norm's backward: its input in fp32, and a gradient of its shape."""
    width = FP32 + element_bytes
    return Line(
        key="backward_temporaries",
        bytes=tokens * architecture.hidden * width,
        formula="tokens × hidden × norm_bytes",
        terms={"tokens": tokens, "hidden": architecture.hidden, "norm_bytes": width},
        source="transformers-llama",
        basis=Basis.DERIVED,
    )


def waiting_gradient(architecture: Architecture, dtype: Dtype) -> Line:
    """A tied head's gradient, which waits since the loss for that of the embedding."""
    return _of_the_vocabulary("head_gradient", 1, architecture, dtype)


def tied_gradient(architecture: Architecture, dtype: Dtype, *, in_place: bool = False) -> Line:
    """Where embedding and head are one weight: the embedding's gradient, and the sum of both.

    The head's own waits since the loss and is among the gradients; counted, autograd adds the
    two out of place, so for a moment there are three. `in_place`: nothing else holds the first.
    """
    copies = 1 if in_place else 2
    return _of_the_vocabulary("embedding_gradient", copies, architecture, dtype)


def _of_the_vocabulary(key: str, copies: int, architecture: Architecture, dtype: Dtype) -> Line:
    return Line(
        key=key,
        bytes=copies * architecture.vocabulary * architecture.hidden * dtype.bytes_per_block,
        formula="copies × vocabulary × hidden × gradient_bytes",
        terms={
            "copies": copies,
            "vocabulary": architecture.vocabulary,
            "hidden": architecture.hidden,
            "gradient_bytes": dtype.bytes_per_block,
        },
        source="transformers-llama",
        basis=Basis.DERIVED,
    )
