"""A picture in words, for whoever does not see it: all of its totals."""

from collections.abc import Sequence

from bot.locale import Locale
from bot.pictures.picture import Bar, Limit
from estimator import show_gib_number


def alt_of(
    title: str, subtitle: str, bars: Sequence[Bar], limits: Sequence[Limit], locale: Locale
) -> str:
    """The title, each bar with its total, the parts of the one that was asked about, the lines."""
    say = locale.pictures.sentences
    said = [say["alt"].format(title=title, subtitle=subtitle)]
    said.append(f"{'; '.join(_bar(bar, locale) for bar in bars)}.")
    lines = sorted((one for one in limits if one.name), key=lambda one: one.bytes)
    named = [f"{one.name} {show_gib_number(one.bytes)}" for one in lines]
    if named:
        said.append(f"{say['alt_limits'].format(limits=', '.join(named))}.")
    return " ".join(said)


def _bar(bar: Bar, locale: Locale) -> str:
    """`RTX 3090 22.95 GiB (yes)`; of the one that was asked about its parts, where it has some."""
    say, names = locale.pictures.sentences, locale.pictures.parts
    amount, _, verdict = bar.amount.partition(" ")
    told = {"name": bar.name, "amount": amount, "verdict": f" ({verdict})" if verdict else ""}
    if not bar.strong or not bar.pieces:
        return say["alt_bar"].format(**told)
    parts = ", ".join(f"{names[p.part]} {show_gib_number(p.bytes)}" for p in bar.pieces)
    return say["alt_parts"].format(**told, parts=parts)
