"""What a card has of a model that is divided, as laws over plans and models."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import load_catalog, parse_request
from estimator.breakdown import Book
from estimator.degrees import Degrees
from estimator.estimate import estimate
from estimator.judging import resolve
from estimator.placing import card_of, placed, stages
from estimator.setup import TrainSetup
from estimator.training import estimate_training
from tests.estimator.questions import train

MODELS = (
    *("meta-llama/Llama-2-7b-hf", "meta-llama/Llama-3.1-8B", "Qwen/Qwen2.5-7B"),
    *("mistralai/Mixtral-8x7B-v0.1", "deepseek-ai/DeepSeek-V3", "openai-community/gpt2"),
)
POWERS = (1, 2, 4, 8, 16)
WHOLE = 671_026_404_352  # of DeepSeek-V3, as transformers has it


def setup_of(model: str, **fields: object) -> TrainSetup:
    found = resolve(parse_request(train(model=model, **fields)), load_catalog())
    assert isinstance(found, TrainSetup)
    return found


def divided(setup: TrainSetup, **degrees: int) -> TrainSetup:
    """The same step over a plan that was not asked whether it can be."""
    plan = Degrees(sequence=False, **degrees)
    return replace(setup, plan=plan, world=plan.world)


SETUPS = {model: setup_of(model) for model in MODELS}
models = st.sampled_from([model for model in MODELS if model != "openai-community/gpt2"])
degrees = st.sampled_from(POWERS)


def every_stage(setup: TrainSetup) -> list[TrainSetup]:
    found = stages(setup.shape.architecture, setup.plan.pp)
    return [card_of(setup, number, blocks) for number, blocks in enumerate(found, start=1)]


@given(model=st.sampled_from(MODELS), pp=st.integers(1, 12))
def test_every_block_is_in_one_stage(model: str, pp: int) -> None:
    architecture = SETUPS[model].shape.architecture
    found = stages(architecture, pp)
    assert [name for blocks in found for name in blocks] == list(architecture.order)
    sizes = [len(blocks) for blocks in found]
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1


def test_the_ends_have_fewer_blocks() -> None:
    """126 blocks over 16 stages, as Llama 3 405B was trained: the first and the last have 7."""
    architecture = setup_of("meta-llama/Llama-3.1-405B").shape.architecture
    assert [len(one) for one in stages(architecture, 16)] == [7, *[8] * 14, 7]


@given(model=models, tp=degrees, pp=st.sampled_from((1, 2, 4, 8)))
@settings(deadline=None, max_examples=60)
def test_the_parts_are_at_least_the_whole(model: str, tp: int, pp: int) -> None:
    whole = SETUPS[model].shape.architecture.parameters
    cards = every_stage(divided(SETUPS[model], tp=tp, pp=pp))
    assert sum(tp * card.shape.architecture.parameters for card in cards) >= whole


@given(model=models, pp=st.sampled_from((1, 2, 4, 8)))
@settings(deadline=None, max_examples=30)
def test_stages_alone_are_the_whole(model: str, pp: int) -> None:
    """Of models whose head is a weight of its own."""
    cards = every_stage(divided(SETUPS[model], pp=pp))
    parts = sum(card.shape.architecture.parameters for card in cards)
    assert parts == SETUPS[model].shape.architecture.parameters


@given(model=models, few=degrees, more=degrees, name=st.sampled_from(("tp", "pp")))
@settings(deadline=None, max_examples=60)
def test_more_cards_hold_no_more_each(model: str, few: int, more: int, name: str) -> None:
    few, more = sorted((few, more))

    def fullest(degree: int) -> int:
        cards = placed(divided(SETUPS[model], **{name: degree}))
        return max(estimate_training(one).moments[0].bytes for one in cards)

    assert fullest(more) <= fullest(few)


@given(
    tp=st.sampled_from((1, 2, 4, 8)),
    pp=st.sampled_from((1, 2, 16)),
    cp=st.sampled_from((1, 2, 16)),
    dp=st.sampled_from((1, 8, 128)),
)
def test_degrees_are_the_world(tp: int, pp: int, cp: int, dp: int) -> None:
    plan = Degrees(tp=tp, pp=pp, cp=cp, dp=dp)
    assert plan.world == tp * pp * cp * dp
    assert plan.copies * tp * pp == plan.world


@given(copies=st.sampled_from((1, 8, 128, 1024, 2048)))
@settings(deadline=None, max_examples=20)
def test_states_of_all_copies_are_the_whole(copies: int) -> None:
    """ZeRO-1 over so many cards: shards are whole bytes, and together they are all states."""
    asked: dict[str, object] = {"tp": 8, "dp": copies, "strategy": "zero1"}
    found = estimate(setup_of("meta-llama/Llama-3.1-8B", **asked))
    lines = {line.key: line.bytes for line in found.moments[-1].lines}
    alone = estimate(setup_of("meta-llama/Llama-3.1-8B", tp=8))
    whole = {line.key: line.bytes for line in alone.moments[-1].lines}
    for key in ("master_weights", "optimizer_momentum", "optimizer_variance"):
        assert copies * lines[key] >= whole[key] > copies * (lines[key] - 1)


@pytest.mark.parametrize(("ranks", "heads"), [(2, 4), (4, 2), (8, 1), (16, 1), (32, 1)])
def test_heads_of_keys_are_repeated_where_cards_outnumber_them(ranks: int, heads: int) -> None:
    (card,) = placed(setup_of("meta-llama/Llama-3.1-8B", tp=ranks))
    (block,) = card.shape.architecture.blocks.values()
    assert block.attention.query_heads == 32 // ranks
    assert getattr(block.attention, "kv_heads", None) == heads


def test_micro_batches_wait_as_long_as_there_are_stages_behind() -> None:
    setup = setup_of("meta-llama/Llama-3.1-8B", pp=4, accumulation=8)
    assert [card.plan.in_flight for card in every_stage(setup)] == [4, 3, 2, 1]
    few = setup_of("meta-llama/Llama-3.1-8B", pp=4, accumulation=2)
    assert [card.plan.in_flight for card in every_stage(few)] == [2, 2, 2, 1]


def test_only_the_ends_have_embeddings_and_head() -> None:
    cards = every_stage(setup_of("meta-llama/Llama-3.1-8B", pp=4))
    roles = [{tensor.module for tensor in card.shape.architecture.tensors} for card in cards]
    assert ["embed_tokens" in one for one in roles] == [True, False, False, False]
    assert ["lm_head" in one for one in roles] == [False, False, False, True]


def test_a_tied_head_is_a_copy_on_the_last_stage() -> None:
    cards = every_stage(setup_of("Qwen/Qwen2.5-0.5B", pp=2))
    whole = setup_of("Qwen/Qwen2.5-0.5B").shape.architecture
    copied = whole.vocabulary * whole.hidden
    parts = sum(card.shape.architecture.parameters for card in cards)
    assert parts == whole.parameters + copied


def test_experts_are_divided_whole() -> None:
    """DeepSeek-V3 as it was trained: 64 groups of 4 experts over each stage's 128 cards."""
    setup = setup_of("deepseek-ai/DeepSeek-V3", pp=16, ep=64, dp=128)
    assert setup.plan.world == 2048
    assert setup.plan.expert_copies == 2
    card = every_stage(setup)[1]
    experts = [one for one in card.shape.architecture.tensors if one.experts > 1]
    assert {one.experts for one in experts} == {4}


def test_a_published_plan_of_deepseek_v3_is_met() -> None:
    """ArXiv 2502.07846: 11.64 GiB of weights a card with PP16, TP2, EP8.

    It keeps the shared expert, and the part of queries that is rotated, whole on both cards;
    here they are divided as Megatron and transformers divide them.
    """
    setup = setup_of("deepseek-ai/DeepSeek-V3", tp=2, pp=16, ep=8, dp=8, accumulation=16)
    fullest = max(card.shape.architecture.parameters for card in placed(setup))
    shared, rotated = 3 * 7168 * 2048 // 2, 1536 * 128 * 64 // 2
    theirs = fullest + 4 * (shared + rotated)
    assert theirs == 6_250_364_928
    assert round(2 * theirs / 2**30, 2) == 11.64


def test_a_plan_divides_nothing_of_one_card() -> None:
    setup = SETUPS["meta-llama/Llama-2-7b-hf"]
    assert placed(setup) == (setup,)
    assert setup.shape.architecture.parameters == 6_738_415_616
    assert SETUPS["deepseek-ai/DeepSeek-V3"].shape.architecture.parameters == WHOLE


def test_every_group_of_cards_has_buffers_of_its_own() -> None:
    """And none of PyTorch's figures holds them; one card has none."""
    alone = estimate(SETUPS["meta-llama/Llama-2-7b-hf"])
    assert "communicators" not in {line.key for line in alone.peak.lines}
    found = estimate(setup_of("meta-llama/Llama-2-7b-hf", tp=2, pp=2, cp=2, dp=2, accumulation=2))
    (line,) = (line for line in found.peak.lines if line.key == "communicators")
    assert line.terms["groups"] == 4
    assert line.book is Book.DEVICE
    assert line.low_bytes is not None
    assert line.high_bytes is not None
    assert line.low_bytes < line.bytes < line.high_bytes


@pytest.mark.parametrize("strategy", ["fsdp", "fsdp2", "zero3"])
def test_adapters_and_saved_modules_are_sharded(strategy: str) -> None:
    """Over more cards than the rank too, where rows do not divide among them."""
    fields = {"method": "lora", "modules_to_save": ["embed_tokens", "lm_head"]}
    for key in ("adapters", "saved_modules"):
        held = []
        for world in (2, 8, 64, 128, 1024, 16_384):
            step = setup_of("meta-llama/Llama-3.1-8B", strategy=strategy, world=world, **fields)
            load, *_ = estimate(step).moments
            held += [line.bytes for line in load.lines if line.key == key]
        assert held == sorted(held, reverse=True)
        assert 0 < held[-1] < held[0] / 8
