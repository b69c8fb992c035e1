"""An example's process, run here: its environment and files, below a folder in the place of `/`."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.ops.sharding import VARIABLES
from bot.ops.token import FILE_VARIABLE as TOKEN_FILE
from bot.ops.token import HUB_VARIABLE
from bot.ops.token import VARIABLE as TOKEN
from bot.store.address import FILE_VARIABLE as STORE_FILE
from bot.store.address import VARIABLE as STORE
from tests.repo.product import ROOT

READ = {*VARIABLES, TOKEN, TOKEN_FILE, HUB_VARIABLE, STORE, STORE_FILE}
EXAMPLES = ROOT / "bot" / "deploy"
WORKING = "/app"  # the image's working folder
SECRETS = {
    "discord_token": ".".join(("A" * 24, "B" * 6, "C" * 38)),
    "store_url": "postgresql://vram:password@postgres:5432/vram",
}
CONNECTS = "With these settings `python -m bot` connects to Discord."
PATIENCE_S = 120


@dataclass(frozen=True)
class Container:
    """`files`: their text by where they lie in it."""

    environment: Mapping[str, str]
    files: Mapping[str, str]
    user: str

    def check(self, root: Path) -> dict[str, str]:
        """What `python -m bot check` says of each setting there; it has to take them all."""
        assert set(self.environment) <= READ
        for path, text in self.files.items():
            file = root / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        moved = {
            name: f"{root}{value}" if value.startswith("/") else value
            for name, value in self.environment.items()
        }
        done = subprocess.run(
            [sys.executable, "-m", "bot", "check"],
            cwd=root / WORKING.lstrip("/"),
            env={**moved, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr
        assert CONNECTS in done.stdout
        assert not any(secret in done.stdout for secret in SECRETS.values())
        lines = (line.split(None, 1) for line in done.stdout.splitlines())
        return {words[0]: words[1] for words in lines if len(words) > 1}


def user_of_the_image() -> str:
    """Who runs the bot there, as a number and its group's."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    (user,) = (line.split()[1] for line in lines if line.startswith("USER "))
    return user
