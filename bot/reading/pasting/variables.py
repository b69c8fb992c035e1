"""Variables of a shell: `model=org/name` above, `--model-id $model` below.

What was set is put where it is named; nothing else of a shell is done.
"""

import re

_SET = re.compile(
    r"^[ \t]*(?:export[ \t]+|set[ \t]+|local[ \t]+|ENV[ \t]+)?(?P<name>[A-Za-z_]\w{0,60})="
    r"(?P<value>\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|[^\s\"';&|]{1,300})[ \t]*;?[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE,
)
_USED = re.compile(
    r"\$\{(?P<braced>[A-Za-z_]\w{0,60})(?::?-(?P<usual>[^}\n]{0,300}))?\}"
    r"|\$(?P<plain>[A-Za-z_]\w{0,60})"
    r"|%(?P<windows>[A-Za-z_]\w{0,60})%"
)
_INNER = re.compile(  # `$(python -c "print(1)")`, which nobody runs here
    r"\$\((?!\()[^()\n]{0,200}(?:\([^()\n]{0,100}\)[^()\n]{0,100}){0,3}\)"
)
MOST_SET = 40  # variables of one message


def with_values(text: str) -> str:
    """`text` with variables that it sets itself replaced by their values, and not set any more."""
    if "$" not in text and "%" not in text:
        return text
    values: dict[str, str] = {}
    used: set[str] = set()

    def value_of(match: re.Match[str]) -> str:
        name = match["braced"] or match["plain"] or match["windows"]
        if name in values:
            used.add(name)
            return values[name]
        return match["usual"] or match[0]

    for found in list(_SET.finditer(text))[:MOST_SET]:
        value = found["value"].strip("\"'")
        values.setdefault(found["name"], _USED.sub(value_of, value))
    text = _USED.sub(value_of, _INNER.sub("", text))
    return _SET.sub(lambda found: "" if found["name"] in used else found[0], text)
