"""Sharded weights while a step runs: units gathered, gradients whole, and on their way."""

from estimator.breakdown import Basis, Book, Line

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


def reduced_output(parameters: int, reduce_bytes: int, kept_bytes: int, ways: int) -> Line:
    """This rank's part as it comes out of the reduction, and cast to what it is kept in."""
    width = reduce_bytes + (kept_bytes if kept_bytes != reduce_bytes else 0)
    return Line(
        key="reduced_output",
        bytes=-(-parameters * width // ways),
        formula="ceil(unit_parameters × output_bytes ÷ cards)",
        terms={"unit_parameters": parameters, "output_bytes": width, "cards": ways},
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def waiting_gradients(parameters: int, element_bytes: int) -> Line:
    """Whole gradients of earlier micro-steps, which are reduced with the last one's."""
    return Line(
        key="accumulated_gradients",
        bytes=parameters * element_bytes,
        formula="whole_parameters × accumulated_bytes",
        terms={"whole_parameters": parameters, "accumulated_bytes": element_bytes},
        source="accelerate-no-sync",
        basis=Basis.DERIVED,
    )


def flat_gradient(parameters: int, element_bytes: int) -> Line:
    """A unit's gradients as one tensor, made from those of its weights, which still stand."""
    return Line(
        key="flat_gradient",
        bytes=parameters * element_bytes,
        formula="unit_parameters × gradient_bytes",
        terms={"unit_parameters": parameters, "gradient_bytes": element_bytes},
        source="torch-fsdp",
        basis=Basis.DERIVED,
    )


def stream_pools(gathering: int, reducing: int, in_use: int) -> Line | None:
    """What the allocator keeps for the streams that gather and reduce, beyond what is in use.

    Memory freed on one stream is not given to another: `gathering`, the most that units took
    at once; `reducing`, this rank's gradients, of which the next step's are made. When a card
    is full the allocator gives it back, so the low end is none of it.
    """
    spare = gathering + reducing - in_use
    if spare <= 0:
        return None
    return Line(
        key="stream_pools",
        bytes=spare,
        formula="gather_bytes + reduced_bytes - in_use_bytes",
        terms={"gather_bytes": gathering, "reduced_bytes": reducing, "in_use_bytes": in_use},
        source="torch-allocator-streams",
        basis=Basis.DERIVED,
        book=Book.RESERVED,
        low_bytes=0,
        high_bytes=spare,
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
