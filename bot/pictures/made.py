"""The pictures of one answer and of several: moments, contexts, cards, sides."""

from collections.abc import Sequence
from dataclasses import replace

from bot.locale import Locale
from bot.pictures.alt import alt_of
from bot.pictures.limits import limits_of, rooms_of
from bot.pictures.parts import labels_of, pieces_of
from bot.pictures.picture import Bar, Limit, Picture
from bot.presenting.present import title_of
from bot.presenting.presentation import Presentation
from estimator import KIB, Answer, Moment, ServeSetup, show_gib_number


def moments_picture(answer: Answer, shown: Presentation, locale: Locale) -> Picture:
    """What is held at each moment of a run, beside what cards leave usable."""
    peak = answer.estimate.peak
    bars = [
        _bar(locale.pictures.moments[one.name], one, strong=one is peak)
        for one in answer.estimate.moments
    ]
    limits = limits_of([answer.cards], bars)
    return _picture(bars, limits, title_of(answer, locale), _peak(answer, shown, locale), locale)


def cards_picture(answer: Answer, shown: Presentation, locale: Locale) -> Picture:
    """The parts of the peak above what each card leaves usable."""
    say = locale.pictures.sentences
    peak = answer.estimate.peak
    bars = [_bar(say["needed"], peak, strong=True), *rooms_of(answer, locale)]
    end = Limit("", peak.bytes)
    made = _picture(bars, [end], title_of(answer, locale), _peak(answer, shown, locale), locale)
    return replace(made, dashed=say["needed_line"])


def contexts_picture(
    answer: Answer,
    by_tokens: Sequence[tuple[int, Moment]],
    title: str,
    locale: Locale,
) -> Picture:
    """The peak by context; `by_tokens`: some contexts and their peaks, the asked one among them."""
    say, peak = locale.pictures.sentences, answer.estimate.peak
    bars = [_bar(_tokens(tokens), one, strong=one is peak) for tokens, one in by_tokens]
    users = answer.setup.users if isinstance(answer.setup, ServeSetup) else 1
    said = say["one_user" if users == 1 else "several_users"].format(users=users)
    limits = limits_of([answer.cards], bars)
    several = answer.setup.world > 1 or sum(card.asked for card in answer.cards) > 1
    subtitle = say["by_context_each" if several else "by_context"].format(users=said)
    return _picture(bars, limits, title, subtitle, locale)


def sides_picture(
    sides: Sequence[tuple[str, Answer]], locale: Locale, *, title: str = ""
) -> Picture:
    """Several answers' peaks below each other, by their names; `title` in place of the usual."""
    bars = [_bar(name, answer.estimate.peak) for name, answer in sides]
    each = any(answer.setup.world > 1 for _, answer in sides)
    said = locale.pictures.sentences["sides_each" if each else "sides"]
    limits = limits_of([answer.cards for _, answer in sides], bars)
    named = title or locale.pictures.sentences["compared"]
    return replace(_picture(bars, limits, named, said, locale), long_names=True)


def _picture(
    bars: Sequence[Bar], limits: Sequence[Limit], title: str, said: str, locale: Locale
) -> Picture:
    return Picture(
        title=title,
        subtitle=said,
        bars=tuple(bars),
        limits=tuple(limits),
        labels=labels_of(bars, locale),
        dashed=locale.pictures.sentences["usable"] if limits else "",
        alt=alt_of(title, said, bars, limits, locale),
    )


def _bar(name: str, held: Moment, *, strong: bool = False) -> Bar:
    return Bar(name, show_gib_number(held.bytes), pieces_of(held.lines), strong=strong)


def _peak(answer: Answer, shown: Presentation, locale: Locale) -> str:
    key = "peak_each" if answer.setup.world > 1 else "peak"
    moment = locale.pictures.moments[answer.estimate.peak.name]
    return locale.pictures.sentences[key].format(total=shown.total, moment=moment)


def _tokens(tokens: int) -> str:
    """`8k`, or the number as it is where it is no whole thousand of them."""
    return f"{tokens // KIB}k" if tokens % KIB == 0 else f"{tokens:,}"
