"""`4bit` where cards have no kernels for integers of four bits."""

import pytest

from bot.ask import Replied, open_desk


@pytest.mark.parametrize(
    ("line", "weights"),
    [
        ("infer 32B 4bit p40", "gguf:Q4_K_M"),
        ("run 13b in 4 bit on 2x 1080 ti", "gguf:Q4_K_M"),
        ("infer 32B 4bit v100 32gb", "gguf:Q4_K_M"),
        ("infer 32B 4bit 2080 ti", "int4"),
        ("infer 32B 4bit 3090", "int4"),
        ("infer 32B gptq p40", "gptq4"),
        ("infer 8B 4bit p40 ollama", "gguf:Q4_K_M"),
    ],
)
def test_bits_alone_are_a_format_that_the_cards_run(line: str, weights: str) -> None:
    found = open_desk().ask(line)
    assert isinstance(found, Replied)
    assert found.fields["weights"] == weights
