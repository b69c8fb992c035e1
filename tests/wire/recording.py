"""What a bot sent, kept in files for `python -m tests.contract` to judge.

`WIRE_RECORD` names the folder; where it is not set nothing is kept.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from uuid import uuid4

from tests.wire.recorded import Request

VARIABLE = "WIRE_RECORD"
KEPT = ("method", "route", "path", "query", "body", "files", "status")


def wanted() -> Path | None:
    """The folder to keep requests in, if they are to be kept."""
    folder = os.environ.get(VARIABLE)
    return Path(folder) if folder else None


def record(
    requests: Iterable[Request],
    folder: Path,
    *,
    frames: Mapping[str, int] | None = None,
    on_purpose: bool = False,
) -> Path:
    """Write one test's requests to a file of its own, a JSON line each; the file is returned.

    `frames` counts what went over the gateway, by name. `on_purpose`: the test expects rules
    to be broken, so a payload that breaks one proves the stand-in and not the bot.
    """
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    lines = [
        {"test": test, "on_purpose": on_purpose, **{key: getattr(one, key) for key in KEPT}}
        for one in requests
    ]
    counts = [{"test": test, "frames": dict(frames)}] if frames else []
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{os.getpid()}-{uuid4().hex}.jsonl"
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (*lines, *counts))
    file.write_text(text, encoding="utf-8")
    return file
