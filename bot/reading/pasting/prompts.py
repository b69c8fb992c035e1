r"""What a terminal writes before a command: `me@box:~/llm$`, `PS C:\ai>`, `➜  ~`, `>>>`.

It names folders, machines and people, and none of them is the run's.
"""

import re

from bot.compiled import compiled

_SIGNS = ("$", "#", "%", ">", "➜", "❯", "λ", "In [")  # one of them is there
_PROMPT = compiled(
    r"^[ \t]*(?:\([\w.-]{1,40}\)[ \t]*)?(?:"
    r"PS(?:[ \t]+(?:[A-Za-z]:|[/~])[^>\n]{0,160})?>"
    r"|[A-Za-z]:\\[^>\n]{0,160}>"
    r"|\[?[\w.-]{1,40}@[\w.-]{1,60}(?:[: ][^\n$#%>]{0,120})?\]?[$#%>]"
    r"|[➜❯λ](?:[ \t]+(?:[~/]\S{0,80}|[\w.-]{1,60}(?=[ \t]+git:)))?"
    r"(?:[ \t]+git:\([^)\n]{1,60}\))?(?:[ \t]+[✗✘✓])?"
    r"|In \[\d{1,4}\]:"
    r"|[$%]"
    r"|>>>"
    r")[ \t]+(?=\S)",
    re.MULTILINE,
)
_GOES_ON = compiled(r"(?<=[\\`^]\n)(?:>{1,2}|More\?)[ \t]*(?=\S)")  # before a line that goes on
_PYTHON = compiled(r"^(?:\.\.\.)(?:[ \t]|$)", re.MULTILINE)  # the same, in Python
_PARAMETER = compiled(r"/set[ \t]+parameter[ \t]+(?P<key>\w+)[ \t]+(?P<value>\S+)")
_TYPED = {"num_ctx": "ctx", "num_gpu": "ngl", "num_predict": "new tokens", "num_batch": "ubatch"}
_LAYERS = compiled(r"\bnum_gpu[\"']?[ \t]*[=: ][ \t]*(?=\d)")


_BESIDE = compiled(  # commands that run no model
    r"^(?:sudo[ \t]+)?(?:kubectl|cd|ls|pip3?|uv pip|git|conda|mamba|apt(?:-get)?|brew|nvidia-smi"
    r"|systemctl|source|mkdir|chmod|cat(?=[ \t]+[\w~/-]*[./])|tail(?=[ \t]+-)|nano|vim|tmux|cmake"
    r"|grep|docker[ \t]+(?:ps|pull|logs|build|exec -it \S+ bash)"
    r"|docker[ \t-]compose[ \t]+(?:up|logs|down))"
    r"(?=[ \t\n]|$)(?:[^\n&;|]|\|(?!\|)){0,300}(?:&&|;|\|\||$)",
    re.MULTILINE,
)


def without_prompts(text: str) -> str:
    """`text` with its commands alone on their lines."""
    if "num_gpu" in text and "ollama" in text.casefold():
        text = _LAYERS.sub("ngl ", _PARAMETER.sub(_typed, text))
    elif "/set" in text:
        text = _PARAMETER.sub(_typed, text)
    if not any(sign in text for sign in _SIGNS):
        return _BESIDE.sub("", text) if "\n" in text.strip() else text
    if "\n" in text:
        text = _GOES_ON.sub("", re.sub(r"(?<=[\\`^])[ \t]{1,8}\n", "\n", text))
        text = _PYTHON.sub("", text) if ">>> " in text else text
    text = _PROMPT.sub("", text)
    return _BESIDE.sub("", text) if "\n" in text.strip() else text


def _typed(found: re.Match[str]) -> str:
    """`/set parameter num_ctx 8192`, as it is typed into Ollama."""
    key = _TYPED.get(found["key"])
    return f" , {key} {found['value']} , " if key and found["value"].isdecimal() else " "
