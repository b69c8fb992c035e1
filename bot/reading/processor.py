"""`cpu only`, `no gpu`: a run by the processor alone, as llama.cpp does from its own files."""

from collections.abc import Callable
from typing import Any

from bot.reading.axes import MODEL
from bot.reading.clean import echo
from bot.reading.facts import Said, Unread

BY_LLAMA_CPP = ("llama.cpp", "ollama")  # engines that also run without a card
PACKED = "gguf:"


def settle_processor(fields: dict[str, Any], said: Said, wrong: Callable[..., None]) -> None:
    """No layer is on a card then; beside a card the word is left aside.

    Training, and what llama.cpp does not read, is refused: there is no estimate of it.
    """
    for fact in said.all_of("processor"):
        if "gpus" in fields or said.all_of("gpus"):
            if fact.text not in [unread.text for unread in said.unread]:
                said.unread.append(Unread(fact.text))
        elif any(map(said.all_of, MODEL)) and _is_run(fields):
            fields.setdefault("gpu_layers", 0)
            fields.setdefault("task", "infer")
        else:
            wrong("unsupported", "cpu_alone", word=echo(fact.text))


def _is_run(fields: dict[str, Any]) -> bool:
    """Whether it can be llama.cpp that runs it."""
    packed = str(fields.get("weights", PACKED)).startswith(PACKED)
    engine = fields.get("engine", BY_LLAMA_CPP[0]) in BY_LLAMA_CPP
    return fields.get("task", "infer") == "infer" and packed and engine
