"""Commands in a text: which programs start one, and where it begins.

Of servers whose flags are read with a line (`vllm serve`, `llama-server`) nothing is taken here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.reading.pasting.commands import command_of
from bot.reading.pasting.settings import Setting, bare
from bot.reading.pasting.tables import ORDER, Program, program

_ENVIRONMENT = r"(?:(?:export\s+)?[A-Za-z_]\w*=\S*\s+(?:&&\s*)?)*"
_PYTHON = r"(?:uv run\s+)?python[\d.]*(?:\.exe)?\s+(?:-u\s+)?"
_STARTS = (
    ("torchtune", r"tune\s+run"),
    ("axolotl", r"axolotl\s+(?:train|preprocess)|(?:accelerate\s+launch\s+(?:\S+\s+)*?)-m\s+axolotl[\w.]*"),
    ("llamafactory", r"llamafactory-cli\s+(?:train|chat|api|webchat)"),
    ("litgpt", rf"litgpt\s+\w+|{_PYTHON}litgpt/\S+|{_PYTHON}finetune/\S+"),
    ("mlx", rf"(?:{_PYTHON}-m\s+)?mlx_lm(?:\.lora|\s+lora)(?!\S)"),
    ("tgi", r"text-generation-launcher|(?:docker|podman)\s+run\s[^\n]*?text-generation-inference\S*"),
    ("koboldcpp", rf"{_PYTHON}\S*koboldcpp\.py|\S*koboldcpp\S*(?=\s+-)"),
    ("webui", rf"{_PYTHON}server\.py|\S*start_(?:linux|windows|macos)\.(?:sh|bat)"),
    ("lmdeploy", r"lmdeploy\s+(?:serve\s+api_server|chat)"),
    ("ktransformers", rf"{_PYTHON}(?:-m\s+)?ktransformers\S*"),
    ("lmstudio", r"lms\s+load"),
    ("trainer", rf"accelerate\s+launch|torchrun|deepspeed\s+(?=-|\S+\.py)|trl\s+\w+(?=\s)|{_PYTHON}-m\s+torch\.distributed\S*|{_PYTHON}[\w./\\-]*(?:train|sft|dpo|grpo|ppo|lora|finetune|fine_tune|pretrain)\w*\.py"),
)
_START = re.compile(
    r"(?<![\w./-])" + _ENVIRONMENT + r"(?:sudo\s+|\$\s+)?(?:"
    + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _STARTS) + r")",
    re.IGNORECASE,
)
POSITIONAL = ("lmdeploy", "litgpt", "lmstudio")  # whose model stands without a flag
_MODEL = re.compile(r"^(?=.*\d)[\w.-]+(?:/[\w.-]+)?(?<!\.py)(?<!\.yaml)(?<!\.yml)(?<!\.json)$")
_OBJECTIVE = re.compile(r"(?<![a-z])(dpo|grpo|ppo|sft|orpo|kto|reward|pretrain)(?![a-z])", re.IGNORECASE)
_SAYING = {"reward": "reward model", "orpo": "#no_reference orpo", "kto": "#as_dpo kto"}
_RECIPES = ("lora_finetune", "full_finetune", "lora_dpo", "full_dpo", "qat", "knowledge_distillation", "ppo_full")


@dataclass(frozen=True, slots=True)
class Launched:
    """A command: what its flags set, words of a line that it says besides, and what is no part."""

    settings: Sequence[Setting]
    words: Sequence[str]
    rest: str


def start_of(line: str) -> int | None:
    """Where a command begins in a line; none where there is none."""
    found = _START.search(line)
    return None if found is None else found.start()


def launched(line: str) -> Launched:
    """The command that a line, from its start on, is."""
    found = _START.match(line)
    name = next((key for key, value in (found.groupdict() if found else {}).items() if value), "trainer")
    one = _of_script(line) if name == "trainer" else program(name)
    command = command_of(line, lambda key: key in one.bare, lambda key: key in one.listed)
    models = [Setting("model", (word,)) for word in command.words[1:] if _names_model(word, one)]
    settings = (*models[:1], *command.settings)
    return Launched(settings, tuple(_said(command.words, one)), command.rest)


def _names_model(word: str, one: Program) -> bool:
    """Whether a word without a flag is the model: `lmdeploy serve api_server owner/name`."""
    return one.name in POSITIONAL and _MODEL.match(word) is not None


def _of_script(line: str) -> Program:
    """The program that a launcher starts: Megatron's script has flags of its own."""
    plain = line.casefold()
    own = next((n for n in ORDER[:8] if any(mark in plain for mark in program(n).marks)), "trainer")
    return program(own)


def _said(words: Sequence[str], one: Program) -> list[str]:
    """What words without a flag say: the script's objective, a recipe, a model."""
    found: list[str] = []
    for word in words:
        plain = bare(word).casefold()
        if one.name == "torchtune" and plain.startswith(_RECIPES):
            found += ["lora"] if plain.startswith("lora") else ["full"] if plain.startswith("full") else []
        if one.name == "litgpt" and plain.startswith(("finetune", "pretrain")):
            method = next((m for m in ("lora", "adapter", "full") if m in plain), "lora" if plain == "finetune" else "")
            found += ["pretrain" if plain.startswith("pretrain") else method]
        stem = plain.rpartition("/")[2]
        objective = _OBJECTIVE.search(stem) if one.name in ("trainer", "torchtune") else None
        if objective is not None:
            found.append(_SAYING.get(objective[1], objective[1]))
    return [word for word in found if word]
