"""What would make it fit, in words: what it saves, what it costs, and the line that asks for it."""

from dataclasses import replace

import pytest

from bot.advised import advised
from bot.ask import Answered, Refused, Replied, Weighed, open_desk
from bot.asking import ask_and_wait
from bot.surface.embed import embed_of
from bot.surface.limits import MOST_EMBED, MOST_FIELD
from estimator import PRICES, Answer, Way, answer, host_lines, load_catalog, show_gib

DESK = open_desk()
CATALOG = load_catalog()
REPLY = DESK.locale.reply

LINES = (
    "train 7B full 4090",
    "train 13B lora bs 8 24GB",
    "train 70B qlora 2x3090",
    "train 8B dpo full bs 4 h100",
    "train mixtral full 8xA100 80GB",
    "train gemma-2-27b qlora 24GB",
    "train 8B dora r=64 no grad ckpt seq 4k on a 3090",
    "train 1B full bs 32 eager seq 2048 adamw_foreach 12GB",
    "train 7B adam lora",
    "infer 70B on a 4090",
    "infer 70B q4_k_m 32k 4 users on 2x4090",
    "infer llama 3.1 8b ctx 128k rtx 4080",
    "infer gpt-oss-120b 24GB",
    "infer 8B awq vllm 64 users ctx 8k 16GB",
    "infer Qwen2.5-32B exl2 6bpw ctx 32k 24GB",
    "infer 405B fp32",
)


def advice_on(line: str) -> Replied:
    found = advised(DESK, DESK.ask(line))
    assert isinstance(found, Replied), found.shown
    return found


@pytest.mark.parametrize("line", LINES)
def test_the_line_it_offers_asks_for_the_first_and_fits(line: str) -> None:
    found = advice_on(line)
    assert found.advice is not None
    way, offered = found.advice.ways[0], found.presentation.advice_line
    again = DESK.ask(offered)
    assert isinstance(again, Replied)
    assert again.answer.request == way.request
    assert again.answer.estimate == answer(way.request, CATALOG).estimate
    assert again.presentation.line == offered
    assert again.presentation.headline.startswith("Yes")
    assert advised(DESK, again) is again


@pytest.mark.parametrize("line", LINES)
def test_each_says_what_changes_what_it_saves_and_what_it_costs(line: str) -> None:
    found = advice_on(line)
    assert found.advice is not None
    for way, said in zip(found.advice.ways, found.presentation.advice, strict=True):
        assert " + ".count("+") * (len(way.steps) - 1) == said.count(" + ")
        assert "saves" in said
        paid = {key for step in way.steps for key in (step.key, step.key.removeprefix("packed_"))}
        prices = [REPLY.prices[key].casefold() for key in paid if key in REPLY.prices]
        assert any(price in said.casefold() for price in prices)
        assert "{" not in said


@pytest.mark.parametrize("line", LINES)
def test_it_stands_in_the_embed_within_its_limits(line: str) -> None:
    shown = advice_on(line).presentation
    embed = embed_of(shown)
    (field,) = [one for one in embed.fields if one.name == shown.advice_heading]
    assert field.value is not None
    assert len(field.value) <= MOST_FIELD
    assert len(embed) <= MOST_EMBED
    assert field.value.endswith(f"`/vram {shown.advice_line}`")


def test_the_longest_advice_and_a_line_too_long_to_be_whole() -> None:
    shown = advice_on(LINES[0]).presentation
    longest = replace(shown, advice=("many words " * 60,) * 9, advice_line="x" * 5000)
    (field,) = [one for one in embed_of(longest).fields if one.name == shown.advice_heading]
    assert field.value is not None
    assert len(field.value) <= MOST_FIELD
    assert "xxx" not in field.value


def test_every_change_has_words_and_a_price() -> None:
    of_values = {"fused_loss_cce", "fused_loss_liger", "packed_base_qlora"}
    assert set(REPLY.changes) - of_values == set(PRICES)
    assert of_values < set(REPLY.changes)
    assert set(REPLY.prices) == set(PRICES)


def test_where_nothing_does_it_that_is_said_and_what_would() -> None:
    shown = advice_on("train 405B full t4").presentation
    (said,) = shown.advice
    assert said.startswith("Nothing I know does it on T4")
    assert "That much fits 288 GB." in said
    assert shown.advice_line == ""


def test_no_card_holds_it_even_so() -> None:
    (said,) = advice_on("train deepseek-v3 lora t4").presentation.advice
    assert said.endswith("No card holds even that.")


def test_of_a_sum_on_several_cards_nothing_is_said_twice() -> None:
    """Sharding was a detail of the description before it was advice."""
    line = "train mixtral full 8xA100 80GB"
    plain = DESK.ask(line)
    assert isinstance(plain, Replied)
    assert any("add `fsdp`" in one for one in plain.presentation.details)
    assert not any("add `fsdp`" in one for one in advice_on(line).presentation.details)


def test_without_a_card_the_heading_says_for_which() -> None:
    assert advice_on("train 7B adam lora").presentation.advice_heading == "To fit 16 GB"
    assert advice_on("train 7B full 4090").presentation.advice_heading == "What would make it fit"


@pytest.mark.parametrize("line", ["train 7B qlora h100", "train 0.5B qlora bs 1 seq 512 zorkmid"])
def test_what_fits_or_cannot_be_read_is_left_as_it_is(line: str) -> None:
    found: Answered = DESK.ask(line)
    assert isinstance(found, Replied | Refused | Weighed)
    if isinstance(found, Refused) or found.shown.tone == "good":
        assert advised(DESK, found) is found


def test_what_moves_to_the_host_says_how_much_that_is() -> None:
    found = advice_on("infer 70B on a 4090")
    assert found.advice is not None
    (way,), (said,) = found.advice.ways, found.presentation.advice
    assert way.host_bytes == sum(line.bytes for line in host_lines(_answered(way).setup)) > 0
    assert said.endswith(f"Takes {show_gib(way.host_bytes)} of host memory.")
    assert advice_on("train 7B full 4090").advice.ways[0].host_bytes == 0  # type: ignore[union-attr]


def _answered(way: Way) -> Answer:
    return answer(way.request, CATALOG)


def test_what_is_published_so_is_not_said_to_be_rounded() -> None:
    (said,) = advice_on("infer gpt-oss-120b 24GB").presentation.advice
    assert "rounded" not in said
    assert "(llama.cpp)" in said


def test_a_terminal_gets_it_and_so_does_json() -> None:
    found = ask_and_wait(DESK, "train 7B full 4090")
    document = found.document()
    assert document["advice"]["ways"][0]["fields"] == {"method": "lora"}
    assert "advice" not in DESK.ask("train 7B full 4090").document()
