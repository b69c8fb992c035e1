"""Prices of clouds' machines: only those that whoever runs the bot has written down."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prices:
    """By the name of an instance, what an hour of it costs in `currency`."""

    currency: str
    per_hour: Mapping[str, float]

    @property
    def said(self) -> tuple[Hashable, ...]:
        """All of it, to tell prices from others."""
        return (self.currency, *sorted(self.per_hour.items()))

    def of(self, instance: str, machines: int) -> str | None:
        """`98.32 USD/h` of so many of it; none where it has no price."""
        price = self.per_hour.get(instance)
        return None if price is None else f"{price * machines:,.2f} {self.currency}/h"
