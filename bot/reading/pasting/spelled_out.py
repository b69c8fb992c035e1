r"""Commands as files and code spell them: `["--model", "x"]`, `os.environ["A"] = "1"`, `2>&1`.

Each is put as a shell would have it, and what its output goes to is left out.
"""

import re

from bot.compiled import compiled

_ARRAY = compiled(r"\[(?P<words>\s{0,80}[\"'][^\[\]]{1,4000}?[\"']\s{0,80},?\s{0,80})\]")
_WORD = compiled(r"\"(?P<double>[^\"\n]*)\"|'(?P<single>[^'\n]*)'")
_VARIABLE = compiled(
    r"^[ \t]*(?:os\.environ\[[\"'](?P<name>\w{1,60})[\"']\][ \t]*=|%env[ \t]+(?P<magic>\w{1,60})=)"
    r"[ \t]*(?:str\()?[\"']?(?P<value>[^\"'\n)]{0,200})[\"']?\)?[ \t]*$",
    re.MULTILINE,
)
_OUTPUT = compiled(
    r"[ \t]+(?:[12&]?>{1,2}[ \t]*(?:[\w./~$-]{0,120}\.(?:log|txt|out|err)|/dev/null)"
    r"|2>&1|\|[ \t]*tee\b[^\n]*|&(?=[ \t]*$))(?=[ \t\n]|$)",
    re.MULTILINE,
)


def as_commands(text: str) -> str:
    """`text` with lists of a command's words as the command, variables as they are exported."""
    if "environ[" in text or "%env" in text:
        text = _VARIABLE.sub(_exported, text)
    if "[" in text and "--" in text:
        text = _ARRAY.sub(_joined, text)
    if ">" in text or "| tee" in text or " &" in text:
        text = _OUTPUT.sub("", text)
    return text


def _exported(found: re.Match[str]) -> str:
    return f"export {found['name'] or found['magic']}={found['value']}"


def _joined(array: re.Match[str]) -> str:
    """The words of a list that has flags among them; any other stays."""
    words = [one["double"] or one["single"] or "" for one in _WORD.finditer(array["words"])]
    left = _WORD.sub("", array["words"]).replace(",", "").strip()
    if left or not any(word.startswith("--") for word in words):
        return array[0]
    return " ".join(f'"{word}"' if " " in word else word for word in words)
