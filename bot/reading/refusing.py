"""What is wrong with words that could not be read, and the closest words that could."""

from collections.abc import Sequence

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.aside import valueless
from bot.reading.bystanders import is_detailed, may_stand_aside
from bot.reading.clean import echo
from bot.reading.compose import BLAMED, SENTENCE
from bot.reading.denials import is_otherwise
from bot.reading.facts import NotUnderstoodError, Said, Unread
from bot.reading.families import family_near
from bot.reading.keys import CACHE
from bot.reading.numbers import FORMAT_KEYS, LENGTHS
from bot.reading.vocabulary import Vocabulary
from estimator import Catalog

CLOSE_ENOUGH = 70  # rapidfuzz similarity (0 to 100) below which a word is no help
EXAMPLES = dict.fromkeys(LENGTHS, "8k") | {
    "rank": "16",
    "alpha": "32",
    "lora_dropout": "0.1",
    "in_use": "1GB",
}
EXAMPLE_OF = ("bf16", "fp8")  # a format, and one of a cache
MOST_CLOSE = 3  # words that are offered
LONG_WORD = 6  # letters from which more than one slip is likely
MOST_NAMED = 6  # names that are listed where none is close
VERY_LIKE = 80  # the same similarity, from which a word may be a model family's name
LIKE_A_FAMILY = 75  # and a word before a number
SHORTEST_SLIP = 4  # letters; below them any word is like some family's name
MOST_MODELS = 3  # of a family that are offered

_PARTS = compiled(r"[\s\-]+")
_JOINED = compiled(r"\w-\d[\w.]*$")  # a name that hangs on its size: `zorblax-13b`
_LETTERS = compiled(r"[a-z]+")


def refuse_unread(said: Said, vocabulary: Vocabulary, catalog: Catalog, locale: Locale) -> None:
    """Raise for words that mean nothing here; a sentence may hold some, and they are said."""
    for unread in said.unread:
        if unread.near_slot is not None:
            raise _unknown_in_slot(unread, unread.near_slot, catalog, locale)
    unmeant = [unread for unread in said.unread if not is_otherwise(unread, said)]
    if instead := [unread for unread in unmeant if unread.instead]:
        raise _denied(instead[0], locale)
    named = _name_of_model(said)
    if named is not None:
        raise _unknown_model(named, said, vocabulary, catalog, locale)
    if said.fillers >= SENTENCE and (said.facts or _only_devices(unmeant, locale)):
        return
    for unread in unmeant:
        if unread.denied is not None:
            raise _denied(unread, locale)
        if unread.key is not None:
            raise _no_value(unread.key, unread.text, locale)
        if may_stand_aside(unread, said, vocabulary):
            continue
        raise _like_a_family(unread, said, vocabulary, catalog, locale) or _unknown_word(
            unread, vocabulary, locale
        )
    for fact in valueless(said):
        raise _no_value(fact.field, fact.text, locale)
    if said.loose and (said.facts or said.unread) and not is_detailed(said):
        message = locale.say_wrong("loose_number", number=echo(said.loose[0]))
        raise NotUnderstoodError("loose_number", message)


def _only_devices(unread: Sequence[Unread], locale: Locale) -> bool:
    """`how much do i need for ai on my laptop`: what is missing is the model, not the laptop."""
    devices = {word for words in locale.reading.values["device"].values() for word in words}
    return all(one.text.casefold() in devices for one in unread)


def is_refused(said: Said) -> bool:
    """Whether a line is refused for its words or numbers, whatever facts of it are left out."""
    if said.faults:
        return True
    unread = any(not is_otherwise(one, said) for one in said.unread)
    return said.fillers < SENTENCE and (unread or bool(said.loose))


def _name_of_model(said: Said) -> Unread | None:
    """The unread word that names a model; none where other words are unread as well.

    A line with many of them is more likely in a language that is not known here.
    """
    named = [unread for unread in said.unread if unread.named is not None]
    if not named or said.all_of("model"):
        return None
    last = named[-1]
    joined = _JOINED.search(last.named or "") is not None
    words = set(_PARTS.split(last.named or ""))
    others = [unread for unread in said.unread if unread.text not in words]
    return None if others and not joined else last


def _denied(unread: Unread, locale: Locale) -> NotUnderstoodError:
    """`no lora` says what it is not; where it would be just that, others are offered."""
    message = locale.say_wrong("denied", words=echo(unread.text))
    field = BLAMED.get(unread.denied or "", unread.denied) if unread.instead else None
    code = "ambiguous" if unread.instead else "unknown_word"
    return NotUnderstoodError(code, message, field=field, names=unread.instead)


def _no_value(key: str, text: str, locale: Locale) -> NotUnderstoodError:
    """A key that nothing was said of, with an example of what it takes."""
    if key in FORMAT_KEYS:
        message = locale.say_wrong("no_format", key=echo(text), example=EXAMPLE_OF[key in CACHE])
    else:
        message = locale.say_wrong("no_value", key=echo(text), example=EXAMPLES.get(key, "4"))
    return NotUnderstoodError("no_value", message)


def _unknown_in_slot(
    unread: Unread, slot: str, catalog: Catalog, locale: Locale
) -> NotUnderstoodError:
    names: Sequence[str] = {
        "optimizer": catalog.optimizers.ids,
        "engine": catalog.engines.ids,
    }.get(slot) or tuple(locale.reading.values[slot])
    near = _closest(unread.text.casefold(), names) or tuple(names[:MOST_NAMED])
    message = locale.say_wrong(
        "unknown_in_slot",
        word=echo(unread.text),
        slot=slot,
        closest=", ".join(f"`{name}`" for name in near),
    )
    return NotUnderstoodError("unknown_name", message, field=slot, names=near)


def _like_a_family(
    unread: Unread, said: Said, vocabulary: Vocabulary, catalog: Catalog, locale: Locale
) -> NotUnderstoodError | None:
    """`deepseak 32b`: a family's name with a slip. Its models are offered, never taken for it.

    A slip is not mended here as in other words: `llava` is one letter from `llama`.
    """
    word = _LETTERS.match(unread.text.casefold())
    family = None if word is None else _family_like(word[0], unread, said, vocabulary)
    if word is None or family is None:
        return None
    message = locale.say_wrong(
        "unknown_word_closest", word=echo(unread.text), closest=f"`{family}`"
    )
    sizes = [str(fact.value) for fact in said.all_of("size")]
    size, rest = sizes[0] if sizes else None, unread.text[word.end() :]
    named = [str(fact.value) for fact in said.all_of("model")]
    if not named:
        whole = catalog.models.get(" ".join([family + rest, *said.loose[:1], *sizes[:1]]))
        wider = family_near(family + rest, size, catalog) or family_near(family, size, catalog)
        named = [*([whole.id] if whole else []), *wider[:MOST_MODELS]]
    return NotUnderstoodError(
        "unknown_word", message, field="model", names=tuple(dict.fromkeys([*named, *sizes]))
    )


def _family_like(word: str, unread: Unread, said: Said, vocabulary: Vocabulary) -> str | None:
    """The family that a word may be a slip of; of one before a number, also in its first letter.

    None where another word is nearer.
    """
    families = [name for name in sorted(vocabulary.families) if len(name) >= SHORTEST_SLIP]
    before = bool(unread.named or said.loose) or word != unread.text.casefold()
    least = LIKE_A_FAMILY if before else VERY_LIKE
    likes = process.extract(word, families, scorer=fuzz.ratio, score_cutoff=least, limit=3)
    for name, _, _ in likes:
        first = before and OSA.distance(word, name) == 1
        if first or (
            _is_slip(word, name) and _closest(word, [name, *vocabulary.words])[:1] == (name,)
        ):
            return name
    return None


def _unknown_model(
    unread: Unread, said: Said, vocabulary: Vocabulary, catalog: Catalog, locale: Locale
) -> NotUnderstoodError:
    """`mamba 2.8b`: a word nobody knows before a size is a model's name, unless it is a slip."""
    family = _like_a_family(unread, said, vocabulary, catalog, locale)
    if family is not None:
        return family
    if _closest(unread.text.casefold(), vocabulary.ordered):
        return _unknown_word(unread, vocabulary, locale)
    message = locale.say_wrong("unknown_model", name=echo(unread.named or unread.text))
    return NotUnderstoodError("unknown_name", message, field="model")


def _unknown_word(unread: Unread, vocabulary: Vocabulary, locale: Locale) -> NotUnderstoodError:
    near = _closest(unread.text.casefold(), vocabulary.ordered)
    word = echo(unread.text)
    if not near:
        return NotUnderstoodError("unknown_word", locale.say_wrong("unknown_word", word=word))
    message = locale.say_wrong(
        "unknown_word_closest", word=word, closest=" / ".join(f"`{name}`" for name in near)
    )
    return NotUnderstoodError("unknown_word", message, names=near)


def _closest(word: str, names: Sequence[str]) -> tuple[str, ...]:
    hits = process.extract(word, names, scorer=fuzz.ratio, limit=6, score_cutoff=CLOSE_ENOUGH)
    return tuple(name for name, _, _ in hits if _is_slip(word, name.casefold()))[:MOST_CLOSE]


def _is_slip(word: str, name: str) -> bool:
    """Whether one who meant `name` may have typed `word`: `file` is no slip of `flex`."""
    most = 1 if len(word) < LONG_WORD else 3
    apart = OSA.distance(word, name)
    return apart <= most and (word[:1] == name[:1] or (apart == 1 and len(word) >= LONG_WORD))
