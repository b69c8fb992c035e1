"""How long a start takes and what it weighs: `python -m tests.load.start`.

The real program against the stand-in, which has its commands from a start before that is not
counted, as Discord has them; that one also writes bytecode, as the container has it.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from aiohttp import test_utils

from estimator.units import KIB, MILLION, THOUSAND
from tests.repo.product import ROOT
from tests.wire.our_bot import QUERY
from tests.wire.painters import drawers
from tests.wire.standin import StandIn

PATIENCE_S = 120.0
SETTLED_S = 5.0  # after the first answer: what is made aside is then made
HEAVIEST = 12  # modules that are named
TO_LOAD = "import gc; gc.disable(); import bot.command_line, bot.connecting"  # as a start does
NOT_IN_THE_PRODUCT = "zstandard"  # which discord.py would load, since it is here for tests


@dataclass(frozen=True)
class Start:
    """Seconds until READY and until the first answer; of a core until READY; bytes held."""

    ready_s: float
    answered_s: float
    busy_s: float
    bytes: int
    drawer_bytes: int


def environment(folder: Path) -> dict[str, str]:
    """What the program is started with: bytecode is written, and tests' own library hidden."""
    (folder / f"{NOT_IN_THE_PRODUCT}.py").write_text("raise ImportError", encoding="utf-8")
    inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**inherited, "PYTHONPATH": f"{folder}:{ROOT}"}


async def start(standin: StandIn, folder: Path) -> Start:
    """Start it once, ask, and stop it."""
    (folder / "config.toml").write_text(
        f'[discord]\napi_base = "{standin.api_base}"\n'
        f"[health]\nport = {test_utils.unused_port()}\n",
        encoding="utf-8",
    )
    begun = perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot"),
        cwd=folder,
        env={**environment(folder), "DISCORD_TOKEN": standin.token},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await standin.ready(timeout=PATIENCE_S)
        ready_s, busy_s = perf_counter() - begun, _busy_s(process.pid)
        reply = await standin.slash("vram train", QUERY, timeout=PATIENCE_S)
        await reply.finished(timeout=PATIENCE_S)
        answered_s = perf_counter() - begun
        await asyncio.sleep(SETTLED_S)
        drawer = next(iter(drawers(process.pid)), None)
        held = 0 if drawer is None else _rss(drawer)
        return Start(ready_s, answered_s, busy_s, _rss(process.pid), held)
    finally:
        process.terminate()
        await process.wait()


def _rss(pid: int) -> int:
    """Bytes of memory, those included that it shares."""
    status = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) * KIB


def _busy_s(pid: int) -> float:
    """Seconds of a core that it has used."""
    user, system = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def heaviest(folder: Path) -> list[tuple[float, str]]:
    """Modules by the milliseconds that each takes to load, without what it imports itself."""
    told = subprocess.run(
        (sys.executable, "-X", "importtime", "-c", TO_LOAD),
        cwd=ROOT, env=environment(folder), capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    rows = [line.removeprefix("import time:").split("|") for line in told.splitlines()[1:]]
    return sorted(((int(own) / THOUSAND, name.strip()) for own, _, name in rows), reverse=True)


async def measure(times: int) -> None:
    """Print it all."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with StandIn() as standin:
            await start(standin, folder)  # registers commands, and writes bytecode
            found = [await start(standin, folder) for _ in range(times)]
        loaded = heaviest(folder)
    print(f"ready       {median(one.ready_s for one in found):6.2f} s of {times} starts, median")
    print(f"  best      {min(one.ready_s for one in found):6.2f} s")
    print(f"  of a core {median(one.busy_s for one in found):6.2f} s")
    print(f"answered    {median(one.answered_s for one in found):6.2f} s")
    print(f"bot         {median(one.bytes for one in found) / MILLION:6.1f} MB")
    print(f"drawer      {median(one.drawer_bytes for one in found) / MILLION:6.1f} MB")
    print(f"\n{len(loaded)} modules; the heaviest, in ms of their own:")
    for own, module in loaded[:HEAVIEST]:
        print(f"{own:8.1f}  {module}")


def main() -> None:
    """Read how often, and measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.load.start", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="starts that are counted")
    asyncio.run(measure(parser.parse_args().times))


if __name__ == "__main__":
    main()
