"""What a process uses, as Linux tells it, and which processor it may use."""

import os
from pathlib import Path

from estimator.units import BILLION

PAGE = os.sysconf("SC_PAGE_SIZE")  # bytes
TICKS = os.sysconf("SC_CLK_TCK")  # of processor time, a second


def rss(pid: int) -> int:
    """Bytes of memory that it holds, those included that it shares."""
    return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * PAGE


def processor_s(pid: int) -> float:
    """Seconds of a processor that it has used, those in the kernel included."""
    after_name = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    user, system = after_name[11:13]
    return (int(user) + int(system)) / TICKS


def waited_s(pid: int) -> float:
    """Seconds for which its first thread wanted a core and had none: others had them all."""
    return int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[1]) / BILLION


def open_files(pid: int) -> int:
    """Files and sockets that it has open."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def threads(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())


def cores() -> tuple[int, int] | None:
    """One for the stand-in and one for the bot; None where there is only one."""
    there = sorted(os.sched_getaffinity(0))
    return (there[-1], there[0]) if len(there) > 1 else None


def pin(pid: int, core: int | None) -> None:
    """Let it run on one core alone, and what it starts from now on; None leaves it free."""
    if core is not None:
        os.sched_setaffinity(pid, {core})
