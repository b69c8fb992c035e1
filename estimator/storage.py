"""What a run keeps on disk: model files, checkpoints, adapters, tokens.

Of the whole run, not of one card: what ranks save in shards is theirs together. Left out
everywhere: headers of files, tokenizer and config (a few megabytes), the scheduler, random
states and the Trainer's log (kilobytes).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from estimator.breakdown import Basis, Line
from estimator.memory.adapters import adapter_buffers, frozen_factors
from estimator.memory.gguf_file import gguf_metadata
from estimator.memory.optimizer import states
from estimator.memory.weights import projector, weights
from estimator.setup import Adapter, ServeSetup, Setup, TrainSetup
from estimator.tensors import Role, Tensor
from estimator.trained import groups
from estimator.updating import Group
from estimator.words import Method, Strategy

HALF = 2  # bytes of a weight as nearly all models are published: bf16 or fp16
TOKEN_ID, MASK = 4, 1  # bytes of a token in `datasets`' cache: an int32, and an int8 of its mask
MADE_WHILE_LOADING = (
    "nf4",
    "nf4_dq",
    "fp4",
    "fp4_dq",
    "int8",
    "int4",
    "fp6",
    "hqq8",
    "hqq4",
    "hqq2",
)
ENGINE_KEEPS = (Strategy.ZERO1, Strategy.ZERO2)  # whose engine saves 16-bit weights once more
SHARDED = (Strategy.FSDP, Strategy.FSDP2)  # that save the fp32 shards they train
EMBEDDED = (Method.PROMPT, Method.PTUNING)  # saved as what they come to, without what makes it


def storage(setup: Setup) -> tuple[Line, ...]:
    """One line a kind of file; a checkpoint is all lines that begin with `checkpoint_`."""
    return tuple(line for line in _lines(setup) if line is not None and line.bytes)


def checkpoint_bytes(lines: Sequence[Line]) -> int:
    """What one checkpoint of a run takes, optimizer and all."""
    return sum(line.bytes for line in lines if line.key.startswith("checkpoint_"))


def _lines(setup: Setup) -> Iterator[Line | None]:
    yield from _downloaded(setup)
    if isinstance(setup, ServeSetup):
        return
    parts = groups(setup)
    checkpoint = [line for line in _checkpoint(setup, parts) if line is not None]
    yield from checkpoint
    yield _all_kept(setup, sum(line.bytes for line in checkpoint))
    yield _cached_tokens(setup)


def _downloaded(setup: Setup) -> Iterator[Line]:
    """The model's files: packed as they are published, else in 16 bits, whatever is made of them.

    Formats that a program packs itself while it loads (bitsandbytes, HQQ, torchao) are made of
    the 16-bit files. Of a model that is published in fp32 or in another type it is off by that.
    """
    architecture, numbers = setup.shape.architecture, setup.numbers
    plain = not numbers.format.quantised and not numbers.format.recipe
    if numbers.given_bytes is None and (plain or numbers.format.id in MADE_WHILE_LOADING):
        yield Line(
            key="download",
            bytes=architecture.parameters * HALF,
            formula="parameters × published_bytes",
            terms={"parameters": architecture.parameters, "published_bytes": HALF},
            source="hf-hub-cache",
            basis=Basis.ASSUMED,
        )
        return
    lines = [*weights(architecture, numbers)]
    if numbers.format.recipe:
        lines.append(gguf_metadata(architecture.vocabulary))
    yield _joined("download", lines)
    for line in projector(architecture, numbers)[:1]:
        yield replace(line, key="download_projector")


def _checkpoint(setup: TrainSetup, parts: Sequence[Group]) -> Iterator[Line | None]:
    """Weights or adapters as they are saved, and what it takes to go on from there."""
    architecture, adapter = setup.shape.architecture, setup.adapter
    trained = tuple(tensor for group in parts for tensor in group.tensors)
    sharded = setup.strategy in SHARDED and setup.master is not None
    if adapter is not None:
        for n, group in enumerate(parts):
            yield _adapter_file(setup, adapter, group, first=n == 0)
    elif sharded and setup.master is not None:  # what is sharded is the fp32 weights themselves
        yield _of("checkpoint_weights", architecture.parameters, setup.master.bytes_per_block)
    else:
        lines = weights(architecture, replace(setup.numbers, given_bytes=None))
        yield replace(_joined("checkpoint_weights", lines), source="trainer-checkpoint")
        if setup.strategy in ENGINE_KEEPS:
            size = setup.numbers.linear.bytes_per_block
            yield _of("checkpoint_engine", architecture.parameters, size, "deepspeed-checkpoint")
    yield from _optimizer(setup, parts)
    if setup.master is not None and not sharded:
        count = sum(tensor.parameters for tensor in trained)
        yield _of("checkpoint_master", count, setup.master.bytes_per_block, "zero-2019")


def _optimizer(setup: TrainSetup, parts: Sequence[Group]) -> Iterator[Line]:
    """The states as the step keeps them, paged ones and offloaded ones too; a byte is a byte."""
    found: list[Line] = []
    for group in parts:
        found += states(
            setup.optimizer,
            group.tensors,
            updated=group.updated,
            followed=setup.states or group.updated,
            dtypes=setup.optimizer_dtypes,
            rank=setup.projection_rank,
            wide=(Role.EMBEDDING,) if setup.embedding_states is not None else (),
        )
    if found:
        yield replace(_joined("checkpoint_optimizer", found), source="trainer-checkpoint")


def _adapter_file(setup: TrainSetup, adapter: Adapter, group: Group, *, first: bool) -> Line | None:
    """`adapter_model.safetensors`: what PEFT saves of it, in its own type.

    The rank that AdaLoRA counts is not in it; VeRA's shared matrices and LoRA-FA's frozen
    halves are, and of prompts only what they come to.
    """
    architecture = setup.shape.architecture
    own = [t for t in group.tensors if not t.module.endswith("ranknum")]
    if first and adapter.method in EMBEDDED:
        own = [Tensor("prompt", Role.EMBEDDING, adapter.virtual_tokens, architecture.hidden, 1)]
    if first:
        own += frozen_factors(architecture, adapter)
    key = "checkpoint_adapter" if first else "checkpoint_saved_modules"
    line = _of(key, sum(t.parameters for t in own), group.updated.bytes_per_block, "peft-save-load")
    buffers = adapter_buffers(architecture, adapter) if adapter.method is Method.VERA else None
    return line.plus(buffers, "_shared") if first and buffers is not None else line


def _all_kept(setup: TrainSetup, checkpoint: int) -> Line | None:
    """As many checkpoints as are kept, and the next: the oldest goes when that is written."""
    kept = setup.request.checkpoints_kept
    if kept is None:
        return None
    return Line(
        key="kept_checkpoints",
        bytes=(kept + 1) * checkpoint,
        formula="(kept + 1) × checkpoint",
        terms={"kept": kept, "checkpoint": checkpoint},
        source="trainer-checkpoint",
        basis=Basis.DERIVED,
    )


def _cached_tokens(setup: TrainSetup) -> Line | None:
    """The data set in tokens, as `datasets` caches it: an int32 and a mask's byte for each.

    Of samples alone, each as long as the sequence, which is the most. Left out: the text
    itself, labels of their own (eight bytes more), and what packing writes once more.
    """
    request = setup.request
    if request.dataset_tokens is not None:
        formula, terms = "tokens × (id_bytes + mask_bytes)", {"tokens": request.dataset_tokens}
        count = request.dataset_tokens
    elif request.dataset_samples is not None:
        formula = "samples × seq × (id_bytes + mask_bytes)"
        terms = {"samples": request.dataset_samples, "seq": setup.seq}
        count = request.dataset_samples * setup.seq
    else:
        return None
    size = TOKEN_ID + MASK
    return Line(
        key="cached_tokens",
        bytes=count * size,
        formula=formula,
        terms={**terms, "id_bytes": TOKEN_ID, "mask_bytes": MASK},
        source="datasets-arrow",
        basis=Basis.DERIVED,
        low_bytes=0 if request.dataset_tokens is None else None,
    )


def _of(key: str, parameters: int, each: int, source: str = "trainer-checkpoint") -> Line:
    return Line(
        key=key,
        bytes=parameters * each,
        formula="parameters × parameter_bytes",
        terms={"parameters": parameters, "parameter_bytes": each},
        source=source,
        basis=Basis.COUNTED,
    )


def _joined(key: str, lines: Sequence[Line]) -> Line:
    """Several lines as one, each with names of its own."""
    numbered = enumerate(lines[1:], start=1)
    whole = reduce(lambda line, other: line.plus(other[1], f"_{other[0]}"), numbered, lines[0])
    low = sum(line.bytes if line.low_bytes is None else line.low_bytes for line in lines)
    high = sum(line.bytes if line.high_bytes is None else line.high_bytes for line in lines)
    uncertain = (low, high) != (whole.bytes, whole.bytes)
    return replace(
        whole,
        key=key,
        low_bytes=low if uncertain else None,
        high_bytes=high if uncertain else None,
    )
