"""Formula texts, evaluated exactly: integers and named terms, + - × ÷, ceil, max, min.

Nothing but these is understood; any other syntax is an error, so a text that says
something else than arithmetic fails the test that reads it.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil


def _ceil(values: Sequence[Fraction]) -> Fraction:
    (value,) = values
    return Fraction(ceil(value))


FUNCTIONS: Mapping[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "ceil": _ceil,
    "max": max,
    "min": min,
}


class FormulaError(ValueError):
    """A text that is not such arithmetic, or a term that is not there."""


def evaluate(text: str, terms: Mapping[str, int]) -> Fraction:
    """The exact value of `text` with its names taken from `terms`."""
    return _value(_tree(text), terms)


def names(text: str) -> set[str]:
    """The terms that `text` speaks of."""
    found = {node.id for node in ast.walk(_tree(text)) if isinstance(node, ast.Name)}
    return found - set(FUNCTIONS)


def _tree(text: str) -> ast.expr:
    try:
        return ast.parse(text.replace("×", "*").replace("÷", "/"), mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"not a formula: {text!r}") from error


def _value(node: ast.expr, terms: Mapping[str, int]) -> Fraction:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return Fraction(number)
        case ast.Name(id=name) if name in terms:
            return Fraction(terms[name])
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _value(left, terms) + _value(right, terms)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _value(left, terms) - _value(right, terms)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _value(left, terms) * _value(right, terms)
        case ast.BinOp(left=left, op=ast.Div(), right=right) if _value(right, terms):
            return _value(left, terms) / _value(right, terms)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name]([_value(argument, terms) for argument in arguments])
    raise FormulaError(f"not arithmetic over {sorted(terms)}: {ast.unparse(node)}")
