"""Messages in a person's words: explained where a program is blamed, else still a question."""

import pytest

from bot.ask import Desk, open_desk
from bot.diagnosis.diagnosis import Program
from bot.reading.oom.message import OomKind
from bot.reading.oom.spoken import spoken
from bot.replies import OomExplained, Refused, Replied

MEANT = {
    "sglang says not enough memory, should i increase or decrease mem-fraction-static?": (
        *(OomKind.SGLANG_NO_KV, Program.SGLANG),
    ),
    "exllamav3 says insufficient vram although 1 GB is free, why?": (
        *(OomKind.EXLLAMA, Program.EXLLAMA),
    ),
    "not enough memory in tgi, what now?": (OomKind.TGI_PREFILL, Program.TGI),
    "lm studio says insufficient system resources": (OomKind.GUARDRAIL, Program.LM_STUDIO),
    "Llama.cpp failed to allocate the kv cache, what do i do": (
        *(OomKind.LLAMA_CPP_KV, Program.LLAMA_CPP),
    ),
    "ollama OOM when loading": (OomKind.CUDA, Program.OLLAMA),
    "sglang oom during decode, lower mem fraction?": (OomKind.CUDA, Program.SGLANG),
    "vllm ooms, help": (OomKind.CUDA, Program.VLLM),
}
QUESTIONS = [  # of planning, or of no program
    "will vllm say not enough memory?",
    "what do i need for sglang without going out of memory",
    "not enough memory, help",
    "which card for vllm?",
    "I use ollama. My friend has a phone that is out of memory",
]


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


@pytest.mark.parametrize("text", MEANT)
def test_a_message_is_known_by_its_program(desk: Desk, text: str) -> None:
    for found in (desk.ask(text), desk.explain_oom(text)):
        assert isinstance(found, OomExplained)
        assert (found.diagnosis.message.kind, found.diagnosis.program) == MEANT[text]
        assert found.shown.steps
        assert not found.diagnosis.message.figures


@pytest.mark.parametrize("text", QUESTIONS)
def test_other_words_speak_of_no_message(text: str) -> None:
    assert spoken(text) is None


def test_a_question_with_a_model_stays_one(desk: Desk) -> None:
    assert isinstance(desk.ask("is 24gb not enough memory for vllm with llama 8b?"), Replied)
    wrong = desk.ask("vllm says not enough memory for qwen99 99B")
    assert isinstance(wrong, Refused)
    assert wrong.code == "unknown_name"
