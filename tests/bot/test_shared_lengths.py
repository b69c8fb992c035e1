"""A context that several have together is divided; one of each is not."""

import pytest

from bot.ask import Replied, open_desk

DESK = open_desk()


@pytest.mark.parametrize(
    ("words", "context"),
    [
        ("10 users sharing 40k", 4096),
        ("32k context shared by 4 people", 8192),
        ("8 users, 65536 tokens in total", 8192),
        ("64k total context across 8 users", 8192),
        ("4 users, 32k context each", 32768),
        ("4 requests at 32k total context length", 32768),
        ("4 users sharing a 4090, ctx 8k", 8192),
    ],
)
def test_what_all_have_together_is_divided(words: str, context: int) -> None:
    found = DESK.ask(f"infer 8B {words}")
    assert isinstance(found, Replied)
    assert found.fields["context"] == context
    divided = any("tokens in all" in note for note in found.notes)
    assert divided == any(word in words for word in ("sharing 40k", "shared", "in total", "across"))


def test_a_prompt_that_all_share_is_a_prefix() -> None:
    found = DESK.ask("infer 8B 4 users sharing a 4k system prompt")
    assert isinstance(found, Replied)
    assert found.fields["shared_prefix"] == 4096
