"""What a model has beside decoder layers, and what is taken about it: images, states, no head."""

from estimator.errors import BadRequest
from estimator.kept_mlps import WRITTEN_OUT
from estimator.mlps import PlainMlp
from estimator.recurrent import NoMixer, Recurrent
from estimator.request import ServeRequest, TrainRequest
from estimator.resolve import Ledger
from estimator.setup import Shape
from estimator.units import KIB, show_count

USUAL_SIDE = KIB  # pixels along each side of an image whose size is not said


def image_tokens(request: TrainRequest | ServeRequest, shape: Shape, ledger: Ledger) -> int:
    """Tokens that the images of one sequence become; raises BadRequest where that is not known."""
    if not request.images:
        if request.image_tokens is not None:
            raise BadRequest("image_tokens", "belongs to `images`: how many a sequence has")
        return 0
    tower = shape.architecture.tower
    if tower is None:
        raise BadRequest("images", f"{shape.name} has no tower for images")
    ledger.warn("What the image tower itself holds while it reads an image is not counted.")
    if tower.tokens:
        default, why = tower.tokens, "what its processor makes of any image"
    elif tower.token_side:
        side = -(-USUAL_SIDE // tower.token_side)
        default = side * side
        why = f"of {USUAL_SIDE} × {USUAL_SIDE} pixels, {tower.token_side} × {tower.token_side} each"
    elif request.image_tokens is None:
        raise BadRequest("image_tokens", "say how many tokens an image becomes in this model")
    else:
        default, why = 0, ""
    each = ledger.take("image_tokens", request.image_tokens, default, why, "image-processors")
    return request.images * each


def warn_of_parts(shape: Shape, ledger: Ledger, *, recast: bool) -> None:
    """Say what of the model is not trained, and with which kernels it is.

    `recast`: autocast runs, and blocks keep what their activations do.
    """
    architecture = shape.architecture
    if architecture.tower is not None:
        count = show_count(architecture.tower.parameters)
        ledger.warn(
            f"The language model alone is trained: the {count} parameters of its tower for images "
            "are held, frozen and without adapters."
        )
    if not architecture.head:
        ledger.warn("There is no head over the vocabulary: a small one or none is trained.")
    mixers = [mixer for _, block in architecture.stack for mixer in block.mixers]
    if any(isinstance(one, Recurrent) and not isinstance(one, NoMixer) for one in mixers):
        ledger.warn(
            "Layers with a state are counted with the fused kernels of mamba-ssm and "
            "flash-linear-attention; without them much more is kept."
        )
    mlps = [block.mlp for _, block in architecture.stack]
    if recast and any(isinstance(m, PlainMlp) and m.activation in WRITTEN_OUT for m in mlps):
        ledger.warn(
            "This model's activation is written out in PyTorch. CUDA's autocast runs its `pow` in "
            "fp32, which keeps more: the range reaches that far."
        )
