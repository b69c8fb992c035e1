"""How right answers have been, in a line a kind, beside the rule of thumb on the same rows."""

from collections.abc import Iterator

from bot.locale import ENGLISH, Locale
from bot.presenting.numerals import written
from bot.record import Kind, Read, Record

EXACT = 0.0005  # a share below it is shown as none


def said_record(record: Record, locale: Locale) -> str:
    """Lines to be read on a phone: runs by kind, then texts, then what it all means."""
    said = "\n".join([*_lines(record, locale), locale.say("record_means")])
    return said if locale.code == ENGLISH else written(said, locale.code)


def _lines(record: Record, locale: Locale) -> Iterator[str]:
    for kind in record.runs:
        key = "record_run" if kind.rule is None else "record_run_rule"
        yield locale.say(key, name=_name(kind, locale), rows=f"{kind.rows:,}",
                         median=_share(kind.median), inside=f"{kind.inside:.0%}",
                         rule=f"{kind.rule or 0:.0%}")  # fmt: skip
    for text in record.texts:
        yield locale.say(
            "record_text",
            name=_name(text, locale),
            fields=f"{text.fields:,}",
            right=f"{text.right:.1%}",
            wrong=f"{text.wrong:.1%}",
        )


def _name(one: Kind | Read, locale: Locale) -> str:
    return locale.reply.record[one.id]


def _share(part: float) -> str:
    return "0%" if part < EXACT else f"{part:.1%}"
