"""The plan in words: how many of which cards, clouds that have them, and what it costs.

At most a few lines, since it is read on a phone below the cards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from bot.locale import Locale
from bot.presenting.names import card_name
from bot.presenting.presentation import Entry, Presentation
from bot.presenting.prices import Prices
from estimator import (
    GIB,
    THOUSAND,
    Answer,
    Difference,
    Machine,
    Path,
    Plan,
    Plans,
    Reach,
    ServeSetup,
    Strategy,
    TrainSetup,
    Verdict,
    difference,
    pcie,
    show_gb,
    show_gib,
)

MOST_KINDS = 3  # of cards that one chooses between
LARGEST_AT_HOME_GB = 32  # of cards that people have in their own machines
PAIR = 2
MANY = 64  # cards; what so many cannot hold is no matter of sharing
GENERATION, LANES = 4, 16  # of the slot that a fast link is compared with
TENFOLD = 10  # seconds and thousandths; from here on whole ones are shown


def worth_planning(answer: Answer) -> bool:
    """Whether a plan says more than the cards do: what was asked for does not hold it for sure.

    Without a card: nothing holds it, or only cards that few people have.
    """
    if answer.solved is not None:
        return False
    asked = [card for card in answer.cards if card.asked]
    if asked:
        return any(card.verdict is not Verdict.FITS for card in asked)
    roomy = [card for card in answer.cards if card.verdict is Verdict.FITS]
    return not roomy or roomy[0].total_bytes > LARGEST_AT_HOME_GB * GIB


def with_plan(
    shown: Presentation, found: Plans, answer: Answer, *, prices: Prices | None, locale: Locale
) -> Presentation:
    """The answer with its plan: cards, clouds, what travels between cards, the GPU guide."""
    nothing = not found.classes and found.asked is None
    if nothing and isinstance(answer.setup, ServeSetup) and answer.setup.engine.vendors:
        return shown  # it runs on cards of which there are no classes
    entries = tuple(_entries(found, answer, prices, locale))
    return replace(shown, plan_heading=locale.reply.headings["plan"], plan=entries)


def _entries(
    found: Plans, answer: Answer, prices: Prices | None, locale: Locale
) -> Iterator[Entry]:
    kinds = _choice(found)
    yield Entry(locale.say("plan_cards"), _cards(found, kinds, answer, locale), "")
    if found.machines:
        text = _clouds(found.machines, prices, locale)
        yield Entry(locale.say("plan_clouds"), text, "")
    several = next((p for p in (found.asked, *kinds) if p is not None and p.count > 1), None)
    if several is not None and (said := _travel(several, locale)):
        yield Entry(locale.say("plan_link"), said, "")
    if isinstance(answer.setup, TrainSetup) and found.fixed is None:
        other = difference(answer.setup, found.classes)
        if other is not None:
            yield Entry(locale.say("plan_guide"), _guide(other, locale), "")


def _choice(found: Plans) -> list[Plan]:
    """What one chooses between: what goes into one machine, else the fewest machines.

    Not many cards of a kind that no machine has several of, unless there is nothing else.
    """
    own = None if found.asked is None else (found.named_class, found.asked.count)
    turning = [plan for plan in found.turning if (plan.card, plan.count) != own]  # said already
    able = [plan for plan in turning if plan.count <= max(PAIR, plan.in_one)]
    inside = [plan for plan in able or turning if plan.boxes == 1]
    if len(inside) >= PAIR:
        return inside[:MOST_KINDS]
    outside = [p for p in turning if p.boxes > 1 and p.in_one > PAIR]
    return [*inside, *outside][:MOST_KINDS]


def _cards(found: Plans, kinds: Sequence[Plan], answer: Answer, locale: Locale) -> str:
    """`1× 80 GB; 2× 48 GB or 4× 32 GB with FSDP`, what was named before all else."""
    parts = [*_own(found, answer, locale)]
    parts += [
        locale.say("plan_or").join(_counted(plan, locale) for plan in same) + way
        for way, same in groupby(kinds, key=lambda plan: _way(plan, locale))
    ]
    if not parts:
        key = "plan_none_of" if found.fixed else "plan_none"
        parts = [locale.say(key, count=f"{found.fixed or found.most:,}")]
    if found.offloaded is not None:
        plan = found.offloaded
        host = show_gib(sum(line.bytes for line in plan.host))
        text = _counted(plan, locale) + _way(plan, locale)
        text += locale.say(f"plan_offload_{plan.offload}")
        parts.append(locale.say("plan_offloaded", plan=text, host=host))
    return "; ".join(parts)


def _own(found: Plans, answer: Answer, locale: Locale) -> Iterator[str]:
    """Of the kind that was named: the fewest that do, or that none do."""
    plan = found.asked
    if plan is not None and plan.tight and plan.count == found.named_count:
        if not found.mixed:  # else the verdict has said it
            name = card_name(found.named)
            yield locale.say("plan_none_spare", card=name, count=f"{found.named_most:,}")
    elif plan is not None and found.mixed:
        way = _way(plan, locale)
        yield locale.say("plan_mixed", count=f"{plan.count:,}", way=way)
    elif plan is not None:
        said = _counted(plan, locale) + _way(plan, locale)
        said = locale.say("plan_tight", cards=said) if plan.tight else said
        many = plan.boxes == 1 and plan.count > max(PAIR, plan.in_one)
        yield locale.say("plan_own_box", cards=said) if many else said
    elif found.mixed:
        yield locale.say("plan_none_mixed", count=f"{found.named_most:,}")
    elif found.named:
        name = card_name(found.named)
        whole = found.named_most > MANY and not _degrees(answer.setup)
        key = "plan_none_divided" if whole else "plan_none_named"
        yield locale.say(key, card=name, count=f"{found.named_most:,}")


def _counted(plan: Plan, locale: Locale) -> str:
    """`16× 24 GB (2 machines; or 8× RTX 3090)`."""
    name = f"{plan.count:,}× {card_name(plan.name)}"
    beside = []
    if plan.boxes > 1:
        beside.append(locale.say("plan_boxes", boxes=f"{plan.boxes:,}"))
    if plan.some:
        some = ", ".join(map(card_name, plan.some[:PAIR]))
        beside.append(locale.say("plan_some", count=f"{plan.count // 2:,}", cards=some))
    return f"{name} ({'; '.join(beside)})" if beside else name


def _way(plan: Plan, locale: Locale) -> str:
    """` with FSDP`; where several ways go together, their degrees as one types them."""
    degrees = _degrees(plan.setup)
    if not degrees:
        return locale.say(f"way_{plan.strategy}")
    copies = plan.setup.plan.copies if isinstance(plan.setup, TrainSetup) else 1
    way = locale.say(f"way_{plan.strategy}") if copies > 1 else ""
    return locale.say("way_degrees", degrees=" ".join(degrees), way=way)


def _degrees(setup: TrainSetup | ServeSetup) -> list[str]:
    """`tp 8`, `pp 2`: of training those that were asked for; of serving where there are several."""
    if isinstance(setup, TrainSetup):
        own = setup.plan
        named = {"tp": own.tp, "pp": own.pp, "cp": own.cp, "ep": own.ep}
    elif setup.strategy is Strategy.THREE_D:
        split = setup.split
        named = {"tp": split.tp, "pp": split.stages, "cp": split.cp, "dp": split.dp}
    else:
        return []
    return [f"{name} {degree}" for name, degree in named.items() if degree > 1]


def _clouds(machines: Sequence[Machine], prices: Prices | None, locale: Locale) -> str:
    """`AWS p5.48xlarge, GCP 2× a3-highgpu-8g`, with the operator's prices where there are any."""
    return ", ".join(_machine(one, prices, locale) for one in machines)


def _machine(one: Machine, prices: Prices | None, locale: Locale) -> str:
    name = one.id if one.machines == 1 else f"{one.machines}× {one.id}"
    provider = locale.say(f"provider_{one.provider}")
    said = name if one.id.startswith(one.provider) else f"{provider} {name}"
    price = None if prices is None else prices.of(one.id, one.machines)
    return said if price is None else locale.say("plan_price", machine=said, price=price)


def _travel(plan: Plan, locale: Locale) -> str:
    """What each card sends, and how long that takes at least over what links them."""
    sent = plan.sent
    if sent is None:
        return ""
    if not plan.paths:
        return ""
    kind = "step" if isinstance(plan.setup, TrainSetup) else "prompt"
    own = plan.paths[0]
    slot = next((one for one in plan.paths if one.reach is Reach.NONE and one.each_way), None)
    slow = slot or pcie(GENERATION, LANES)
    values = {
        "bytes": show_gib(sent.bytes),
        "slot": _slot(slow),
        "slow": _seconds(sent.bytes, slow),
    }
    if own.reach is Reach.ALL:
        if own.each_way is None:
            return ""
        values |= {"card": card_name(own.card), "fast": _seconds(sent.bytes, own)}
        values["link"] = locale.say(f"link_{own.kind}")
        return locale.say(f"travel_{kind}_fast", **values)
    bridge = [card_name(one.card) for one in plan.paths if one.reach is Reach.PAIRS]
    said = locale.say(f"travel_{kind}_slow", **values)
    if bridge and plan.count == PAIR:
        said += locale.say("travel_bridge", cards=", ".join(bridge[:PAIR]))
    return said


def _slot(path: Path) -> str:
    return f"PCIe {path.generation}.0 x{path.lanes}"


def _seconds(amount_bytes: int, path: Path) -> str:
    seconds = amount_bytes / (path.each_way or 1)
    if seconds < 1:
        thousandths = seconds * THOUSAND
        return f"{thousandths:.0f} ms" if thousandths >= TENFOLD else f"{thousandths:.2g} ms"
    return f"{seconds:,.0f} s" if seconds >= TENFOLD else f"{seconds:.1f} s"


def _guide(other: Difference, locale: Locale) -> str:
    """One sentence: what the guide says, and why it is otherwise."""
    values = {
        "said": other.said,
        "size": other.card_gb,
        "sum": "" if other.sum_bytes is None else show_gb(other.sum_bytes),
    }
    return locale.say(f"guide_{other.why}", **values)
