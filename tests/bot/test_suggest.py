"""A half-typed option: the words as typed where they can be read, then the likeliest names."""

import pytest

from bot.ask import Replied, open_desk
from bot.locale import load_locale
from bot.reading.read import Reader
from bot.reading.suggest import Named, Suggester
from estimator import load_catalog

DESK = open_desk()
LOCALE, CATALOG = load_locale(), load_catalog()
SUGGESTER = Suggester(Reader(LOCALE, CATALOG), LOCALE, CATALOG)
MOST = 25
FIRST, SOON, LISTED = 1, 3, MOST  # within how many

CARDS = [
    ("a100 80gb", "a100 80gb", FIRST),
    ("a100 80gb", "a100-sxm4-80gb", 2),
    ("a100", "a100-sxm4-80gb", FIRST),
    ("a100", "a100-sxm4-40gb", SOON),
    ("a10", "a10", FIRST),
    ("rtx 4090", "rtx-4090", FIRST),
    ("rtx 4090", "rtx-4090-laptop", SOON),
    ("4090 lap", "rtx-4090-laptop", FIRST),
    ("rtx 40", "rtx-4090", FIRST),
    ("3060", "rtx-3060-12gb", 2),
    ("geforce 3060", "rtx-3060-12gb", 2),
    ("7900 xtx", "7900 xtx", FIRST),
    ("7900 xtx", "rx-7900-xtx", 2),
    ("7900 x", "rx-7900-xtx", FIRST),
    ("p4d.", "p4d.24xlarge", SOON),
    ("4x p5.", "4x p5.48xlarge", SOON),
    ("standard_nd96", "Standard_ND96asr_v4", SOON),
    ("colab t", "colab-t4", SOON),
    ("6000 ada", "rtx-6000-ada", 2),
    ("4060 ti", "rtx-4060-ti-16gb", FIRST),
    ("h", "h100-sxm5-80gb", FIRST),
    ("l4", "l4", FIRST),
    ("mac", "apple-m1-16gb", FIRST),
    ("macbook m3 max", "apple-m3-max-64gb", FIRST),
    ("nvidia", "rtx-3090", FIRST),
    ("amd", "rx-7900-xtx", FIRST),
    ("geforc 4090", "rtx-4090", FIRST),
    ("24", "24GB", FIRST),
    ("8", "8GB", FIRST),
    ("8", "8 gpus", 2),
    ("2", "2 gpus", FIRST),
    ("40", "40GB", FIRST),
    ("40", "rtx-4090", SOON),
    ("24 gb", "24GB", FIRST),
    ("2x 24", "2x 24GB", FIRST),
    ("2x", "2x rtx-3090", FIRST),
    ("2x 4090", "2x rtx-4090", 2),
    ("8 x h100", "8x h100-sxm5-80gb", 2),
    ("4090x2", "4090x2", FIRST),
    ("4090x2", "2x rtx-4090", 2),
    ("4090 x2", "2x rtx-4090", 2),
    ("4090x", "2x rtx-4090", FIRST),
    ("2 3090", "2 3090", FIRST),
    ("2 3090", "2x rtx-3090", 2),
    ("2 309", "2x rtx-3090", FIRST),
    ("2x 3090, 1x 4090", "2x 3090, 1x 4090", FIRST),
    ("2x 3090, 1x 40", "2x 3090, 1x rtx-4090", SOON),
    ("3090 + 4090", "3090 + 4090", FIRST),
    ("3090 + 4090", "3090, rtx-4090", 2),
    ("309, 40", "rtx-3090, rtx-4090", SOON),
    ("24GB, 309", "1x 24GB, rtx-3090", FIRST),
    ("3090, 24", "3090, 1x 24GB", FIRST),
    ("3090,", "3090, rtx-4090", SOON),
    ("", "rtx-3090", FIRST),
    ("", "rtx-4090", SOON),
    ("", "24GB", LISTED),
]
MODELS = [
    ("Qwen2.5-7B-Instruct", "Qwen2.5-7B-Instruct", FIRST),
    ("Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct", 2),
    ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct", FIRST),
    ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B", 2),
    ("Qwen2.5-7B-Ins", "Qwen/Qwen2.5-7B-Instruct", SOON),
    ("qwen2.5-7", "Qwen/Qwen2.5-7B", FIRST),
    ("llama 3", "meta-llama/Meta-Llama-3-8B", 2),
    ("llama 3", "meta-llama/Llama-3.3-70B-Instruct", SOON),
    ("llama 3.1", "meta-llama/Llama-3.1-8B", 2),
    ("llama 8b", "meta-llama/Llama-3.1-8B", 2),
    ("llama", "meta-llama/Llama-3.3-70B-Instruct", FIRST),
    ("qwen", "Qwen/Qwen3-8B", FIRST),
    ("gemma", "google/gemma-3-1b-it", SOON),
    ("phi", "microsoft/phi-4", FIRST),
    ("deepseek", "deepseek-ai/DeepSeek-V2-Lite", FIRST),
    ("mistral", "mistralai/Mistral-7B-v0.3", 2),
    ("mistrol", "mistralai/Mistral-7B-v0.3", FIRST),
    ("mistralnemo", "mistralai/Mistral-Nemo-Base-2407", 2),
    ("coder 7b", "Qwen/Qwen2.5-Coder-7B", FIRST),
    ("7", "7B", FIRST),
    ("7b", "7B", FIRST),
    ("8x", "8x7B", SOON),
    ("", "7B", SOON),
    ("", "8B", SOON),
]
FORMATS = [
    ("4bit", "4bit", FIRST),
    ("4bit", "Q4_K_M", SOON),
    ("4bit", "int4", SOON),
    ("gptq", "gptq4", 2),
    ("half", "fp16", FIRST),
    ("gguf", "gguf", FIRST),
    ("gguf", "Q4_K_M", 2),
    ("bnb", "nf4", SOON),
    ("q4", "Q4_K_M", 2),
    ("q4_k", "Q4_K_M", 2),
    ("q4_k", "Q4_K_S", SOON),
    ("", "Q4_K_M", FIRST),
    ("", "awq4", LISTED),
]
OPTIMIZERS = [
    ("8bit", "adamw_8bit", FIRST),
    ("adamw_8", "adamw_8bit", FIRST),
    ("adam", "adamw", 2),
    ("paged", "paged_adamw_8bit", 2),
    ("adafctor", "adafactor", 2),
    ("", "adamw", FIRST),
]
WANTED = [
    *((Named.CARD, *row) for row in CARDS),
    *((Named.MODEL, *row) for row in MODELS),
    *((Named.FORMAT, *row) for row in FORMATS),
    *((Named.OPTIMIZER, *row) for row in OPTIMIZERS),
]
# Half of what was typed, whatever of it: each is a state of the field that somebody sees.
TYPED = {
    Named.CARD: ["2x 3090, 1x 4090", "3090 + 24gb", "geforce rtx 3060", "7900 xtx", "h100x8"],
    Named.MODEL: ["meta-llama/Llama-3.1-8B-Instruct", "qwen 7b", "deepseak", "8x7B"],
    Named.FORMAT: ["gptq 4bit", "Q4_K_M", "half precision", "exl2", "gguf:F16"],
    Named.OPTIMIZER: ["paged adamw 8bit", "galore_adamw", "momentum"],
}


def values(kind: Named, typed: str) -> list[str]:
    return [one.value for one in DESK.suggest(kind, typed, MOST)]


@pytest.mark.parametrize(("kind", "typed", "wanted", "within"), WANTED)
def test_what_is_wanted_is_near_the_top(kind: Named, typed: str, wanted: str, within: int) -> None:
    assert wanted in values(kind, typed)[:within]


@pytest.mark.parametrize(
    ("kind", "typed", "unwanted"),
    [
        (Named.CARD, "7900 xtx", "7900x"),
        (Named.CARD, "4090x2", "4090x "),
        (Named.CARD, "4090 2", "4090x"),
        (Named.CARD, "12345x 3090", "12345x r"),
        (Named.CARD, "", "rtx-2060"),
    ],
)
def test_what_is_never_meant_is_not_listed(kind: Named, typed: str, unwanted: str) -> None:
    assert not [value for value in values(kind, typed) if value.startswith(unwanted)]


def test_what_was_typed_says_how_it_is_read() -> None:
    first = DESK.suggest(Named.CARD, "4090x2", MOST)[0]
    assert (first.value, first.meaning) == ("4090x2", "2x rtx-4090")
    assert DESK.suggest(Named.MODEL, "llama3", 1)[0].meaning == "meta-llama/Meta-Llama-3-8B"
    assert not DESK.suggest(Named.CARD, "rtx-4090", 1)[0].meaning


def test_what_cannot_be_read_is_not_listed_as_typed() -> None:
    assert "llama" not in values(Named.MODEL, "llama")
    assert "mac" not in values(Named.CARD, "mac")
    assert "exl2" not in values(Named.FORMAT, "exl2")  # needs its bits beside it


@pytest.mark.parametrize("kind", Named)
@pytest.mark.parametrize(
    "typed", ["", "7", "a", "2x", "0x 3090", ",", "+", "@everyone", "\u202e", "q" * 200, "(((", "."]
)
def test_there_are_never_too_many(kind: Named, typed: str) -> None:
    found = values(kind, typed)
    assert len(found) == len(set(found)) <= MOST
    assert all(0 < len(value) <= 100 for value in found)


@pytest.mark.parametrize("kind", Named)
@pytest.mark.parametrize("typed", ["", "a", "8", "q", "2x h", "2x", "4090x", "3090, ", "24", "b"])
def test_every_value_is_answered_as_the_option(kind: Named, typed: str) -> None:
    assert_answered(kind, typed)


@pytest.mark.parametrize(("kind", "whole"), [(k, text) for k in Named for text in TYPED[k]])
def test_every_value_on_the_way_is_answered_as_the_option(kind: Named, whole: str) -> None:
    for length in range(1, len(whole) + 1):
        assert_answered(kind, whole[:length], most=3)


def test_every_name_of_the_tables_is_answered_as_the_option() -> None:
    for kind in Named:
        for value in SUGGESTER.indexes[kind].values:
            assert_one(kind, value)


def assert_answered(kind: Named, typed: str, most: int = MOST) -> None:
    for value in values(kind, typed)[:most]:
        assert_one(kind, value)


def assert_one(kind: Named, value: str) -> None:
    task = "infer" if kind is Named.FORMAT else "train"
    beside = {} if kind is Named.MODEL else {"model": "1B"}
    found = DESK.ask("", {"task": task, **beside, kind.value: value})
    assert isinstance(found, Replied), value
