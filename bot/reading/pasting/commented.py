"""What is commented out in a paste, before lines that go on are joined: it sets nothing.

`# --max-model-len 32768` is no flag and `#FROM llama3.1:70b` no model, while `# on 2x3090` behind
a command is what somebody says.
"""

import re

from bot.compiled import compiled

_WITHIN = compiled(r"(?<=\\\n)(?:[ \t]*#[^\n]*\n)+")  # lines between those of one command
_BEHIND = compiled(r"\\[ \t]+#[^\n]*(?=\n)")  # behind what joins a line to the next
_BEFORE = compiled(r"(?<=[ \t])#[^\n]*?(?=\\[ \t]*\n)")  # before it
_FLAGS = compiled(r"(?<=\S)[ \t]+#(?=[^\n]*?--?[a-z])[^\n]*?(?<!\S)--[a-z][^\n]*")
_COMMAND = compiled(
    r"^[ \t]*#+[ \t]*(?:vllm|ollama|llama-|sglang|trtllm-|python|docker|text-generation|FROM\s"
    r"|PARAMETER\s|--[a-z]).*$",
    re.MULTILINE,
)


def live(text: str) -> str:
    """`text` without the settings and commands that are commented out, where others are not."""
    if "#" not in text:
        return text
    if "\\" in text:
        text = _WITHIN.sub("", text)
        text = _BEHIND.sub(r"\\", text)
        text = _BEFORE.sub("", text)
    rest = _COMMAND.sub("", text)
    text = rest if _is_command(rest) else text  # else the mark is a prompt's
    return _FLAGS.sub("", text)


def _is_command(text: str) -> bool:
    return re.search(r"--[a-z]|^[ \t]*(?:FROM|ollama|vllm)\s", text, re.MULTILINE) is not None
