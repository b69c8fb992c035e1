"""Which picture an answer gets: one, or none.

| answer | its picture | why |
|---|---|---|
| training, no card named | the moments of a step | it shows when the peak comes, and of what |
| training, cards named | the parts of the peak above those cards | does it go in? |
| serving | memory by context, cards as lines | the cache is what one can choose |
| serving, and the context changes nothing | as training with cards | |
| a comparison | each side's peak in its parts, cards as lines | what differs, and what of it |
| what fits at all | none | its table is one already, and not all of its cells are numbers |
| an explanation, an error | none | nothing was estimated, or it is short on purpose |
"""

from bot.locale import Locale
from bot.pictures.contexts import by_context
from bot.pictures.made import cards_picture, contexts_picture, moments_picture, sides_picture
from bot.pictures.picture import Picture
from bot.presenting.card_rows import is_by_processor
from bot.replies import Answered, Replied, Weighed
from estimator import Answer, Catalog, ServeSetup

LEAST_SIDES = 2


def has_picture(found: Answered) -> bool:
    """Whether it is worth a wait for one; what is said here takes no time."""
    if isinstance(found, Weighed):
        return len(_sides(found)) >= LEAST_SIDES
    return isinstance(found, Replied) and not is_by_processor(found.answer)


def picture_of(found: Answered, catalog: Catalog, locale: Locale) -> Picture | None:
    """The picture of an answer, of which `catalog` knows the model; some estimates' work."""
    if not has_picture(found):
        return None
    if isinstance(found, Weighed):
        return sides_picture(_sides(found), locale)
    if not isinstance(found, Replied):
        return None
    answer, shown = found.answer, found.presentation
    if isinstance(answer.setup, ServeSetup):
        by_tokens = by_context(answer, catalog)
        if by_tokens:
            return contexts_picture(answer, by_tokens, shown, locale)
    elif not any(card.asked for card in answer.cards):
        return moments_picture(answer, shown, locale)
    return cards_picture(answer, shown, locale)


def _sides(found: Weighed) -> list[tuple[str, Answer]]:
    """The name and the answer of each side that has one, in the order of the comparison."""
    known = {s.presentation.line: s.answer for s in found.sides if isinstance(s, Replied)}
    pairs = zip(found.comparison.rows, found.comparison.lines, strict=False)
    return [(row.name, known[line]) for row, line in pairs if line in known]
