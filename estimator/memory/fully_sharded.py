"""Sharded weights while a step runs: units gathered, gradients whole, and on their way."""

from estimator.breakdown import Basis, Line

SOURCE = "torch-fully-shard"


def gathered(source: str, **parts: tuple[int, int]) -> Line:
    """Units that are whole on the card: (how many, bytes of each) by what they are.

    A unit is there twice while it is copied from the buffer that it was gathered into to
    the weights; the buffer of the unit that ran last stays until the next one is copied.
    """
    present = {name: (count, size) for name, (count, size) in parts.items() if count and size}
    terms: dict[str, int] = {}
    for name, (count, size) in present.items():
        terms |= {f"{name}s": count, f"{name}_bytes": size}
    return Line(
        key="gathered_units",
        bytes=sum(count * size for count, size in present.values()),
        formula=" + ".join(f"{name}s × {name}_bytes" for name in present) or "0",
        terms=terms,
        source=source,
        basis=Basis.DERIVED,
    )


def whole_gradients(parameters: int, element_bytes: int, source: str) -> Line:
    """Gradients of a unit that is not reduced yet: as large as on one card."""
    return Line(
        key="unsharded_gradients",
        bytes=parameters * element_bytes,
        formula="whole_parameters × gradient_bytes",
        terms={"whole_parameters": parameters, "gradient_bytes": element_bytes},
        source=source,
        basis=Basis.DERIVED,
    )


def reduced_gradients(parameters: int, element_bytes: int, ways: int) -> Line:
    """This rank's part of the gradients that have been reduced."""
    return Line(
        key="gradients",
        bytes=-(-parameters * element_bytes // ways),
        formula="ceil(reduced_parameters × gradient_bytes ÷ cards)",
        terms={"reduced_parameters": parameters, "gradient_bytes": element_bytes, "cards": ways},
        source="zero-2019",
        basis=Basis.COUNTED,
    )


def reduce_buffer(parameters: int, element_bytes: int, source: str) -> Line:
    """A unit's gradients in the type they are reduced in, until the next unit's are."""
    return Line(
        key="reduce_buffer",
        bytes=parameters * element_bytes,
        formula="unit_parameters × reduce_bytes",
        terms={"unit_parameters": parameters, "reduce_bytes": element_bytes},
        source=source,
        basis=Basis.DERIVED,
    )
