"""The fewest of somebody's cards that hold it: asked of the estimate, and not one too many."""

from collections.abc import Mapping

import pytest

from estimator import (
    GpuCount,
    OnOwnCards,
    Verdict,
    answer,
    load_catalog,
    on_own_cards,
    parse_request,
)

CATALOG = load_catalog()
LORA = {"task": "train", "model": "13B", "method": "lora"}
QLORA = {"task": "train", "model": "7B", "method": "qlora"}
TIGHT = {**QLORA, "model": "Qwen/Qwen2.5-7B", "batch": 2, "seq": 4096}  # on 32 GB
SERVED = {"task": "infer", "model": "70B", "weights": "gguf:Q4_K_M", "engine": "llama.cpp"}


def asked(request: Mapping[str, object], **cards: int) -> OnOwnCards:
    """The verdict on cards by their ids, with `_` for `-`."""
    own = [GpuCount(id=id_.replace("_", "-"), count=count) for id_, count in cards.items()]
    return on_own_cards(parse_request(dict(request)), own, CATALOG)


def test_one_card_that_does_is_enough() -> None:
    found = asked(QLORA, rtx_3090=4, rtx_4090=1)
    assert [(one.fit.id, one.fit.count, one.own) for one in found.held] == [
        ("rtx-4090", 1, 1), ("rtx-3090", 1, 4),
    ]  # fmt: skip
    assert {one.fit.verdict for one in found.held} == {Verdict.FITS}


@pytest.mark.parametrize("own", [2, 3, 4, 8])
def test_as_many_as_it_takes(own: int) -> None:
    found = asked(LORA, rtx_3090=own)
    assert [one.fit.count for one in found.held] == [2]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_what_fits_is_what_the_answer_to_those_cards_says(count: int) -> None:
    found = asked(LORA, rtx_3090=count)
    best = found.best
    assert best is not None
    cards = [{"id": "rtx-3090", "count": best.fit.count}]
    again = answer(parse_request({**LORA, "gpus": cards, "strategy": best.strategy}), CATALOG)
    (card,) = [one for one in again.cards if one.asked]
    assert card.needed_bytes == best.fit.needed_bytes
    assert card.usable_bytes == best.fit.usable_bytes
    assert card.verdict == best.fit.verdict


def test_unequal_cards_do_it_together() -> None:
    found = asked(SERVED, rtx_3090=2, rtx_4090=1)
    assert found.held == ()
    assert found.together is not None
    assert found.together.own == 3
    assert found.together.fit.verdict is Verdict.FITS


def test_what_is_tight_is_said_only_where_nothing_is_roomy() -> None:
    tight = asked(TIGHT, rtx_5090=1)
    assert [one.fit.verdict for one in tight.held] == [Verdict.TIGHT]
    roomy = asked(TIGHT, rtx_5090=1, a100_sxm4_80gb=1)
    assert [one.fit.id for one in roomy.held] == ["a100-sxm4-80gb"]


def test_what_misses_least_where_nothing_does() -> None:
    found = asked({"task": "train", "model": "70B"}, rtx_3090=2, h100_sxm5_80gb=1)
    assert found.held == ()
    assert found.nearest is not None
    assert found.best is found.nearest
    assert found.nearest.fit.gap_bytes > 0


def test_more_cards_never_make_it_worse() -> None:
    order = [Verdict.NO, Verdict.TIGHT, Verdict.FITS]
    verdicts = []
    for count in range(1, 9):
        best = asked({"task": "train", "model": "13B"}, a100_sxm4_40gb=count).best
        assert best is not None
        verdicts.append(order.index(best.fit.verdict))
    assert verdicts == sorted(verdicts)


def test_cards_of_the_question_do_not_matter() -> None:
    named = {**LORA, "gpus": [{"id": "h100-sxm5-80gb", "count": 1}]}
    assert asked(named, rtx_3090=2) == asked(LORA, rtx_3090=2)


def test_an_engine_that_does_not_run_there() -> None:
    found = asked({"task": "infer", "model": "8B", "engine": "mlx"}, rtx_3090=2, rtx_4090=1)
    assert found == OnOwnCards((), None, None, ())


def test_what_no_table_has_is_told() -> None:
    found = asked(QLORA, voodoo_2=2, rtx_3090=1)
    assert found.unknown == ("voodoo-2",)
    assert [one.fit.id for one in found.held] == ["rtx-3090"]
    assert asked(QLORA, voodoo_2=2).best is None
