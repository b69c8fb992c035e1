"""What the estimator can say, out of its code: sentences with names for what differs.

`python -m tests.locales.estimator_texts` prints them as TOML, to be translated.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import estimator

FOLDER = Path(estimator.__file__).parent
# What is no text for a reader: formulas, names in code, lines to type, and errors of programmers.
FORMULA = re.compile(r" [×÷] |_bytes|^ [+-] |_elements|\bceil\(|\bmax\(|\bmin\(")
WORD = re.compile(r"[A-Za-z]{2,}")
HOLE = re.compile(r"\{[^{}]*\}")
OF_PROGRAMMERS = (
    "is refused before it gets here",
    "has no settings of its own",
    "is not in sources.toml",
    "reserves nothing",
    "keeps no pages",
    "a card of several holds a part",
    "blocks are {",
    "groups make blocks",
    "names {other}",
    "python -m",
)
TYPED = re.compile(  # lines and parts of them
    r"(?:ctx|bs|seq|pp|teacher) \{\w+\}|\{\w+\} (?:users|gpus|rows|no master)| ?\{bpw\} bpw"
    r"|\{words\} world \{world\}|unsloth trainer|single card|[A-Za-z_]+, [a-z_]+(?:, [a-z_]+)?"
    r"|Value error, "
)
ASKED_BACK = "suggestions"  # the keyword of what is offered to be typed
WITHIN = ("__main__.py", "units.py", "table.py", "rows.py", "catalog.py", "architecture.py")
KINDS = ("model", "card", "optimizer", "number format", "engine", "element type", "card class")
SUBJECTS = ("Sequence", "Context")  # that begin a sentence


def texts() -> Iterator[str]:
    """Each text once, with `{name}` for what is filled in."""
    seen = dict.fromkeys((*KINDS, *SUBJECTS))
    for file in sorted(FOLDER.rglob("*.py")):
        if file.name not in WITHIN and file.parent.name != "memory":
            seen |= dict.fromkeys(_texts_of(ast.parse(file.read_text(encoding="utf-8"))))
    optimizers = tomllib.loads((FOLDER / "data" / "optimizers.toml").read_text(encoding="utf-8"))
    rows = optimizers["optimizer"]
    seen |= dict.fromkeys(row["note"] for row in rows if "note" in row)
    yield from seen


def _texts_of(tree: ast.Module) -> Iterator[str]:
    aside = {id(part) for node in ast.walk(tree) for part in _no_texts(node)}
    inside: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in aside or id(node) in inside:
            continue
        text = _text(node)
        if text is None:
            continue
        inside |= {id(part) for part in ast.walk(node)} - {id(node)}
        if _is_said(text):
            yield text
        yield from _fragments(node)


def _no_texts(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, and what is offered to be typed."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    if isinstance(node, ast.keyword) and node.arg == ASKED_BACK:
        yield from ast.walk(node.value)


def _fragments(node: ast.AST) -> Iterator[str]:
    """Texts inside of a text's holes: what one of two words is chosen of."""
    for hole in ast.walk(node):
        if isinstance(hole, ast.FormattedValue):
            for part in ast.walk(hole.value):
                if isinstance(part, ast.Constant | ast.JoinedStr):
                    text = _text(part)
                    if text is not None and _is_said(text):
                        yield text


def _is_said(text: str) -> bool:
    plain = HOLE.sub("", text)
    formula = FORMULA.search(plain) and not plain.endswith(".")
    if formula or TYPED.fullmatch(text) or any(one in text for one in OF_PROGRAMMERS):
        return False
    return " " in text.strip() and len(WORD.findall(plain)) >= (1 if "{" in text else 2)


def _text(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(value)):
            filled_in_later = HOLE.search(value) is not None
            return value if filled_in_later else value.replace("{", "{{").replace("}", "}}")
        case ast.JoinedStr(values=values):
            taken: dict[str, int] = {}
            return "".join(_piece(one, taken) for one in values)
        case _:
            return None


def _piece(node: ast.expr, taken: dict[str, int]) -> str:
    if isinstance(node, ast.FormattedValue):
        name = _name(node.value)
        taken[name] = taken.get(name, 0) + 1
        number = taken[name]
        return f"{{{name}{number if number > 1 else ''}}}"
    return _text(node) or ""


def _name(node: ast.expr) -> str:
    """A short name for what is filled in: the last of its own."""
    match node:
        case ast.Attribute(value=value, attr="id" | "name" | "bytes" | "value"):
            return _name(value)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case ast.BinOp(left=ast.Constant(value=str())):
            return "plural"
    part = _part_of(node)
    return "value" if part is None else _name(part)


def _part_of(node: ast.expr) -> ast.expr | None:
    """What an expression is about."""
    match node:
        case ast.Call(func=ast.Attribute(value=value), args=[]) | ast.Subscript(value=value):
            return value
        case ast.Call(args=[first, *_]) | ast.BoolOp(values=[first, *_]):
            return first
        case ast.GeneratorExp(elt=part) | ast.ListComp(elt=part) | ast.IfExp(test=part):
            return part
        case ast.BinOp(left=part) | ast.Compare(left=part):
            return part
        case ast.JoinedStr(values=parts):
            return next((one.value for one in parts if isinstance(one, ast.FormattedValue)), None)
        case _:
            return None


if __name__ == "__main__":
    print("[estimator]")
    for one in texts():
        quoted = one.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        print(f'"{quoted}" = "{quoted}"')
