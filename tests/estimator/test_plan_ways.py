"""The numbers of cards that a plan looks at: whole machines, any where layers are dealt out."""

import pytest

from estimator import Catalog, Verdict, answer, load_catalog, parse_request, plans
from estimator.plan_ways import IN_ONE_BOX, counts_of, over, ways_of

Asked = dict[str, object]
GGUF: Asked = {"task": "infer", "model": "70B", "weights": "gguf:Q4_K_M", "context": 32_768}
GGUF |= {"gpus": [{"id": "rtx-3090"}]}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def test_counts_are_whole_machines_or_any_in_one_box() -> None:
    assert counts_of(32) == (1, 2, 4, 8, 16, 32)
    assert counts_of(16, 3, dealt=True) == (3, 4, 5, 6, 7, 8, 16)


def test_layers_are_dealt_out_to_any_number_of_cards(catalog: Catalog) -> None:
    gguf = parse_request(GGUF)
    found = plans(gguf, catalog)
    counts = [plan.count for plan in (found.asked, *found.classes) if plan and plan.count > 1]
    assert any(count % 2 for count in counts)
    for plan in (found.asked, *found.classes):
        if plan is not None and 1 < plan.count <= IN_ONE_BOX:
            fewer = over(gguf, plan.card, plan.count - 1, ways_of(gguf, plan.count - 1)[0])
            (card,) = (one for one in answer(fewer, catalog).cards if one.asked)
            assert card.verdict is not Verdict.FITS


@pytest.mark.parametrize("degrees", [{"tp": 4}, {"pp": 4}, {"tp": 2, "pp": 2}])
def test_degrees_that_were_named_take_so_many_cards(degrees: Asked, catalog: Catalog) -> None:
    lora = {"task": "train", "model": "70B", "method": "lora", "gpus": [{"id": "24GB"}]}
    found = plans(parse_request({**lora, **degrees}), catalog)
    assert found.classes
    assert all(plan.count % 4 == 0 for plan in found.classes)
    assert all(plan.count == plan.setup.world for plan in found.classes)
    assert all(machine.count % 4 == 0 for machine in found.machines)


def test_cards_of_servers_are_counted_beyond_one_box(catalog: Catalog) -> None:
    for card, more in (("h800-sxm5-80gb", True), ("rtx-4090", False)):
        full = {"task": "train", "model": "70B", "method": "full", "gpus": [{"id": card}]}
        found = plans(parse_request(full), catalog)
        assert (found.asked is not None and found.asked.count > IN_ONE_BOX) is more
