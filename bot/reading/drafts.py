"""`draft 1B`, `with a 1B draft`: the model that guesses ahead, out before the other is read."""

import re
from collections.abc import Iterator

from bot.compiled import compiled
from bot.reading.atoms import atoms_of
from bot.reading.facts import Fact, Said
from bot.reading.vocabulary import Vocabulary
from estimator import BadRequest, Catalog, parse_size

MOST_DRAFTS = 3  # that are told apart
MOST_PARTS = 5  # words of a model's name: `llama 3.2 1b instruct`
OF_FAMILY = 2  # words of a family with a size: `llama 1b`
FORMAT = compiled(  # of a draft, behind its name
    r"(?:in |at )?(?:gguf )?(?:i?q\d(?:_\w+)?|fp8|bf16|fp16|awq|gptq|int[48]|[48][- ]?bit)"
    r"(?![\w-])",
    re.IGNORECASE,
)
HINTS = ("draft", "-md", "speculative")  # one of them is there
_NAME = r"(?P<name>[^,;\n]+)"
_BEFORE = compiled(
    rf"(?<![\w-])(?:-md|(?:--)?(?:model[-_]draft|draft(?:[-_\s]model)?|speculative[-_\s]model))"
    rf"(?![\w]|\s+(?:weights|format))\s*[:=]?\s*(?:an?\s+|of\s+)?{_NAME}",
    re.IGNORECASE,
)
_BEHIND = compiled(
    r"(?<!\w)(?:with|w/?|using|plus|\+|and)\s+(?:an?\s+|the\s+)?(?P<name>[^,;\n]{1,120}?)\s+"
    r"(?:(?:as|is|being)\s+(?:an?\s+|the\s+|its\s+)?|for\s+(?:the\s+)?)?draft(?:er|ing)?(?:\s+model)?(?!\w)",
    re.IGNORECASE,
)


def take_draft(text: str, catalog: Catalog, said: Said) -> str:
    """`text` without the draft models that it names, which go to `said`."""
    for _ in range(MOST_DRAFTS if _is_named(text) else 0):
        rest = _take_one(text, catalog, said)
        if rest == text:
            break
        text = rest
    return text


def unknown_draft(text: str, vocabulary: Vocabulary) -> str:
    """The `frobnicate` of `draft frobnicate`: a word that means nothing, where a name stands."""
    match = _BEFORE.search(text) if _is_named(text) else None
    word = "" if match is None else match["name"].split(maxsplit=1)[0]
    atoms = atoms_of(word)
    unread = atoms and not atoms[0].numeric and vocabulary.longest(atoms, 0) is None
    return word if unread and atoms[0].text not in vocabulary.families else ""


def _is_named(text: str) -> bool:
    words = text.casefold()
    return any(hint in words for hint in HINTS)


def _take_one(text: str, catalog: Catalog, said: Said) -> str:
    for pattern in (_BEHIND, _BEFORE):
        match = pattern.search(text)
        if match is None:
            continue
        for end, name in _names(match["name"]):
            found = _known(name, catalog)
            behind = match["name"][end:].lstrip()
            packed = FORMAT.match(behind)
            more = behind if packed is None else behind[packed.end() :].strip()
            if found is None or (pattern is _BEHIND and more):
                continue
            said.facts.append(Fact("draft", found, name))
            rest = text[match.end() :]
            rest = rest if pattern is _BEHIND else f" {more} {rest}"
            rest = rest if packed is None else f"draft weights {packed[0]} , {rest}"
            return f"{text[: match.start()]} , {rest}"
    return text


def _names(text: str) -> Iterator[tuple[int, str]]:
    """Beginnings of whole words, the longest first, and where they end."""
    ends = [word.end() for word in re.finditer(r"\S+", text)][:MOST_PARTS]
    for end in reversed(ends):
        yield end, text[:end].strip()


def _known(name: str, catalog: Catalog) -> str | None:
    """The id of a table's model, a bare size as it was typed, or a family's newest of a size."""
    row = catalog.models.get(name)
    if row is not None:
        return row.id
    try:
        if " " not in name and parse_size(name) is not None:
            return name
    except BadRequest:
        return None
    parts = name.casefold().replace("-", " ").split()
    if len(parts) != OF_FAMILY or parts[0] not in {row.family for row in catalog.models.rows}:
        return None
    size = re.compile(rf"(?<![\d.]){re.escape(parts[1])}(?!\w)")
    own = [row.id for row in catalog.models.rows if row.family == parts[0]]
    return max((one for one in own if size.search(one.casefold())), default=None)
