"""The plan as JSON values, in the words of the interface where it has them."""

from typing import Any

from estimator.document import line_document
from estimator.plan import Plan, Plans


def plans_document(found: Plans) -> dict[str, Any]:
    """Every class with its fewest cards, and the machines of clouds."""
    return {
        "asked": None if found.asked is None else _plan(found.asked),
        "classes": [_plan(plan) for plan in found.classes],
        "offloaded": None if found.offloaded is None else _plan(found.offloaded),
        "machines": [
            {
                "provider": one.provider,
                "id": one.id,
                "machines": one.machines,
                "card": one.card,
                "count": one.count,
                "strategy": one.strategy,
                "host_bytes": one.host_bytes,
            }
            for one in found.machines
        ],
        "most": found.most,
        "fixed": found.fixed,
    }


def _plan(plan: Plan) -> dict[str, Any]:
    sent = plan.sent
    return {
        "id": plan.card,
        "count": plan.count,
        "strategy": plan.strategy,
        "offload": plan.offload,
        "copies": plan.copies,
        "tight": plan.tight,
        "machines": plan.boxes,
        "needed_bytes": plan.needed_bytes,
        "high_bytes": plan.high_bytes,
        "usable_bytes": plan.usable_bytes,
        "half_does": list(plan.some),
        "sent": None if sent is None else line_document(sent),
        "host": [line_document(line) for line in plan.host],
    }
