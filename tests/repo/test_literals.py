"""1000 and 1024 stand in `estimator/units.py` and nowhere else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repo.product import modules, name, tree

PRODUCT = modules("bot", "estimator")
UNITS = "estimator/units.py"
CHARACTERS = "bot/surface/limits.py"  # Discord's 1,024 characters are no size of memory
SIZES = {base**power for base in (1000, 1024) for power in (1, 2, 3, 4)}


def folded(node: ast.AST) -> int | float | None:
    """The value of a number, or of a power or a shift of two numbers."""
    match node:
        case ast.Constant(value=int(value) | float(value)) if not isinstance(value, bool):
            return value
        case ast.BinOp(
            left=ast.Constant(value=int(left)),
            op=ast.Pow() | ast.LShift() as sign,
            right=ast.Constant(value=int(right)),
        ) if right < 64:
            return left**right if isinstance(sign, ast.Pow) else left << right
    return None


def sizes_in(module: ast.Module) -> Iterator[str]:
    """Every literal size, with its line."""
    for node in ast.walk(module):
        if folded(node) in SIZES:
            yield f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)}"


@pytest.mark.parametrize("path", PRODUCT, ids=name)
def test_sizes_are_named(path: Path) -> None:
    found = list(sizes_in(tree(path)))
    if name(path) == UNITS:
        assert len(found) == 2
    elif name(path) == CHARACTERS:
        assert {text.split(": ")[1] for text in found} == {"1024"}
    else:
        assert found == []


@pytest.mark.parametrize(
    "text", ["1000", "1024", "1e9", "2**30", "10**9", "1 << 30", "x * 1_000_000", "1024.0", "2**10"]
)
def test_the_walk_sees(text: str) -> None:
    assert list(sizes_in(ast.parse(text)))


@pytest.mark.parametrize("text", ["4000", "'1000'", "2**5", "x**3", "100", "True", "8 << 3"])
def test_the_walk_passes_over(text: str) -> None:
    assert list(sizes_in(ast.parse(text))) == []
