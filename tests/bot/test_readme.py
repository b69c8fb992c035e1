"""What README.md, CONTRIBUTING.md and CHANGELOG.md say is so: commands, examples, tree, links."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from bot.ask import Desk, open_desk
from estimator import answer, load_catalog, parse_request
from tests.bot.readme import ROOT, renewed

PAGES = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
}
TEXT, CONTRIBUTING = PAGES["README.md"], PAGES["CONTRIBUTING.md"]

COMMANDS = "".join(re.findall(r"^```bash\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)).splitlines()
SET_UP = [line for line in COMMANDS if line.startswith("python3 -m venv")]
PYTHON = ".venv/bin/python"
WIDEST = 48  # columns of a block that is no command

OPEN_QUESTIONS = (  # together they take every default there is
    *({"task": "train", "model": "7B", "method": m} for m in ("full", "qlora", "dora", "lomo")),
    {"task": "train", "model": "0.5B"},
    {"task": "train", "model": "7B", "weights": "fp32", "world": 2},
    {"task": "infer", "model": "7B", "world": 2},
    {"task": "infer", "model": "7B", "weights": "gguf:Q4_K_M"},
)


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def run(command: str) -> subprocess.CompletedProcess[str]:
    """`command` with this Python, from the top folder, with nothing to read."""
    return subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", command.replace(PYTHON, sys.executable)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


def listed() -> Iterator[tuple[str, str]]:
    """Every path in CONTRIBUTING's tree, with what is said of it."""
    block = re.search(r"^## The tree\n\n```text\n(.*?)^```", CONTRIBUTING, re.DOTALL | re.MULTILINE)
    assert block is not None
    folders: list[str] = []
    for line in block[1].splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name, _, said = line.strip().partition(" ")
        yield "".join([*folders[:depth], name]), said.strip()
        if name.endswith("/"):
            folders[depth:] = [name]


def on_disk() -> Iterator[str]:
    """Every file of the two packages that holds something."""
    for path in (*ROOT.glob("bot/**/*"), *ROOT.glob("estimator/**/*")):
        if path.suffix in (".toml", ".yaml") or (
            path.suffix == ".py" and holds_code(path.read_text("utf-8"))
        ):
            yield path.relative_to(ROOT).as_posix()


def holds_code(text: str) -> bool:
    """Whether a module has more than its docstring."""
    return len(ast.parse(text).body) > 1


def heading_ids(page: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_tree_lists_every_file_and_nothing_else() -> None:
    paths = [path for path, _ in listed()]
    assert len(paths) == len(set(paths))
    assert {path for path in paths if not (ROOT / path).exists()} == set()
    packages = {p for p in paths if p.startswith(("bot/", "estimator/")) and not p.endswith("/")}
    assert packages == set(on_disk())


def test_tree_names_every_folder_of_tests() -> None:
    folders = {f"tests/{p.parent.name}/" for p in ROOT.glob("tests/*/*.*")} - {"tests/__pycache__/"}
    assert folders == {p for p, _ in listed() if p.startswith("tests/") and p != "tests/"}


def test_two_commands_set_up_and_do_it() -> None:
    first, second = SET_UP
    assert first.endswith(' -m bot ask "train 7B adam lora"')
    assert "requirements.lock" in first
    assert second.endswith(f"{PYTHON} -m pytest -q -n auto")
    assert "requirements-dev.lock" in second


def test_checks_run_the_second_command_word_for_word() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    taken = re.search(r"^second=\$\((.+)\)$", script, re.MULTILINE)
    assert taken is not None
    assert run(taken[1]).stdout == SET_UP[1] + "\n"
    assert 'bash -euo pipefail -c "$second"' in script
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_checks_open_the_page_in_a_browser_and_skip_nothing() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f"\n{PYTHON} -m pytest -q -m browser tests/browser\n" in script
    assert "install -qq -y --no-install-recommends chromium" in script
    tests = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/browser/*.py"))
    assert "skip(" not in tests
    assert "skipif" not in tests


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in SET_UP])
def test_other_commands_run(command: str) -> None:
    done = run(command)
    assert (done.returncode, done.stderr) == (0, "")


def test_first_command_answers() -> None:
    done = run(SET_UP[0].split(" && ")[-1])
    assert (done.returncode, done.stderr) == (0, "")
    assert "GiB" in done.stdout


def test_lines_of_json_are_answered() -> None:
    (command,) = (c for c in COMMANDS if c.startswith("echo"))
    assert '"error": null' in run(command).stdout


def test_exit_status_is_as_said() -> None:
    assert run(f"{PYTHON} -m bot ask 'train 7B lora frobadam'").returncode == 2


def test_examples_are_what_the_program_says(desk: Desk) -> None:
    assert renewed(TEXT, desk) == TEXT, "run python -m tests.bot.readme, and read the difference"


def test_blocks_fit_a_phone() -> None:
    blocks = re.findall(r"^```(?:text|json)\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).splitlines()
    assert [line for line in lines if len(line) > WIDEST] == []


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", PAGES[name]):
        if link.startswith("https://"):
            continue
        path, _, part = link.partition("#")
        assert (ROOT / path).exists(), link
        if part:
            assert part in heading_ids(PAGES[path or name]), link


def test_own_sources_are_sections() -> None:
    own = [source.id for source in load_catalog().sources.rows if "://" not in source.where]
    here = {name for name in own if load_catalog().sources.find(name).where == "CONTRIBUTING.md"}
    assert {"defaults", "bare-sizes"} <= here <= heading_ids(CONTRIBUTING)


@pytest.mark.parametrize("question", OPEN_QUESTIONS, ids=str)
def test_every_default_has_its_reason(question: dict[str, object]) -> None:
    section = CONTRIBUTING.split("\n## Defaults\n")[1].split("\n## ")[0]
    taken = answer(parse_request(question), load_catalog()).assumed
    fields = {assumed.field for assumed in taken if assumed.source != "bare-sizes"}
    assert {field for field in fields if f"`{field}`" not in section} == set()


def test_formula_shown_is_one_of_the_program() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", CONTRIBUTING, re.DOTALL | re.MULTILINE)
    terms = [path.read_text(encoding="utf-8") for path in ROOT.glob("estimator/memory/*.py")]
    assert blocks
    assert all(any(block in text for text in terms) for block in blocks)


def test_changelog_speaks_of_estimates() -> None:
    assert {"unreleased", "added", "estimates"} <= heading_ids(PAGES["CHANGELOG.md"])
