"""What layers with a state keep of every sequence that is served, however long it is."""

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.recurrent import Recurrent

FP32 = 4


def recurrent_state(architecture: Architecture, *, users: int, compute_bytes: int) -> Line | None:
    """Summed over layers: the convolution's last inputs, and the state in fp32."""
    convolution = recurrent = 0
    for count, block in architecture.stack:
        for mixer in block.mixers:
            if isinstance(mixer, Recurrent):
                convolution += count * mixer.state.convolution
                recurrent += count * mixer.state.recurrent
    if not convolution and not recurrent:
        return None
    return Line(
        key="recurrent_state",
        bytes=users * (convolution * compute_bytes + recurrent * FP32),
        formula="users × (convolution × compute_bytes + state × fp32_bytes)",
        terms={
            "users": users,
            "convolution": convolution,
            "compute_bytes": compute_bytes,
            "state": recurrent,
            "fp32_bytes": FP32,
        },
        source="transformers-mamba2",
        basis=Basis.DERIVED,
    )
