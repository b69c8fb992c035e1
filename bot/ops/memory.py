"""How much memory a process holds, as Linux tells it."""

import os
from pathlib import Path

PAGES_HELD = 1  # the place of it in /proc/PID/statm


def resident_bytes(pid: int | None = None) -> int | None:
    """Of this process, or of another; None where it is not told, as beside Linux."""
    try:
        pages = Path(f"/proc/{pid or os.getpid()}/statm").read_text(encoding="ascii").split()
        return int(pages[PAGES_HELD]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
