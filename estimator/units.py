"""Sizes and counts: the only 1000 and 1024 in the project.

Memory is stored as whole bytes. It is shown in GiB, as cards and PyTorch count,
and totals also in GB, as makers and clouds print; the unit is always named.
Prefixes as in IEC 80000-13: k, M, G are powers of 1000; Ki, Mi, Gi of 1024.
"""

THOUSAND = 1000
MILLION = THOUSAND**2
BILLION = THOUSAND**3
TRILLION = THOUSAND**4

KB = THOUSAND
MB = THOUSAND**2
GB = THOUSAND**3
TB = THOUSAND**4

KIB = 1024
MIB = KIB**2
GIB = KIB**3
TIB = KIB**4


def show_gib(amount_bytes: int) -> str:
    """`amount_bytes` in GiB, or MiB below a tenth of a GiB: `"13.0 GiB"`."""
    if amount_bytes == 0:
        return "0 GiB"
    if amount_bytes < GIB // 10:
        mib = amount_bytes / MIB
        return f"{mib:.0f} MiB" if mib >= 1 else "< 1 MiB"
    return f"{amount_bytes / GIB:,.1f} GiB"


def show_gib_number(amount_bytes: int) -> str:
    """`amount_bytes` in GiB to a hundredth, without its unit: for a column. `"13.54"`."""
    if 0 < amount_bytes < GIB // 200:
        return "<0.01"
    return f"{amount_bytes / GIB:,.2f}"


def show_gb(amount_bytes: int) -> str:
    """`amount_bytes` in decimal GB, or MB below a tenth of a GB: `"14.0 GB"`."""
    if amount_bytes < GB // 10:
        return f"{amount_bytes / MB:.0f} MB"
    return f"{amount_bytes / GB:,.1f} GB"


def show_count(count: int) -> str:
    """A count of parameters or tokens: `"6.74 B"`, `"20.0 M"`, `"512"`."""
    for unit, name in ((TRILLION, "T"), (BILLION, "B"), (MILLION, "M")):
        if count >= unit:
            return f"{count / unit:.2f} {name}"
    return f"{count:,}"
