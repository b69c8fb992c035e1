"""A process of the bot whose log is read while it runs."""

import asyncio

PATIENCE_S = 120


async def said(process: asyncio.subprocess.Process, words: str) -> str:
    """The next line of its output that holds these words."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        while line := (await process.stdout.readline()).decode():
            if words in line:
                return line
    raise AssertionError(f"it ended, and did not say: {words}")
