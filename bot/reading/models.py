"""Which model a line means: one name, one size, or a family's name beside a size."""

import re
from collections import Counter

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, NotUnderstoodError, Said
from bot.reading.vocabulary import Vocabulary
from estimator import BadRequest, BareSize, Catalog, Model, key_of, parse_size, show_count

MOST_VERSIONS = 5  # models of a family's size that are asked back
NEAR = 0.1  # a typed size this close to a model's count is that model's: 7B for 6.7 B or 7.6 B

_HUB_LINK = re.compile(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/([\w.\-]+/[\w.\-]+(?::(?!latest\b)[\w.\-]+)?)\S*",
    re.IGNORECASE,
)
_NO_OWNERS = ("blog", "collections", "datasets", "docs", "learn", "papers", "spaces", "tasks")
_URL = re.compile(r"(?P<key>\bmodel\s*[=:]\s*)?https?://\S+", re.IGNORECASE)
_HUB_ID = re.compile(r"(?<![\w./\-])([A-Za-z][\w.\-]{1,95}/[\w.\-]{2,96})(?![\w/])")


def take_hub_ids(
    text: str, catalog: Catalog, vocabulary: Vocabulary, locale: Locale, said: Said
) -> tuple[str, list[Fact]]:
    """`owner/name` ids and links to them: `text` without them, and ids that no table has.

    Ids of the table go to `said`; words that a line knows (`qlora/4-bit`) are no id. A copy
    whose owner is not in the table leaves its name to be read: it often says base and
    format (`unsloth/llama-3-8b-bnb-4bit`). Other addresses are never followed.
    """
    linked = {link[1].split(":")[0].rstrip(".-") for link in _HUB_LINK.finditer(text)}
    text = _HUB_LINK.sub(r" \1 ", text)
    for url in _URL.finditer(text):
        if url["key"]:
            message = locale.say_wrong("not_a_model_id")
            said.faults.append(NotUnderstoodError("not_a_model_id", message))
    text = _URL.sub(" ", text)
    found: list[Fact] = []

    def take(match: re.Match[str]) -> str:
        name = match[1].rstrip(".-")
        row = catalog.models.get(name)
        if row is not None:
            said.facts.append(Fact("model", row.id, name))
            return " , "
        owner, rest = name.split("/", 1)
        linked_to = name in linked and owner.casefold() not in _NO_OWNERS
        if linked_to or (tells_itself(name) and not vocabulary.spells(owner)):
            found.append(Fact("hub_id", name, name))
            return f" {rest} "
        return f" {match[0].replace('/', ' / ')} "

    return _HUB_ID.sub(take, text), found


def tells_itself(name: str) -> bool:
    """Whether `owner/name` can only be an id, also where nothing says that it is one."""
    own = name.partition("/")[2]
    return any(c.isdigit() for c in own) and any(c.isalpha() for c in own) and "-" in own


def strange_of(hub: list[Fact]) -> str:
    """The Hub id that no table has, where the line has one such alone."""
    named = {str(fact.value) for fact in hub if fact.field == "hub_id"}
    return named.pop() if len(named) == 1 else ""


def model_of(said: Said, hub: list[Fact], catalog: Catalog, locale: Locale) -> str | None:
    """The request's `model`; none if the line names none. Raises NotUnderstoodError."""
    models, sizes = said.all_of("model"), said.all_of("size")
    halves, unknown_ids = said.all_of("half_name"), [f for f in hub if f.field == "hub_id"]
    if unknown_ids and not models:
        raise _unknown(str(unknown_ids[0].value), catalog, locale)
    for named in (*models, *halves):
        if named.whole:
            raise _unknown(named.whole, catalog, locale)
    if len(models) > 1:
        raise _twice(models, locale)
    if models and halves:
        raise _twice([*models, *halves], locale)
    if models:
        return _with_sizes(models[0], sizes, catalog, locale)
    if len(sizes) > 1:
        raise _twice(sizes, locale)
    if halves:
        return _of_family(halves[0], sizes, catalog, locale)
    if not sizes:
        return None
    if is_mixture(sizes[0]):
        return _of_mixture(sizes[0], catalog, locale)
    if _parse(str(sizes[0].value)) is None:
        message = locale.say_wrong("bad_number", number=echo(sizes[0].text))
        raise NotUnderstoodError("bad_number", message)
    return str(sizes[0].value)


def _with_sizes(model: Fact, sizes: list[Fact], catalog: Catalog, locale: Locale) -> str:
    row = catalog.models.find(str(model.value))
    for size in sizes:
        typed = _parse(str(size.value))
        if typed is not None and _near(typed, row.parameters):
            continue
        other = catalog.models.get(f"{model.text} {size.value}")
        if other is not None:
            return other.id
        if is_mixture(size):
            if key_of(str(size.value)) in key_of(row.id):
                continue
            raise _unknown(f"{model.text} {size.value}", catalog, locale)
        message = locale.say_wrong(
            "size_mismatch",
            model=row.id,
            counted=show_count(row.parameters),
            typed=echo(str(size.value)),
        )
        wanted = row.parameters if typed is None else typed.total
        family = sorted(
            (m for m in catalog.models.rows if m.family == row.family),
            key=lambda m: abs(m.parameters - wanted),
        )
        raise NotUnderstoodError(
            "contradiction", message, field="model", names=[row.id, *(m.id for m in family[:3])]
        )
    return row.id


def _of_family(half: Fact, sizes: list[Fact], catalog: Catalog, locale: Locale) -> str:
    """The one model of a family with a size; else NotUnderstoodError with those nearest."""
    family, size = str(half.value), str(sizes[0].value) if sizes else None
    fitting = _fitting(family, size, catalog)
    if len(fitting) == 1:
        return fitting[0].id
    near = family_near(family, size, catalog)
    if fitting:
        raise _which(f"{family} {sizes[0].text.replace(' ', '')}", near[:MOST_VERSIONS], locale)
    if size is not None:  # `gemma 3 27b`: another Gemma may be nearer
        near = _nearest(
            near, family_near(family.split(maxsplit=1)[0], size, catalog), size, catalog
        )
    name = family if size is None else f"{family} {sizes[0].text.replace(' ', '')}"
    raise _unknown(name, catalog, locale, near[:5])


def _which(name: str, near: list[str], locale: Locale) -> NotUnderstoodError:
    """`llama 8b`: a family has models of that size in several versions."""
    closest = ", ".join(f"`{n}`" for n in near)
    message = locale.say_wrong("which_model", name=echo(name), closest=closest)
    return NotUnderstoodError("ambiguous", message, field="model", names=near)


def _nearest(own: list[str], others: list[str], size: str, catalog: Catalog) -> list[str]:
    """Of a family's wider relations, first those that come as near to a size as its own do."""
    typed = _parse(size)
    if typed is None or not others:
        return own or others
    away = {id_: abs(catalog.models.find(id_).parameters - typed.total) for id_ in (*own, *others)}
    nearest = min((away[name] for name in own), default=None)
    if nearest is not None and nearest <= min(away.values()):
        return own
    return [name for name in others if nearest is None or away[name] < nearest] or own


def is_mixture(size: Fact) -> bool:
    """`30B-A3B`: the size of a mixture, with its active parameters."""
    return "-A" in str(size.value)


def _of_mixture(size: Fact, catalog: Catalog, locale: Locale) -> str:
    """The one model of such a size; else NotUnderstoodError with those there are."""
    typed = str(size.value)
    rows = _fitting(typed, typed, catalog)
    if len(rows) == 1:
        return rows[0].id
    near = [row.id for row in rows or _family(typed, catalog)]
    raise _unknown(size.text, catalog, locale, near)


def family_near(family: str, size: str | None, catalog: Catalog) -> list[str]:
    """Ids of a family's models: those of `size`, the newest first; else all, the nearest first."""
    word, fitting = key_of(family), _fitting(family, size, catalog)
    rows = fitting or _family(family, catalog)
    typed = None if size is None else _parse(size)
    if size is None or typed is None:
        return [row.id for row in rows]
    owners = Counter(_owner(row) for row in _family(family, catalog))
    maker = max(owners, key=lambda owner: owners[owner], default="")
    as_typed = re.compile(rf"(?<![\d.]){re.escape(size.casefold())}")
    rows = sorted(
        rows,
        key=lambda r: (
            0 if fitting else abs(r.parameters - typed.total),
            r.family != word,
            _owner(r) != maker,
            as_typed.search(r.id.casefold()) is None,
            -_version(r.id, word),
        ),
    )
    return [row.id for row in rows]


def _owner(row: Model) -> str:
    """Who published a model; whose are most of a family made it, and others go on from theirs."""
    return row.id.split("/", 1)[0]


def _family(family: str, catalog: Catalog) -> list[Model]:
    word = key_of(family)
    return [
        row for row in catalog.models.rows if any(word in key_of(n) for n in (row.id, *row.aliases))
    ]


def _fitting(family: str, size: str | None, catalog: Catalog) -> list[Model]:
    """A family's models of a typed size; none without one."""
    typed = None if size is None else _parse(size)
    if size is not None and "-A" in size:  # not the copies that go on behind it
        return [row for row in _family(family, catalog) if key_of(row.id).endswith(key_of(size))]
    if typed is None:
        return []
    return [row for row in _family(family, catalog) if _near(typed, row.parameters)]


def _version(name: str, word: str) -> float:
    """2.5 of `Qwen/Qwen2.5-7B`: the number behind the family's name that is no size."""
    found = re.search(rf"{re.escape(word)}-?(\d+(?:\.\d+)?)(?![\d.]|[bm]\b)", name.casefold())
    return float(found[1]) if found else 0.0


def _near(typed: BareSize, parameters: int) -> bool:
    if typed.experts > 1:
        return parameters < typed.total and parameters > typed.parameters * typed.experts // 2
    return abs(typed.parameters - parameters) <= NEAR * parameters


def _parse(text: str) -> BareSize | None:
    try:
        return parse_size(text)
    except BadRequest as error:
        raise NotUnderstoodError(
            error.code, error.message, field="model", names=error.suggestions
        ) from None


def _twice(facts: list[Fact], locale: Locale) -> NotUnderstoodError:
    message = locale.say_wrong("twice", first=echo(facts[0].text), second=echo(facts[1].text))
    return NotUnderstoodError(
        "contradiction", message, field="model", names=[str(fact.value) for fact in facts[:4]]
    )


def _unknown(
    name: str, catalog: Catalog, locale: Locale, closest: list[str] | None = None
) -> NotUnderstoodError:
    near = closest or list(catalog.models.closest(name))
    key = "unknown_model_closest" if near else "unknown_model"
    message = locale.say_wrong(key, name=echo(name), closest=", ".join(f"`{n}`" for n in near))
    return NotUnderstoodError("unknown_name", message, field="model", names=near)
