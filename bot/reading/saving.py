"""Modules that are trained whole beside adapters: `modules_to_save lm_head`, `train embeddings`."""

from collections.abc import Sequence

from bot.reading.clean import echo
from bot.reading.facts import NotUnderstoodError
from bot.reading.keys import hint
from bot.reading.line import Line
from bot.reading.vocabulary import Kind, Match

SAVED = "saved"  # the field of a fact
MODULES = ("embed_tokens", "lm_head")
ANNOUNCING = ("saving", "trainable")
PLAIN_MODULES = ("dense", "wo", "q", "k", "v", "o")  # words that are modules only in a list of them
PROJECTION = "_proj"  # what most models' names of modules end in
OWN_NAMES = {  # in families that call them otherwise
    "q": ("query", "q_lin", "query_proj"),
    "k": ("key", "k_lin", "key_proj"),
    "v": ("value", "v_lin", "value_proj"),
    "o": ("out_proj", "out_lin", "attention.output.dense"),
}
BETWEEN = ("and", "the", "also", "plus", "both", "whole", "full", "its")
BEHIND = ("too", "also", "whole", "fully")


def take_saved(line: Line, at: int) -> int:
    """Atoms of a word such as `save` or `train` with the embedding or head behind it; else 0."""
    match = line.match(at)
    if match is None or not (_unit(match) in ANNOUNCING or _is_train(match)):
        return 0
    named = _unit(match) == "saving"
    found, end = _modules(line, at + match.length, named=named)
    if not found:
        return 0
    if others := [name for name, _, _ in found if name not in MODULES]:
        _ask(line, line.text(at, end - at), others)
        found = [one for one in found if one[0] in MODULES]
    hint(line, at, match.length)
    if _is_train(match):
        line.add("task", "train", at, match.length)
    for name, start, length in found:
        line.add(SAVED, name, start, length)
    line.fact_end = _behind(line, end)
    return line.fact_end - at


def _ask(line: Line, words: str, modules: Sequence[str]) -> None:
    """`save q_proj`: whether it is trained whole, of which there is no estimate, or adapted."""
    message = line.locale.say_wrong("saved_module", words=echo(words))
    names = [f"targets {' '.join(modules)}"]
    line.said.faults.append(NotUnderstoodError("ambiguous", message, field="targets", names=names))


def _modules(line: Line, at: int, *, named: bool) -> tuple[list[tuple[str, int, int]], int]:
    """(module, start, atoms) of each in a list, and its end.

    `named`: they are said to be saved, so that a comma may come first, and any module be one.
    """
    found: list[tuple[str, int, int]] = []
    end = at
    while at < len(line.atoms) and (found or named or not line.atoms[at].apart):
        match = line.vocabulary.longest(line.atoms, at)
        name = None if match is None else _name(match, named=named)
        if match is not None and name is not None:
            found.append((name, at, match.length))
            at = end = at + match.length
        elif line.atoms[at].text in BETWEEN:
            at += 1
        else:
            break
    return found, end


def _behind(line: Line, at: int) -> int:
    """`too`, `as well`: what says no more than that it is beside the rest."""
    words = [atom.text for atom in line.atoms[at : at + 2] if not atom.apart]
    if words == ["as", "well"]:
        return at + 2
    return at + 1 if words[:1] and words[0] in BEHIND else at


def _name(match: Match, *, named: bool) -> str | None:
    """The module that a phrase names: the embedding or the head, or where `named` any."""
    value = match.of(Kind.VALUE)
    if _unit(match) in MODULES:
        return _unit(match)
    plain = value is None or value.field != "module" or value.value in PLAIN_MODULES
    return None if value is None or plain or not named else str(value.value)


def _unit(match: Match) -> str | None:
    return match.units[0] if match.units else None


def _is_train(match: Match) -> bool:
    value = match.of(Kind.VALUE)
    return value is not None and (value.field, value.value) == ("task", "train")


def spelled(modules: Sequence[str], known: Sequence[str]) -> list[str]:
    """Modules as the model spells them: `Wqkv` is another's `wqkv`, `q` another's `query`."""
    spelling = {name.casefold().removesuffix(PROJECTION): name for name in known}
    for short, names in OWN_NAMES.items():
        own = next((name for name in names if name in known), None)
        if own is not None:
            spelling.setdefault(short, own)
    spelling |= {name.casefold(): name for name in known}
    found: list[str] = []
    for name in modules:
        plain = name.casefold()
        found.append(spelling.get(plain) or spelling.get(plain.removesuffix(PROJECTION), name))
    return list(dict.fromkeys(found))
