"""A half-typed name: what begins like it first, then what holds it, then what is like it."""

import pytest

from bot.ask import Replied, open_desk
from bot.reading.suggest import Named

DESK = open_desk()
MOST = 25

FIRST = {
    (Named.MODEL, "qwen2.5-7"): "Qwen/Qwen2.5-7B",
    (Named.MODEL, "llama 3.1"): "meta-llama/Llama-3.1-8B",
    (Named.MODEL, "7"): "7B",
    (Named.MODEL, "mistrl"): "mistralai/Mistral-7B-v0.1",
    (Named.CARD, "4090"): "rtx-4090",
    (Named.CARD, "24"): "24GB",
    (Named.CARD, "2x 4090"): "2x rtx-4090",
    (Named.CARD, "8 x h100"): "8x h100-sxm5-80gb",
    (Named.FORMAT, "q4_k"): "Q4_K_S",
    (Named.OPTIMIZER, "adamw_8"): "adamw_8bit",
}


@pytest.mark.parametrize(("typed", "first"), FIRST.items())
def test_the_first_suggestion(typed: tuple[Named, str], first: str) -> None:
    assert DESK.suggest(*typed, MOST)[0] == first


@pytest.mark.parametrize("kind", Named)
@pytest.mark.parametrize(
    "typed", ["", "7", "a", "2x", "@everyone", "\u202e", "q" * 200, "(((", "."]
)
def test_there_are_never_too_many(kind: Named, typed: str) -> None:
    names = DESK.suggest(kind, typed, MOST)
    assert len(names) == len(set(names)) <= MOST


@pytest.mark.parametrize("kind", Named)
@pytest.mark.parametrize("typed", ["", "a", "8", "q", "2x h"])
def test_every_suggestion_is_answered_as_an_option(kind: Named, typed: str) -> None:
    for name in DESK.suggest(kind, typed, MOST):
        task = "infer" if kind is Named.FORMAT else "train"
        if name == "exl2":  # needs its bits beside it
            continue
        assert isinstance(DESK.ask("1B", {"task": task, kind.value: name}), Replied), name
