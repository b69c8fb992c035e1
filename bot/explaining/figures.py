"""Figures of an answer by name, for the sentences of an explanation.

`peak`, `peak_gb`, `low`, `high`, `counted`, `at` (when), `in_…` (each moment), `params`, `active`,
`trainable`, `weights_gb`, `whole_16bit`, `host`; on disk `download`, `checkpoint`; of the card that
is named `usable`, `card_total`, `held_…`, and of a server's share of it `reserved`, `pool`; parts
of the peak (`weights`, `optimizer`, `activations`, `logits`, `cache`); `gradients` when all of them
are there; and any line of the peak by its key. What is not there has no figure.
"""

from collections.abc import Iterator, Mapping

from bot.locale import Locale
from bot.presenting.difference import PARTS
from estimator import Answer, Moment, checkpoint_bytes, host_lines, show_count, show_gb, show_gib

BYTES_16BIT = 2
HEAD = "head_"  # how the keys of lines begin that the head has beside its logits


class Figures(Mapping[str, str]):
    """The figures of one answer, each with its unit, in one language."""

    def __init__(self, found: Answer, locale: Locale) -> None:
        self._figures = {
            **_whole(found, locale),
            **{line.key: show_gib(line.bytes) for line in found.estimate.peak.lines},
            **_parts(found),
            **_of_card(found),
        }

    def __getitem__(self, name: str) -> str:
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)


def _whole(found: Answer, locale: Locale) -> dict[str, str]:
    peak, counts = found.estimate.peak, found.estimate.parameters
    return {
        "peak": show_gib(peak.bytes),
        "peak_gb": show_gb(peak.bytes),
        "low": show_gib(found.estimate.low_bytes),
        "high": show_gib(found.estimate.high_bytes),
        "counted": show_gib(found.estimate.counted_peak_bytes),
        "at": locale.reply.moments[peak.name],
        "params": show_count(counts.total),
        "active": show_count(counts.active),
        "trainable": show_count(counts.trainable),
        **{f"in_{one.name}": show_gib(one.bytes) for one in found.estimate.moments},
        "weights_gb": show_gb(_sum(found, "weights")),
        "whole_16bit": show_gib(counts.total * BYTES_16BIT),
        "host": show_gib(sum(line.bytes for line in host_lines(found.setup))),
        **_on_disk(found),
    }


def _on_disk(found: Answer) -> dict[str, str]:
    lines = found.storage
    fetched = sum(line.bytes for line in lines if line.key.startswith("download"))
    return {"download": show_gb(fetched), "checkpoint": show_gb(checkpoint_bytes(list(lines)))}


def _parts(found: Answer) -> dict[str, str]:
    """Logits are tokens × vocabulary, as formulas say, without what the head has beside them."""
    return {
        **{part: show_gib(_sum(found, part)) for part in PARTS},
        "gradients": show_gib(max(_in(one, "gradients") for one in found.estimate.moments)),
        "logits": show_gib(_in(found.estimate.peak, "logits", but=HEAD)),
    }


def _sum(found: Answer, part: str) -> int:
    """Bytes of the lines at the peak that belong to `part`."""
    return _in(found.estimate.peak, part)


def _in(moment: Moment, part: str, *, but: str | None = None) -> int:
    """The same of any moment; `but`: how keys begin that do not count."""
    return sum(
        line.bytes
        for line in moment.lines
        if line.key.startswith(PARTS[part]) and not (but and line.key.startswith(but))
    )


def _of_card(found: Answer) -> dict[str, str]:
    """Of the first card that was asked about, and of the share that a server takes of it."""
    figures: dict[str, str] = {}
    for card in [card for card in found.cards if card.asked][:1]:
        figures |= {"usable": show_gib(card.usable_bytes), "card_total": show_gib(card.total_bytes)}
        figures |= {f"held_{one.key}": show_gib(one.bytes) for one in card.held_back}
    for share in found.reservations[:1]:
        figures |= {"reserved": show_gib(share.bytes), "pool": show_gib(share.pool_bytes)}
    return figures
