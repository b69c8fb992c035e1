"""The weights that one of several cards holds, whatever engine runs them."""

from estimator.breakdown import Line
from estimator.memory.weights import weights
from estimator.rank_tensors import rank_tensors
from estimator.setup import ServeSetup


def rank_weights(setup: ServeSetup, *, tables: bool = True) -> tuple[Line, ...]:
    """Of the model in `setup`, which is the part of a card or a stage, each tensor divided.

    Of weights whose bytes were told it is as much as the card has of the parameters. `tables`:
    as in `weights`.
    """
    architecture, numbers, split = setup.shape.architecture, setup.numbers, setup.split
    if split.tp == split.experts == 1:
        return weights(architecture, numbers, tables=tables)
    tensors = tuple(
        rank_tensors(
            architecture,
            split,
            divided=setup.engine.divided_tables,
            padding=setup.engine.padded_words,
        )
    )
    if numbers.given_bytes is not None:
        (given,) = weights(architecture, numbers, tables=tables)
        held = sum(tensor.parameters for tensor in tensors)
        return (given.scaled(held, architecture.parameters),)
    return weights(architecture, numbers, tables=tables, tensors=tensors)
