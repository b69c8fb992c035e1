"""Files stay short, and what is public says what it is."""

import ast
from pathlib import Path

import pytest

from tests.repo.product import modules, name, tree

LONGEST = 300  # lines; a file that outgrows that is two ideas
ALL = modules("bot", "estimator", "tests")
ESTIMATOR = modules("estimator")

Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def test_there_are_files() -> None:
    assert len(ALL) > len(ESTIMATOR) > 20


@pytest.mark.parametrize("path", ALL, ids=name)
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", ESTIMATOR, ids=name)
def test_public_names_are_documented(path: Path) -> None:
    module = tree(path)
    assert ast.get_docstring(module)
    bare = [
        node.name
        for node in module.body
        if isinstance(node, Documented)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert bare == []
