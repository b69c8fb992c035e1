"""DeepSpeed: how much is in use, and what its estimator says of a model."""

from bot.reading.oom.message import OomKind
from bot.reading.oom.wording import Wording

LINES = Wording(
    OomKind.INFO,
    (
        r"\bMA {size} Max_MA",
        "CPU Virtual Memory: used",
        "Estimated memory needed for params",
        r"SW: Model with {n}M total params",
    ),
    figures={
        "ma": r"\bMA {size}",
        "max_ma": r"\bMax_MA {size}",
        "ca": r"\bCA {size}",
        "max_ca": r"\bMax_CA {size}",
        "cpu_used": r"CPU Virtual Memory: used = {size}",
        # The table's first row: the most that is offloaded, and so the least on a card.
        "needed": r"Options[\s\S]{0,90}?\d{1,9} ?[KMGT]B ?\| ?{size}",
        "cpu_needed": r"Options[\s\S]{0,90}?{size} ?\|",
    },
    counts={
        "params_m": "Model with {n}M total params",
        "largest_layer_m": "{n}M largest layer params",
        "gpus": "{n} GPUs? per node",
        "nodes": "with {n} nodes?,",
        "percent": r"CPU Virtual Memory: used = [\d.]{1,12} GB, percent = {x}%",
    },
    before=True,
)
