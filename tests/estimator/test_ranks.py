"""Served models on several cards: no card's share is the sum divided, and nothing is lost."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from estimator import Answer, Contradiction, answer, load_catalog, parse_request
from estimator.breakdown import Line, Moment
from estimator.rank_tensors import rank_tensors
from estimator.ranks import content, ranks_of
from estimator.setup import ServeSetup
from estimator.split import Slice, Split, sliced
from estimator.tensors import Role
from tests.estimator.questions import FIXED, MODELS, Document, serve
from tests.formula_text import evaluate, names

CATALOG = load_catalog()
LLAMA, SMALL = "meta-llama/Llama-3.1-70B", "meta-llama/Llama-3.1-8B"
DEEPSEEK = "deepseek-ai/DeepSeek-V3"
DECODERS = [name for name in MODELS if "bert" not in name and "t5" not in name]
LAYERED = ("vllm", "sglang", "tensorrt_llm", "transformers", "llama.cpp")


def answered(**fields: object) -> Answer:
    return answer(parse_request(serve(**fields)), CATALOG)


def held(lines: tuple[Line, ...], *keys: str) -> int:
    return sum(line.bytes for line in lines if line.key.startswith(keys))


def moments_of_cards(found: Answer) -> list[tuple[int, Moment]]:
    """(cards, last moment) of every share; of all cards, where they hold the same."""
    estimate = found.estimate
    if not estimate.shares:
        return [(found.setup.world, estimate.moments[-1])]
    return [(share.cards, share.estimate.moments[-1]) for share in estimate.shares]


def summed(found: Answer, *keys: str) -> int:
    return sum(cards * held(one.lines, *keys) for cards, one in moments_of_cards(found))


def fullest(found: Answer, *keys: str) -> int:
    return max(held(one.lines, *keys) for _, one in moments_of_cards(found))


SPREADS: tuple[Document, ...] = (
    *({"engine": engine, "pp": stages} for engine in LAYERED for stages in (2, 3, 5)),
    *({"engine": engine, "tp": cards} for engine in LAYERED for cards in (2, 4, 8, 16)),
    *({"engine": engine, "tp": 2, "pp": 3} for engine in LAYERED[:3]),
)


@pytest.mark.parametrize("spread", SPREADS, ids=str)
def test_cards_together_hold_no_less_than_the_whole(spread: Document) -> None:
    packed = {"weights": "gguf:Q4_K_M"} if spread["engine"] == "llama.cpp" else {}
    one = answered(engine=spread["engine"], **packed)
    many = answered(**spread, **packed)
    for keys in (("weights", "tower"), ("kv_cache",)):
        whole = fullest(one, *keys)
        assert summed(many, *keys) >= whole
        assert fullest(many, *keys) >= whole / many.setup.world


@FIXED
@given(
    st.sampled_from(("gguf:Q4_K_M", "gguf:Q8_0", "gguf:IQ4_XS")),
    st.sampled_from((SMALL, "openai/gpt-oss-20b", "deepseek-ai/DeepSeek-V2-Lite")),
    st.lists(st.integers(0, 9), min_size=2, max_size=6).filter(any),
)
def test_uneven_shares_of_llama_cpp_are_the_whole(
    packed: str, model: str, parts: list[int]
) -> None:
    asked = {"engine": "llama.cpp", "model": model, "weights": packed}
    one = answered(**asked)
    many = answered(**asked, world=len(parts), layer_split=parts)
    for keys in (("weights",), ("kv_cache",)):
        assert summed(many, *keys) == fullest(one, *keys)


@pytest.mark.parametrize("engine", LAYERED)
@pytest.mark.parametrize("model", [SMALL, "google/gemma-2-2b", "openai/gpt-oss-20b"])
def test_more_cards_never_fill_one_more(engine: str, model: str) -> None:
    packed = {"weights": "gguf:Q4_K_M"} if engine == "llama.cpp" else {}
    found = [
        answered(engine=engine, model=model, strategy="pp", world=cards, **packed)
        for cards in (2, 4, 8)
    ]
    amounts = [fullest(one, "weights", "kv_cache") for one in found]
    assert amounts == sorted(amounts, reverse=True)


@pytest.mark.parametrize("spread", SPREADS, ids=str)
def test_text_equals_number_on_every_card(spread: Document) -> None:
    for share in answered(**spread).estimate.shares:
        for moment in share.estimate.moments:
            for line in moment.lines:
                assert evaluate(line.formula, line.terms) == line.bytes, line
                assert names(line.formula) == set(line.terms), line
                assert CATALOG.sources.get(line.source)


@pytest.mark.parametrize("name", DECODERS)
def test_slices_are_the_whole(name: str) -> None:
    """Ends that are tied are there twice where they lie apart; all else once."""
    whole = CATALOG.models.find(name).architecture
    cut = max(1, whole.depth // 3)
    first = Slice(0, cut, embedding=True, head=False)
    rest = Slice(cut, whole.depth - cut, embedding=False, head=True)
    parts = [sliced(whole, one) for one in (first, rest)]
    again = whole.vocabulary * whole.hidden if whole.tied and whole.head else 0
    assert sum(part.parameters for part in parts) == whole.parameters + again


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("cards", [1, 2, 4, 8])
def test_a_rank_holds_its_part_and_what_is_whole(name: str, cards: int) -> None:
    whole = CATALOG.models.find(name).architecture
    split = Split(tp=cards, experts=cards, tables=cards)
    tables = (Role.EMBEDDING, Role.HEAD)
    held_there = sum(t.parameters for t in rank_tensors(whole, split, divided=tables))
    assert whole.parameters / cards <= held_there <= whole.parameters
    if cards == 1:
        assert held_there == whole.parameters


def test_norms_routers_and_latents_stay_whole() -> None:
    whole = CATALOG.models.find(DEEPSEEK).architecture
    there = {t.module: t for t in rank_tensors(whole, Split(tp=8, experts=8, tables=8))}
    every = {t.module: t for t in whole.tensors}
    for module in ("norm", "router", "q_a_proj", "kv_a_proj_with_mqa", "kv_a_layernorm"):
        assert there[module].parameters == every[module].parameters
    for module in ("kv_b_proj", "q_b_proj", "o_proj", "shared.down_proj"):
        assert there[module].parameters * 8 == every[module].parameters


def test_whole_experts_take_as_much_as_parts_of_all() -> None:
    whole = CATALOG.models.find(DEEPSEEK).architecture
    cut, spread = (
        {t.module: t.parameters for t in rank_tensors(whole, Split(tp=8, experts=8, ep=ep))}
        for ep in (1, 8)
    )
    assert cut == spread


@pytest.mark.parametrize(("cards", "heads"), [(4, 2), (8, 1), (16, 1), (32, 1)])
def test_keys_and_values_are_repeated(cards: int, heads: int) -> None:
    many = answered(model=SMALL, engine="vllm", tp=cards, weights="bf16")
    one = answered(model=SMALL, engine="vllm", weights="bf16")
    assert fullest(many, "kv_cache") == fullest(one, "kv_cache") * heads // 8


def test_a_vocabulary_is_padded_to_64_words() -> None:
    gpt2 = CATALOG.models.find("openai-community/gpt2").architecture  # 50,257 words
    divided = rank_tensors(gpt2, Split(tp=2), divided=(Role.EMBEDDING,), padding=64)
    table = next(tensor for tensor in divided if tensor.role is Role.EMBEDDING)
    assert table.rows == 50_304 // 2


def test_a_latent_cache_is_whole_on_each_card_unless_its_tokens_are_spread() -> None:
    asked = {"model": DEEPSEEK, "engine": "vllm", "weights": "fp8", "context": 65_536}
    eight, spread = answered(**asked, tp=8), answered(**asked, tp=8, cp=8)
    assert fullest(eight, "kv_cache") == 65_536 * 61 * 576 * 2
    assert fullest(spread, "kv_cache") * 8 == fullest(eight, "kv_cache")


def test_attention_beside_spread_experts_is_whole_and_has_its_own_users() -> None:
    asked = {"model": DEEPSEEK, "engine": "vllm", "weights": "fp8", "users": 64}
    beside, divided = answered(**asked, dp=8, ep=8), answered(**asked, tp=8)
    assert (beside.setup.world, divided.setup.world) == (8, 8)
    assert fullest(beside, "weights") > fullest(divided, "weights")
    assert fullest(beside, "kv_cache") * 8 == fullest(divided, "kv_cache")
    sglang = answered(**asked | {"engine": "sglang"}, tp=8, dp=8, world=8)
    assert isinstance(sglang.setup, ServeSetup)
    assert (sglang.setup.split.tp, sglang.setup.split.attentions) == (1, 8)


def test_copies_share_the_users() -> None:
    two = answered(engine="vllm", tp=2, world=4, users=10)
    assert isinstance(two.setup, ServeSetup)
    assert (two.setup.world, two.setup.split.dp) == (2, 2)
    (rank,) = ranks_of(two.setup)
    assert rank.setup.users == 5


def test_the_fullest_card_is_the_answer() -> None:
    found = answered(model=LLAMA, weights="gguf:Q4_K_M", world=2, layer_split=[3, 1]).estimate
    peaks = [share.estimate.peak.bytes for share in found.shares]
    assert found.peak.bytes == max(peaks) > sum(peaks) / 2


def test_unequal_cards_are_judged_each_by_its_own_need() -> None:
    cards = [{"id": "rtx-3090", "count": 2}, {"id": "rtx-3060"}]
    found = answered(model=LLAMA, weights="gguf:Q4_K_M", gpus=cards)
    large, small = [card for card in found.cards if card.asked]
    first, second, third = found.estimate.shares
    assert large.needed_bytes == max(s.estimate.peak.bytes for s in (first, second))
    assert small.needed_bytes == third.estimate.peak.bytes < large.needed_bytes
    assert third.blocks < first.blocks
    assert "layer_split" in {one.field for one in found.assumed}
    classes = [card for card in found.cards if not card.asked]
    even = answered(model=LLAMA, weights="gguf:Q4_K_M", world=3)
    assert {card.needed_bytes for card in classes} == {even.estimate.peak.bytes}


def test_of_equal_parts_the_smallest_card_decides() -> None:
    cards = [{"id": "rtx-3090"}, {"id": "rtx-3060"}]
    found = answered(engine="vllm", gpus=cards)
    needs = {card.needed_bytes for card in found.cards if card.asked}
    assert len(needs) == 1
    assert any("smallest decides" in one for one in found.warnings)


def test_cards_of_two_makes_share_a_model_by_llama_cpp_alone() -> None:
    cards = [{"id": "rtx-3090"}, {"id": "rx-7900-xtx"}]
    with pytest.raises(Contradiction) as raised:
        answered(engine="vllm", gpus=cards)
    assert raised.value.suggestions == ("llama.cpp",)
    local = answered(weights="gguf:Q4_K_M", gpus=cards)
    assert any("Vulkan" in one for one in local.warnings)


@FIXED
@given(st.sampled_from(DECODERS), st.sampled_from((2, 3, 4, 6, 8)))
def test_any_model_is_spread_over_any_number_of_cards(name: str, cards: int) -> None:
    architecture = CATALOG.models.find(name).architecture
    assume(cards <= architecture.depth)
    found = answered(model=name, engine="vllm", world=cards)
    assert isinstance(found.setup, ServeSetup)
    assert found.setup.split.world == cards
    assert found.estimate.high_bytes >= found.estimate.peak.bytes


def test_weights_that_were_told_are_divided_by_parameters() -> None:
    told = 20 * 10**9
    one = answered(model=SMALL, engine="vllm", weights="bf16", weight_bytes=told)
    two = answered(model=SMALL, engine="vllm", weights="bf16", weight_bytes=told, tp=2)
    assert held(one.estimate.moments[0].lines, "weights") >= told
    (share,) = (n for n in two.estimate.moments[0].lines if n.key == "weights")
    assert told / 2 <= share.bytes < told * 0.51


def test_one_card_has_no_shares() -> None:
    assert answered(model=SMALL, engine="vllm", weights="bf16").estimate.shares == ()


@pytest.mark.parametrize("engine", ["exllamav2", "transformers"])
def test_stages_are_groups_of_the_cards_that_divide_tensors(engine: str) -> None:
    found = answered(engine=engine, tp=2, pp=2)
    assert isinstance(found.setup, ServeSetup)
    assert found.setup.split.stages == 2
    assert found.setup.split.world == 4
    unequal = [{"id": "rtx-4090", "count": 2}, {"id": "rtx-3060-12gb", "count": 2}]
    found = answered(engine=engine, tp=2, pp=2, gpus=unequal)
    assert isinstance(found.setup, ServeSetup)
    assert found.setup.split.slices[0].blocks >= 14


def test_the_range_holds_whichever_card_is_the_fullest() -> None:
    """The head's logits are uncertain: its card, which by count is not the fullest, may be."""
    found = answered(model="openai-community/gpt2", weights="gguf:Q4_K_M", world=8).estimate
    highs = [share.estimate.high_bytes for share in found.shares]
    assert found.high_bytes == max(highs)
    assert found.low_bytes == max(share.estimate.low_bytes for share in found.shares)
    fullest = max(found.shares, key=lambda share: share.estimate.peak.bytes)
    assert fullest.estimate.high_bytes < found.high_bytes


@pytest.mark.parametrize(
    ("engine", "strategy", "instead"),
    [("autoawq", "tp", "pp"), ("ollama", "tp", "pp"), ("torchao", "pp", "tp")],
)
def test_a_strategy_is_a_split_that_the_engine_must_have(
    engine: str, strategy: str, instead: str
) -> None:
    with pytest.raises(Contradiction) as raised:
        answered(engine=engine, strategy=strategy, world=4)
    assert raised.value.suggestions == (instead,)


def test_stages_of_the_same_blocks_are_one_model() -> None:
    """Over as many stages as blocks: the first, the last, and all between are three models."""
    found = answered(model=SMALL, engine="vllm", pp=32)
    assert isinstance(found.setup, ServeSetup)
    ranks = ranks_of(found.setup)
    assert len({content(rank) for rank in ranks}) == 3
    assert [rank.setup.here for rank in ranks] == list(found.setup.split.slices)
    assert [share.first for share in found.estimate.shares] == list(range(32))
    unlike = answered(model="google/gemma-2-2b", engine="vllm", pp=13).setup
    assert isinstance(unlike, ServeSetup)
    for rank in ranks_of(unlike):
        assert rank.setup.here is not None
        assert rank.setup.shape.architecture == sliced(unlike.shape.architecture, rank.setup.here)
