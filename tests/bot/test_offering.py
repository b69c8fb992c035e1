"""What is offered under an answer is taken: every value of it, as it is offered."""

import pytest

from bot.ask import Desk, Refused, Replied, Weighed, open_desk
from bot.asking import completed
from bot.presses.ids import TEMPLATE, Action, id_of
from bot.presses.neighbours import neighbours_of
from bot.presses.offering import offered
from bot.presses.panel import Offers, Option
from bot.presses.panels import panel_of
from bot.reading.changing import CHANGES
from bot.surface.limits import MOST_LABEL, MOST_OPTION, MOST_OPTIONS
from estimator import Answer, TrainSetup, Verdict

QUESTIONS = (
    "train 7B adam lora",
    "train 7B full fp32 no checkpointing",
    "train 13B full on 2x4090",
    "train 70B qlora 2x3090 fsdp",
    "train mixtral dora r=64 bs 4",
    "train 8B dpo lora on a 3090",
    "train 8B grpo lora vllm",
    "train gpt2 full bs 512 seq 1024",
    "train largest batch for 7B qlora on a 4090",
    "train 70B full zero3 64xH100",
    "train llama 3.1 8b galore",
    "train Qwen2.5-7B freeze last 4 layers",
    "infer 8B",
    "infer 8B q4_k_m ctx 8k",
    "infer 70b q4_k_m 32k 4 users on 2x4090",
    "infer deepseek v3 on 8xH100",
    "infer llama 3.1 8b ctx 128k rtx 4080",
    "infer mixtral awq 4 users ctx 16k",
    "infer longest context 8B q4_k_m on a 3060",
    "infer Qwen2.5-32B exl2 4.5bpw on a 3090",
    "infer gpt-oss 20b ollama m2 max 32gb",
    "infer 70b q4_k_m on 2x 3090 and a 3060",
    "infer 8B transformers eager",
)


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def answered(desk: Desk, line: str) -> Replied:
    found = offered(desk, completed(desk, desk.ask(line)))
    assert isinstance(found, Replied), found
    return found


def offers_of(found: Replied) -> Offers:
    assert found.offers is not None
    return found.offers


@pytest.mark.parametrize("line", QUESTIONS)
def test_every_value_that_is_offered_is_answered(desk: Desk, line: str) -> None:
    found = answered(desk, line)
    offers = offers_of(found)
    own = found.presentation.line
    for option in (*offers.how, *offers.size):
        changed = desk.ask(option.value, {CHANGES: own})
        if found.answer.solved and isinstance(changed, Refused):
            continue  # what is sought is not there: that takes many estimates to know
        assert isinstance(changed, Replied), (option.value, changed)
        again = offers_of(offered(desk, changed))  # type: ignore[arg-type]
        assert holds(again, option), option


def holds(offers: Offers, pressed: Option) -> bool:
    """Whether what was pressed is what is now."""
    now = [one for one in (*offers.how, *offers.size) if one.present]
    return pressed.label in [one.label for one in now]


@pytest.mark.parametrize("line", QUESTIONS)
def test_lists_keep_discords_limits_and_say_what_is_now(desk: Desk, line: str) -> None:
    found = answered(desk, line)
    offers = offers_of(found)
    for options in (offers.how, offers.size):
        assert 2 <= len(options) <= MOST_OPTIONS
        assert len({one.value for one in options}) == len(options)
        assert all(1 <= len(one.value) <= MOST_OPTION for one in options)
        assert all(len(one.label) <= MOST_LABEL for one in options)
        kinds = [one.label.split(":")[0] for one in options]
        now = [one.label.split(":")[0] for one in options if one.present]
        assert len(set(now)) == len(now)
        assert set(kinds) - set(now) <= {"Cards"}  # of which none may be named


@pytest.mark.parametrize(
    ("line", "never"),
    [
        ("train 7B full", "Precision: INT8"),
        ("train 7B full", "Precision: NF4"),
        ("infer 8B q4_k_m", "Engine: vLLM"),
        ("infer 8B q4_k_m", "KV cache: FP8"),
        ("train gpt2 full", "Sequence: 2,048"),
    ],
)
def test_what_is_refused_is_not_offered(desk: Desk, line: str, never: str) -> None:
    offers = offers_of(answered(desk, line))
    assert never not in [one.label for one in (*offers.how, *offers.size)]


@pytest.mark.parametrize(
    "line",
    [
        "train 13B full on 2x4090",
        "train 7B full 4090",
        "infer 70B on a 4090",
        "infer llama 3.1 8b ctx 128k rtx 4080",
    ],
)
def test_each_piece_of_advice_makes_it_fit(desk: Desk, line: str) -> None:
    found = answered(desk, line)
    offers = offers_of(found)
    assert found.advice is not None
    assert len(offers.fit) == len(found.advice.ways) > 0
    for option in offers.fit:
        changed = desk.ask(option.value, {CHANGES: found.presentation.line})
        assert isinstance(changed, Replied)
        assert fits(changed.answer)


def fits(found: Answer) -> bool:
    return all(card.verdict is Verdict.FITS for card in found.cards if card.asked)


def test_advice_is_offered_only_where_it_does_not_fit(desk: Desk) -> None:
    assert offers_of(answered(desk, "train 7B lora 4090")).fit == ()
    assert offers_of(answered(desk, "train 7B lora")).fit == ()


@pytest.mark.parametrize("line", QUESTIONS)
def test_every_answer_has_neighbours_that_are_answered(desk: Desk, line: str) -> None:
    found = answered(desk, line)
    words = neighbours_of(desk, found)
    compared = desk.ask(words, {CHANGES: found.presentation.line})
    assert isinstance(compared, Weighed), (words, compared)
    sides = [side for side in compared.sides if not isinstance(side, Refused)]
    assert len(sides) >= 2
    assert isinstance(found.answer.setup, TrainSetup) or len(compared.sides) == len(sides)


def test_a_line_that_does_not_stand_there_whole_has_no_state(desk: Desk) -> None:
    found = answered(desk, "train 7B lora")
    whole = panel_of(found, desk.locale, [found.presentation.line], private=False)
    cut = panel_of(found, desk.locale, [], private=False)
    assert whole.selects
    assert not cut.selects
    assert [one.id for one in cut.buttons] == [id_of(Action.COPY)]
    assert cut.note


def test_an_answer_goes_out_where_offering_fails(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    found = completed(desk, desk.ask("train 7B lora"))
    assert isinstance(found, Replied)
    monkeypatch.setattr("bot.presses.offering.cards", failing)
    assert offered(desk, found) is found
    assert "could not be found" in caplog.text
    panel = panel_of(found, desk.locale, [found.presentation.line], private=False)
    looking = ["v1:maths", "v1:compare", "v1:exact", "v1:measured"]
    assert [one.id for one in panel.buttons] == [*looking, "v1:copy"]


def test_names_are_of_one_scheme() -> None:
    import re  # noqa: PLC0415

    for action in Action:
        for value in ("", "how", "2"):
            assert re.fullmatch(TEMPLATE, id_of(action, value))
    assert not re.fullmatch(TEMPLATE, "v2:set:how")
    assert not re.fullmatch(TEMPLATE, "v1:")
