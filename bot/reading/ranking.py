"""What can be named, in the order in which it is listed: the common and the new first.

All of it is worked out from the tables: how many models a size has, which cards a class
names as common, which version a name says.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.bits import BITS, GGUF
from bot.reading.matching import Index, tokens_of
from bot.reading.names import SAME_MODEL, VERSIONS
from bot.reading.precision import LOCAL_BITS
from bot.reading.vocabulary import GGUF_PLAIN
from estimator import Catalog, Format, Gpu, Instance, Model

LEADING_CLASSES = 8  # classes with the most common cards: their first ones head the list
LEADING_CARDS = 2  # of each of them
NEAR = 0.1  # a model this close to a size counts for it
LARGE = 100_000_000_000  # parameters: more than one machine of eight cards trains
SMALL = ("laptop", "mobile")  # cards that share a number with a larger one
RARE = ("d", "v2", "modified")  # in names of cards that few have
BY_THE_CARD = ("runpod",)  # clouds whose machines are a card each
SPOKEN = {"apple": ("mac", "macbook", "mac studio", "mac mini", "imac")}  # words of no row
SIZE_UNITS = ("b", "m", "k", "x")  # behind a number that is no version: 7b, 270m, 128k, 8x7b

_VERSION = compiled(r"[1-9]?\d(\.\d+)?")  # longer ones are dates


def models_index(catalog: Catalog) -> Index:
    """Sizes, those of the most models first; then models, by family, the newest first.

    Last what shares another's shape: it is listed where that was typed.
    """
    rows = catalog.models.rows

    def near(parameters: int) -> int:
        return sum(abs(row.parameters - parameters) <= NEAR * parameters for row in rows)

    sizes = sorted(catalog.sizes, key=lambda size: -near(size.parameters))
    named: list[tuple[str, Iterable[str]]] = [(size.typed, ()) for size in sizes]
    shared = (row for row in catalog.models.named if row.base is not None)
    return Index([*named, *((row.id, _names(row)) for row in (*_models(catalog), *shared))])


def common_models(catalog: Catalog) -> tuple[str, ...]:
    """The models that sizes stand for, in the order of their index."""
    common = _common(catalog)
    return tuple(row.id for row in _models(catalog) if row.id in common)


def cards_index(catalog: Catalog) -> Index:
    """The first cards of the large classes, the classes, the other cards, machines of clouds."""
    classes = sorted(catalog.classes.rows, key=lambda row: (-len(row.members), -row.memory_gb))
    common = [member for row in classes for member in row.members]
    leading = [m for row in classes[:LEADING_CLASSES] for m in row.members[:LEADING_CARDS]]
    place = {member: number for number, member in enumerate(common)}
    rows = {row.id: row for row in catalog.gpus.rows}
    others = sorted(
        (row for row in rows.values() if row.id not in leading),
        key=lambda row: (_is_rare(row), _is_small(row), place.get(row.id, len(place))),
    )
    return Index(
        [
            *((name, _card_names(rows[name])) for name in leading),
            *((f"{row.memory_gb}GB", row.aliases) for row in classes),
            *((row.id, _card_names(row)) for row in others),
            *((row.id, (row.provider, *row.aliases)) for row in _machines(catalog)),
        ]
    )


def _machines(catalog: Catalog) -> list[Instance]:
    """Instances, but for those of clouds that rent by the card: `runpod-rtx-4090`."""
    return [row for row in catalog.instances.rows if row.provider not in BY_THE_CARD]


def formats_index(catalog: Catalog, locale: Locale, stands: Callable[[str], bool]) -> Index:
    """The usual file, then formats with a short name, then the rest.

    `stands`: whether a format can be said by itself; one that needs its bits beside it cannot.
    """
    spoken = _spoken_formats(locale)

    def names(row: Format) -> list[str]:
        short = row.id.removeprefix("gguf:")
        own = [*row.aliases, *spoken.get(row.id, ()), row.id]
        return own if short == row.id else [*own, f"gguf {short}"]

    def is_named(row: Format) -> bool:
        short = tokens_of(row.id.removeprefix("gguf:"))
        others = (*row.aliases, *spoken.get(row.id, ()))
        return row.id not in GGUF_PLAIN and any(tokens_of(name) != short for name in others)

    rows = sorted(
        (row for row in catalog.formats.rows if stands(row.id)),
        key=lambda row: (row.id != GGUF, not is_named(row)),
    )
    return Index(
        (row.id if row.id in GGUF_PLAIN else row.id.removeprefix("gguf:"), names(row))
        for row in rows
    )


def _spoken_formats(locale: Locale) -> dict[str, list[str]]:
    """Words for formats by their ids; `4bit` is a checkpoint's, and a file's."""
    words, spoken = locale.reading.values, dict[str, list[str]]()
    for word, phrases in (*words["weights"].items(), *words["precision"].items()):
        spoken.setdefault(BITS.get(word, word), []).extend(phrases)
    for word, row_id in LOCAL_BITS.items():
        spoken.setdefault(row_id, []).append(word)
    spoken.setdefault(GGUF, []).extend(words["precision"]["gguf"])
    return spoken


def optimizers_index(catalog: Catalog, locale: Locale) -> Index:
    """AdamW, then the table's."""
    words = locale.reading.values["optimizer"]
    rows = catalog.optimizers.rows
    return Index(
        [
            ("adamw", words["adamw"]),
            *((row.id, (*row.aliases, *words.get(row.id, ()))) for row in rows),
        ]
    )


def _card_names(row: Gpu) -> Iterator[str]:
    yield row.name
    yield from (row.id, *row.aliases, *row.shared)
    yield f"{row.id} {row.memory_gb}gb"
    yield from (row.vendor, *SPOKEN.get(row.vendor, ()))


def _is_rare(row: Gpu) -> bool:
    """Slices, versions for one market, and boards that their maker does not sell."""
    return row.slice_of is not None or any(word in RARE for word in tokens_of(row.name))


def _is_small(row: Gpu) -> bool:
    return any(word in SMALL for word in tokens_of(row.id))


def _names(row: Model) -> Iterator[str]:
    """Its id and aliases, each also without the owner."""
    for name in (row.id, *row.aliases):
        yield name
        yield name.rsplit("/", 1)[-1]


def _models(catalog: Catalog) -> list[Model]:
    """Families with the most common models first; in each, the newest and plainest.

    Models with a tower for images and those too large for one machine come behind the others.
    """
    common, rows = _common(catalog), catalog.models.rows
    all_of = Counter(_stem(row) for row in rows)
    common_of = Counter(_stem(row) for row in rows if row.id in common)

    def key(row: Model) -> tuple[int, int, str, bool, float, int, bool]:
        stem = _stem(row)
        plain = len(_words(row))
        newest = (_is_special(row), -_version(row), plain, row.id not in common)
        return -common_of[stem], -all_of[stem], stem, *newest

    return sorted(rows, key=key)


def _is_special(row: Model) -> bool:
    return row.architecture.tower is not None or row.parameters >= LARGE


def _common(catalog: Catalog) -> frozenset[str]:
    return frozenset(
        catalog.models.find(name).id for size in catalog.sizes for name in (size.shape, *size.span)
    )


def _short(row: Model) -> tuple[str, ...]:
    return tokens_of(row.id.rsplit("/", 1)[-1])


def _stem(row: Model) -> str:
    """The word that its versions are counted behind: its family's, or its own first."""
    tokens = _short(row)
    return row.family if row.family in tokens else tokens[0]


def _version(row: Model) -> float:
    """The 2.5 of `Qwen2.5-7B`: the first number behind the stem that is no size and no date."""
    tokens = _short(row)
    stem = _stem(row)
    behind = tokens[tokens.index(stem) + 1 :]
    for token, unit in pairwise((*behind, "")):
        if _VERSION.fullmatch(token) and unit not in SIZE_UNITS:
            return float(token)
    return 0.0


def _words(row: Model) -> list[str]:
    """What its name says beside the stem's word: sizes, versions and tuning left out."""
    silent = (*SAME_MODEL, *SIZE_UNITS, *VERSIONS)
    return [token for token in _short(row) if token.isalpha() and token not in silent]
