"""Which model a line means: one name, one size, or a family's name beside a size."""

import re

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, NotUnderstoodError, Said
from bot.reading.families import (
    family_near,
    fitting,
    goes_by,
    meant_of,
    nearest,
    of_family,
    series_near,
    typed_size,
)
from bot.reading.mixtures import has_sizes, is_active, is_mixture_size, of_sizes
from bot.reading.repositories import contained_in, copy_of, formats_of, tuned_from
from bot.reading.scope import OTHER_KIND, other_kind
from bot.reading.vocabulary import PLUS, Vocabulary
from estimator import Catalog, key_of, show_count

MOST_VERSIONS = 5  # models of a family's size that are asked back
MOST_NEAREST = 4  # models that are offered for a size that there is none of
TUNED_SERIES = ("nous", "hermes", "deephermes", "dolphin", "openhermes", "wizardlm", "tulu", "orca")
FULL_NAMES = {"r1": "deepseek r1"}  # of names that are typed by their second word alone

_BOTH_SIZES = compiled(r"(?<![\w.])\d+(?:\.\d+)?B-A\d+(?:\.\d+)?B$", re.IGNORECASE)
_SIZE_TOLD = compiled(r"(?<![\w.])[\d.x]+[bm]\b.*$|(?<=[a-z])[\d.]+b\b.*$", re.IGNORECASE)
_HUB_LINK = compiled(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/([\w.\-]+/[\w.\-]+(?::(?!latest\b)[\w.\-]+)?)\S*",
    re.IGNORECASE,
)
_OLLAMA_LINK = compiled(
    r"(?:https?://)?(?:www\.)?ollama\.com/library/([\w.\-]+(?::[\w.\-]+)?)\S*", re.IGNORECASE
)
_LATEST = compiled(r"(?<=\w):latest\b", re.IGNORECASE)
_NO_OWNERS = ("blog", "collections", "datasets", "docs", "learn", "papers", "spaces", "tasks")
_URL = compiled(r"(?P<key>\bmodel\s*[=:]\s*)?https?://\S+", re.IGNORECASE)
_HUB_ID = compiled(r"(?<![\w./\-])([A-Za-z][\w.\-]{1,95}/[\w.\-]{2,96})(?![\w/])")


def take_hub_ids(
    text: str, catalog: Catalog, vocabulary: Vocabulary, locale: Locale, said: Said
) -> tuple[str, list[Fact]]:
    """`owner/name` ids and links to them: `text` without them, and ids that no table has.

    Ids of the table go to `said`, and the bases of copies (`unsloth/llama-3-8b-bnb-4bit`),
    whose formats are left to be read; words that a line knows (`qlora/4-bit`) are no id. What
    was trained from a base and says so has its shape. Other addresses are never followed.
    """
    if "/" not in text and ":" not in text:
        return _take_plus(text, catalog, said), []
    linked = {link[1].split(":")[0].rstrip(".-") for link in _HUB_LINK.finditer(text)}
    text = _OLLAMA_LINK.sub(r" ollama \1 ", _HUB_LINK.sub(r" \1 ", text))
    text = _take_plus(_LATEST.sub("", text), catalog, said)
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
        owner = name.split("/", 1)[0]
        linked_to = name in linked and owner.casefold() not in _NO_OWNERS
        if vocabulary.spells(owner) and not linked_to:
            return f" {match[0].replace('/', ' / ')} "
        copy = copy_of(name, catalog.models)
        if copy is not None:
            said.facts.append(Fact("model", copy.row.id, name))
            return f" , {copy.words} , "
        if not (linked_to or tells_itself(name)):
            return f" {match[0].replace('/', ' / ')} "
        if kind := other_kind(name, vocabulary):
            said.facts.append(Fact(OTHER_KIND, kind, name))
            return " , "
        found.append(Fact("hub_id", name, name))
        tuned = tuned_from(name, catalog.models)
        if tuned is None:
            return f" , {formats_of(name)} , "
        said.facts.append(Fact("model", tuned.row.id, name))
        said.remarks.append(locale.say("tuned", name=echo(name), base=tuned.row.id))
        return f" , {tuned.words} , "

    return _HUB_ID.sub(take, text), found


def _take_plus(text: str, catalog: Catalog, said: Said) -> str:
    """Names that end in a plus, `command-r+`, which no word of a line does."""
    for row in catalog.models.named if PLUS in text else ():
        for name in row.aliases:
            if name.endswith(PLUS):
                words = r"[\s_-]?".join(map(re.escape, re.split(r"[\s_-]", name)))
                found = re.search(rf"(?<![\w-]){words}(?!\w)", text, re.IGNORECASE)
                if found is not None:
                    said.facts.append(Fact("model", row.id, found[0]))
                    text = f"{text[: found.start()]} , {text[found.end() :]}"
    return text


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
        raise _unknown_id(str(unknown_ids[0].value), catalog, locale)
    for named in (*models, *halves):
        if named.whole and not _has_whole_size(named, catalog):
            raise _unknown(named.whole, catalog, locale)
    if models:
        _refuse_others(models, halves, said, catalog, locale)
        return _with_sizes(models[0], sizes, said, catalog, locale)
    if len(sizes) > 1:
        either = any(fact.field == "either" for fact in said.facts)
        raise _twice(sizes, locale, code="ambiguous" if either else "contradiction")
    if halves:
        return _of_family(halves[0], sizes, said, catalog, locale)
    if not sizes:
        return None
    if is_mixture(sizes[0]):
        return _of_mixture(sizes[0], said, catalog, locale)
    if typed_size(str(sizes[0].value)) is None:
        message = locale.say_wrong("bad_number", number=echo(sizes[0].text))
        raise NotUnderstoodError("bad_number", message)
    return str(sizes[0].value)


def _has_whole_size(named: Fact, catalog: Catalog) -> bool:
    """`deepseek v3 671B-A37B`: whether what goes on behind a name are its own two sizes."""
    row, size = catalog.models.get(str(named.value)), _BOTH_SIZES.search(named.whole)
    return row is not None and size is not None and has_sizes(row, size[0].upper())


def _refuse_others(
    models: list[Fact], halves: list[Fact], said: Said, catalog: Catalog, locale: Locale
) -> None:
    """Raise where a second model is named, but for a series that was trained from the first."""
    if len(models) > 1:
        raise _twice(models, locale)
    row = catalog.models.get(str(models[0].value))
    if row is not None:  # `gemma` beside `gemma-3-27b-it`
        halves = [half for half in halves if key_of(str(half.value)) not in key_of(row.id)]
    if halves and not _is_tuner(halves[0], models[0], said, locale):
        raise _twice([*models, *halves], locale)


def _is_tuner(half: Fact, model: Fact, said: Said, locale: Locale) -> bool:
    """`nous hermes 2 mixtral`: a series that is trained from the model named beside it."""
    if not key_of(str(half.value)).startswith(TUNED_SERIES):
        return False
    said.remarks.append(locale.say("tuned", name=echo(half.text), base=model.value))
    return True


def _of_name(model: Fact, size: Fact, said: Said, catalog: Catalog, locale: Locale) -> str | None:
    """`mistral 24b`: a family's name that is also a model's, with the size of another."""
    family = dict(said.corrections).get(model.text, model.text)
    if not family.isalpha() or not fitting(family, str(size.value), catalog):
        return None
    return _of_family(Fact("half_name", family, family), [size], said, catalog, locale)


def _with_sizes(
    model: Fact, sizes: list[Fact], said: Said, catalog: Catalog, locale: Locale
) -> str:
    row = catalog.models.find(str(model.value))
    for size in sizes:
        typed = typed_size(str(size.value))
        if typed is not None and (goes_by(typed, row) or is_active(typed.total, row)):
            continue
        other = catalog.models.get(f"{model.text} {size.value}")
        if other is not None:
            return other.id
        if not is_mixture(size) and (of_family := _of_name(model, size, said, catalog, locale)):
            return of_family
        if is_mixture(size):
            if key_of(str(size.value)) in key_of(row.id) or has_sizes(row, str(size.value)):
                continue
            raise _unknown(f"{model.text} {size.value}", catalog, locale)
        wanted = row.parameters if typed is None else typed.total
        raise _of_other_size(model, size, wanted, catalog, locale)
    return row.id


def _of_other_size(
    model: Fact, size: Fact, wanted: int, catalog: Catalog, locale: Locale
) -> NotUnderstoodError:
    """`qwen2.5 70b`: those of the series that come nearest; of a name that tells its size, that."""
    row, others = catalog.models.find(str(model.value)), locale.reading.values["variant"]["other"]
    series = _SIZE_TOLD.sub("", model.text).strip(" -_:")
    near = series_near(series, row, wanted, catalog, others)
    if series == model.text:
        near = near[:MOST_NEAREST]
        return _unknown(f"{model.text} {size.text.replace(' ', '')}", catalog, locale, near)
    message = locale.say_wrong(
        "size_mismatch",
        model=row.id,
        counted=show_count(row.parameters),
        typed=echo(str(size.value)),
    )
    names = list(dict.fromkeys([row.id, *near]))[:MOST_NEAREST]
    return NotUnderstoodError("contradiction", message, field="model", names=names)


def _of_family(half: Fact, sizes: list[Fact], said: Said, catalog: Catalog, locale: Locale) -> str:
    """The one model of a family with a size; else NotUnderstoodError with those nearest."""
    family, size = FULL_NAMES.get(str(half.value), str(half.value)), None
    if sizes:
        size = str(sizes[0].value)
    whole = catalog.models.get(family if size is None else f"{family} {size}")
    if whole is not None:
        return whole.id
    others = locale.reading.values["variant"]["other"]
    meant, shared = meant_of(family, size, catalog, others)
    typed = family if not sizes else f"{family} {sizes[0].text.replace(' ', '')}"
    if meant is not None:
        if shared:
            said.remarks.append(locale.say("newest", name=echo(typed), model=meant.id))
        return meant.id
    if size is not None and is_mixture_size(size):
        own = {row.id for row in of_family(family, catalog)}
        rows = [row for row in of_sizes(size, catalog) if row.id in own]
        if rows and all(row.architecture == rows[0].architecture for row in rows):
            return rows[0].id
    near = family_near(family, size, catalog)
    if fitting(family, size, catalog) or (near and size is None):
        raise _which(typed, near[:MOST_VERSIONS], locale)
    if size is not None:  # `gemma 3 27b`: another Gemma may be nearer
        wider = family_near(family.split(maxsplit=1)[0], size, catalog)
        near = nearest(near, wider, size, catalog)
    raise _unknown(typed, catalog, locale, near[:MOST_VERSIONS])


def _which(name: str, near: list[str], locale: Locale) -> NotUnderstoodError:
    """`llama 8b`: a family has models of that size in several versions."""
    closest = ", ".join(f"`{n}`" for n in near)
    message = locale.say_wrong("which_model", name=echo(name), closest=closest)
    return NotUnderstoodError("ambiguous", message, field="model", names=near)


def is_mixture(size: Fact) -> bool:
    """`30B-A3B`: the size of a mixture, with its active parameters."""
    return is_mixture_size(str(size.value))


def _of_mixture(size: Fact, said: Said, catalog: Catalog, locale: Locale) -> str:
    """The model of such a size; else NotUnderstoodError with those there are."""
    typed = str(size.value)
    rows = of_sizes(typed, catalog)
    if not rows:
        raise _unknown(size.text, catalog, locale, [row.id for row in of_family(typed, catalog)])
    if any(row.architecture != rows[0].architecture for row in rows):
        raise _which(size.text, [row.id for row in rows[:MOST_VERSIONS]], locale)
    if key_of(typed) not in key_of(rows[0].id):
        said.remarks.append(locale.say("of_sizes", words=echo(size.text), model=rows[0].id))
    return rows[0].id


def _twice(facts: list[Fact], locale: Locale, *, code: str = "contradiction") -> NotUnderstoodError:
    message = locale.say_wrong("twice", first=echo(facts[0].text), second=echo(facts[1].text))
    names = [str(fact.value) for fact in facts[:4]]
    return NotUnderstoodError(code, message, field="model", names=names, told=code == "ambiguous")


def _unknown(
    name: str, catalog: Catalog, locale: Locale, closest: list[str] | None = None
) -> NotUnderstoodError:
    near = closest or list(catalog.models.closest(name))
    key = "unknown_model_closest" if near else "unknown_model"
    message = locale.say_wrong(key, name=echo(name), closest=", ".join(f"`{n}`" for n in near))
    return NotUnderstoodError("unknown_name", message, field="model", names=near)


def _unknown_id(name: str, catalog: Catalog, locale: Locale) -> NotUnderstoodError:
    """A repository that nobody knows; models whose names stand in its own are offered first."""
    near = (*contained_in(name, catalog.models), *catalog.models.closest(name))
    return _unknown(name, catalog, locale, list(dict.fromkeys(near))[:MOST_VERSIONS])
