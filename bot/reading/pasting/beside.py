"""What a person says beside a paste wins over it: `bs 4` over the file's `micro_batch_size: 2`.

A paste is read by itself, as a line of its own, so that no word of one reaches into the other.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import clean, echo
from bot.reading.compose import SENTENCE
from bot.reading.facts import CardsSaid, Fact, NotUnderstoodError, Said
from bot.reading.number_lists import COUNTING
from bot.reading.options import FACTS
from bot.reading.pasting.clusters import Asked
from bot.reading.pasting.config_file import ConfigFile
from bot.reading.pasting.flag_shape import settled
from bot.reading.pasting.given_shape import given_shape
from bot.reading.pasting.unpaste import Pasted
from bot.reading.pasting.vaguer import drop_vaguer
from bot.reading.vocabulary import JOINING
from bot.reading.walk import Scanned
from estimator import Catalog

APART = ("gpus", "task", "context", "users")  # options whose facts are held apart here
COUNTED_IN_MEGATRON = "llama"  # the family of a shape
MOST_NAMED = 8  # settings that one note names
_SHORT = compiled(r"(?!rank\b)[a-z]{1,12} ?[:=] ?\d{1,7}k?", re.IGNORECASE)
_GROUPS = (
    *(names for option, names in FACTS.items() if option not in APART),
    ("users", "slots"),
    ("targets", "module"),
    ("kv", "kv_k", "kv_v"),
)
_LISTS = ("unread", "idle", "loose", "doubted", "amounts", "remarks", "corrections", "faults")


def join(
    said: Scanned, pasted: Pasted, scan: Callable[[str], Scanned], catalog: Catalog, locale: Locale
) -> Scanned:
    """What is said with what was pasted beside it; notes say what is outdone or not read."""
    own_words = [one for one in pasted.unread if _is_of_a_line(one, scan)][:MOST_NAMED]
    whole = " , ".join(filter(None, (pasted.words, *own_words)))
    other = scan(clean(whole)) if whole else Scanned()
    drop_vaguer(said, other, catalog)
    unknown = _add_asked(pasted, said.said, other, scan, catalog)
    outdone = [fact for fact in other.said.facts if _is_outdone(fact, said.said)]
    kept = [fact for fact in other.said.facts if not any(fact is one for one in outdone)]
    if pasted.file is not None and pasted.file.config is not None and not pasted.file.flags:
        said.said.facts = [fact for fact in said.said.facts if fact.field != "half_name"]
    named = any(fact.field in FACTS["model"] for fact in said.said.facts) or said.strange
    if not named:
        said.strange.extend(other.strange)
    said.said.facts[:0] = kept
    said.said.fillers += SENTENCE  # what stands beside a file is no command
    for name in _LISTS:
        getattr(said.said, name).extend(getattr(other.said, name))
    own = {(fact.field, fact.value) for fact in said.said.facts}
    differing = [
        fact.text
        for fact in outdone
        if (fact.field, fact.value) not in own and fact.text != pasted.usual
    ]
    notes: Mapping[str, list[str]] = {
        "pasted_outdone": [one for one in differing if one],
        "pasted_moving": list(pasted.moving),
        "pasted_unread": [*(one for one in pasted.unread if one not in own_words), *unknown],
    }
    for sentence, words in notes.items():
        if words:
            said.said.remarks.append(locale.say(sentence, words=_listed(words)))
    for sentence, words_of in pasted.remarks:
        said.said.remarks.append(locale.say(f"pasted_{sentence}", words=echo(words_of)))
    if pasted.file is None or any(fact.field in FACTS["model"] for fact in said.said.facts):
        return said
    return _with_file(said, pasted.file, scan, catalog, locale)


def _add_asked(
    pasted: Pasted,
    said: Said,
    other: Scanned,
    scan: Callable[[str], Scanned],
    catalog: Catalog,
) -> list[str]:
    """The cards that a scheduler is asked for, as said in the paste; a name that nothing has."""
    asked = pasted.asked
    if asked is not None and asked.card:
        _drop_named(asked.card, said, scan)
    sizes = [_size_alone(fact) for fact in said.all_of("gpus")]
    told = any(fact.field == "world" for fact in other.said.facts)
    if asked is not None and None in sizes and not told:
        _count_as_asked(asked, said, scan, catalog)
    if asked is None or None in sizes:
        return []
    facts = other.said.facts
    if not asked.card:
        counted = pasted.words.startswith("train") and asked.whole > 1
        if counted and not any(fact.field == "world" for fact in facts):
            facts += scan(f"{asked.whole} gpus").said.facts
        return []
    parts = {f.field: f.value for f in (*facts, *said.facts) if f.field in ("tp", "pp", "dp")}
    count = asked.whole or prod(int(n) for n in parts.values() if isinstance(n, (int, float)))
    names = [asked.card, *(f"{asked.card} {size:g}gb" for size in sizes if size)]
    found = [scan(clean(f"{count}x {name}")).said for name in names]
    known = [one.all_of("gpus") for one in found if not (one.unread or one.faults or one.loose)]
    known = [cards for cards in known if cards]
    if not known:
        return [asked.card]
    fitting = [cards for cards in known if all(_has(cards[0], size, catalog) for size in sizes)]
    if not fitting:
        return []  # another card is asked about
    cards = fitting[0]
    said.facts = [fact for fact in said.facts if fact.field != "gpus"]
    facts[:] = [fact for fact in facts if fact.field != "world"]
    facts += cards
    return []


def _drop_named(card: str, said: Said, scan: Callable[[str], Scanned]) -> None:
    """Take out of `said` the name alone of the card that is asked for."""
    meant = [fact.value for fact in scan(clean(card)).said.all_of("gpus")]
    names = {one.name for one in meant if isinstance(one, CardsSaid)}
    said.facts = [
        fact
        for fact in said.facts
        if not isinstance(cards := fact.value, CardsSaid)
        or cards.counted
        or cards.gigabytes is not None
        or cards.name not in names
    ]


def _count_as_asked(
    asked: Asked, said: Said, scan: Callable[[str], Scanned], catalog: Catalog
) -> None:
    """`a100s are the 80 gig ones` beside `--gres=gpu:a100:4`: four of those."""
    own = [fact for fact in said.facts if isinstance(fact.value, CardsSaid)]
    if len(own) != 1 or not asked.whole or not isinstance(own[0].value, CardsSaid):
        return
    cards = own[0].value
    meant = [fact.value for fact in scan(clean(asked.card)).said.all_of("gpus")]
    names = {one.name for one in meant if isinstance(one, CardsSaid)}
    row = catalog.gpus.get(cards.name)
    known = {cards.name, *(() if row is None else row.shared)}
    if not cards.counted and (not asked.card or names & known):
        counted = replace(own[0], value=replace(cards, count=asked.whole, counted=True))
        said.facts = [counted if fact is own[0] else fact for fact in said.facts]


def _has(card: Fact, size: float | None, catalog: Catalog) -> bool:
    row = catalog.gpus.get(card.value.name) if isinstance(card.value, CardsSaid) else None
    return row is not None and row.memory_gb == size


def _size_alone(fact: Fact) -> float | None:
    """The memory of cards that are said by it alone: `is 40GB too small?`."""
    cards = fact.value
    if not isinstance(cards, CardsSaid) or cards.name or cards.counted:
        return None
    return cards.gigabytes


def _is_of_a_line(setting: str, scan: Callable[[str], Scanned]) -> bool:
    """`bs: 4`: a setting of no program, in a word that a line has for a number."""
    if _SHORT.fullmatch(setting) is None:
        return False
    said = scan(clean(setting)).said
    counts = all(fact.field in COUNTING for fact in said.facts)
    return bool(said.facts) and counts and not (said.unread or said.faults or said.loose)


def _with_file(
    said: Scanned,
    file: ConfigFile,
    scan: Callable[[str], Scanned],
    catalog: Catalog,
    locale: Locale,
) -> Scanned:
    """The model of a repository's file; a file that says none is a fault."""
    faults = said.said.faults
    if file.config is None:
        message = locale.say_wrong("wrong_file", what=locale.say(f"file_{file.wrong}"))
        faults.append(NotUnderstoodError("wrong_file", message, field="model"))
        return said
    config = file.config
    if file.flags:
        row, config = settled(config, catalog)
        if row is not None:
            said.said.add("model", row.id, "flags")
            said.said.remarks.append(locale.say("flags_of", model=row.id))
            return said
        if "vocab_size" not in config:
            return said  # and the model is asked for
        if config["model_type"] != COUNTED_IN_MEGATRON:
            facts = said.said.facts
            facts[:] = [fact for fact in facts if fact.field != "framework"]
    try:
        shape = given_shape(config, catalog, locale)
    except NotUnderstoodError as error:
        faults.append(error)
        return said
    if shape.weights and not any(f.field in ("weights", "precision") for f in said.said.facts):
        said.said.facts += scan(shape.weights).said.facts
    if shape.sees:
        said.said.remarks.append(locale.say("config_sees"))
    if shape.row is None:
        said.said.remarks.append(locale.say("flags_unsaid" if file.flags else "config_unsaid"))
        return replace(said, shape=shape.config)
    said.said.add("model", shape.row.id, "config.json")
    said.said.remarks.append(locale.say("config_of", model=shape.row.id))
    return said


def _listed(words: list[str]) -> str:
    shown = [f"`{echo(one, 48)}`" for one in dict.fromkeys(words)]
    more = ["…"] if len(shown) > MOST_NAMED else []
    return ", ".join([*shown[:MOST_NAMED], *more])


def _is_outdone(fact: Fact, said: Said) -> bool:
    """Whether the person says the same thing, maybe otherwise."""
    own = said.facts
    if fact.field == "world":
        return any(_is_counted(one) for one in own) or any(one.field == "world" for one in own)
    if fact.field == "flag":
        plain = str(fact.value).removeprefix("no_")
        return any(o.field == "flag" and str(o.value).removeprefix("no_") == plain for o in own)
    group = next((names for names in _GROUPS if fact.field in names), (fact.field,))
    return any(one.field in group and one.field not in JOINING for one in own)


def _is_counted(fact: Fact) -> bool:
    return fact.field == "gpus" and isinstance(fact.value, CardsSaid) and fact.value.counted
