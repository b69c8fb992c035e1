"""Several models in one file of a server that starts one of them at a time: llama-swap's, presets.

The one that the person speaks of is meant, else the first; the others are named in a note.
"""

import re
from collections.abc import Callable, Sequence

from bot.compiled import compiled
from bot.reading.pasting.settings import Setting

_WORD = compiled(r"[a-z]{3,}|\d+b", re.IGNORECASE)


def one_of(
    settings: Sequence[Setting], prose: str, names: Callable[[str], int | None]
) -> tuple[Sequence[Setting], list[str]]:
    """(The settings of one model, the others' names); `names`: which key of a model a path is."""
    starts: list[int] = []
    first = ""
    for at, setting in enumerate(settings):
        if names(setting.path) is None or setting.is_nothing:
            continue
        key = setting.key
        if not starts or (key == first and setting.value != settings[starts[-1]].value):
            starts.append(at)
            first = first or key
    if len(starts) <= 1:
        return settings, []
    ends = [*starts[1:], len(settings)]
    said = {word.casefold() for word in _WORD.findall(prose)}
    models = [settings[at].value for at in starts]
    fits = [len(said & {word.casefold() for word in _WORD.findall(name)}) for name in models]
    best = fits.index(max(fits))
    head = settings[: starts[0]] if best == 0 else ()
    others = [name.rpartition("/")[2] for n, name in enumerate(models) if n != best]
    return [*head, *settings[starts[best] : ends[best]]], others
