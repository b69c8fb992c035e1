"""What is recomputed in backward: nothing, whole blocks, or all but the costly operations."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from tests.accuracy.counting.cuda import AsOnCuda
from tests.accuracy.counting.foreign import nn, torch, transformers

Context = AbstractContextManager[object]

aten = torch.ops.aten
Policy = torch.utils.checkpoint.CheckpointPolicy

# Selective: the outputs of matrix products and of attention are kept, the rest is computed again.
KEPT = frozenset(
    {
        *(aten.mm.default, aten.addmm.default, aten.bmm.default, aten.baddbmm.default),
        *(aten._grouped_mm.default, torch.ops.counting.flash_attention.default),  # noqa: SLF001
    }
)


def keep_products(_: object, operation: object, *__: object, **___: object) -> object:
    """The policy: keep what a matrix product or attention gave."""
    return Policy.MUST_SAVE if operation in KEPT else Policy.PREFER_RECOMPUTE


def again() -> AsOnCuda:
    """What a block runs in when it runs again: torch leaves CUDA's ways aside in backward."""
    return AsOnCuda()


@contextmanager
def _together(*contexts: Context) -> Iterator[None]:
    with ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield


def whole_contexts() -> tuple[Context, Context]:
    """The pair of contexts in which a block that keeps nothing runs first, and again."""
    return nullcontext(), again()


def selective_contexts() -> tuple[Context, Context]:
    """The pair of contexts in which a block that keeps its products runs first, and again."""
    first, second = torch.utils.checkpoint.create_selective_checkpoint_contexts(keep_products)
    return first, _together(again(), second)


def checkpointing(model: nn.Module, how: str) -> None:
    """Checkpoint every decoder block, or every second one, non-reentrant.

    The first block is left as it is, as torchtitan does. Random states are not kept.
    """
    if how == "none":
        return
    contexts = selective_contexts if how == "selective" else whole_contexts
    settings = {"use_reentrant": False, "preserve_rng_state": False, "context_fn": contexts}
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=settings)
    if how == "every_2":
        for block in list(_blocks(model))[::2]:
            block.gradient_checkpointing = False


def _blocks(model: nn.Module) -> Iterator[nn.Module]:
    """Every block that transformers would checkpoint, in the order they run."""
    kind = transformers.modeling_layers.GradientCheckpointingLayer
    return (module for module in model.modules() if isinstance(module, kind))
