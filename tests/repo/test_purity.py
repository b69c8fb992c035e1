"""The estimator needs nothing of the bot, of Discord, or of a machine."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repo.product import OF_THE_PAGE, ROOT, modules, name, tree

ESTIMATOR = modules("estimator")
FOREIGN = ("discord", "bot", "rich", "aiohttp", "torch", "transformers", "numpy", "huggingface_hub")
TRAINING = {"torch", "transformers", "peft", "numpy"}  # nothing that answers needs them
PAGE = ("simcord", "markdown_it", "linkify_it", "regex", "playwright")  # an extra of its own
DRAWS = "vl_convert"
KEEPS = ("sqlalchemy", "psycopg")  # loaded with the first use, in a thread of its own
IMPURE = {
    *("asyncio", "datetime", "http", "logging", "os", "pathlib", "random", "socket", "sqlite3"),
    *("subprocess", "threading", "time", "urllib"),
}
PROGRAM = f"""
import sys
for name in {FOREIGN!r}:
    sys.modules[name] = None  # an import of it fails
from estimator import answer_document, load_catalog
for task in ("train", "infer"):
    answered = answer_document({{"task": task, "model": "7B"}}, load_catalog())
    assert answered["error"] is None, answered["error"]
    print(answered["peak"]["bytes"])
print(*sorted(set(sys.modules) & {{"asyncio", "ssl", "sqlite3", "multiprocessing"}}))
"""
SECONDS = 60


def ran(program: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, in the project's folder."""
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def imported(module: ast.Module) -> Iterator[str]:
    """Names of the top-level packages that a file imports, wherever in it."""
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.split(".")[0] for alias in names)
            case ast.ImportFrom(module=str(package)):
                yield package.split(".")[0]


@pytest.mark.parametrize("path", ESTIMATOR, ids=name)
def test_no_file_of_the_estimator_imports(path: Path) -> None:
    assert not set(imported(tree(path))) & (IMPURE | set(FOREIGN))


@pytest.mark.parametrize("path", modules("bot", "estimator"), ids=name)
def test_no_file_imports_what_trains(path: Path) -> None:
    assert not set(imported(tree(path))) & TRAINING


@pytest.mark.parametrize("path", ESTIMATOR, ids=name)
def test_no_file_of_the_estimator_reads_or_runs(path: Path) -> None:
    called = {
        node.func.id
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"open", "eval", "exec", "compile", "__import__", "input"}


@pytest.mark.parametrize("path", modules("bot", "estimator"), ids=name)
def test_one_file_draws(path: Path) -> None:
    """What draws takes a third of a second and 100 MB; the bot itself never loads it."""
    draws = DRAWS in set(imported(tree(path)))
    assert draws is (name(path) == "bot/pictures/drawing.py")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("bot.connecting", {DRAWS, *KEEPS}),
        ("bot.command_line", {DRAWS, "asyncio", *KEEPS}),
        ("bot.pictures.worker", {DRAWS, "discord", "pydantic", "estimator", "asyncio"}),
    ],
)
def test_a_start_does_not_load(module: str, absent: set[str]) -> None:
    program = f"import sys, {module}; print(*sorted(set(sys.modules) & {absent!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    assert done.stdout.split() == []


def test_it_answers_with_the_bot_and_discord_absent() -> None:
    done = ran(PROGRAM)
    assert done.returncode == 0, done.stderr
    training, serving, machinery = done.stdout.splitlines()
    assert int(training) > int(serving) > 0
    assert machinery == ""


def test_a_question_in_a_terminal_needs_no_discord() -> None:
    program = (
        "import sys; sys.modules['discord'] = sys.modules['aiohttp'] = None; "
        "from bot.command_line import main; raise SystemExit(main(['ask', 'train 7B adam lora']))"
    )
    done = ran(program)
    assert (done.returncode, done.stderr) == (0, "")
    assert "15.7 GiB" in done.stdout


def test_a_question_in_a_terminal_keeps_nothing() -> None:
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({KEEPS!r})); "
        "from bot.command_line import main; raise SystemExit(main(['ask', 'train 7B adam lora']))"
    )
    done = ran(program)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_bot_needs_nothing_of_the_page() -> None:
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({PAGE!r})); "
        "import bot.connecting; from bot.command_line import main; "
        "raise SystemExit(main(['ask', 'train 7B adam lora']))"
    )
    done = ran(program)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", modules("bot"), ids=name)
def test_only_the_page_imports_what_it_takes(path: Path) -> None:
    if name(path) not in OF_THE_PAGE:
        assert not set(imported(tree(path))) & set(PAGE)
