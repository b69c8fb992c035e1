"""The plan in words: shown where it says something new, and short."""

import asyncio
import threading

import pytest

from bot.ask import Replied, open_desk
from bot.asking import known
from bot.config import Settings
from bot.planned import planned, prices_of, wants_plan
from bot.presenting.presentation import Presentation
from bot.presenting.prices import Prices
from bot.sections import PriceSettings
from bot.surface.embed import embed_of
from bot.surface.limits import MOST_EMBED, MOST_FIELD
from estimator import Offload, Strategy, Why, load_catalog

DESK = open_desk()


def shown(line: str) -> Presentation:
    found = planned(DESK, DESK.ask(line))
    assert isinstance(found, Replied), found.shown
    return found.presentation


def entries(line: str) -> dict[str, str]:
    return {entry.label: entry.value for entry in shown(line).plan}


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("train 7B qlora 4090", False),  # it fits
        ("train 7B full 4090", True),  # it does not
        ("train 70B qlora 48gb", True),  # it is unlikely
        ("infer 8B q4_k_m", False),  # common cards hold it
        ("train 7B full", True),  # large ones do
        ("infer 405B", True),  # none does
        ("infer longest context 8B 4090", False),  # the cards are given
    ],
)
def test_it_is_shown_where_it_says_something_new(line: str, *, new: bool) -> None:
    found = DESK.ask(line)
    assert wants_plan(found) is new
    assert bool(shown(line).plan) is new


def test_a_comparison_and_a_refusal_have_none() -> None:
    for line in ("compare lora full 70B", "train 7B frobnicate x=3"):
        found = DESK.ask(line)
        assert planned(DESK, found) is found


def test_a_line_while_it_is_typed_has_none() -> None:
    ahead = DESK.ahead("train 70B full", {})
    assert isinstance(ahead.shown, Presentation)
    assert ahead.shown.plan == ()


def test_named_cards_come_first() -> None:
    assert entries("train 13B full 8xA100 80GB")["Cards"].startswith("8× A100 SXM4 80 GB with ZeRO")
    cards = entries("train 13B full on 2x4090")["Cards"]
    assert cards.startswith("not even 8× RTX 4090; ")
    assert "or 2× RTX 4090 with ZeRO-3, weights and optimizer in host memory (" in cards


def test_many_cards_of_a_kind_that_no_machine_has_are_said_to_be() -> None:
    cards = entries("infer 70b q4_k_m on a 3090")["Cards"]
    assert cards.startswith("3× RTX 3090, layers dealt out (no cloud machine that I know")


def test_machines_are_counted() -> None:
    assert "16× H100 SXM5 80 GB (2 machines)" in entries("infer deepseek v3 8xh100")["Cards"]


def test_unequal_cards_are_said_together() -> None:
    line = "train 7B full 4xa100 80gb + 4xa100 40gb"
    assert entries(line)["Cards"].startswith("these 8 cards with ")
    line = "train 70B full 4x4090 + 4x3090"
    assert entries(line)["Cards"].startswith("not these 8 cards, however they share; ")


def test_nothing_is_said_as_such() -> None:
    assert (
        entries("train 405B full 3 gpus")["Cards"] == "3 of no card hold it, however it is shared"
    )


def test_an_engine_of_cards_without_classes_has_no_plan() -> None:
    assert shown("infer 405B mlx").plan == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("train 70B full", "over NVLink (B200)"),
        ("train 70B qlora 24gb", "over PCIe 4.0 x16, which is all there is"),
        ("infer 70B 2xA6000", "reading the prompt sends "),
    ],
)
def test_what_travels_is_said(line: str, said: str) -> None:
    assert said in entries(line)["Link"]


def test_a_link_has_its_own_name() -> None:
    kinds = {gpu.link.kind for gpu in load_catalog().gpus.rows if gpu.link} - {"pcie"}
    assert {f"link_{kind}" for kind in kinds} <= set(DESK.locale.reply.sentences)


def test_cards_without_room_to_spare_are_tight() -> None:
    assert entries("infer 70B on 5x4090")["Cards"].startswith("tight on 8× RTX 4090 with tensor ")
    cards = entries("infer 70B on 8x4090")["Cards"]
    assert cards.startswith("not even 8× RTX 4090 with room to spare; ")


def test_degrees_are_said_as_they_are_typed() -> None:
    cards = entries("train 405B full tp 8 pp 4 32xH100")["Cards"]
    assert cards.startswith("128× H100 SXM5 80 GB (16 machines), as tp 8 pp 4 with FSDP; ")
    assert "32× 288 GB (4 machines), as tp 8 pp 4;" in cards
    assert "(2 machines), as tp 8 pp 2; " in entries("infer deepseek v3 8xh100")["Cards"]
    assert "not divided" not in entries("train 8b full ctx 512k cp 8 8xA100 80GB")["Cards"]


def test_nothing_is_said_twice() -> None:
    cards = entries("train 7B lora 16GB")["Cards"]
    assert cards.count("4× 16 GB") == 1
    cards = entries("train 13B full 4xA100 80GB")["Cards"]
    assert cards.startswith("4× A100 SXM4 80 GB with ")
    assert "4× 80 GB" not in cards


def test_layers_that_are_dealt_out_send_nothing_to_speak_of() -> None:
    assert "Link" not in entries("infer 70b q4_k_m on a 3090")


def test_the_gpu_guide_is_answered_in_a_sentence() -> None:
    assert entries("train 70B full")["The GPU guide"] == (
        "it says 8× 80 GB, less than its own sum of 840.0 GB"
    )
    assert "The GPU guide" not in entries("train 70B qlora")


def test_words_stand_for_every_way_and_every_cloud() -> None:
    sentences = DESK.locale.reply.sentences
    assert {f"way_{one}" for one in Strategy} <= set(sentences)
    assert {f"plan_offload_{one}" for one in Offload if one is not Offload.NONE} <= set(sentences)
    assert {f"guide_{one}" for one in Why} <= set(sentences)
    providers = {row.provider for row in load_catalog().instances.rows}
    assert {f"provider_{one}" for one in providers} <= set(sentences)


@pytest.mark.parametrize(
    "line",
    [
        "train 70B full",
        "train deepseek v3 full",
        "train 13B full on 2x4090",
        "infer deepseek v3 8xh100",
        "train 70B qlora 24gb",
        "infer 405B fp32",
        "train 70B full 4x4090 + 4x3090",
        "train 405B full 65000xH100",
    ],
)
def test_it_stays_short_and_inside_an_embed(line: str) -> None:
    presentation = shown(line)
    assert 1 <= len(presentation.plan) <= 4
    embed = embed_of(presentation)
    (field,) = (one for one in embed.fields if one.name == presentation.plan_heading)
    assert len(field.value or "") <= MOST_FIELD // 2 + 100
    assert len(embed) <= MOST_EMBED


def test_prices_are_the_operators() -> None:
    prices = Prices("EUR", {"p5.4xlarge": 6.876, "p6-b200.48xlarge": 100})
    desk = open_desk(prices=lambda: prices)
    found = planned(desk, desk.ask("train 70B qlora"))
    assert isinstance(found, Replied)
    clouds = {entry.label: entry.value for entry in found.presentation.plan}["Clouds"]
    assert clouds.startswith("AWS p5.4xlarge (6.88 EUR/h), GCP a2-ultragpu-1g, ")
    assert prices.of("p6-b200.48xlarge", 16) == "1,600.00 EUR/h"
    assert prices.of("nobody's", 1) is None


def test_without_a_table_there_are_none() -> None:
    assert prices_of(Settings()) is None
    said = PriceSettings(currency="USD", per_hour={"p5.48xlarge": 98.5})
    assert prices_of(Settings(prices=said)) == Prices("USD", {"p5.48xlarge": 98.5})


def test_the_document_has_it_only_where_it_was_made() -> None:
    line = "train 70B full"
    assert "plans" not in DESK.ask(line).document()
    document = planned(DESK, DESK.ask(line)).document()
    assert {"asked", "classes", "machines", "offloaded"} <= set(document["plans"])


async def test_it_is_made_beside_the_event_loop() -> None:
    made_in: list[threading.Thread] = []

    def prices() -> None:
        made_in.append(threading.current_thread())

    desk = open_desk(prices=prices)
    found, unknown = await known(desk, "train 70B full")
    assert isinstance(found, Replied)
    assert found.presentation.plan
    assert not unknown
    assert asyncio.get_running_loop().is_running()
    assert made_in[-1] is not threading.main_thread()  # the first looks whether there are any


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "infer 8B q4_k_m 3090",
            "At most 164 tokens/s with a full context, from RTX 3090's 936 GB/s",
        ),
        ("infer 8B q4_k_m 3090 8 users", "tokens/s a user with full contexts, "),
        ("infer 70b q4_k_m a100 80gb", "At most "),
    ],
)
def test_the_bound_of_decoding_is_said(line: str, said: str) -> None:
    assert any(said in text for text in shown(line).details)


@pytest.mark.parametrize("line", ["infer 8B q4_k_m", "infer 70b q4_k_m 3090", "train 7B 3090"])
def test_of_no_card_or_one_that_cannot_hold_it_there_is_none(line: str) -> None:
    assert not any("tokens/s" in text for text in shown(line).details)
