"""The row of a program that trains."""

from typing import Annotated

from pydantic import Field

from estimator.rows import Id, Sources
from estimator.tensors import Row
from estimator.words import Checkpointing, Library, Loss


class Framework(Row):
    """A program that trains. `library`: whose modules and loss the model runs in.

    `longest_first`: the longest sample is run first and alone that long, so that nothing of an
    earlier micro-step is there at the peak. `keeps_packed_inputs`: its bitsandbytes keeps the
    input of each packed linear. `dropout`: of adapters, where none is asked for.
    `flat_units`: FSDP 1 puts frozen weights and adapters of a block into one flat tensor, which
    has gradients as a whole. `loss`, `checkpointing`: its own, of a library that is not
    transformers'; `every_second_product`: all that selective checkpointing keeps of products.
    `compiles_loss`: compiling includes it. `shards`: fp32 shards, gathered and computed in bf16
    and reduced in fp32, with each micro-step. `ends_apart`: embeddings and head
    are units of their own. `keeps_outputs`: its loop names the logits until the step is done;
    `gives_fp32`: those are fp32, as of transformers before 4.45.
    `prepares_packed`: casts to fp32 what QLoRA does
    not pack.
    """

    id: Id
    aliases: tuple[str, ...] = ()
    library: Library = Library.TRANSFORMERS
    longest_first: bool = False
    keeps_packed_inputs: bool = False
    loss: Loss = Loss.CHUNKED
    checkpointing: Checkpointing = Checkpointing.FULL
    every_second_product: bool = False
    compiles_loss: bool = False
    shards: bool = False
    flat_units: bool = False
    ends_apart: bool = False
    keeps_outputs: bool = False
    gives_fp32: bool = False
    prepares_packed: bool = True
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    sources: Sources

    @property
    def reduces_each(self) -> bool:
        """Whether sharded gradients are reduced with each micro-step, as Megatron-FSDP does too."""
        return self.shards or self.library is Library.MEGATRON
