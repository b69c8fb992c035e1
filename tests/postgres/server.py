"""A PostgreSQL server of the tests' own: in a folder that goes with it, on a socket there.

Debian's package `postgresql` has the programs. The server does not run as root, so root lends
it another user.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

PROGRAMS = Path("/usr/lib/postgresql")
LENT = ("postgres", "nobody")  # users that root runs it as; the first that there is
OWNER = "vram"
START_S = 60


class NoServerError(Exception):
    """It cannot be started, and so nothing can be tested on it."""


@dataclass
class Server:
    """`folder` holds its data and its socket."""

    programs: Path
    folder: Path
    user: Mapping[str, Any]
    made: int = 0

    def url(self, name: str) -> str:
        """The address of one of its databases."""
        return f"postgresql://{OWNER}@/{name}?host={self.folder}"

    def new_database(self) -> str:
        """The name of an empty one."""
        self.made += 1
        name = f"vram_{self.made}"
        with closing(psycopg.connect(self.url("postgres"), autocommit=True)) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return name

    def start(self) -> None:
        """Let it run, and take connections."""
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self._control("start", "-o", options, "-l", str(self.folder / "log"))

    def stop(self) -> None:
        """End it at once, as a power cut would."""
        self._control("stop", "-m", "immediate")

    def prepare(self) -> None:
        """Make its data."""
        data = self.folder / "data"
        self._run("initdb", "-D", str(data), "-U", OWNER, "-A", "trust", "-N", "-E", "UTF8")

    def _control(self, *what: str) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-t", str(START_S), *what)

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self.programs / program), *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=2 * START_S,
            **self.user,
        )
        if done.returncode:
            raise NoServerError(f"{program}: {done.stderr.strip()}")


@contextmanager
def running() -> Iterator[Server]:
    """A server that runs until the end; raises NoServerError where none can be had."""
    versions = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda path: path.parts[-3])
    if not versions:
        raise NoServerError("no PostgreSQL here: on Debian it is the package postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        server = Server(versions[-1].parent, folder, _user(folder))
        server.prepare()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _user(folder: Path) -> Mapping[str, Any]:
    """Who runs it, as `subprocess` takes that; the folder is then theirs."""
    if os.geteuid() != 0:
        return {}
    known = {one.pw_name: one for one in pwd.getpwall()}
    lent = next((known[name] for name in LENT if name in known), None)
    if lent is None:
        raise NoServerError(f"root runs no PostgreSQL, and there is none of {', '.join(LENT)}")
    os.chown(folder, lent.pw_uid, lent.pw_gid)
    return {"user": lent.pw_uid, "group": lent.pw_gid, "extra_groups": []}
