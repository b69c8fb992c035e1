"""Whether the host's memory that was named is enough."""

from collections.abc import Iterator

from bot.locale import Locale
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
    there = round(said.gb * GIB)
    needed = sum(line.bytes for line in lines)
    most = sum(line.bytes if line.high_bytes is None else line.high_bytes for line in lines)
    key = "host_short" if needed > there else "host_tight" if most > there else "host_enough"
    yield locale.say(
        key,
        there=f"{said.gb:g}",
        needed=show_gib(needed),
        most=show_gib(most),
        gap=show_gib(max(0, needed - there)),
    )
