"""`teacher 70B`, `distill A from B`: the model learned from, out before the other is read."""

import re
from collections.abc import Iterator, Sequence

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, NotUnderstoodError, Said
from bot.reading.families import family_near
from estimator import BadRequest, Catalog, parse_size

MOST_PARTS = 5  # words of a model's name: `llama 3.1 8b instruct`
OF_FAMILY = 2  # words of a family with a size: `llama 8b`
MOST_VERSIONS = 5  # models of a family's size that are asked back
_NAME = r"(?P<name>[^,;\n]+)"
_DISTILL = r"(?<![\w.\-/])distil\w*(?![\w\-/])"
_TEACHER = compiled(rf"\bteacher(?:\s+model)?\s*[:=]?\s+{_NAME}", re.IGNORECASE)
_FROM = compiled(rf"{_DISTILL}[^;\n]{{0,200}}?\sfrom\s+(?:an?\s+|the\s+)?{_NAME}", re.IGNORECASE)
_INTO = compiled(
    rf"{_DISTILL}\s+(?:an?\s+|the\s+)?(?P<name>[^,;\n]{{1,120}}?)\s+(?:in|on)?to\s", re.IGNORECASE
)
_BEHIND = compiled(rf"(?:an?\s+|the\s+)?{_NAME}", re.IGNORECASE)
_DISTILLED_INTO = compiled(rf"\s{_DISTILL}\s+(?:in|on)?to\s", re.IGNORECASE)
MOST_BEFORE = 160  # characters of a name before it, and of what parts them
_BEFORE = compiled(rf"(?P<name>[^,;\n]{{1,120}}?)\s+{_DISTILL}\s+(?:in|on)?to\s", re.IGNORECASE)

_STUDENT = compiled(
    r"\b(?P<into>in|into|to|onto)\s+(?:(?:an?|the|its)\s+)?(?:\w*er\s+)?(?P<size>\d+(?:\.\d+)?b)\b"
    r"(?:\s+(?:one|model|student|version|variant))?",
    re.IGNORECASE,
)
_SIZE = compiled(r"(?<=-)\d+(?:\.\d+)?B\b", re.IGNORECASE)


def take_teacher(text: str, catalog: Catalog, locale: Locale, said: Said) -> str:
    """`text` without the teacher that it names, which goes to `said`.

    The longest name that a table has, or else a bare size. Where distilling is spoken of,
    a teacher that no table has is an error, and a family in several versions a question.
    """
    words = text.casefold()
    distilled = "distil" in words
    if not distilled and "teacher" not in words:
        return text
    for pattern in (_TEACHER, _FROM, _INTO, _BEFORE) if distilled else (_TEACHER,):
        match = pattern.search(text, _from_which(text) if pattern is _BEFORE else 0)
        if match is None or (pattern in (_INTO, _BEFORE) and not _goes_into(match, catalog)):
            continue
        for start, end in _spans(match, from_end=pattern is _BEFORE):
            name = _known(text[start:end], catalog)
            if name is None:
                continue
            said.facts.append(Fact("teacher", name, text[start:end]))
            alone = _without(text, match, start, end, whole=pattern is _TEACHER)
            return _with_student(alone, name, catalog)
        if _refuse(match, catalog, locale, said):
            start, end = next(_spans(match, most=OF_FAMILY))
            return _without(text, match, start, end, whole=pattern is _TEACHER)
    return text


def _from_which(text: str) -> int:
    """Where the first name before a `distilled into` can begin, so as not to look from each place.

    The end of the text where there is no such word.
    """
    found = _DISTILLED_INTO.search(text)
    return len(text) if found is None else max(0, found.start() - MOST_BEFORE)


def _goes_into(match: re.Match[str], catalog: Catalog) -> bool:
    """Whether a model stands behind `into`: not in `distill 7B to fit 24 GB`."""
    behind = _BEHIND.match(match.string, match.end())
    names = () if behind is None else [match.string[a:b] for a, b in _spans(behind)]
    return any(_known(name, catalog) for name in names) or (
        behind is not None and bool(_versions(behind["name"].split(), catalog))
    )


def _without(text: str, match: re.Match[str], start: int, end: int, *, whole: bool) -> str:
    """`text` less the name, and less the word `teacher` before it."""
    return f"{text[: match.start() if whole else start]} , {text[end:]}"


def _with_student(text: str, teacher: str, catalog: Catalog) -> str:
    """`text` with the whole name of a student of the teacher's family: `72B into the 7B`."""

    def take(found: re.Match[str]) -> str:
        row = catalog.models.get(_SIZE.sub(found["size"].upper(), teacher, count=1))
        return found[0] if row is None or row.id == teacher else f"{found['into']} {row.id} "

    return _STUDENT.sub(take, text, count=1)


def _spans(
    match: re.Match[str], *, from_end: bool = False, most: int = MOST_PARTS
) -> Iterator[tuple[int, int]]:
    """Where names may stand in what was matched, the longest first; `from_end`: at its end."""
    words = [word.span() for word in re.finditer(r"\S+", match["name"])]
    offset = match.start("name")
    for length in range(min(len(words), most), 0, -1):
        part = words[-length:] if from_end else words[:length]
        yield offset + part[0][0], offset + part[-1][1]


def _known(name: str, catalog: Catalog) -> str | None:
    """The id of a table's model, or a bare size as it was typed."""
    row = catalog.models.get(name)
    if row is not None:
        return row.id
    try:
        return name if " " not in name and parse_size(name) is not None else None
    except BadRequest:
        return None


def _refuse(match: re.Match[str], catalog: Catalog, locale: Locale, said: Said) -> bool:
    """Note what is wrong with a teacher that no table has; false where none is meant."""
    parts = match["name"].split()
    near = _versions(parts, catalog)
    if near:
        name, closest = echo(" ".join(parts[:OF_FAMILY])), ", ".join(f"`{n}`" for n in near)
        message = locale.say_wrong("which_model", name=name, closest=closest)
        said.faults.append(NotUnderstoodError("ambiguous", message, field="teacher", names=near))
    elif match.re.pattern == _TEACHER.pattern and "distil" in match.string.casefold():
        message = locale.say_wrong("unknown_model", name=echo(parts[0]))
        said.faults.append(NotUnderstoodError("unknown_name", message))
    return bool(said.faults)


def _versions(parts: Sequence[str], catalog: Catalog) -> list[str]:
    """Models of a family and a size: `llama 8b`, `llama-8b`."""
    family, _, rest = " ".join(parts[:OF_FAMILY]).casefold().replace("-", " ").partition(" ")
    size = rest.split(" ", 1)[0]
    if family not in {row.family for row in catalog.models.rows} or _known(size, catalog) is None:
        return []
    return family_near(family, size, catalog)[:MOST_VERSIONS]
