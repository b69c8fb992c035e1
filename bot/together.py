"""Several clients in one program, each kept running for itself: ready when all are, and one end."""

import asyncio
from collections.abc import Sequence

from bot.exits import Exit
from bot.supervisor import Supervisor


async def run_together(supervisors: Sequence[Supervisor]) -> Exit:
    """Until all have ended. One that cannot go on ends the others, and says how it ended."""
    running = {asyncio.create_task(one.run()): one for one in supervisors}
    try:
        await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task, one in running.items():
            if not task.done():
                one.stop()
        await asyncio.wait(running)
    return max(task.result() for task in running)
