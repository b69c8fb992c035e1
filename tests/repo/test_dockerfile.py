"""The image: made of files that exist, run by nobody in particular, with all that it imports."""

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.store.address import DEFAULT_FILE
from tests.repo.product import OF_THE_PAGE, ROOT, modules, name, tree
from tests.repo.test_purity import imported

LOCK, LOCK_OF_THE_PAGE = ROOT / "requirements.lock", ROOT / "requirements-try.lock"
SOURCES = packages_distributions()
STRAYS = (
    *(".env", ".git/config", ".venv/bin/python", "config.toml", "discord_token", "id_rsa"),
    *("Dockerfile", "README.md", "requirements-dev.lock", "tests/bot/test_ask.py", ".ci/run"),
    "bot/deploy/secrets/discord_token",
    *("bot/.env", "bot/ops/.secret", "bot/__pycache__/ask.cpython-313.pyc", "bot/old.pyc"),
    *("estimator/data/.models.toml.swp", "botnet/x.py", "LICENSE.old", "x/bot/x.py"),
)


class Instruction(NamedTuple):
    """One line of a Dockerfile, its continuations joined."""

    word: str
    rest: str


def instructions() -> list[Instruction]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    bare = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    lines = bare.replace("\\\n", " ").splitlines()
    return [Instruction(*line.split(None, 1)) for line in lines if line.strip()]


def stages() -> list[list[Instruction]]:
    """What stands before the first FROM, and each stage."""
    found: list[list[Instruction]] = [[]]
    for instruction in instructions():
        if instruction.word == "FROM":
            found.append([])
        found[-1].append(instruction)
    return found


def final(word: str) -> list[str]:
    return [instruction.rest for instruction in stages()[-1] if instruction.word == word]


def copied() -> Iterator[str]:
    """Every path that COPY takes from this folder."""
    for instruction in instructions():
        if instruction.word == "COPY" and "--from=" not in instruction.rest:
            yield from instruction.rest.split()[:-1]


def wanted() -> set[str]:
    """Every file that the image is made of."""
    paths = (ROOT / path for path in copied())
    files = (file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]))
    return {
        name(file)
        for file in files
        if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith(".")
    }


def lets_through(path: str) -> bool:
    """Whether Docker sends `path`: the last pattern that fits it or a folder above it decides."""
    parts = path.split("/")
    above = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    kept = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        pattern = "".join(
            {"**/": "(?:.*/)?", "*": "[^/]*"}.get(piece, re.escape(piece))
            for piece in re.split(r"(\*\*/|\*)", line.removeprefix("!"))
        )
        if any(re.fullmatch(pattern, folder) for folder in above):
            kept = line.startswith("!")
    return kept


def test_what_is_copied_exists() -> None:
    assert set(copied()) == {"LICENSE", "bot", "estimator", "requirements.lock"}
    assert all((ROOT / path).exists() for path in copied())


def test_the_ignore_file_lets_through_what_is_copied() -> None:
    assert len(wanted()) > 50
    assert {path for path in wanted() if not lets_through(path)} == set()


def test_the_ignore_file_lets_through_nothing_else() -> None:
    beside = {path.name for path in ROOT.iterdir() if path.name not in set(copied())}
    assert {path for path in (*beside, *STRAYS) if lets_through(path)} == set()


def test_both_stages_are_of_one_python() -> None:
    before, build, last = stages()
    (python,) = (rest for word, rest in before if word == "ARG")
    assert re.fullmatch(r"PYTHON=python:3\.\d+-slim(@sha256:[0-9a-f]{64})?", python)
    assert build[0].rest == "${PYTHON} AS build"
    assert last[0].rest == "${PYTHON}"


def test_only_locked_files_are_installed() -> None:
    runs = [rest for word, rest in instructions() if word == "RUN"]
    installs = [rest for rest in runs if "pip" in rest]
    assert len(installs) == 1
    assert "--require-hashes" in installs[0]
    assert "requirements.lock" in installs[0]
    assert [rest for word, rest in instructions() if word == "ADD"] == []
    assert [rest for word, rest in stages()[-1] if word == "RUN"] == []


def test_the_last_stage_takes_only_the_program_from_the_first() -> None:
    taken = [rest for rest in final("COPY") if rest.startswith("--from=")]
    assert taken == [
        "--from=build /venv /venv",
        "--from=build /app ./",
        "--from=build --chown=10001:10001 /data /data",
    ]
    assert "PYTHONDONTWRITEBYTECODE=1" in " ".join(final("ENV"))


def test_it_runs_as_a_number_that_is_not_root() -> None:
    (user,) = final("USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    assert [rest for word, rest in instructions() if word == "USER"] == [user]


def test_what_is_kept_lies_on_a_volume_of_its_user() -> None:
    """The working folder may be read-only; the file of the settings' default is there a link."""
    (user,), (volume,) = final("USER"), final("VOLUME")
    assert json.loads(volume) == ["/data"]
    made = [rest for word, rest in instructions() if word == "RUN" and "/data" in rest]
    assert made == [f"mkdir /data && ln -s /data/{DEFAULT_FILE} /app/{DEFAULT_FILE}"]
    assert f"--from=build --chown={user} /data /data" in final("COPY")
    assert final("WORKDIR") == ["/app"]


def test_it_is_started_and_stopped_without_a_shell() -> None:
    (entry,) = final("ENTRYPOINT")
    assert json.loads(entry) == ["python", "-m", "bot"]
    (health,) = final("HEALTHCHECK")
    assert json.loads(health.partition("CMD ")[2]) == ["python", "-m", "bot", "health"]
    assert final("STOPSIGNAL") == ["SIGTERM"]


def test_no_layer_holds_a_secret() -> None:
    said = [rest for word, rest in instructions() if word in ("ARG", "ENV", "LABEL", "RUN")]
    assert [rest for rest in said if re.search("token|secret|password", rest, re.IGNORECASE)] == []


def locked(path: Path) -> set[str]:
    """The names in the lock file, as PEP 503 writes them; of the page, in that of its extra."""
    lock = LOCK_OF_THE_PAGE if name(path) in OF_THE_PAGE else LOCK
    return set(re.findall(r"^([a-z0-9-]+)==", lock.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", modules("bot", "estimator"), ids=name)
def test_what_is_imported_is_locked(path: Path) -> None:
    foreign = set(imported(tree(path))) - set(sys.stdlib_module_names) - {"bot", "estimator"}
    for package in foreign:
        sources = {re.sub(r"[-_.]+", "-", source).lower() for source in SOURCES[package]}
        assert sources & locked(path), package
