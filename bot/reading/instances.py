"""Machines of clouds by their names: `p4d.24xlarge`, `2x p5.48xlarge`, `colab t4`.

Where a name stands, its cards take its place before the rest of the line is read, so that
whatever counts cards counts machines. A platform without a card (`on colab`) is its usual one
where the line names no other. A name of a known form that no table has is refused.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import CardsSaid, Fact, NotUnderstoodError, Said
from bot.reading.machine_names import SERIES, is_bare
from bot.reading.machines import MACHINE
from estimator import Catalog, Instance

LONGEST = 4  # words of a name: `kaggle t4 x 2`
MOST_NAMES = 3  # instances that are offered for a wrong name
PLATFORMS = ("colab", "kaggle")  # whose name alone may mean several cards
PROVIDERS = {
    "aws": "AWS",
    "azure": "Azure",
    "colab": "Colab",
    "gcp": "Google Cloud",
    "kaggle": "Kaggle",
    "lambda": "Lambda",
    "oci": "Oracle Cloud",
    "runpod": "RunPod",
}
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
PLATFORM = "platform"  # the field of a fact: a platform said without its card

_WORD = compiled(r"[^\W_][\w.+\-:]*")
_SEPARATORS = compiled(r"[\s_.\-+:/]+")
_BEFORE = compiled(
    rf"(?<![\w.])(?P<count>\d{{1,3}}|{'|'.join(COUNTS)})\s*(?P<times>[x×*]?)\s*$", re.IGNORECASE
)
_BEHIND = compiled(r"\s*[x×*]\s*(\d{1,3})(?![\w.])", re.IGNORECASE)
_MACHINES = compiled(r"\s+(?:nodes?|instances?|machines?|vms?|servers?|boxes)\b", re.IGNORECASE)
_SIZE = compiled(r"[\s-]*(\d{1,3})\s*g(?:b|ib)?\b", re.IGNORECASE)
_FORMS = (  # how each cloud calls its machines with GPUs
    r"(?:p[2-9]|g[3-9])\w{0,4}(?:-\w+)?\.(?:\d{0,2}x?lar\w*|metal)",
    r"(?:standard_)?n[cdv]\d\w*_v\d",
    r"a[2-4]\w?-\w+gpu-\d+g",
    r"g[2-4]-standard-\d+",
    r"(?:bm|vm)\.gpu[\w.\-]*",
    r"gpu_\d+x_\w+",
    r"v\d+litepod-\d+",
)
_FORM = compiled("|".join(_FORMS), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Instances:
    """The table's names without their separators, and the words that they begin with."""

    by_name: Mapping[str, Instance]
    beginnings: frozenset[str]


def instances_of(catalog: Catalog) -> Instances:
    """The names of a catalogue's instances, made once."""
    by_name: dict[str, Instance] = {}
    beginnings: set[str] = set()
    for row in catalog.instances.rows:
        for name in (row.id, *row.aliases):
            by_name[_plain(name)] = row
            beginnings.add(_SEPARATORS.split(name.casefold())[0])
    return Instances(by_name, frozenset(beginnings))


def take_instances(
    text: str, instances: Instances, catalog: Catalog, locale: Locale, said: Said
) -> str:
    """`text` with cards in the place of instances, of which `said` notes what they have."""
    parts: list[str] = []
    end = 0
    for start, stop, row in found_in(text, instances):
        if start < end:
            continue
        if row is None:
            said.faults.append(_unknown(text[start:stop], catalog, locale))
            parts += [text[end:start], " , "]
        elif _is_platform(text[start:stop]):
            said.facts.append(Fact(PLATFORM, row.id, text[start:stop]))
            parts += [text[end:start], " "]
        else:
            said.remarks.append(note_of(text[start:stop], row, catalog, locale))
            said.facts.append(Fact(MACHINE, row.id, text[start:stop]))
            before, cards, end = _counted(text, end, start, stop, row)
            parts += [before, cards]
            continue
        end = stop
    return "".join((*parts, text[end:]))


def settle_platform(said: Said, catalog: Catalog, locale: Locale) -> None:
    """The cards of a platform, where none are named: a free Colab has a T4."""
    platforms = [fact for fact in said.facts if fact.field == PLATFORM]
    said.facts[:] = [fact for fact in said.facts if fact.field != PLATFORM]
    if not platforms or any(fact.field == "gpus" for fact in said.facts):
        return
    row = catalog.instances.find(str(platforms[0].value))
    said.facts.append(Fact("gpus", CardsSaid(row.count, row.gpu, counted=True), platforms[0].text))
    said.remarks.append(note_of(platforms[0].text, row, catalog, locale))


def found_in(text: str, instances: Instances) -> Iterator[tuple[int, int, Instance | None]]:
    """(start, end, row) of each name; no row of one that has only an instance's form."""
    words = [match.span() for match in _WORD.finditer(text)]
    for n, (start, end) in enumerate(words):
        first = text[start:end].rstrip(".-:+").casefold()
        if first.isalnum() and first not in instances.beginnings and not is_bare(text, start):
            continue
        if _SEPARATORS.split(first, maxsplit=1)[0] in instances.beginnings:
            for _, last in reversed(words[n : n + LONGEST]):
                stop = start + len(text[start:last].rstrip(".-:+"))
                row = instances.by_name.get(_plain(text[start:stop]))
                if row is not None and not _other_size(text, stop, row):
                    yield start, stop, row
                    break
            else:
                yield from _of_form(first, start, text)
            continue
        yield from _of_form(first, start, text)


def _of_form(word: str, start: int, text: str) -> Iterator[tuple[int, int, None]]:
    if _FORM.fullmatch(word) or is_bare(text, start):
        yield start, start + len(word), None


def _plain(name: str) -> str:
    return _SEPARATORS.sub("", name.casefold())


def _is_platform(text: str) -> bool:
    words = [word for word in text.casefold().split() if word not in ("google", "free", "tier")]
    return len(words) == 1 and words[0] in PLATFORMS


def _other_size(text: str, end: int, row: Instance) -> bool:
    """`colab a100 80gb`: a size behind the name that its card has not, so that it is another."""
    size = _SIZE.match(text, end)
    card = row.gpu.rsplit("-", 1)[-1]
    return size is not None and card.endswith("gb") and card != f"{size[1]}gb"


def _counted(text: str, end: int, start: int, stop: int, row: Instance) -> tuple[str, str, int]:
    """(text before it, its cards, its end), with the count before or behind it in place."""
    before, times = text[end:start], ""
    ahead, behind = _BEFORE.search(before), _BEHIND.match(text, stop)
    if ahead is not None:
        machines = _MACHINES.match(text, stop)
        stop = stop if machines is None else machines.end()
        number = ahead["count"].casefold()
        times, before = f"{COUNTS.get(number, number)}x ", before[: ahead.start()]
    elif behind is not None:
        times, stop = f"{behind[1]}x ", behind.end()
    return before, f" {times}{row.count}x {row.gpu} ", stop


def note_of(text: str, row: Instance, catalog: Catalog, locale: Locale) -> str:
    """What an instance has: cards × count, and the host's memory where it is known."""
    memory = None if row.host_memory is None else f"{row.host_memory:,g} {row.host_unit}"
    return locale.say(
        "instance" if memory is None else "instance_host",
        name=echo(text),
        provider=PROVIDERS[row.provider],
        count=row.count,
        card=catalog.gpus.find(row.gpu).name,
        memory=memory,
    )


def _unknown(name: str, catalog: Catalog, locale: Locale) -> NotUnderstoodError:
    names = {_plain(row.id): row.id for row in catalog.instances.rows}
    like = process.extract(_plain(name), names.keys(), scorer=fuzz.ratio, limit=MOST_NAMES)
    series = name.casefold().startswith("dgx")
    near = list(SERIES) if series else [names[key] for key, _, _ in like]
    closest = ", ".join(f"`{one}`" for one in near)
    if series:
        message = locale.say_wrong("unknown_word_closest", word=echo(name), closest=closest)
    else:
        message = locale.say_wrong("unknown_instance", name=echo(name), closest=closest)
    return NotUnderstoodError("unknown_name", message, field="gpus", names=near)
