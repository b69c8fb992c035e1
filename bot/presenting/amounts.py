"""Figures of a message as it prints them itself, and in whatever else a sentence names them."""

from collections.abc import Mapping

from estimator import GIB, KIB, MIB, show_gb

BYTES = "_bytes"


def exact(amount_bytes: int) -> str:
    """A size to a hundredth in the unit that PyTorch would print it in: `9.06 MiB`."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if amount_bytes >= unit:
            return f"{amount_bytes / unit:,.2f} {name}"
    return f"{amount_bytes:,} bytes"


def named(values: Mapping[str, int | float | str]) -> dict[str, str]:
    """Values under the names of sentences' placeholders: `tried` and `tried_gb` of `tried_bytes`.

    A count is `asked` with its commas, and `asked_flag` as it is typed; a share is `percent`.
    """
    said: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, str):
            said[name] = value
        elif name == "percent":
            said[name] = f"{value:.0%}"
        elif isinstance(value, float):
            said[name] = f"{value:g}"
        elif name.endswith(BYTES):
            said[name.removesuffix(BYTES)] = exact(value)
            said[f"{name.removesuffix(BYTES)}_gb"] = show_gb(value)
        else:
            said[name], said[f"{name}_flag"] = f"{value:,}", str(value)
    return said
