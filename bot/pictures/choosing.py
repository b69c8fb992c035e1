"""Which picture an answer gets: one, or none.

| answer | its picture | why |
|---|---|---|
| training, no card named | the moments of a step | it shows when the peak comes, and of what |
| training, cards named | the parts of the peak above those cards | does it go in? |
| serving | memory by context, cards as lines | the cache is what one can choose |
| serving, and the context changes nothing | as training with cards | |
| a comparison | each side's peak in its parts, cards as lines | what differs, and what of it |
| what fits at all | none | its table is one already, and not all of its cells are numbers |
| a topic whose examples are all of one task | their peaks in their parts | it is the point |
| a topic of lengths | memory by context, of its first example | it is the point |
| another topic, a list of them, an error | none | there is nothing to hold side by side |
"""

from collections.abc import Sequence

from bot.compiled import compiled
from bot.explaining.topics import topics_in
from bot.locale import ENGLISH, Locale, load_locale
from bot.pictures.contexts import by_context
from bot.pictures.made import cards_picture, contexts_picture, moments_picture, sides_picture
from bot.pictures.picture import Picture
from bot.presenting.card_rows import is_by_processor
from bot.presenting.present import title_of
from bot.replies import Answered, Explained, Replied, Weighed
from estimator import Answer, Catalog, ServeSetup

LEAST_SIDES = 2
IN_ENGLISH = ("hi",)  # the library puts the signs of Devanagari in wrong places (vl-convert 1.9)
UNDRAWN = compiled("[\u0900-\u097f]")


def has_picture(found: Answered) -> bool:
    """Whether it is worth a wait for one; what is said here takes no time."""
    if isinstance(found, Weighed):
        return len(_sides(found)) >= LEAST_SIDES
    if isinstance(found, Explained):
        return found.lengths or _are_alike(found.answers)
    return isinstance(found, Replied) and not is_by_processor(found.answer)


def picture_of(found: Answered, catalog: Catalog, locale: Locale) -> Picture | None:
    """The picture of an answer, of which `catalog` knows the model; some estimates' work."""
    if not has_picture(found):
        return None
    made = _picture_of(found, catalog, drawn_in(locale))
    return None if made is None or _has_undrawn(made) else made


def drawn_in(locale: Locale) -> Locale:
    """The language that a picture is in: English where the other's letters cannot be drawn."""
    return load_locale(ENGLISH) if locale.code in IN_ENGLISH else locale


def _picture_of(found: Answered, catalog: Catalog, locale: Locale) -> Picture | None:
    if isinstance(found, Weighed):
        return sides_picture(_sides(found), locale)
    if isinstance(found, Explained):
        return _of_topic(found, catalog, locale)
    if not isinstance(found, Replied):
        return None
    answer, shown = found.answer, found.presentation
    if isinstance(answer.setup, ServeSetup):
        by_tokens = by_context(answer, catalog)
        if by_tokens:
            return contexts_picture(answer, by_tokens, title_of(answer, locale), locale)
    elif not any(card.asked for card in answer.cards):
        return moments_picture(answer, shown, locale)
    return cards_picture(answer, shown, locale)


def _of_topic(found: Explained, catalog: Catalog, locale: Locale) -> Picture:
    title, answers = topics_in(locale).topics[found.topic].title, found.answers
    by_tokens = by_context(answers[0], catalog) if found.lengths else ()
    if by_tokens:
        model = answers[0].request.model or answers[0].setup.shape.name
        named = f"{title}: {model.rpartition('/')[-1]}"
        return contexts_picture(answers[0], by_tokens, named, locale)
    return sides_picture(list(zip(found.names, answers, strict=True)), locale, title=title)


def _has_undrawn(made: Picture) -> bool:
    """Whether some word has come along that cannot be drawn."""
    named = [*(bar.name for bar in made.bars), *(limit.name for limit in made.limits)]
    return any(UNDRAWN.search(text) for text in (made.title, made.subtitle, *named))


def _are_alike(answers: Sequence[Answer]) -> bool:
    """Whether it makes sense to hold them side by side: all train, or all serve."""
    return len(answers) >= LEAST_SIDES and len({type(one.setup) for one in answers}) == 1


def _sides(found: Weighed) -> list[tuple[str, Answer]]:
    """The name and the answer of each side that has one, in the order of the comparison."""
    known = {s.presentation.line: s.answer for s in found.sides if isinstance(s, Replied)}
    pairs = zip(found.comparison.rows, found.comparison.lines, strict=False)
    return [(row.name, known[line]) for row, line in pairs if line in known]
