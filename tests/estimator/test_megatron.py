"""Megatron's modules: what it publishes of itself, and runs that are known to have fitted."""

import pytest

from estimator import load_catalog, parse_request
from estimator.answering import Answer, answer
from estimator.errors import Unsupported
from estimator.fit import Verdict
from tests.estimator.questions import train

LLAMA = "meta-llama/Llama-2-7b-hf"


def ask(**fields: object) -> Answer:
    request = train(framework="megatron", method="full", **fields)
    return answer(parse_request(request), load_catalog())


def lines_of(found: Answer, moment: int = -1) -> dict[str, int]:
    return {line.key: line.bytes for line in found.estimate.moments[moment].lines}


@pytest.mark.parametrize("copies", [1, 2, 8, 64])
def test_bytes_a_parameter_are_those_that_it_publishes(copies: int) -> None:
    """18, or 6 + 12 ÷ d with the distributed optimizer over d cards."""
    lines = lines_of(ask(model=LLAMA, tp=8, dp=copies))
    states = ("master_weights", "optimizer_momentum", "optimizer_variance")
    parameters = lines["weights"] // 2
    assert lines["weights"] + lines["gradients"] == 6 * parameters
    assert sum(lines[key] for key in states) == pytest.approx(12 * parameters / copies, abs=3)


def test_a_block_keeps_what_its_operations_need() -> None:
    """For h hidden, I of the MLP, q = κ = h: 2 norms and their outputs 8h, q, k, v and o 8h, 6I."""
    found = ask(model=LLAMA, tp=2, seq=4096)
    forward = next(one for one in found.estimate.moments if one.name == "forward")
    kept = next(line.bytes for line in forward.lines if line.key == "activations")
    hidden, inner, heads, tokens, layers = 4096, 11008, 32, 4096, 32
    wide = (16 * hidden + 6 * inner + 4 * heads) // 2
    assert kept == layers * tokens * (wide + 8)  # and two sums a token on each of two cards


@pytest.mark.parametrize(
    ("seq", "cp", "dp"),
    [(8192, 1, 128), (131_072, 16, 8)],
)
def test_llama_3_405b_fits_the_cards_it_was_trained_on(seq: int, cp: int, dp: int) -> None:
    """16,384 H100 with 80 GB, 16M tokens a step, nothing recomputed (arXiv 2407.21783, 3.3.2).

    Optimizer states and gradients are sharded, weights stay gathered. What of it is Meta's own,
    stages in another order above all, is not here; Meta says less memory than 1F1B's.
    """
    found = ask(
        model="meta-llama/Llama-3.1-405B",
        tp=8,
        pp=16,
        cp=cp,
        dp=dp,
        seq=seq,
        accumulation=16,
        strategy="fsdp2",
        reshard=False,
        gpus=[{"id": "h100-sxm5-80gb", "count": 16_384}],
    )
    assert found.setup.world == 16_384
    (asked,) = (card for card in found.cards if card.asked)
    assert asked.verdict is not Verdict.NO
    assert found.estimate.peak.bytes <= 80 * 10**9


def test_deepseek_v3_fits_the_cards_it_was_trained_on() -> None:
    """2,048 H800 with 80 GB: 16 stages, experts over 64 cards, ZeRO-1, no tensor parallelism."""
    found = ask(
        model="deepseek-ai/DeepSeek-V3",
        pp=16,
        ep=64,
        dp=128,
        seq=4096,
        accumulation=120,
        checkpointing="full",
        gpus=[{"id": "h800", "count": 2048}],
    )
    assert [card.verdict for card in found.cards if card.asked] == [Verdict.FITS]


@pytest.mark.parametrize(
    "fields",
    [{"model": "openai-community/gpt2"}, {"model": "state-spaces/mamba-2.8b-hf"}],
)
def test_models_unlike_its_own_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(Unsupported):
        ask(**fields)
