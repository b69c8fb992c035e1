"""How much GPU memory a language model takes to train or to serve.

The front door: a request in, an answer out, all of it pure.

    from estimator import answer, load_catalog, parse_request

    request = parse_request({"task": "train", "model": "7B", "method": "lora"})
    answer(request, load_catalog()).document()
"""

from estimator.advise import Advice, Applied, Way, advise, advise_on
from estimator.answering import Answer, answer, answer_document, can_answer
from estimator.architecture import Architecture, Tower
from estimator.breakdown import Basis, Book, Estimate, Line, Moment, MomentName, Share, bounds
from estimator.card_total import largest_bytes, total_bytes
from estimator.catalog import Catalog, engine_ids, load_catalog
from estimator.changes import PRICES, Price
from estimator.decode_bound import DecodeBound, fastest_decode
from estimator.document import error_document, refused_document
from estimator.errors import (
    BadRequest,
    Contradiction,
    EstimatorError,
    UnknownName,
    Unsupported,
)
from estimator.fit import CardFit, Verdict
from estimator.gguf_config import config_of_gguf
from estimator.gpu_rows import Gpu, Instance
from estimator.guide import Difference, Why, difference
from estimator.hf_config import architecture_from_config, language_of
from estimator.host import host_lines
from estimator.inverse import NoRoom, Solved
from estimator.links import Path, Reach, pcie
from estimator.model_rows import Model, Models
from estimator.own_cards import OnOwnCards, OwnFit, on_own_cards
from estimator.packing import Packing, packing_of
from estimator.parsing import parse_request
from estimator.plan import Plan, Plans, plans
from estimator.plan_document import plans_document
from estimator.plan_instances import Machine
from estimator.request import GpuCount, Request, ServeRequest, TrainRequest
from estimator.reservation import Reservation, reserved_of
from estimator.rows import Format
from estimator.second_opinion import SecondOpinion
from estimator.setup import Assumption, ServeSetup, TrainSetup
from estimator.sizes import BareSize, parse_size
from estimator.statistic import Figure, Statistic, figure_of, needs_card, statistics_of
from estimator.storage import checkpoint_bytes
from estimator.table import key_of
from estimator.units import (
    GB,
    GIB,
    KIB,
    MIB,
    THOUSAND,
    show_count,
    show_gb,
    show_gib,
    show_gib_number,
)
from estimator.ways import By, Column, Row
from estimator.whatfits import Cell, WhatFits, what_fits
from estimator.words import (
    AttentionKernel,
    Checkpointing,
    Loss,
    Master,
    Method,
    Objective,
    Offload,
    Reference,
    Sought,
    SoughtInTraining,
    Strategy,
    Task,
)

__all__ = [
    "GB",
    "GIB",
    "KIB",
    "MIB",
    "PRICES",
    "THOUSAND",
    "Advice",
    "Answer",
    "Applied",
    "Architecture",
    "Assumption",
    "AttentionKernel",
    "BadRequest",
    "BareSize",
    "Basis",
    "Book",
    "By",
    "CardFit",
    "Catalog",
    "Cell",
    "Checkpointing",
    "Column",
    "Contradiction",
    "DecodeBound",
    "Difference",
    "Estimate",
    "EstimatorError",
    "Figure",
    "Format",
    "Gpu",
    "GpuCount",
    "Instance",
    "Line",
    "Loss",
    "Machine",
    "Master",
    "Method",
    "Model",
    "Models",
    "Moment",
    "MomentName",
    "NoRoom",
    "Objective",
    "Offload",
    "OnOwnCards",
    "OwnFit",
    "Packing",
    "Path",
    "Plan",
    "Plans",
    "Price",
    "Reach",
    "Reference",
    "Request",
    "Reservation",
    "Row",
    "SecondOpinion",
    "ServeRequest",
    "ServeSetup",
    "Share",
    "Solved",
    "Sought",
    "SoughtInTraining",
    "Statistic",
    "Strategy",
    "Task",
    "Tower",
    "TrainRequest",
    "TrainSetup",
    "UnknownName",
    "Unsupported",
    "Verdict",
    "Way",
    "WhatFits",
    "Why",
    "advise",
    "advise_on",
    "answer",
    "answer_document",
    "architecture_from_config",
    "bounds",
    "can_answer",
    "checkpoint_bytes",
    "config_of_gguf",
    "difference",
    "engine_ids",
    "error_document",
    "fastest_decode",
    "figure_of",
    "host_lines",
    "key_of",
    "language_of",
    "largest_bytes",
    "load_catalog",
    "needs_card",
    "on_own_cards",
    "packing_of",
    "parse_request",
    "parse_size",
    "pcie",
    "plans",
    "plans_document",
    "refused_document",
    "reserved_of",
    "show_count",
    "show_gb",
    "show_gib",
    "show_gib_number",
    "statistics_of",
    "total_bytes",
    "what_fits",
]
