"""The form for a measured peak: the peak, and which figure it is."""

from collections.abc import Mapping, Sequence

from bot.locale import Locale
from bot.measuring.peaks import MOST_TYPED
from bot.presses.panel import Input

PEAK, KIND = "peak", "kind"
MOST_KIND = 40  # characters


def peak_inputs(locale: Locale, statistics: Sequence[str], typed: Mapping[str, str]) -> list[Input]:
    """Empty, with the first of the `statistics` there are; or what was `typed` before."""
    words = locale.measured.inputs
    first, *_ = statistics
    return [
        Input(PEAK, words[PEAK], typed.get(PEAK, ""), words["peak_example"], MOST_TYPED),
        Input(KIND, words[KIND], typed.get(KIND, first), first, MOST_KIND),
    ]


def peak_labels(locale: Locale) -> Mapping[str, str]:
    """The label of each text, by its name."""
    return {name: locale.measured.inputs[name] for name in (PEAK, KIND)}
