"""Whether the host's memory that was named is enough."""

from collections.abc import Iterator
from dataclasses import replace

from bot.locale import Locale
from bot.presenting.presentation import Presentation, Tone
from bot.reading.host import HostSaid
from estimator import GIB, Answer, host_lines, show_gib


def hosting(answer: Answer, said: HostSaid | None, locale: Locale) -> Iterator[str]:
    """A sentence where the host's memory was named; a size on a box counts GiB."""
    if said is None:
        return
    lines = host_lines(answer.setup)
    if said.gb is None or not lines:
        yield locale.say("unused", words=said.words)
        return
    needed = sum(line.bytes for line in lines)
    most = sum(line.bytes if line.high_bytes is None else line.high_bytes for line in lines)
    lacking = lacking_bytes(answer, said)
    key = "host_short" if lacking else "host_tight" if most > _bytes(said.gb) else "host_enough"
    yield locale.say(
        key,
        there=f"{said.gb:g}",
        needed=show_gib(needed),
        most=show_gib(most),
        gap=show_gib(lacking),
    )


def lacking_bytes(answer: Answer, said: HostSaid | None) -> int:
    """How much the host that was named lacks; 0 where it does not, or none was."""
    if said is None or said.gb is None:
        return 0
    needed = sum(line.bytes for line in host_lines(answer.setup))
    return max(0, needed - _bytes(said.gb))


def beside_host(
    shown: Presentation, answer: Answer, said: HostSaid | None, locale: Locale
) -> Presentation:
    """The same, whose first line says what the host lacks: what the cards hold is no yes then."""
    lacking = lacking_bytes(answer, said)
    if not lacking or shown.tone is Tone.BAD:
        return shown
    lacks = locale.say("host_lacks", gap=show_gib(lacking))
    sentence = f"{lacks[0].upper()}{lacks[1:]}."
    return replace(
        shown,
        tone=Tone.BAD,
        headline=f"{shown.headline}; {lacks}",
        verdict=f"{shown.verdict} {sentence}",
    )


def _bytes(gb: float) -> int:
    return round(gb * GIB)
