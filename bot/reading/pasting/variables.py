"""Variables of a shell: `model=org/name` above, `--model-id $model` below.

What was set is put where it is named; nothing else of a shell is done.
"""

import re

from bot.compiled import compiled

_SET = compiled(
    r"^[ \t]*(?:export[ \t]+|set[ \t]+|local[ \t]+|ENV[ \t]+)?(?P<name>[A-Za-z_]\w{0,60})="
    r"(?P<value>\"[^\"]{0,4000}\"|'[^']{0,4000}'|\([^()]{0,4000}\)|[^\s\"';&|()]{1,300})"
    r"[ \t]*;?[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE,
)
_USED = compiled(
    r"\$\{(?P<braced>[A-Za-z_]\w{0,60})(?:\[[@*]\])?(?::?-(?P<usual>[^}\n]{0,300}))?\}"
    r"|\$(?P<plain>[A-Za-z_]\w{0,60})"
    r"|%(?P<windows>[A-Za-z_]\w{0,60})%"
)
_INNER = compiled(  # `$(python -c "print(1)")`, which nobody runs here
    r"\$\((?!\()[^()\n]{0,200}(?:\([^()\n]{0,100}\)[^()\n]{0,100}){0,3}\)"
)
_LISTED = compiled(r"[\"'](?=\$\{\w{1,60}\[[@*]\]\})|(?<=\[[@*]\]\})[\"']")  # `"${ARGS[@]}"`
MOST_SET = 40  # variables of one message
MOST_MADE = 16_000  # characters, however often each is named


def with_values(text: str) -> str:
    """`text` with variables that it sets itself replaced by their values, and not set any more."""
    if "$" not in text and "%" not in text:
        return text
    values: dict[str, str] = {}
    used: set[str] = set()
    left = MOST_MADE
    if "[@]" in text or "[*]" in text:
        text = _LISTED.sub("", text)

    def value_of(match: re.Match[str]) -> str:
        name = match["braced"] or match["plain"] or match["windows"]
        nonlocal left
        if name in values and len(values[name]) <= left:
            left -= len(values[name])
            used.add(name)
            return values[name]
        return match["usual"] or match[0]

    for found in list(_SET.finditer(text))[:MOST_SET]:
        value = _flat(found["value"].strip("\"'()"))
        values.setdefault(found["name"], _USED.sub(value_of, value))
    text = _USED.sub(value_of, _INNER.sub("", text))
    return _SET.sub(lambda found: "" if found["name"] in used else found[0], text)


def _flat(value: str) -> str:
    """A value on one line, without what is commented out in it."""
    if "\n" not in value:
        return value
    lines = (re.sub(r"(?:^|(?<=\s))#.*$", "", line).rstrip(" \\") for line in value.split("\n"))
    return " ".join(" ".join(lines).split())
