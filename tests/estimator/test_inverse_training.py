"""The most that a card trains: it fits, and one step more does not."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from estimator import (
    Answer,
    BadRequest,
    Contradiction,
    EstimatorError,
    SoughtInTraining,
    TrainRequest,
    Unsupported,
    Verdict,
    answer,
    load_catalog,
    parse_request,
)
from estimator.inverse import STEP, NoRoom

CATALOG = load_catalog()
MODELS = ("1B", "7B", "Qwen/Qwen2.5-3B", "google/gemma-2-2b", "meta-llama/Llama-3.1-8B")
CARDS = (
    [{"id": "class-16gb"}],
    [{"id": "rtx-3090"}],
    [{"id": "a100-sxm4-80gb"}],
    [{"id": "rtx-4090", "count": 4}],
    [{"id": "rtx-4090"}, {"id": "rtx-3090"}],
)
QUESTIONS = st.fixed_dictionaries(
    {
        "model": st.sampled_from(MODELS),
        "method": st.sampled_from(("full", "lora", "qlora", "dora", "galore")),
        "gpus": st.sampled_from(CARDS),
    },
    optional={
        "checkpointing": st.sampled_from(("none", "full", "selective")),
        "loss": st.sampled_from(("stock", "chunked", "liger")),
        "attention": st.sampled_from(("flash", "eager")),
        "strategy": st.sampled_from(("ddp", "fsdp", "zero3")),
        "packing": st.booleans(),
    },
)
NEXT = {SoughtInTraining.BATCH: 1, SoughtInTraining.SEQ: STEP, SoughtInTraining.RANK: 1}
LEAST = {SoughtInTraining.BATCH: 1, SoughtInTraining.SEQ: STEP, SoughtInTraining.RANK: 1}


def asked(**fields: Any) -> Answer:  # noqa: ANN401  (fields of a request)
    return answer(parse_request({"task": "train"} | fields), CATALOG)


def asked_or_refused(**fields: Any) -> Answer | EstimatorError:  # noqa: ANN401  (as above)
    try:
        return asked(**fields)
    except EstimatorError as error:
        return error


def verdicts(found: Answer) -> set[Verdict]:
    return {card.verdict for card in found.cards if card.asked}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(QUESTIONS, st.sampled_from(SoughtInTraining), st.sampled_from((512, 2048)))
def test_the_most_fits_and_a_step_more_does_not(
    question: dict[str, Any], find: SoughtInTraining, seq: int
) -> None:
    if find is not SoughtInTraining.SEQ:
        question = question | {"seq": seq}
    found = asked_or_refused(**question, find=find)
    if isinstance(found, NoRoom):
        least = asked(**question, **{find: LEAST[find]})
        assert verdicts(least) != {Verdict.FITS}
        assert found.verdict in verdicts(least)
        return
    assume(isinstance(found, Answer))  # else two of these do not go together
    assert isinstance(found, Answer)
    solved = found.solved
    assert solved is not None
    assert isinstance(solved.value, int)
    assert verdicts(found) == {Verdict.FITS}
    assert getattr(found.request, find) == solved.value
    assert verdicts(asked(**question, **{find: solved.value})) == {Verdict.FITS}
    if not solved.bound:
        more = asked(**question, **{find: solved.value + NEXT[find]})
        assert verdicts(more) != {Verdict.FITS}


@pytest.mark.parametrize("find", SoughtInTraining)
def test_more_memory_never_holds_less(find: SoughtInTraining) -> None:
    question = {"model": "meta-llama/Llama-3.1-8B", "method": "qlora", "find": find}
    cards = ("rtx-3090", "rtx-5090", "a100-pcie-40gb", "a100-sxm4-80gb", "h200-sxm-141gb")
    found = [asked(**question, gpus=[{"id": card}]).solved for card in cards]
    most = [int(one.value) for one in found if one is not None]
    assert len(most) == len(cards)
    assert most == sorted(most)
    assert most[0] < most[-1]


def test_more_of_one_leaves_less_of_the_other() -> None:
    question = {"model": "meta-llama/Llama-3.1-8B", "method": "qlora", "gpus": [{"id": "rtx-4090"}]}
    lengths = [asked(**question, batch=batch, find="seq").solved for batch in (1, 2, 4, 8)]
    found = [int(one.value) for one in lengths if one is not None]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)


def test_the_models_own_length_is_the_bound() -> None:
    found = asked(model="Qwen/Qwen2.5-0.5B", method="lora", gpus=[{"id": "h200"}], find="seq")
    assert found.solved is not None
    assert found.solved.bound
    assert found.solved.value == found.setup.shape.context


def test_a_rank_ends_where_it_has_no_more_use() -> None:
    found = asked(model="Qwen/Qwen2.5-0.5B", method="lora", gpus=[{"id": "h200"}], find="rank")
    assert found.solved is not None
    assert found.solved.bound
    assert found.solved.value == found.setup.shape.architecture.hidden
    with pytest.raises(BadRequest):
        asked(model="Qwen/Qwen2.5-0.5B", method="lora", rank=int(found.solved.value) + 1)


def test_a_batch_ends_where_a_request_does() -> None:
    tiny = {"model": "14M", "method": "lora", "seq": 16, "loss": "cce"}
    found = asked(**tiny, gpus=[{"id": "b300"}], find="batch")
    assert found.solved is not None
    assert found.solved.bound
    assert found.solved.value == 64 * 1024


@pytest.mark.parametrize(
    ("find", "named", "aside"),
    [
        ("batch", {"batch": 4}, "bs 4"),
        ("seq", {"seq": 512}, "seq 512"),
        ("rank", {"rank": 8}, "r=8"),
    ],
)
def test_what_was_said_of_it_gives_way_and_is_named(
    find: str, named: dict[str, int], aside: str
) -> None:
    question = {"model": "8B", "method": "qlora", "gpus": [{"id": "rtx-4090"}], "find": find}
    found = asked(**question, **named).solved
    plain = asked(**question).solved
    assert found is not None
    assert plain is not None
    assert (found.value, found.aside) == (plain.value, aside)


def test_what_cannot_be_sought_is_said() -> None:
    with pytest.raises(BadRequest, match="name a card"):
        asked(model="8B", method="lora", find="batch")
    with pytest.raises(Contradiction, match="rank"):
        asked(model="8B", method="full", find="rank", gpus=[{"id": "rtx-4090"}])
    with pytest.raises(Unsupported, match="its prompt and what is generated"):
        asked(model="8B", method="lora", objective="grpo", find="seq", gpus=[{"id": "h100"}])
    with pytest.raises(BadRequest):
        asked(model="8B", method="lora", find="context", gpus=[{"id": "h100"}])
    assert TrainRequest(model="8B", find="batch").find == "batch"


def test_where_nothing_fits_the_method_that_would_is_offered() -> None:
    with pytest.raises(NoRoom, match="no room there even for a batch of one") as none:
        asked(model="8B", find="batch", gpus=[{"id": "rtx-4090"}])
    assert none.value.verdict is Verdict.NO
    offered = none.value.suggestions[0]
    assert asked(model="8B", method=offered, find="batch", gpus=[{"id": "rtx-4090"}]).solved
    with pytest.raises(NoRoom) as named:
        asked(model="8B", method="full", find="batch", gpus=[{"id": "rtx-4090"}])
    assert offered not in named.value.suggestions


def test_where_the_least_is_tight_that_is_said() -> None:
    with pytest.raises(NoRoom, match="would be tight") as none:
        asked(model="14B", method="lora", strategy="fsdp", find="batch",
              gpus=[{"id": "rtx-3090", "count": 2}])  # fmt: skip
    assert none.value.verdict is Verdict.TIGHT


def test_what_was_found_stands_in_the_document() -> None:
    document = asked(model="8B", method="qlora", gpus=[{"id": "rtx-3090"}], find="batch").document()
    assert document["solved"]["find"] == "batch"
    assert document["solved"]["value"] == document["understood"]["batch"]


def test_a_cut_sequence_grows_by_whole_pieces() -> None:
    asked: dict[str, Any] = {
        "task": "train", "model": "meta-llama/Llama-3.1-8B", "method": "full", "find": "seq",
        "strategy": "fsdp", "cp": 4, "gpus": [{"id": "h100-sxm5-80gb", "count": 8}],
    }  # fmt: skip
    found = answer(parse_request(asked), CATALOG)
    assert isinstance(found.request, TrainRequest)
    assert found.request.seq is not None
    assert found.request.seq % (2 * 4) == 0
    assert found.cards[0].verdict is Verdict.FITS


def test_more_blocks_of_oft_take_less_so_none_are_sought() -> None:
    asked = parse_request(
        {"task": "train", "model": "8B", "method": "oft", "find": "rank", "gpus": CARDS[1]}
    )
    with pytest.raises(Unsupported, match="takes less memory") as raised:
        answer(asked, CATALOG)
    assert "largest batch" in raised.value.suggestions
