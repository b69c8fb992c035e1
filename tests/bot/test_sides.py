"""A cache's type and the weights' side by side: each keeps its own."""

from itertools import product

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())

SHORT = {"q4": "Q4_K_M", "q5": "Q5_K_M", "q6": "Q6_K", "q8": "Q8_0", "q8_0": "Q8_0"}
WEIGHTS = {word: f"gguf:{name}" for word, name in SHORT.items()}
WEIGHTS |= {"q4_k_m": "gguf:Q4_K_M", "fp8": "fp8", "int8": "int8", "awq": "awq4", "nvfp4": "nvfp4"}
CACHES = {"q4": "Q4_0", "q8": "Q8_0", "q8_0": "Q8_0", "q5_1": "Q5_1", "fp8": "fp8"}
CACHES |= {"fp16": "fp16", "bf16": "bf16", "int8": "int8"}
PAIRS = [pair for pair in product(WEIGHTS, CACHES) if pair[0] != pair[1]]
SHAPES = (
    "8B {w} kv {k}",
    "8B {w} kv cache {k} ctx 32k",
    "8B {w}, {k} kv",
    "8B kv={k} {w}",
    "8B {w} kv: {k}",
    "kv cache in {k}, 8B {w}",
    "8B {w} weights kv {k}",
    "8B {w} with kv {k}",
    "8B {w} cache {k} 4 users",
)
OTHERS = {
    "8B q8 kv q4_k_m": ("gguf:Q4_K_M", {"kv": "Q8_0"}),
    "8B fp8 kv awq": ("awq4", {"kv": "fp8"}),
    "8B fp8 kv q8 weights": ("gguf:Q8_0", {"kv": "fp8"}),
    "8B q4_k_m q8 k cache q4 v cache": ("gguf:Q4_K_M", {"kv_k": "Q8_0", "kv_v": "Q4_0"}),
    "8B q4_k_m k cache q8 v cache q4": ("gguf:Q4_K_M", {"kv_k": "Q8_0", "kv_v": "Q4_0"}),
    "8B q8 kv q8": ("gguf:Q8_0", {"kv": "Q8_0"}),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("weights", "cache"), PAIRS)
def test_each_of_two_formats_is_of_its_own(shape: str, weights: str, cache: str) -> None:
    fields = READER.read("infer " + shape.format(w=weights, k=cache)).fields
    assert (fields["weights"], fields["kv"]) == (WEIGHTS[weights], CACHES[cache])


@pytest.mark.parametrize(("line", "expected"), OTHERS.items())
def test_a_format_that_only_one_can_have(line: str, expected: tuple[str, dict[str, str]]) -> None:
    fields = READER.read(f"infer {line}").fields
    assert fields["weights"] == expected[0]
    assert {name: kind for name, kind in fields.items() if name.startswith("kv")} == expected[1]


@pytest.mark.parametrize("line", ["8B q4_k_m q8 kv fp16", "8B bf16 kv fp8", "8B fp16 q8 kv q4"])
def test_where_it_may_be_either_s_it_is_asked(line: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"infer {line}")
    assert caught.value.code in ("ambiguous", "contradiction")


@pytest.mark.parametrize(("weights", "cache"), PAIRS)
def test_an_option_takes_the_place_of_the_cache_alone(weights: str, cache: str) -> None:
    reading = READER.read(f"infer 8B {weights} kv {cache}", {"kv": "fp16"})
    assert (reading.fields["weights"], reading.fields["kv"]) == (WEIGHTS[weights], "fp16")
