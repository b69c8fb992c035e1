"""The files that make up the product, as they lie on disk."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("bot", "estimator", "tests", ".ci")
OF_THE_PAGE = {"bot/page.py", "bot/trying.py", "bot/typist.py"}  # which takes an extra of its own
TEXT = {".py", ".toml", ".md", ".txt", ".yml", ".yaml", ".json", ".jsonl", ".cfg", ".sh", ".lock"}


def files() -> Iterator[Path]:
    """Every text file of the product."""
    for path in sorted(ROOT.iterdir()):
        if path.is_file() and (path.suffix in TEXT or path.name in ("Dockerfile", "LICENSE")):
            yield path
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in TEXT and "__pycache__" not in path.parts:
                yield path


def modules(*folders: str) -> tuple[Path, ...]:
    """The Python files under `folders`."""
    return tuple(
        path
        for path in files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders
    )


def tree(path: Path) -> ast.Module:
    """The syntax of one file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def name(path: Path) -> str:
    """A file's path in the repository."""
    return path.relative_to(ROOT).as_posix()
