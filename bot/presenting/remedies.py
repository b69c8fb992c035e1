"""Advice on a run that ran out of memory → the steps of its explanation, the estimator's first."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from bot.diagnosis.diagnosis import Cause, Diagnosis
from bot.locale import Locale
from bot.presenting.advised import ways_said
from bot.presenting.flags import flags_of
from bot.presenting.presentation import OomExplanation
from estimator import Advice

MOST_STEPS = 5
MOST_WAYS = 3
APART = (  # causes that no smaller run does away with: their own steps come first
    *(Cause.FRAGMENTED, Cause.OTHERS, Cause.CAP, Cause.PLENTY_FREE, Cause.CARVE_OUT),
    *(Cause.HOST, Cause.SHARE, Cause.PINNED),
)
COVERED = (  # steps that the estimator's ways say with figures
    *("smaller_batch", "half_batch", "checkpointing", "shorter", "eight_bit", "smaller_model"),
    *("fused_loss", "fused_attention", "smaller_packed", "smaller_quant", "smaller_tag"),
    *("ngl", "num_gpu", "cpu_moe", "context", "cache_type", "ubatch", "num_ctx", "ollama_cache"),
)


def with_remedies(
    shown: OomExplanation, found: Diagnosis, advice: Advice, lines: Sequence[str], locale: Locale
) -> OomExplanation:
    """`shown` with the ways that make it fit among its steps, and the `lines` that ask for them."""
    flags = [flags_of(way, found.program) for way in advice.ways[:MOST_WAYS]]
    ways = tuple(
        f"{said} `{typed}`" if typed else said
        for said, typed in zip_longest(islice(ways_said(advice, locale), MOST_WAYS), flags)
    )
    named = zip(found.steps, shown.steps, strict=True)
    own = [text for step, text in named if step.key not in COVERED or not advice.ways]
    if found.verdict.cause in APART:
        kept = own[: MOST_STEPS - len(ways)]
        steps = (*kept, *ways)
    else:
        steps = (*ways, *own[: MOST_STEPS - len(ways)])
    return replace(shown, steps=steps, lines=(*lines, *shown.lines))
