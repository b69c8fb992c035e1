"""`teacher 70B`: the model that is learned from, taken out before the one that learns is read."""

import re

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, NotUnderstoodError, Said
from estimator import Catalog, parse_size

MOST_PARTS = 5  # words of a model's name: `llama 3.1 8b instruct`
_TEACHER = re.compile(r"\bteacher(?:\s+model)?\s*[:=]?\s+(?P<name>[^,;\n]+)", re.IGNORECASE)


def take_teacher(text: str, catalog: Catalog, locale: Locale, said: Said) -> str:
    """`text` without the teacher that it names, which goes to `said`.

    The longest name that a table has, or else a bare size. Where distilling is spoken of,
    a teacher that no table has is an error.
    """
    match = _TEACHER.search(text)
    if match is None:
        return text
    parts = match["name"].split()
    for length in range(min(len(parts), MOST_PARTS), 0, -1):
        name = " ".join(parts[:length])
        row = catalog.models.get(name)
        if row is None and (length > 1 or parse_size(name) is None):
            continue
        said.facts.append(Fact("teacher", name if row is None else row.id, name))
        rest = " ".join(parts[length:])
        return f"{text[: match.start()]} , {rest}{text[match.end() :]}"
    if "distil" in text.casefold():
        message = locale.say_wrong("unknown_model", name=echo(parts[0]))
        said.faults.append(NotUnderstoodError("unknown_name", message))
    return text
