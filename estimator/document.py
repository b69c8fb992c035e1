"""The parts of an answer as JSON values, in the interface's words."""

from collections.abc import Mapping, Sequence
from typing import Any

from estimator.architecture import Architecture
from estimator.breakdown import Line, Moment, Share
from estimator.cards import asked_cards
from estimator.errors import EstimatorError
from estimator.fit import CardFit
from estimator.inverse import Solved
from estimator.refusals_of_adapters import OF_METHODS
from estimator.reservation import Reservation
from estimator.second_opinion import SecondOpinion
from estimator.setup import REFERRING, Adapter, Goal, ServeSetup, Setup, TrainSetup
from estimator.split import Split, copies_of
from estimator.words import Strategy


def error_document(error: EstimatorError, known: Mapping[str, Any] | None) -> dict[str, Any]:
    """The document of a question that an error ended."""
    return refused_document(error.code, error.message, error.suggestions, known)


def refused_document(
    code: str, message: str, suggestions: Sequence[str], known: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The same document with nothing but what was understood and what is wrong."""
    return {
        "understood": known,
        "assumed": [],
        "moments": [],
        "resting": None,
        "peak": None,
        "counted_bytes": None,
        "parameters": None,
        "second_opinions": [],
        "cards": [],
        "reservations": [],
        "storage": [],
        "warnings": [],
        "error": {
            "code": code,
            "message": message,
            "suggestions": list(suggestions),
        },
    }


def understood(setup: Setup) -> dict[str, Any]:
    """The whole request, all fields: as asked, and as taken where it was left open."""
    fields = setup.request.model_dump(mode="json")
    taken = _taken_train(setup) if isinstance(setup, TrainSetup) else _taken_serve(setup)
    for name, value in taken.items():
        if fields[name] is None:
            fields[name] = value
    if isinstance(setup, TrainSetup):
        fields["optimizer"] = setup.optimizer.id
        fields["weights"] = setup.numbers.format.id
    else:
        fields |= _kept(setup)
    fields["gpus"] = [{"id": entry.card.id, "count": entry.count} for entry in setup.cards]
    return fields


def _kept(setup: ServeSetup) -> dict[str, Any]:
    """The types of the cache as the engine has them, which may be others than were asked for."""
    key, value = setup.kv_k.id, setup.kv_v.id
    return {"kv": key if key == value else None, "kv_k": key, "kv_v": value}


def _taken_train(setup: TrainSetup) -> dict[str, Any]:
    taken: dict[str, Any] = {
        "method": setup.method,
        "compute": setup.numbers.compute.id,
        "rank": setup.projection_rank or None,
        "states": _states(setup),
        "autocast": setup.autocast,
        "grads": setup.grads.id,
        "active_blocks": setup.part.blocks if setup.part else None,
        "master": "none" if setup.master is None else setup.master.id,
        "batch": setup.batch,
        "seq": None if setup.request.images else setup.seq,  # of text alone; else the usual
        "accumulation": setup.accumulation,
        "checkpointing": setup.checkpointing,
        "attention": setup.attention,
        "loss": setup.loss,
        "outputs_kept": setup.outputs_kept,
        "objective": setup.goal.objective,
        "world": max(setup.world, asked_cards(setup.cards)),
        "strategy": _sharing(setup),
        "offload": setup.offload,
        "optimizer_in_backward": setup.in_backward,
    }
    taken |= _taken_goal(setup.goal)
    if setup.adapter is not None:
        taken |= _of_adapter(setup, setup.adapter)
    return taken


def _of_adapter(setup: TrainSetup, adapter: Adapter) -> dict[str, Any]:
    """The fields that the method has; types of gradients and states where all have one."""
    fields = {
        "rank": adapter.rank or None,
        "targets": _targets(adapter, setup.shape.architecture),
        "adapter": adapter.dtype.id,
        "lora_dropout": adapter.dropout,
        "virtual_tokens": adapter.virtual_tokens,
    }
    known = {name: fields[name] for name in fields if adapter.method in OF_METHODS[name]}
    if adapter.saved:
        known |= {"grads": setup.request.grads, "states": setup.request.states}
    return known | {"kbit_prepare": setup.kbit_prepare}


def _taken_goal(goal: Goal) -> dict[str, Any]:
    """What an objective with more than a loss was taken to have beside it."""
    others = {
        ("reward_model" if one.role == "reward" else "value_model"): one.shape.name
        for one in goal.companions
        if one.role in ("reward", "value")
    }
    taken: dict[str, Any] = {"reference": goal.reference} if goal.objective in REFERRING else {}
    if goal.rollout is not None:
        taken |= {
            "prompt": goal.rollout.prompt,
            "new_tokens": goal.rollout.new_tokens,
            "engine": goal.rollout.engine.id,
        }
    return taken | others


def _sharing(setup: TrainSetup) -> Strategy | None:
    """How cards share what they all hold; none where each of them holds a part of its own."""
    return None if setup.strategy is Strategy.SINGLE and setup.world > 1 else setup.strategy


def _states(setup: TrainSetup) -> str:
    """The type of states that follow their weight."""
    follows = setup.master or (setup.adapter.dtype if setup.adapter else setup.numbers.linear)
    return (setup.states or follows).id


def _targets(adapter: Adapter, architecture: Architecture) -> str | list[str]:
    every = adapter.targets == architecture.linear_modules
    return "all-linear" if every else list(adapter.targets)


def _taken_serve(setup: ServeSetup) -> dict[str, Any]:
    return {
        "weights": setup.numbers.format.id,
        "compute": setup.numbers.compute.id,
        "attention": setup.attention,
        "engine": setup.engine.id,
        "prompt": None if setup.request.images else setup.prompt,
        "context": setup.context,
        "users": setup.users,
        "world": setup.world * copies_of(setup.split),
        "strategy": setup.strategy,
        **_taken_split(setup.split),
        **_taken_paging(setup),
    }


def _taken_split(split: Split) -> dict[str, Any]:
    """In how many parts each is divided, where it is in more than one; copies take the rest.

    Rows that llama.cpp cuts are one division, whose word is the strategy.
    """
    if any(part.rows for part in split.slices):
        return {}
    counts = {"tp": split.tp, "pp": split.stages, "ep": split.ep, "cp": split.cp}
    said = ("tp",) if split.world > 1 else ()  # else a strategy would fill it
    return {name: count for name, count in counts.items() if count > 1 or name in said}


def _taken_paging(setup: ServeSetup) -> dict[str, Any]:
    """How the server is started, and what is beside the model."""
    taken: dict[str, Any] = {}
    if setup.paging is not None:
        version = setup.paging.version
        taken |= {
            "engine_version": None if version is None else version.since,
            "max_batched_tokens": setup.paging.step_tokens,
            "max_num_seqs": setup.paging.sequences,
            "max_model_len": setup.paging.longest,
            "enforce_eager": not setup.paging.graphs,
        }
    if setup.loras is not None:
        taken |= {"lora_adapters": setup.loras.count, "rank": setup.loras.rank}
    if setup.draft is not None:
        taken["draft_weights"] = setup.draft.numbers.format.id
    return taken


def moment_document(moment: Moment) -> dict[str, Any]:
    """A moment with its lines."""
    return {
        "name": moment.name,
        "bytes": moment.bytes,
        "lines": [line_document(line) for line in moment.lines],
    }


def line_document(line: Line) -> dict[str, Any]:
    """A line with its formula."""
    return {
        "key": line.key,
        "bytes": line.bytes,
        "formula": line.formula,
        "terms": dict(line.terms),
        "source": line.source,
        "basis": line.basis,
    }


def solved_document(solved: Solved) -> dict[str, Any]:
    """What was sought, and the most of it that fits."""
    return {"find": solved.sought, "value": solved.value, "bound": solved.bound}


def opinion_document(opinion: SecondOpinion) -> dict[str, Any]:
    """A second opinion, its caveat behind its note."""
    return {
        "rule": opinion.rule,
        "bytes": opinion.bytes,
        "source": opinion.source,
        "formula": opinion.formula,
        "terms": dict(opinion.terms),
        "note": f"{opinion.note} {opinion.caveat}" if opinion.caveat else opinion.note,
    }


def share_document(share: Share) -> dict[str, Any]:
    """What equal cards hold each: which layers of the model, and how many bytes at the peak."""
    found = share.estimate
    return {
        "card": share.card,
        "cards": share.cards,
        "first_layer": share.first,
        "layers": share.blocks,
        "head": share.head,
        "moment": found.peak.name,
        "bytes": found.peak.bytes,
        "low_bytes": found.low_bytes,
        "high_bytes": found.high_bytes,
    }


def card_document(card: CardFit) -> dict[str, Any]:
    """A card or class with its verdict; members where they differ."""
    members = {name: member.verdict for name, member in card.members.items()}
    return {
        "id": card.id,
        "count": card.count,
        "verdict": card.verdict,
        "usable_bytes": card.usable_bytes,
        "needed_bytes": card.needed_bytes,
        "held_back": [
            {"key": part.key, "bytes": part.bytes, "basis": part.basis, "source": part.source}
            for part in card.held_back
        ],
        "members": members if len(set(members.values())) > 1 else {},
    }


def reservation_document(one: Reservation) -> dict[str, Any]:
    """What a server takes of a card that was asked about, and what that leaves for its cache."""
    return {
        "engine": one.engine,
        "card": one.card,
        "share": one.share,
        "bytes": one.bytes,
        "pool_bytes": one.pool_bytes,
        "pool_low_bytes": one.pool_low_bytes,
        "pool_high_bytes": one.pool_high_bytes,
        "pool_tokens": one.pool_tokens,
        "users": one.users,
        "longest": one.longest,
        "starts": one.starts,
    }
