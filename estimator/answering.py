"""The front door's one arrow: Request → Answer, with everything a reply needs.

`Answer.document` is the answer in the fixed words of the interface; `answer_document`
takes and gives JSON values and never raises for what a question can hold.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from estimator.architecture import Architecture
from estimator.breakdown import Estimate, Line, Moment
from estimator.catalog import Catalog
from estimator.errors import BadRequest, EstimatorError
from estimator.estimate import estimate, spanning
from estimator.fit import CardFit, fit
from estimator.request import Request, TrainRequest, is_plain, parse_request
from estimator.resolve_serve import resolve_serve
from estimator.resolve_train import resolve_train
from estimator.rules import SecondOpinion, serving_opinions, training_opinions
from estimator.setup import Adapter, Assumption, ServeSetup, Setup, TrainSetup

DEFAULT_RANK = 16  # of the LoRA companion, where no rank was named


@dataclass(frozen=True, slots=True)
class Answer:
    """What was understood, what it takes, which cards hold it, what the rules say."""

    request: Request
    setup: Setup
    estimate: Estimate
    cards: tuple[CardFit, ...]
    opinions: tuple[SecondOpinion, ...]

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        return self.setup.assumed

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.setup.warnings

    def document(self) -> dict[str, Any]:
        """JSON values in the interface's words."""
        peak = self.estimate.peak
        return {
            "understood": understood(self.setup),
            "assumed": [
                {"field": a.field, "value": a.value, "why": a.why, "source": a.source}
                for a in self.assumed
            ],
            "moments": [_moment(moment) for moment in self.estimate.moments],
            "resting": None
            if self.estimate.resting is None
            else {
                "before_step": self.estimate.resting.before_step,
                "after_forward": self.estimate.resting.after_forward,
                "after_backward": self.estimate.resting.after_backward,
            },
            "peak": {
                "moment": peak.name,
                "bytes": peak.bytes,
                "low_bytes": self.estimate.low_bytes,
                "high_bytes": self.estimate.high_bytes,
            },
            "counted_bytes": self.estimate.counted_peak_bytes,
            "parameters": {
                "total": self.estimate.parameters.total,
                "active": self.estimate.parameters.active,
                "trainable": self.estimate.parameters.trainable,
            },
            "second_opinions": [_opinion(opinion) for opinion in self.opinions],
            "cards": [_card(card) for card in self.cards],
            "warnings": list(self.warnings),
            "error": None,
        }


def answer(request: Request, catalog: Catalog) -> Answer:
    """Resolve, estimate, fit; raises EstimatorError for what cannot be answered."""
    setup = resolve(request, catalog)
    found = estimate(setup)
    found = spanning(found, _others(setup, catalog))
    return Answer(
        request=request,
        setup=setup,
        estimate=found,
        cards=fit(found, setup.cards, catalog, world=setup.world),
        opinions=_opinions(setup, found),
    )


def _others(setup: Setup, catalog: Catalog) -> Iterator[Estimate]:
    """The same question of the other models that a bare size may stand for.

    What was taken from the one shape is held fixed; a model without the modules that
    were named cannot be meant.
    """
    if isinstance(setup, TrainSetup):
        fixed: dict[str, Any] = {"checkpointing": setup.checkpointing}
    else:
        fixed = {"context": setup.context, "prompt": setup.prompt}
    for model in setup.shape.span:
        with suppress(BadRequest):
            other = setup.request.model_copy(update={**fixed, "model": model})
            yield estimate(resolve(other, catalog))


def resolve(request: Request, catalog: Catalog) -> Setup:
    """Request + Catalog → Setup."""
    if isinstance(request, TrainRequest):
        return resolve_train(request, catalog)
    return resolve_serve(request, catalog)


def answer_document(document: object, catalog: Catalog) -> dict[str, Any]:
    """An answer to one JSON request; what is wrong with it stands under `error`."""
    try:
        return answer(parse_request(document), catalog).document()
    except EstimatorError as error:
        known = document if isinstance(document, dict) and is_plain(document) else None
        return error_document(error, known)


def error_document(error: EstimatorError, known: Mapping[str, Any] | None) -> dict[str, Any]:
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
        "warnings": [],
        "error": {
            "code": error.code,
            "message": error.message,
            "suggestions": list(error.suggestions),
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
    fields["gpus"] = [{"id": entry.card.id, "count": entry.count} for entry in setup.cards]
    return fields


def _taken_train(setup: TrainSetup) -> dict[str, Any]:
    taken: dict[str, Any] = {
        "method": setup.method,
        "compute": setup.numbers.compute.id,
        "rank": setup.projection_rank or None,
        "states": _states(setup),
        "autocast": setup.autocast,
        "grads": setup.grads.id,
        "master": "none" if setup.master is None else setup.master.id,
        "batch": setup.batch,
        "seq": setup.seq,
        "accumulation": setup.accumulation,
        "checkpointing": setup.checkpointing,
        "attention": setup.attention,
        "loss": setup.loss,
        "outputs_kept": setup.outputs_kept,
        "objective": "sft",
        "world": setup.world,
        "strategy": setup.strategy,
        "offload": setup.offload,
        "optimizer_in_backward": setup.in_backward,
    }
    if setup.adapter is not None:
        taken |= {
            "rank": setup.adapter.rank,
            "kbit_prepare": setup.kbit_prepare,
            "targets": _targets(setup.adapter, setup.shape.architecture),
            "adapter": setup.adapter.dtype.id,
            "lora_dropout": setup.adapter.dropout,
        }
    return taken


def _states(setup: TrainSetup) -> str:
    """The type of states that follow their weight."""
    follows = setup.master or (setup.adapter.dtype if setup.adapter else setup.numbers.linear)
    return (setup.states or follows).id


def _targets(adapter: Adapter, architecture: Architecture) -> str | list[str]:
    every = adapter.targets == architecture.linear_modules
    return "all-linear" if every else list(adapter.targets)


def _taken_serve(setup: ServeSetup) -> dict[str, Any]:
    same = setup.kv_k.id == setup.kv_v.id
    return {
        "weights": setup.numbers.format.id,
        "compute": setup.numbers.compute.id,
        "attention": setup.attention,
        "engine": setup.engine.id,
        "prompt": setup.prompt,
        "context": setup.context,
        "users": setup.users,
        "kv": setup.kv_k.id if same else None,
        "kv_k": setup.kv_k.id,
        "kv_v": setup.kv_v.id,
        "world": setup.world,
        "strategy": setup.strategy,
    }


def _opinions(setup: Setup, found: Estimate) -> tuple[SecondOpinion, ...]:
    if isinstance(setup, ServeSetup):
        return serving_opinions(setup)
    rank = setup.adapter.rank if setup.adapter else DEFAULT_RANK
    return training_opinions(setup, found.parameters.trainable, rank)


def _moment(moment: Moment) -> dict[str, Any]:
    return {
        "name": moment.name,
        "bytes": moment.bytes,
        "lines": [_line(line) for line in moment.lines],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "key": line.key,
        "bytes": line.bytes,
        "formula": line.formula,
        "terms": dict(line.terms),
        "source": line.source,
        "basis": line.basis,
    }


def _opinion(opinion: SecondOpinion) -> dict[str, Any]:
    return {
        "rule": opinion.rule,
        "bytes": opinion.bytes,
        "source": opinion.source,
        "formula": opinion.formula,
        "terms": dict(opinion.terms),
        "note": f"{opinion.note}. {opinion.caveat}" if opinion.caveat else opinion.note,
    }


def _card(card: CardFit) -> dict[str, Any]:
    return {
        "id": card.id,
        "count": card.count,
        "verdict": card.verdict,
        "usable_bytes": card.usable_bytes,
        "needed_bytes": card.needed_bytes,
        "members": dict(card.members),
    }
