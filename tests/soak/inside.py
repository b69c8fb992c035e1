"""Within the bot's process: how many tasks its event loop has, told to who asks by a signal.

It is imported there as the interpreter starts; the program is the same otherwise.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType

ASKED, VARIABLE = signal.SIGUSR1, "SOAK_TASKS"
STARTS_WITH = "from tests.soak.inside import tell_tasks\ntell_tasks()\n"


def tell_tasks() -> None:
    """From now on the signal writes their number into the file that the environment names."""
    file = os.environ.get(VARIABLE)
    if file is not None:
        signal.signal(ASKED, lambda number, frame: _tell(Path(file), number, frame))


def _tell(file: Path, _number: int, _frame: FrameType | None) -> None:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return
    try:
        tasks = asyncio.all_tasks()
    except RuntimeError:  # no loop runs
        return
    file.write_text(str(len(tasks)), encoding="ascii")
