r"""What a terminal writes before a command: `me@box:~/llm$`, `PS C:\ai>`, `➜  ~`, `>>>`.

It names folders, machines and people, and none of them is the run's.
"""

import re

_SIGNS = ("$", "#", "%", ">", "➜", "❯", "λ", "In [")  # one of them is there
_PROMPT = re.compile(
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
_GOES_ON = re.compile(r"(?<=[\\`^]\n)(?:>{1,2}|More\?)[ \t]*(?=\S)")  # before a line that goes on
_PYTHON = re.compile(r"^(?:\.\.\.)(?:[ \t]|$)", re.MULTILINE)  # the same, in Python


def without_prompts(text: str) -> str:
    """`text` with its commands alone on their lines."""
    if not any(sign in text for sign in _SIGNS):
        return text
    if "\n" in text:
        text = _GOES_ON.sub("", re.sub(r"(?<=[\\`^])[ \t]{1,8}\n", "\n", text))
        text = _PYTHON.sub("", text) if ">>> " in text else text
    return _PROMPT.sub("", text)
