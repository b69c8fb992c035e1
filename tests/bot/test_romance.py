"""Portuguese, Spanish and French: what is said there and not in English words."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import Explained, Refused, Replied, Tabled, Weighed, open_desk

DESK = open_desk()

READ: list[tuple[str, dict[str, Any]]] = [
    ("tô usando 10 dos 24 gb da 3090, cabe o qwen3 14b q4?", {"in_use_bytes": 10 * 2**30}),
    ("mi 4070 ti super tiene 3 gb ocupados, ¿cabe un 12b en q4?", {"in_use_bytes": 3 * 2**30}),
    ("ma carte de 16 Go, windows en prend déjà 2 Go, un 13b en 4 bits passe ?",
     {"in_use_bytes": 2 * 2**30}),
    ("rodar um 7b awq no vllm com 90% da memória da gpu, 4090", {"utilization": 0.9}),
    ("30 couches sur le gpu, llama 3.3 70b q4, llama.cpp, 4090", {"gpu_layers": 30}),
    ("batch 32 no total com acumulação de 4 em 4 gpus, mistral 7b lora", {"batch": 2}),
    ("entrenar sólo las últimas 4 capas de llama 3.1 8b", {"active_blocks": 4}),
    ("servir un 7b awq pour une quinzaine de collègues sur une 4090", {"users": 15}),
    ("modelo MoE de 30B com 3B ativos, inferência", {"model": "Qwen/Qwen3-30B-A3B"}),
    ("lora 7b, contexte de 16 000 tokens", {"seq": 16000}),
    ("entrenar 7b lora con contexto de 4.096", {"seq": 4096}),
    ("dos de 24 GB para un 70b q4", {"gpus": [{"id": "class-24gb", "count": 2}]}),
    ("command r plus q4 sur 2 h100 80 Go", {"model": "CohereLabs/c4ai-command-r-plus"}),
    ("je n'utilise pas de gradient checkpointing, 7b lora", {"checkpointing": "none"}),
    ("llama 8b q4 no meu macbook m3 pro de 36gb",
     {"gpus": [{"id": "apple-m3-pro-36gb", "count": 1}]}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "fields"), READ)
def test_what_is_said_in_the_language_s_own_way(line: str, fields: dict[str, Any]) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    read = found.answer.request.model_dump(mode="json", exclude_none=True)
    assert {name: read.get(name) for name in fields} == fields


@pytest.mark.parametrize(
    "line",
    ["que modelos consigo correr com 8 GB?", "¿qué puedo entrenar con una 3090?",
     "qu'est-ce qui tourne sur une 4070 ?"],
)  # fmt: skip
def test_an_open_question_gets_a_table(line: str) -> None:
    assert isinstance(DESK.ask(line), Tabled)


@pytest.mark.parametrize(
    "line",
    ["q4 ou q8 pro qwen3 8b?", "entre 3090 y 4090 para un 32b q4", "lora ou qlora pour un 13b",
     "¿rango 8, 16 o 64 en lora 8b?", "écart de mémoire entre LoRA et full pour un 3B"],
)  # fmt: skip
def test_alternatives_are_compared(line: str) -> None:
    assert isinstance(DESK.ask(line), Weighed)


@pytest.mark.parametrize(
    "line",
    ["qual a diferença entre lora e qlora?", "¿qué es la caché kv?",
     "à quoi sert le gradient checkpointing ?", "por que o adam ocupa tanta memória?"],
)  # fmt: skip
def test_why_is_explained(line: str) -> None:
    assert isinstance(DESK.ask(line), Explained)


@pytest.mark.parametrize("line", ["quanto custa uma 4090?", "¿cuánto cuesta una 4090?",
                                  "combien coûte une 4090 ?"])  # fmt: skip
def test_prices_are_not_known(line: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Refused)
    assert found.code == "not_language"


WORDS = (
    *("treinar", "quanto", "mil", "bilhões", "de", "4090", "3", "placas", "24", "gigas", "sem"),
    *("não", "com", "ou", ",", "?", "é", "%", "8", "7b", "lora", "contexto", "máximo", "entre"),
    *("entrenar", "con", "sin", "y", "o", "en", "combien", "le", "l'a", "d'un", "pas", "sur", "go"),
    *("12", "000", "tokens", "mémoire", "-lo", "30B", "ativos", "dos", "100", "vingt-quatre"),
)
FLOODS = (
    *("é" * 1200, "¿" * 1200, "mil " * 300, "d'" * 600, "qu'est-ce " * 120, "a\u0301" * 600),
    *("999999999999999999999999999 bilhões treinar", "treinar -lo-lo-lo", "1e309 milliards"),
    *("treinar 1.000.000.000.000.000.000 bilhões", "treinar ½ 7B ² milhões"),
)
ANSWERS = (Explained, Refused, Replied, Tabled, Weighed)


@pytest.mark.parametrize("line", FLOODS)
def test_a_flood_is_answered(line: str) -> None:
    assert isinstance(DESK.ask(line), ANSWERS)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
def test_words_in_any_order_are_answered(line: str) -> None:
    assert isinstance(DESK.ask(line), ANSWERS)
