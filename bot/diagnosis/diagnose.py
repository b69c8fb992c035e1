"""An out-of-memory message → its diagnosis: causes, what the card held, what to do."""

from collections.abc import Iterator, Sequence

from bot.diagnosis.believing import believable
from bot.diagnosis.beside import beside, match_of
from bot.diagnosis.card import OnCard, account_of, on_card
from bot.diagnosis.diagnosis import NOTES, Cause, Diagnosis, Finding, Program
from bot.diagnosis.of_ggml import KINDS as GGML
from bot.diagnosis.of_ggml import of_ggml
from bot.diagnosis.of_pytorch import of_pytorch
from bot.diagnosis.of_servers import of_server
from bot.diagnosis.of_the_rest import of_the_rest
from bot.diagnosis.programs import program_of
from bot.diagnosis.steps import steps_for
from bot.reading.oom.message import OomKind, OomMessage
from bot.reading.oom.places import Place
from estimator import Answer, Gpu

ALLOCATOR = (OomKind.CUDA, OomKind.HIP, OomKind.XPU, OomKind.NPU)  # PyTorch's kinds
SERVERS = (
    *(OomKind.VLLM_KV_TOO_SMALL, OomKind.VLLM_NO_KV, OomKind.VLLM_STARTUP, OomKind.VLLM_SAMPLER),
    *(OomKind.SGLANG_NO_KV, OomKind.SGLANG_NEGATIVE_KV, OomKind.TGI_PREFILL, OomKind.TGI_TOTAL),
    *(OomKind.TENSORRT_LLM, OomKind.EXLLAMA),
)


def diagnose(
    message: OomMessage,
    run: Answer | None = None,
    program: Program | None = None,
    cards: Sequence[Gpu] = (),
    place: Place | None = None,
) -> Diagnosis:
    """The diagnosis of one message; `run`: an estimate of what ran, where its settings are known.

    `program`: whose message it is, where its kind does not say. `cards`: whose total it names.
    `place`: where its traceback ends.
    """
    message = believable(message)
    card = on_card(message)
    whose = program or program_of(message.kind, backend=message.words.get("backend", ""))
    findings = tuple(_ordered(message, card, place, discrete=bool(cards)))
    return Diagnosis(
        message=message,
        program=whose,
        findings=findings,
        account=account_of(message, card),
        steps=steps_for(findings, whose, message, place, said=run is not None),
        cards=tuple(gpu.name for gpu in cards),
        beside=None if run is None else beside(message, card, run),
        match=None if run is None else match_of(card, run),
    )


def _ordered(
    message: OomMessage, card: OnCard, place: Place | None, *, discrete: bool
) -> Iterator[Finding]:
    """Causes, the verdict first, then notes; at least one."""
    found = list(_causes(message, card, discrete=discrete))
    if message.incomplete and not any(one.cause not in NOTES for one in found):
        found.append(Finding(Cause.NO_SIZES))
    yield from (one for one in found if one.cause not in NOTES)
    if place is not None:
        yield Finding(Cause.PLACE, {}, place)
    yield from (one for one in found if one.cause in NOTES)
    if message.ignored:
        yield Finding(Cause.IGNORED, {"count": len(message.ignored)})


def _causes(message: OomMessage, card: OnCard, *, discrete: bool) -> Iterator[Finding]:
    if "absurd" in message.words:
        yield Finding(Cause.LARGER, {}, "absurd")
    elif message.kind in ALLOCATOR:
        if card.total or card.tried or card.allocated:
            yield from of_pytorch(message, card, discrete=discrete)
        else:
            yield Finding(Cause.NO_SIZES)
    elif message.kind in SERVERS:
        yield from of_server(message, card)
    elif message.kind in GGML:
        yield from of_ggml(message, card)
    else:
        yield from of_the_rest(message, card)
