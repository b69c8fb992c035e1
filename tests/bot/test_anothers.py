"""Cards that are another's are no part of the asker's."""

import pytest

from bot.ask import Replied, open_desk

DESK = open_desk()


def answered(line: str) -> Replied:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    return found


@pytest.mark.parametrize(
    ("line", "card", "aside"),
    [
        ("my boss has 8xH100, I have a 3090. infer 70B q4", "rtx-3090", "8xH100"),
        ("the office has 4 a100 but i only have a 4080. train 8B lora", "rtx-4080", "4 a100"),
        ("they trained on 8 a100s, can I train 7B lora with a 3090", "rtx-3090", "8 a100s"),
        ("7B qlora on my 4090, the guide needs an h100", "rtx-4090", "h100"),
    ],
)
def test_only_the_askers_cards_count(line: str, card: str, aside: str) -> None:
    found = answered(line)
    assert found.fields["gpus"] == [{"id": card, "count": 1}]
    assert any(f"`{aside}`" in note for note in found.notes)


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("the lab has 4 a100 80gb, train 70B qlora", 1),  # the only ones there are
        ("i have a 4090 and my brother has a 3090, pool them for 70B q4", 2),
        ("infer 70B q4, i have a 3090 and someone gave me a 4090", 2),
        ("infer 70B q4, i have a 3090 and a friend has faster internet", 1),
    ],
)
def test_where_no_other_are_the_askers_all_count(line: str, count: int) -> None:
    assert len(answered(line).fields["gpus"]) == count


def test_what_another_says_of_the_run_is_kept() -> None:
    fields = answered("my friend runs qwen2.5-7b q8 on a 4090, i have a 3060 12gb").fields
    assert (fields["model"], fields["gpus"][0]["id"]) == ("Qwen/Qwen2.5-7B", "rtx-3060-12gb")
