"""What editors, units and scripts wrap around what is pasted: none of it is said.

Numbers before lines, a here-document around a file, the sections of a unit around `ExecStart=`,
and lines of a script that set up a shell.
"""

import re
from itertools import pairwise

from bot.compiled import compiled

FEWEST_NUMBERED = 3  # lines that make numbers before them an editor's
_NUMBERED = compiled(r"^[ \t]{0,8}(?P<number>\d{1,4})(?:[ \t]?[|│┃]|\t)[ ]?(?P<line>.*)$")
_HERE = compiled(
    r"^[^\n]{0,200}<<-?[ \t]*(?P<quote>['\"]?)(?P<mark>[A-Z_]{2,20})(?P=quote)[^\n]{0,80}\n"
    r"(?P<body>.*?)^[ \t]*(?P=mark)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_IMAGE = compiled(
    r"^[ \t]*Image=\S*?(?P<name>vllm-openai|sglang|llama\.cpp|text-generation-inference)",
    re.MULTILINE,
)
_IMAGES = {"vllm-openai": "vllm serve", "sglang": "sglang", "llama.cpp": "llama-server",
           "text-generation-inference": "text-generation-launcher"}  # fmt: skip
_STARTS = compiled(r"^[ \t]*Exec(?:Start)?=[-@+!:]?(?P<command>.*)$")
_OF_UNIT = compiled(r"^[ \t]*(?:\[[A-Z][A-Za-z]+\]|[A-Z][A-Za-z]{2,30}=.*)[ \t]*$")
_SET = compiled(r"^[ \t]*Environment=[\"']?(?P<set>OLLAMA_\w+=[^\"'\s]+)[\"']?[ \t]*$")
_PATH_ALONE = compiled(r"^[ \t]*#[ \t]*[~.]?/[\w./-]+[ \t]*$")  # a comment that names its file
_OPTIONS = compiled(
    r"^[ \t]*#(?:PBS(?![ \t]+-l[ \t]+select)|BSUB|COBALT|FLUX|\$)[ \t]+-.*$"
)  # other schedulers'
_SETTING_UP = compiled(
    r"^[ \t]*(?:module[ \t]+(?:purge|load|use|unload|list)\b.*"
    r"|(?:source|\.)[ \t]+[\w~.$/{}-]*(?:/[\w.$/{}-]+|\.sh)(?:[ \t]+\w+)?"
    r"|(?:conda|mamba|micromamba|pyenv)[ \t]+(?:activate|deactivate|run|shell)\b.*"
    r"|cd[ \t]+[\"']?[$~./\w{}-]+[\"']?|mkdir[ \t]+(?:-p[ \t]+)?[$~./\w{} -]+"
    r"|set[ \t]+[-+][a-z]+(?:[ \t]+pipefail)?|ulimit[ \t]+-.*|echo[ \t]+[\"'$].*|wait"
    r"|export[ \t]+\w+=\$\(.*|\w+=\$\(.*|eval[ \t]+\"\$\(.*|sleep[ \t]+\d+\w?|#!/.*"
    r"|(?:uv[ \t]+)?pip3?[ \t]+install\b.*|git[ \t]+clone\b.*"
    r"|(?:sudo[ \t]+)?(?:apt|apt-get|dnf)[ \t]+\w.*"
    r"|(?:sudo[ \t]+)?systemctl[ \t]+\w+.*|(?:sudo[ \t]+)?(?:nano|vim?|cat)[ \t]+/\S+"
    r"|nvidia-smi(?:[ \t]+-L)?|(?:huggingface-cli|hf[ \t]+auth|wandb)[ \t]+login\b.*)[ \t]*$"
)
_FOLDERS = compiled(  # before a program that lies in them
    r"(?<![\w~./-])[~.]{0,2}/(?:[\w.+-]{1,60}/){1,12}(?=(?:vllm|ollama|sglang|aphrodite|lmdeploy|torchrun"
    r"|accelerate|deepspeed|axolotl|litgpt|llamafactory-cli|xinference|swift|tune|python[\d.]{0,5}|docker|podman"
    r"|trtllm-\w{1,12}|mlx_lm[\w.]{0,20}|text-generation-launcher|llama-\w{1,12})[ \t])"
)
_RANKS = compiled(  # so many processes, wherever they run
    r"(?<!\S)(?:mpirun|mpiexec)[ \t](?:--?[\w-]{1,40}[ =][^\s-]\S{0,80}[ \t]+){0,8}?"
    r"--?np?[ =](?P<count>\d{1,4})"
    r"(?:[ \t]+--?[\w-]{1,40}(?:[ =][^\s-]\S{0,80})?){0,12}?"
    r"[ \t]+(?=(?P<program>python)|trtllm|vllm)"
)
_RECIPE = compiled(r"(?<![\w.])llm\.(?P<model>\w{2,60})\.(?:finetune|pretrain)_recipe\(")
_VALUE_OF = compiled(  # a pod's environment: `- name: MODEL_ID` above `value: org/name`
    r"^(?P<indent>[ \t]*)-[ \t]+name:[ \t]*[\"']?(?P<name>[A-Z][A-Z0-9_]{1,60})[\"']?[ \t]*\n"
    r"[ \t]+value:[ \t]*(?P<value>[^\n]*)$",
    re.MULTILINE,
)
_PAIRED = compiled(
    r"\{[ \t]*name:[ \t]*[\"']?(?P<name>[A-Z][A-Z0-9_]{1,60})[\"']?[ \t]*,"
    r"[ \t]*value:[ \t]*(?P<value>[^}\n]*)\}"
)
_SHELL = compiled(  # `bash -c 'python train.py'`
    r"(?<!\S)(?:ba|z)?sh[ \t]+-l?c[ \t]+(?P<quote>['\"])(?P<command>[^\n]*?)(?P=quote)[ \t]*$",
    re.MULTILINE,
)
_SCRIPT = compiled(
    r"^(?P<indent>[ \t]*)(?:-[ \t]+)?(?:run|script|bash)[ \t]*:[ \t]*[|>][-+]?[ \t]*$"
)
_HINTS = ("module ", "source ", "activate", "cd ", "mkdir", "set -", "set +", "ulimit", "$(", "#!/",
          "pip ", "pip3 ", "git clone", "apt", "systemctl", "login", "sleep", "echo", "wait", "/",
          "#PBS", "#BSUB", "#$")  # fmt: skip


def unwrapped(text: str) -> str:
    """`text` as it was before it was shown, written to a file, or put into a unit."""
    if "<<" in text:
        text = _HERE.sub(lambda here: here["body"].rstrip("\n"), text)
    if "sh " in text:
        text = _SHELL.sub(r"\g<command>", text)
    if "value:" in text:
        text = _VALUE_OF.sub(r"\g<indent>- \g<name>: \g<value>", text)
        text = _PAIRED.sub(r"\g<name>: \g<value>", text)
    lines = _without_numbers(text.split("\n"))
    if "run:" in text or "script:" in text or "bash:" in text:
        lines = _unindented(lines)
    if "/" in text:
        lines = [_FOLDERS.sub("", line) if "/" in line else line for line in lines]
    if "_recipe(" in text:
        lines = [_RECIPE.sub('finetune_recipe(factory="\\g<model>", ', one) for one in lines]
    if "mpi" in text:
        lines = [_RANKS.sub(_ranked, one) for one in lines]
    if any(sign in text for sign in ("ExecStart=", "[Service]", "[Container]")):
        lines = _started(lines, _IMAGE.search(text))
    if len(lines) > 1 and any(hint in text for hint in _HINTS):
        lines = [one for one in lines if not _is_beside(one)]
    return "\n".join(lines)


def _is_beside(line: str) -> bool:
    return bool(_SETTING_UP.match(line) or _PATH_ALONE.match(line) or _OPTIONS.match(line))


def _without_numbers(lines: list[str]) -> list[str]:
    """The lines without the numbers of an editor, which go up by one."""
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(one["number"]) for one in found if one is not None]
    rising = sum(b == a + 1 for a, b in pairwise(numbers))
    if len(numbers) < FEWEST_NUMBERED or rising < len(numbers) - 1:
        return lines
    return [line if one is None else one["line"] for line, one in zip(lines, found, strict=True)]


def _ranked(ranks: re.Match[str]) -> str:
    """As many processes as ranks; a server divides itself, however it is started."""
    trains = ranks["program"] is not None
    return f"accelerate launch --num_processes {ranks['count']} " if trains else ""


def _unindented(lines: list[str]) -> list[str]:
    """The lines with a script that stands in a file as lines of their own."""
    kept: list[str] = []
    within: int | None = None
    for line in lines:
        start = _SCRIPT.match(line)
        indent = len(line) - len(line.lstrip())
        if start is not None:
            within = len(start["indent"])
        elif within is not None and (indent > within or not line.strip()):
            kept.append(line.lstrip())
        else:
            within = None
            kept.append(line)
    return kept


def _started(lines: list[str], image: re.Match[str] | None) -> list[str]:
    """The command that a unit starts, and Ollama's environment, instead of the unit.

    `image`: of a container, whose flags alone are given.
    """
    kept: list[str] = []
    program = "" if image is None else f"{_IMAGES[image['name']]} "
    for line in lines:
        start, own = _STARTS.match(line), _SET.match(line)
        if start is not None or own is not None:
            kept.append(
                program + start["command"] if start is not None else str(own and own["set"])
            )
        elif not _OF_UNIT.match(line):
            kept.append(line)
    return kept
