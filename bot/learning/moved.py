"""By how much the memory moved from one place of the walk to the next, and in what."""

from bot.learning.held import Held
from bot.locale import Locale
from bot.presenting.difference import part_named, parts_of
from estimator import GIB, show_gib

TENTHS = 10


def moved(now: Held, before: Held, locale: Locale) -> str:
    """`108.5 GiB → 15.7 GiB: 92.8 GiB less, mostly optimizer's states`."""
    words, locale_words = locale.learn.sentences, locale.reply
    moment = locale_words.moments[now.moment.name]
    if now.bytes == before.bytes:
        return words["same"].format(now=show_gib(now.bytes), moment=moment)
    here, there = parts_of(now.lines), parts_of(before.lines)
    sign = 1 if now.bytes > before.bytes else -1
    change = {key: here.get(key, 0) - there.get(key, 0) for key in {**here, **there}}
    part = max(change, key=lambda key: sign * change[key])
    return words["more" if sign > 0 else "less"].format(
        before=show_gib(before.bytes),
        now=show_gib(now.bytes),
        gap=_gap(before.bytes, now.bytes),
        part=part_named(part, locale),
    )


def _gap(one: int, other: int) -> str:
    """The difference of both as they are shown; exactly, where they are shown alike."""
    shown = abs(round(round(one / GIB, 1) * TENTHS) - round(round(other / GIB, 1) * TENTHS))
    return show_gib(shown * GIB // TENTHS if shown else abs(one - other))
