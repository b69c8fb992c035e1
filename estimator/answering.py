"""The front door's one arrow: Request → Answer, with everything a reply needs.

`Answer.document` is the answer in the fixed words of the interface; `answer_document`
takes and gives JSON values and never raises for what a question can hold.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from estimator.breakdown import Estimate, Line
from estimator.catalog import Catalog
from estimator.document import (
    card_document,
    error_document,
    line_document,
    moment_document,
    opinion_document,
    reservation_document,
    share_document,
    solved_document,
    understood,
)
from estimator.equal_cards import of_equal_cards
from estimator.errors import EstimatorError, Unsupported
from estimator.estimate import estimate, spanning
from estimator.evaluation import evaluation_warning
from estimator.fit import CardFit, fit
from estimator.host import host_warnings
from estimator.in_use import in_use_warnings, refuse_more_than_all
from estimator.inverse import Solved, solve
from estimator.inverse_training import solve_training
from estimator.judging import LARGEST_BYTES, Judging, others_of, resolve
from estimator.over_cards import place_of
from estimator.parsing import is_plain, parse_request
from estimator.refusals_of_adapters import LORA
from estimator.request import Request, TrainRequest
from estimator.reservation import Reservation, reservations
from estimator.reservation_warnings import reservation_warnings
from estimator.rollout import share_too_small, without_share
from estimator.rules import serving_opinions, training_opinions
from estimator.second_opinion import SecondOpinion
from estimator.setup import Assumption, ServeSetup, Setup, TrainSetup
from estimator.storage import storage
from estimator.units import show_gib

DEFAULT_RANK = 16  # of the LoRA companion, where no rank was named


@dataclass(frozen=True, slots=True)
class Answer:
    """What was understood, what it takes, which cards hold it, what the rules say."""

    request: Request
    setup: Setup
    estimate: Estimate
    cards: tuple[CardFit, ...]
    opinions: tuple[SecondOpinion, ...]
    warnings: tuple[str, ...]
    reservations: tuple[Reservation, ...] = ()
    solved: Solved | None = None

    @property
    def storage(self) -> tuple[Line, ...]:
        """What the run keeps on disk, all of it."""
        return storage(self.setup)

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        return self.setup.assumed

    def document(self) -> dict[str, Any]:
        """JSON values in the interface's words."""
        peak = self.estimate.peak
        return {
            "understood": understood(self.setup),
            "assumed": [
                {"field": a.field, "value": a.value, "why": a.why, "source": a.source}
                for a in self.assumed
            ],
            "moments": [moment_document(moment) for moment in self.estimate.moments],
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
            "second_opinions": [opinion_document(opinion) for opinion in self.opinions],
            "cards": [card_document(card) for card in self.cards],
            **_shares(self.estimate),
            "reservations": [reservation_document(one) for one in self.reservations],
            "storage": [line_document(line) for line in self.storage],
            "warnings": list(self.warnings),
            **({"solved": solved_document(self.solved)} if self.solved else {}),
            "error": None,
        }


def _shares(found: Estimate) -> dict[str, Any]:
    """Of every card, where they hold unlike parts of the model."""
    return {"shares": [share_document(one) for one in found.shares]} if found.shares else {}


def answer(request: Request, catalog: Catalog) -> Answer:
    """Resolve, estimate, fit; raises EstimatorError for what cannot be answered."""
    solved = None
    if request.find is not None:
        request, solved = solved_by(request, catalog)
    setup = resolve(request, catalog)
    refuse_more_than_all(setup, catalog)
    found = estimate(setup)
    if found.peak.bytes > LARGEST_BYTES:
        raise Unsupported(
            "batch",
            f"That comes to {show_gib(found.peak.bytes)} on one card, beyond any machine: look "
            "at batch, sequence, context and users again.",
        )
    own, others = found, tuple(others_of(setup, catalog))
    found = spanning(found, map(estimate, others))
    elsewhere = _elsewhere(setup, others, catalog)
    in_use = request.in_use_bytes or 0
    cards = fit(
        found,
        setup.cards,
        catalog,
        world=setup.world,
        elsewhere=elsewhere,
        in_use_bytes=in_use,
    )
    reserved = reservations(setup, catalog) if isinstance(setup, ServeSetup) else ()
    return Answer(
        request=request,
        setup=setup,
        estimate=found,
        cards=cards,
        opinions=_opinions(setup),
        warnings=(
            *setup.warnings,
            *_evaluation_warnings(setup, own),
            *_place_warnings(setup, own),
            *_share_warnings(setup, reserved, cards),
            *host_warnings(setup),
            *in_use_warnings(setup, reserved, catalog),
        ),
        reservations=reserved,
        solved=solved,
    )


def solved_by(request: Request, catalog: Catalog) -> tuple[Request, Solved | None]:
    """The request with what it seeks filled in."""
    if isinstance(request, TrainRequest):
        return solve_training(request, catalog, Judging(catalog))
    return solve(request, catalog, Judging(catalog))


def can_answer(request: Request, catalog: Catalog) -> bool:
    """Whether all that is named is known and goes together; nothing is counted yet."""
    try:
        resolve(request, catalog)
    except EstimatorError:
        return False
    return True


def _evaluation_warnings(setup: Setup, found: Estimate) -> Iterator[str]:
    """What evaluating between steps takes, where it is more than they do."""
    if isinstance(setup, TrainSetup) and not setup.plan.divides:  # which no Trainer runs
        warning = evaluation_warning(setup, found)
        if warning is not None:
            yield warning


def _place_warnings(setup: Setup, found: Estimate) -> Iterator[str]:
    """Which stage the answer is of."""
    if isinstance(setup, TrainSetup) and (place := place_of(setup, found)):
        yield place


def _elsewhere(setup: Setup, others: Sequence[Setup], catalog: Catalog) -> Estimate | None:
    """On any card but those named: of one, an engine took its share; unequal ones have parts."""
    if isinstance(setup, ServeSetup):
        equal = of_equal_cards(setup, catalog)
        if equal is None:
            return None
        return spanning(estimate(equal), map(estimate, others_of(equal, catalog)))
    least = without_share(setup)
    if least is setup:
        return None
    spanned = (estimate(without_share(one)) for one in others if isinstance(one, TrainSetup))
    return spanning(estimate(least), spanned)


def _rollout_share_warnings(setup: TrainSetup) -> Iterator[str]:
    """What the share of the engine that generates means, and where it is too small to start."""
    found, rollout = share_too_small(setup), setup.goal.rollout
    if rollout is not None and rollout.reserved_bytes is not None and found is None:
        yield (
            "vLLM takes its share of the card that is named; other cards are judged by what it "
            "needs at least."
        )
    if found is not None:
        given, needed = found
        yield (
            f"vLLM's share of the card, {show_gib(given)}, is less than it needs to start. "
            f"Counted is what it needs at least, {show_gib(needed)}: raise "
            "`vllm_gpu_memory_utilization`."
        )


def _share_warnings(
    setup: Setup, found: tuple[Reservation, ...], cards: tuple[CardFit, ...]
) -> Iterator[str]:
    """What an engine takes of a card, whatever the model needs, and where that is too little."""
    if isinstance(setup, TrainSetup):
        yield from _rollout_share_warnings(setup)
        return
    yield from reservation_warnings(setup, found, cards)


def answer_document(document: object, catalog: Catalog) -> dict[str, Any]:
    """An answer to one JSON request; what is wrong with it stands under `error`."""
    try:
        return answer(parse_request(document), catalog).document()
    except EstimatorError as error:
        known = document if isinstance(document, dict) and is_plain(document) else None
        return error_document(error, known)


def _opinions(setup: Setup) -> tuple[SecondOpinion, ...]:
    if isinstance(setup, ServeSetup):
        return serving_opinions(setup)
    of_lora = setup.adapter is not None and setup.adapter.method in LORA
    rank = setup.adapter.rank if setup.adapter and of_lora else DEFAULT_RANK
    return training_opinions(setup, rank)
