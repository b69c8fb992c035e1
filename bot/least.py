"""Nothing of what was sought fits: the least of it is answered, which says by how much."""

from dataclasses import replace

from bot.locale import Locale
from bot.presenting.sentences import open_ended
from bot.reading.reading import Reading
from bot.reading.write import write_line
from bot.replies import Refused, Replied
from estimator import NoRoom

SOUGHT = ("batch", "seq", "rank", "users", "context", "weights", "bpw")  # fields to be sought


def of_the_least(none: NoRoom, reading: Reading) -> Reading:
    """The reading of a line that asks for the least itself."""
    fields = {name: value for name, value in reading.fields.items() if name != "find"}
    for name in SOUGHT:
        value = getattr(none.least, name, None)
        if value is not None and value != getattr(reading.request, name, None):
            fields[name] = value
    return replace(reading, request=none.least, fields=fields, line=write_line(fields))


def beside_none(found: Replied | Refused, none: NoRoom, locale: Locale) -> Replied | Refused:
    """The answer for the least, which says first that there is no room for more."""
    if isinstance(found, Refused):
        return found
    shown = found.presentation
    told = locale.phrased(none.message)
    said = replace(shown, headline=open_ended(told), verdict=f"{told} {shown.verdict}")
    return replace(found, presentation=said)
