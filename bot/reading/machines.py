"""A machine that is named beside its cards: `4x T4 (g4dn.12xlarge)` are four cards, not eight."""

from bot.reading.facts import CardsSaid, Said
from estimator import Catalog

MACHINE = "machine"  # the field of a fact; its value is an instance's id
APART = ("either", "both")  # between two that are meant as two


def settle_machines(said: Said, catalog: Catalog) -> None:
    """Leave of an instance and its own cards beside it what says more: how many of them.

    An instance stands in the text as its cards, `4x t4`.
    """
    machines = [fact for fact in said.facts if fact.field == MACHINE]
    if not machines:
        return
    said.facts[:] = [fact for fact in said.facts if fact.field != MACHINE]
    if any(fact.field in APART for fact in said.facts):
        return
    for machine in machines:
        card = catalog.instances.find(str(machine.value)).gpu
        names = {card, *catalog.gpus.find(card).shared}
        same = [(f, f.value) for f in said.facts if isinstance(f.value, CardsSaid)]
        same = [(fact, cards) for fact, cards in same if cards.name in names]
        own = next((one for one in same if one[0].text.endswith(f"x {card}")), None)
        if own is None or len(same) == 1:
            continue
        others = [one for one in same if one is not own]
        fewer = any(cards.counted and cards.count < own[1].count for _, cards in others)
        gone = [own] if fewer else others
        said.facts[:] = [f for f in said.facts if not any(f is fact for fact, _ in gone)]
