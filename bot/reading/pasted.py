"""Commands that were pasted: what their flags say that no line here has to say.

`llama-server -m x.gguf -ngl 99 -t 8`: a file's name is read as a model's, flags that are known
as words are left where they stand, and what the others are about is named in a note.
"""

import re

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.atoms import atoms_of
from bot.reading.clean import echo
from bot.reading.facts import Said
from bot.reading.server_flags import Noted, in_words
from bot.reading.shell import take_surroundings
from bot.reading.vocabulary import Kind, Vocabulary

MOST_NOTED = 8
_COMMAND = compiled(
    r"(?<![\w-])(?:llama-(?:server|cli|bench|run)|vllm\s+serve|trtllm-serve|ollama\s+(?:run|serve|pull)"
    r"|python3?\s+-m\s+[\w.]+|sglang\S*|mlx_lm[. ](?:server|generate|chat))(?![\w-])",
    re.IGNORECASE,
)
_PROGRAM = compiled(
    r"(?<!\S)(?:\S*/)?llama-(?:cli|bench|run|server)(?:\.exe)?(?![\w-])", re.IGNORECASE
)
_ENGINE = compiled(r"(?<!\w)(?:vllm|sglang|trtllm|llama\.cpp)(?!\w)", re.IGNORECASE)
_LAUNCHER = compiled(r"(?<![\w-])python3?\s+-m\s+(?P<module>\w+)[\w.]*", re.IGNORECASE)
_FILE = compiled(
    r"(?<![^\s/\\=])(?P<stem>[^\s/\\=]+?)(?:-\d{5}-of-\d{5})?\.(?:gguf|safetensors|bin)\b",
    re.IGNORECASE,
)
_MODEL = compiled(
    r"(?<!\S)(?:-m|-hf|-hfr|--hf-repo|--model|--model-path|--model_path)[\s=]+(?P<name>\S+)",
    re.IGNORECASE,
)
_FLAG = compiled(
    r"(?<!\S)--?(?P<name>[a-z][\w-]*)"
    r"(?P<value>(?:=|\s+)(?:\"[^\"]*\"|'[^']*'|[^\s-]\S*))?",
    re.IGNORECASE,
)
# Flags that any server may be started with; they move no memory, or none that is estimated.
ASIDE = (
    *("port", "host", "api-key", "served-model-name", "threads", "t", "seed", "temp", "top-p"),
    *("top-k", "chat-template", "alias", "swap-space", "download-dir", "enable-lora", "jinja"),
    *("tool-call-parser", "reasoning-parser", "enable-auto-tool-choice", "no-webui", "metrics"),
    *("b", "batch-size", "verbose", "v", "cnv", "n-predict", "n", "p", "f", "o"),
    *("log-prefix", "log-file", "log-timestamps", "log-colors", "log-disable"),
    *("enable-dp-attention", "main-gpu", "mg", "data-parallel-backend", "all2all-backend"),
    *("distributed-executor-backend", "nnodes", "node-rank"),
)
# Flags that do move memory, in a way that no field of a request holds.
MOVING = (
    *("cpu-offload-gb", "kv-cache-memory-bytes", "kv-cache-memory", "num-gpu-blocks-override"),
    *("no-kv-offload", "nkvo", "tensor-split", "ts", "max-total-tokens"),
)
SHORT = (
    "t",
    "b",
    "batch-size",
    "v",
    "n",
    "p",
    "f",
    "o",
)  # that mean it in llama.cpp's commands alone
BARE = (
    "no-kv-offload",
    "nkvo",
    "enable-lora",
    "jinja",
    "enable-auto-tool-choice",
    "no-webui",
    "metrics",
    "verbose",
    "cnv",
    "enable-dp-attention",
)
PROGRAMS = ("llama", "vllm", "trtllm", "sglang", "python", "mlx_lm")  # one of them is in a command
SERVED = ("serv", "infer", "run", "host")
SERVING = compiled(r"(?<!\w)(?:serve|serving|server|infer|inference|run|host)(?!\w)", re.IGNORECASE)


def take_flags(text: str, vocabulary: Vocabulary, locale: Locale, said: Said) -> str:
    """`text` without the flags that say nothing here, which are noted; files by their names."""
    aside: list[str] = []
    moving: list[str] = []
    text = take_surroundings(text, aside.append)
    words = text.casefold()
    named = any(hint in words for hint in PROGRAMS)
    command = named and _COMMAND.search(text) is not None
    serving = command or (
        any(hint in words for hint in SERVED) and SERVING.search(text) is not None
    )
    if serving or (named and _ENGINE.search(text)):
        text = in_words(text, Noted(aside, moving, said, locale))
    if not (command or aside or moving) and " -" not in text:
        return text
    if command:
        text = _PROGRAM.sub("llama.cpp", text)
        text = _LAUNCHER.sub(r"\g<module>", text)
        text = _MODEL.sub(lambda match: f" , {_stem(match['name'])} , ", text)

    def take(match: re.Match[str]) -> str:
        name, value = match["name"].casefold().replace("_", "-"), match["value"] or ""
        known = _is_known(name, vocabulary)
        moves = name in MOVING and serving
        fits = name not in SHORT or not known or command
        own = moves or (name in ASIDE and serving and fits)
        if not own and (known or not command):
            return match[0]
        kept = value if "/" in value or name in BARE else ""  # a model behind a flag without value
        (moving if moves else aside).append(match[0].removesuffix(kept).strip())
        return f" , {kept} , "

    text = _FLAG.sub(take, text)
    for sentence, flags in (("flags", aside), ("flags_moving", moving)):
        if flags:
            words = ", ".join(f"`{echo(one, 32)}`" for one in flags[:MOST_NOTED])
            said.remarks.append(locale.say(sentence, words=words))
    return text


def _stem(name: str) -> str:
    """What a file's name says of the model; `model` itself says nothing."""
    found = _FILE.search(name)
    return name if found is None else f"{found['stem']} gguf"


def _is_known(name: str, vocabulary: Vocabulary) -> bool:
    """Whether a flag is a phrase that says something: `max-model-len`, `ngl`, `fa`."""
    atoms = atoms_of(name)
    match = vocabulary.longest(atoms, 0) if atoms else None
    if match is None or match.length < len(atoms):
        return False
    return any(meaning.kind in (Kind.KEY, Kind.VALUE, Kind.SLOT) for meaning in match.meanings)
