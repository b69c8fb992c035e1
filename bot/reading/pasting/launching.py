"""Commands in a text: which programs start one, and where it begins.

Of servers whose flags are read with a line (`vllm serve`, `llama-server`) nothing is taken here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.compiled import compiled
from bot.reading.pasting.commands import Flags, command_of
from bot.reading.pasting.naming import tune_model
from bot.reading.pasting.settings import Setting, bare
from bot.reading.pasting.tables import TRAINERS, Program, program

_ENVIRONMENT = (
    r"(?:(?:export\s+)?[A-Za-z_]\w{0,60}=\S{0,200}\s+(?:&&\s*)?){0,12}"
    r"(?:(?:srun|sudo|nohup|\$)\s+(?:-\S{1,60}\s+){0,8})?"
)
_PYTHON = r"(?:uv run\s+)?python[\d.]*(?:\.exe)?\s+(?:-u\s+)?"
SCRIPT = "script"  # anybody's, which may do anything
_FOLDER = r"(?:[\w.-]{0,60}[/\\]){0,12}"
_SCRIPT = r"(?:train|sft|dpo|grpo|ppo|lora|finetune|fine_tune|pretrain)"
_TRAINING = r"(?:trl|swift|autotrain|xtuner|ludwig)"
_LITGPT_STEPS = r"(?:finetune\w*|pretrain|serve|generate\w*|chat|evaluate|convert\w*)(?=\s)"
_STARTS = {
    "torchtune": (r"tune\s+run",),
    "axolotl": (
        r"axolotl\s+(?:train|preprocess)",
        rf"{_PYTHON}-m\s+axolotl[\w.]*",
        r"accelerate\s+launch\s+(?:\S+\s+){0,8}?-m\s+axolotl[\w.]*",
    ),
    "llamafactory": (r"llamafactory-cli\s+(?:train|chat|api|webchat)",),
    "litgpt": (rf"litgpt\s+{_LITGPT_STEPS}", rf"{_PYTHON}litgpt/\S+", rf"{_PYTHON}finetune/\S+"),
    "mlx": (rf"(?:{_PYTHON}-m\s+)?mlx_lm(?:\.lora|\s+lora)(?!\S)",),
    "tgi": (
        r"text-generation-launcher",
        r"(?:docker|podman)\s+run\s[^\n]{0,600}?text-generation-inference\S*",
    ),
    "koboldcpp": (rf"{_PYTHON}{_FOLDER}koboldcpp\.py", rf"{_FOLDER}koboldcpp[\w.-]*(?=\s+-)"),
    "webui": (rf"{_PYTHON}server\.py", rf"{_FOLDER}start_(?:linux|windows|macos)\.(?:sh|bat)"),
    "exllama": (rf"{_PYTHON}{_FOLDER}(?:chat|test_inference)\.py(?=\s+-)",),
    "lmdeploy": (r"lmdeploy\s+(?:serve\s+api_server|chat)",),
    "ktransformers": (rf"(?:{_PYTHON}(?:-m\s+)?)?ktransformers\S*(?=\s+--)",),
    "lmstudio": (r"lms\s+load",),
    "aphrodite": (
        r"aphrodite\s+run",
        r"(?:docker|podman)\s+run\s[^\n]{0,600}?/aphrodite\S*",
        rf"{_PYTHON}-m\s+aphrodite[\w.]*",
    ),
    "trtllm": (r"trtllm-build",),
    "nemo": (r"nemo\s+llm\s+\w+",),
    "xinference": (r"xinference\s+launch",),
    "torchtitan": (r"(?:bash\s+)?(?:\./)?run_(?:llama_)?train\.sh",),
    "verl": (rf"{_PYTHON}-m\s+(?:verl|recipe)\.[\w.]+",),
    "openrlhf": (rf"{_PYTHON}-m\s+openrlhf\.[\w.]+",),
    "trainer": (
        r"accelerate\s+launch",
        r"torchrun",
        r"deepspeed\s+(?=-|\S+\.py)",
        rf"{_TRAINING}\s+\w+(?=\s+(?:\S+\s+){{0,3}}?--?\w)",  # `trl dpo 7B` is prose
        rf"{_PYTHON}-m\s+torch\.distributed\S*",
        rf"{_PYTHON}{_FOLDER}\w{{0,40}}{_SCRIPT}\w{{0,40}}\.py",
    ),
    SCRIPT: (rf"{_PYTHON}{_FOLDER}[\w-]{{1,60}}\.py(?=\s+--?\w)",),
}
_PROGRAMS = "|".join(f"(?P<{name}>{'|'.join(starts)})" for name, starts in _STARTS.items())
_START = compiled(rf"(?<![\w./-]){_ENVIRONMENT}(?:{_PROGRAMS})", re.IGNORECASE)
_LIKELY = compiled(  # without one of these there is no command, and nothing to look for
    r"tune\s|axolotl|llamafactory|litgpt|mlx_lm|text-generation|koboldcpp|start_|lmdeploy"
    r"|lms\s|aphrodite|ktransformers|trtllm-build|xinference|run_\w*train\.sh|xtuner\s|nemo\s|autotrain|accelerate|torchrun|deepspeed|trl\s|swift\s|python",
    re.IGNORECASE,
)
NAMING = ("trainer", "torchtune", "swift", "openrlhf")  # whose scripts are named by what they do
CHATTING = ("llamafactory", "swift")  # which serve too
_CHATS = compiled(r"^(?:api|chat|webchat|infer|deploy|app)$")
POSITIONAL = ("lmdeploy", "litgpt", "lmstudio", "aphrodite")  # whose model stands without a flag
_MODEL = compiled(
    r"^(?=.*\d)[~.]{0,2}/?(?:[\w.-]{1,80}/){0,8}[\w.-]+(?:@\w{1,16})?(?<!\.py)(?<!\.yaml)(?<!\.yml)(?<!\.json)$"
)
_OBJECTIVE = compiled(
    r"(?<![a-z])(dpo|grpo|ppo|sft|orpo|kto|reward|pretrain)(?![a-z])", re.IGNORECASE
)
_SAYING = {"reward": "reward model", "orpo": "#no_reference orpo", "kto": "#as_dpo kto"}
_RECIPE = compiled(r"^(qlora|lora|full|qat|ppo_full|knowledge_distillation)_\w+$")
_XTUNER = compiled(
    r"^(?P<model>[a-z]\w{0,40}\d{1,3}b(?:_[a-z]\w{0,20}?)?)_(?P<method>qlora|lora|full)_"
)
_MEGATRON = compiled(r"^(?:pretrain|finetune)_\w+\.py$")
_LITGPT = compiled(r"^(finetune|pretrain)(?:_(lora|full|adapter)\w*)?$")


@dataclass(frozen=True, slots=True)
class Launched:
    """A command: what its flags set, words of a line that it says besides, and what is no part.

    `trains`: whether what is started tells by itself what it does.
    """

    settings: Sequence[Setting]
    words: Sequence[str]
    rest: str
    trains: bool = True


def may_start(text: str) -> bool:
    """Whether a command can begin in a text at all."""
    return _LIKELY.search(text) is not None


def start_of(line: str) -> int | None:
    """Where a command begins in a line; none where there is none."""
    found = _START.search(line) if _LIKELY.search(line) else None
    return None if found is None else found.start()


def launched(line: str) -> Launched:
    """The command that a line, from its start on, is."""
    found = _START.match(line)
    groups = found.groupdict() if found else {}
    name = next((key for key, value in groups.items() if value), "trainer")
    line, _, _ = line.partition(" && ")  # what is run afterwards is another
    one = _of_script(line) if name in ("trainer", SCRIPT) else program(name)
    command = command_of(line, Flags(one.bare, one.listed), found.end() if found else 0)
    models = [Setting("model", (word,)) for word in command.words[1:] if _names_model(word, one)]
    settings = (*models[:1], *command.settings)
    return Launched(settings, tuple(_said(command.words, one)), command.rest, name != SCRIPT)


def _of_script(line: str) -> Program:
    """The program that a launcher starts: Megatron's script has flags of its own."""
    plain = line.casefold()
    return program(
        next((n for n in TRAINERS if any(m in plain for m in program(n).marks)), "trainer")
    )


def _names_model(word: str, one: Program) -> bool:
    """Whether a word without a flag is the model: `lmdeploy serve api_server owner/name`."""
    return one.name in POSITIONAL and _MODEL.match(word) is not None


def _said(words: Sequence[str], one: Program) -> list[str]:
    """What words without a flag say: the script's objective, a recipe."""
    found: list[str] = []
    for word in (bare(word).casefold() for word in words):
        recipe = _RECIPE.match(word) if one.name == "torchtune" else None
        if recipe is not None and recipe[1] in ("lora", "full"):
            found.append(recipe[1])
            found.append("fsdp2" if word.endswith("_distributed") else "")
        step = _LITGPT.match(word) if one.name == "litgpt" else None
        if step is not None:
            found.append("pretrain" if step[1] == "pretrain" else step[2] or "lora")
        if one.name == "megatron" and _MEGATRON.match(word.rpartition("/")[2]):
            found.append("framework megatron")
        if one.name == "xtuner" and (config := _XTUNER.match(word)):
            found += [tune_model(config["model"]), config["method"]]
        if one.name in CHATTING and _CHATS.match(word):
            found.append("#chat")
        objective = _OBJECTIVE.search(word.rpartition("/")[2])
        if objective is not None and one.name in NAMING:
            found.append(_SAYING.get(objective[1], objective[1]))
    return found
