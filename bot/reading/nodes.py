"""Cards in several machines: `4 nodes of 8xH100` are 32, `16 H100 on 2 nodes` are 16."""

from collections.abc import Callable
from math import prod
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import CardsSaid, Fact, Said
from bot.reading.line import Line
from bot.reading.write import write_line
from estimator import Catalog

NODES, EACH, SPREAD = "nodes", "per_node", "on_nodes"  # fields of facts
FIELDS = (NODES, EACH, SPREAD)
SPREADING = ("on", "across", "over", "in", "among", "between", "spread")
CARDS = ("gpus", "world")

SPLITS = ("tp", "pp")  # ways of cutting a model in parts, a card each
MACHINE = 8  # cards of a usual one
Fields = dict[str, Any]
Wrong = Callable[..., None]


def field_of_nodes(line: Line, at: int) -> str:
    """Whether the machines at `at` are those that cards said before are spread over."""
    before = line.atoms[at - 1].text if at else ""
    return SPREAD if before in SPREADING else NODES


def take_each(line: Line, at: int) -> None:
    """`8 gpus each`, right behind cards."""
    last = line.said.facts[-1] if line.said.facts else None
    if line.atoms[at].text == "each" and last is not None and last.field in CARDS:
        line.said.facts.append(Fact(EACH, "each", "each"))


def settle_nodes(fields: Fields, said: Said, locale: Locale, wrong: Wrong) -> None:
    """Cards of one machine times the machines; where it is open which, it is asked back."""
    found = [*said.all_of(NODES), *said.all_of(SPREAD)]
    if not found or not set(CARDS) & set(fields):
        if found and found[0].value != 1:
            wrong("no_value", "nodes_of_what", words=echo(found[0].text))
        return
    nodes = int(float(str(found[0].value)))
    times = [dict(card, count=card["count"] * nodes) for card in fields.get("gpus", ())]
    world = int(fields.get("world") or 0) * nodes
    order = [fact.field for fact in said.facts if fact.field in (*CARDS, *FIELDS)]
    first = order[0] in (NODES, SPREAD)
    if nodes == 1 or (found[0].field == SPREAD and not first and EACH not in order):
        return
    if not first and EACH not in order and _fill(fields, nodes):
        return
    if not first and EACH not in order:
        name = "gpus" if times else "world"
        known = {"gpus": fields["gpus"]} if times else {"world": fields["world"]}
        more = {"gpus": times} if times else {"world": world}
        fields.pop(name)
        names = [write_line(known), write_line(more)]
        wrong("ambiguous", "nodes_each", names=names, words=echo(found[0].text))
        return
    if times:
        fields["gpus"] = times
    if world:
        fields["world"] = world
    cards = world or sum(card["count"] for card in times)
    said.remarks.append(locale.say("nodes", words=echo(found[0].text), cards=cards))


def _fill(fields: Fields, nodes: int) -> bool:
    """`16xh100 2 nodes`: whether cards are so many that they are all of whole machines."""
    counts = [card["count"] for card in fields.get("gpus", ())] or [int(fields.get("world") or 0)]
    return bool(sum(counts) == nodes * MACHINE)


def settle_split(fields: Fields, said: Said, catalog: Catalog, locale: Locale) -> None:
    """`tp 4 on 4090s`: cards that nobody counted are as many as they are split over."""
    parts = [name for name in SPLITS if int(fields.get(name) or 1) > 1]
    of_cards = [f for f in said.all_of("gpus") if isinstance(f.value, CardsSaid) and f.value.name]
    cards = fields.get("gpus", [])
    if not parts or "world" in fields or len(cards) != 1 or cards[0]["count"] > 1:
        return
    if len(of_cards) != 1 or not _is_open(of_cards[0], catalog):
        return
    count = prod(int(fields[name]) for name in parts)
    fields["gpus"] = [dict(cards[0], count=count)]
    words = echo(" ".join(fact.text for name in parts for fact in said.all_of(name)))
    said.remarks.append(locale.say("count_of_split", count=count, words=words))


def _is_open(fact: Fact, catalog: Catalog) -> bool:
    """Whether nobody counted the cards: `4090s`, and in serving `tp 4 on A100`."""
    said = fact.value
    return _is_plural(fact.text, catalog) or (isinstance(said, CardsSaid) and not said.counted)


def _is_plural(text: str, catalog: Catalog) -> bool:
    """`4090s`, but not the `L40S`."""
    one, several = catalog.gpus.get(text[:-1]), catalog.gpus.get(text)
    return text.casefold().endswith("s") and one is not None and several in (None, one)
