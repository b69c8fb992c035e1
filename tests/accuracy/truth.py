"""Counted rows → requests, scored by recipe and moment."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from estimator import Answer, Book, EstimatorError, MomentName, answer, load_catalog, parse_request
from estimator.breakdown import bounds
from estimator.placing import card_of, stages
from estimator.setup import TrainSetup
from estimator.training import estimate_training
from tests.accuracy.counting.shapes import config_numbers

Row = Mapping[str, Any]

FOREACH = {"adamw": "adamw_foreach"}  # the rows' name for torch.optim.AdamW(foreach=True)
OF_ADAPTERS = ("rank", "targets", "lora_dropout", "modules_to_save", "virtual_tokens")
WHOLE = ("full", "badam", "lisa", "freeze")  # methods that train the model's own weights
UPDATING = ("rank", "optimizer_in_backward", "master", "grads", "main_grads")
OF_OBJECTIVES = ("objective", "reference", "teacher", "new_tokens")  # said as a request says it
# a stock loss is widest in one of the first two, a fused kernel's in the last
LOSS_OPERATIONS = ("_log_softmax_backward", "nll_loss_forward", "cross_entropy_backward")
NOT_EXPRESSED = 1.0  # a row without an answer counts as 100 % off


@dataclass(frozen=True, slots=True)
class Score:
    """One row against its estimate; errors are relative, moments named as the interface does."""

    id: str
    recipe: str
    request: Mapping[str, Any]
    truth: int
    estimate: int
    low: int
    high: int
    error: float
    resting: Mapping[str, float]
    moment: str
    true_moment: str
    parameters_exact: bool
    lines: tuple[tuple[str, int], ...]
    problem: str = ""
    rule: int = 0  # bytes of the first rule of thumb, 0 for none


def read_rows(path: Path) -> list[Row]:
    """The rows of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def request_of(row: Row) -> dict[str, Any]:
    """The request that asks for the row's step; a row with a `world` is one rank of FSDP2."""
    method = row.get("method", "full")
    request: dict[str, Any] = {
        "task": "train",
        **_shape(row),
        "method": method,
        "optimizer": FOREACH.get(row["optimizer"], row["optimizer"]),
        "batch": row["batch"],
        "seq": row["seq"],
        "autocast": bool(row.get("autocast")),
        "checkpointing": _checkpointing(row.get("checkpointing", False)),
        "accumulation": row.get("accumulation", 1),
        "attention": row.get("attention", "flash"),
        "loss": row.get("loss", "stock"),
        "outputs_kept": row.get("outputs_kept", False),
        **{name: row[name] for name in OF_OBJECTIVES if row.get(name)},
    }
    if "world" in row:
        request |= {"world": row["world"], "strategy": "fsdp2", "mp_policy": row["fsdp"]}
        request |= {"reshard": False} if row.get("reshard") is False else {}
        request |= {"replicas": row["replicas"]} if "replicas" in row else {}
    if row.get("tp", 1) > 1:
        request |= {"tp": row["tp"], "sp": row.get("sp", False)}
    if row.get("pp", 1) > 1:
        request |= {"pp": row["pp"]}
    if method in WHOLE:
        return request | {"weights": row["weights"]} | _updating(row)
    request |= {name: row[name] for name in OF_ADAPTERS if row.get(name)}
    if "targets" in request:
        request |= {"adapter": row.get("adapter", "fp32")}
    if method == "qlora":
        return request | {"weights": "nf4_dq", "kbit_prepare": bool(row.get("kbit_prepare"))}
    if row["weights"] in ("int8", "nf4_dq"):
        request |= {"kbit_prepare": bool(row.get("kbit_prepare"))}
    return request | {"weights": row["weights"]}


def _updating(row: Row) -> dict[str, Any]:
    """How a model's own weights are updated; BAdam's master is its own."""
    found = {name: row[name] for name in UPDATING if name in row}
    return found if row.get("method") == "badam" else {"master": "none"} | found


def _shape(row: Row) -> dict[str, Any]:
    """The model by name; by its config's numbers where the row's is not the one of that name.

    A row's model may be cut to fewer layers, or be the language model of a checkpoint that
    has a tower for images too.
    """
    name, layers = row["model"], row.get("layers", 0)
    listed = load_catalog().models.get(name)
    if listed and (not layers or listed.architecture.parameters == row["params"]):
        return {"model": name}
    config = config_numbers(name, layers)
    if config.pop("no_q_lora", False):
        config["q_lora_rank"] = None
    return {"architecture": config}


def _checkpointing(said: bool | str) -> str:
    """A row says whether blocks are checkpointed, or how."""
    if isinstance(said, str):
        return said
    return "full" if said else "none"


def true_moment(row: Row) -> str:
    """The moment at which the row peaks."""
    if row["optimizer_peak"] >= row["fwd_bwd_peak"]:
        return MomentName.OPTIMIZER_STEP
    if any(op in row["peak_op"] for op in LOSS_OPERATIONS):
        return MomentName.LOSS
    if row["forward_peak"] == row["fwd_bwd_peak"]:
        return MomentName.FORWARD
    return MomentName.BACKWARD


def one_card(row: Row, setup: TrainSetup) -> TrainSetup:
    """The card that was counted: of the row's stage, if there are several."""
    stage = row.get("stage", 1)
    return card_of(setup, stage, stages(setup.shape.architecture, setup.plan.pp)[stage - 1])


def score(row: Row) -> Score:
    """The estimate of one row, or 100 % off with the reason."""
    request = request_of(row)
    try:
        found = answer(parse_request(request), load_catalog())
        if isinstance(found.setup, TrainSetup) and found.setup.plan.pp > 1:
            card = one_card(row, found.setup)
            found = replace(found, estimate=estimate_training(card))
    except EstimatorError as error:
        return Score(
            id=row["id"],
            recipe=row["recipe"],
            request=request,
            truth=row["peak"],
            estimate=0,
            low=0,
            high=0,
            error=NOT_EXPRESSED,
            resting={},
            moment="",
            true_moment=true_moment(row),
            parameters_exact=False,
            lines=(),
            problem=error.message,
        )
    return _scored(row, request, found)


def _scored(row: Row, request: Mapping[str, Any], found: Answer) -> Score:
    estimate = found.estimate
    resting = estimate.resting
    if resting is None:
        raise ValueError(f"{row['id']}: a training step without resting figures")
    peak = max(estimate.moments, key=lambda moment: moment.counted_bytes)
    counted = {
        "before_step": resting.before_step,
        "after_forward": resting.after_forward,
        "after_backward": resting.after_backward,
    }
    shape = found.setup.shape.architecture
    low, high = bounds([moment.within(Book.TENSORS) for moment in estimate.moments])
    return Score(
        id=row["id"],
        recipe=row["recipe"],
        request=request,
        truth=row["peak"],
        estimate=peak.counted_bytes,
        low=low,
        high=high,
        error=peak.counted_bytes / row["peak"] - 1,
        resting={name: value / row[name] - 1 for name, value in counted.items()},
        moment=peak.name,
        true_moment=true_moment(row),
        parameters_exact=shape.parameters == row["params"]
        and estimate.parameters.trainable == row["trainable"],
        lines=tuple((line.key, line.bytes) for line in peak.lines if line.book is Book.TENSORS),
        rule=rule_of(found),
    )


def rule_of(found: Answer) -> int:
    """Bytes of the first rule of thumb that comes to any; of several cards it is no one card's."""
    if found.setup.world > 1:
        return 0
    return next((one.bytes for one in found.opinions if one.bytes), 0)


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures of a set of rows, in percent."""

    rows: int
    median: float
    p95: float
    worst: float
    bias: float
    peak_moment: float

    def __str__(self) -> str:
        return (
            f"n={self.rows} median={self.median:.2f}% p95={self.p95:.2f}% max={self.worst:.2f}% "
            f"bias={self.bias:+.2f}% peak_moment={self.peak_moment:.1f}%"
        )


def summarise(scores: Sequence[Score]) -> Summary:
    """Median, 95th percentile and worst of |error|; bias is the mean error."""
    errors = sorted(abs(s.error) for s in scores)
    named = sum(s.moment == s.true_moment for s in scores)
    return Summary(
        rows=len(scores),
        median=100 * median(errors),
        p95=100 * errors[-(-95 * len(errors) // 100) - 1],
        worst=100 * errors[-1],
        bias=100 * sum(s.error for s in scores) / len(scores),
        peak_moment=100 * named / len(scores),
    )


def by_recipe(scores: Iterable[Score]) -> dict[str, list[Score]]:
    """Scores grouped by the kind of row."""
    groups: dict[str, list[Score]] = defaultdict(list)
    for scored in scores:
        groups[scored.recipe].append(scored)
    return dict(sorted(groups.items()))


def report(scores: Sequence[Score], worst: int) -> Iterator[str]:
    """The table by recipe, the worst rows with their lines, and the summary last."""
    for recipe, group in by_recipe(scores).items():
        yield f"{recipe:20} {summarise(group)}"
    for name in ("before_step", "after_forward", "after_backward"):
        errors = [abs(s.resting.get(name, NOT_EXPRESSED)) for s in scores]
        yield f"{name:20} median={100 * median(errors):.2f}% max={100 * max(errors):.2f}%"
    for scored in sorted(scores, key=lambda s: -abs(s.error))[:worst]:
        yield f"{scored.error:+8.2%} {scored.id} {scored.moment} ({scored.true_moment})"
        yield f"         {scored.problem or ', '.join(f'{k} {b:,}' for k, b in scored.lines)}"
    yield f"overall {summarise(scores)}"
