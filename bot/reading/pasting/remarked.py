"""What a person says in comments of code, and of what a question is, beside a paste.

A comment behind the last line is said to whoever reads it: `# 8x V100 32GB, shouldn't it fit?`
One above it counts where it names hardware, or how long things are that no setting tells. When
something happens is no setting of it: `dies after 10k tokens`; nor is what somebody asks whether
it is needed, nor `how many get a full window` of the length that is set.
"""

import re
from collections.abc import Iterable

from bot.compiled import compiled

_COMMENT = compiled(r"^[ \t]*(?:#|//)(?!!|SBATCH|PBS|BSUB|@)[#/ \t]*(?P<words>\S[^\n]*)$")
_MACHINE = r"(?:hw|gpus?|cards?|hardware|setup|rig|ram|vram|box|machine|node|server)"
_SETTING = compiled(rf"^(?!{_MACHINE}\b)[\w.-]+[ \t]*[:=]")
_TITLE = compiled(r"^(?:hw|hardware|setup|rig|box|machine|node|server)[ \t]*[:=]")
_HARDWARE = compiled(
    r"(?<![\w.-])(?:\d{1,2} ?[x×*] ?)?"
    r"(?:(?:rtx|gtx|tesla|quadro|radeon|rx|arc|mi|[ahlvbp])[ -]?\d{2,4}[a-z]{0,5}"
    r"|(?:ml\.)?[pg]\d\w{0,4}\.\d{0,2}x?large|standard_n[cdv]\d\w{0,12}_v\d|colab|kaggle"
    r"|t4|[1-5]0[5-9]0(?: ?ti| ?super)?|m[1-5] (?:pro|max|ultra)"
    r"|\d{1,4} ?g(?:i?b|igs?)(?: of)? (?:v?ram|cards?|gpus?))(?![\w-])",
    re.IGNORECASE,
)
_CODE = compiled(r"[\w\])}\"'][ \t]*[=({:\[]|^[ \t]*--|[ \t]--[a-z]|^import |^from ", re.MULTILINE)
_LENGTH = compiled(
    r"(?:(?<![\w-])-c|ctx|context|contextsize|max[-_]model[-_]len|max[-_]seq[-_]len(?:gth)?"
    r"|sequence[-_]len|cutoff[-_]len|max[-_]length|num[-_]ctx)[-_\w]{0,8}[\"']?"
    r"[ \t]*[=:, \t][ \t]*\d",
    re.IGNORECASE,
)
_SPOKEN = compiled(  # where no setting says how long
    r"\b(?:blocks?|seq\w*|samples?|chunks?|examples?|inputs?|packed|contexts?|texts?|documents?|rows?)"
    r"\b[^\n]{0,30}?(?<![\w.])\d[\d.,]{0,6}k? ?tok(?:en)?s?\b",
    re.IGNORECASE,
)
_TROUBLE = r"(?:di(?:es?|ed|ing)|(?:crash|oom|slow|kill|fail|stop|break|freez|hang)\w{0,5})"
_HAPPENS = compiled(
    rf"\b(?:(?:after|past|beyond|until)"
    rf"|{_TROUBLE}(?: \w{{1,12}}){{0,3}}? (?:at|around|by|near))"
    r" (?:(?:like|about|around|roughly|some|maybe|the|only|first) ){0,2}~?\d[\d.,]{0,8} ?k?"
    r" ?(?:tokens?|toks?|ctx|context)(?: in)?\b",
    re.IGNORECASE,
)
_NEEDED = compiled(
    r"\b(?P<asked>(?:do|would|will|should|must|did) (?:i|we|it|this|you)\b(?: \w{1,12}){0,3}? need)"
    r" (?:the |to (?:add|use|enable|turn on|set) )?(?:(?:cpu|param\w*|optim\w*|activation|gradient"
    r"|grad|model)[ -]){0,2}(?:offload\w*|checkpoint\w*|ckpt)",
    re.IGNORECASE,
)

_SOUGHT = compiled(
    r"\b(?:push|rais|increas|bump|up\b|higher|longer|larger|bigger|more\b|highest|longest|largest"
    r"|biggest|maxim|how (?:far|high|long|big|large|much|many)|what (?:is|s|would be) the max)",
    re.IGNORECASE,
)
_FILLED = compiled(  # of the length that a setting gives
    r"\b(?P<who>(?:how many|each|every|all|both|any|\d{1,4})\b[^.?!\n]{0,60}?"
    r"|(?:fill|get|use|hit|reach|when|once|if|at)(?:s|ing|ed)? (?:up )?)"
    r"(?:(?<=\s)(?:a|an|the|their|its|that|this|his|our|my) )full[ -]"
    r"(?:context|ctx|window|length)(?: window| length)?\b",
    re.IGNORECASE,
)


def said_in_comments(text: str) -> str:
    """`text` with what its comments say at its end, without their marks.

    Of code alone; in any other text `#` may be a prompt's or a title's.
    """
    if ("#" not in text and "//" not in text) or text.count("```") % 2 or not _CODE.search(text):
        return text
    lines = text.rstrip().split("\n")
    last = max((n for n, line in enumerate(lines) if line.strip() and not _words(line)), default=-1)
    said: list[str] = []
    long = _LENGTH.search(text) is None
    for n, line in enumerate(lines):
        words = _words(line)
        hardware = words and _HARDWARE.search(words) and not _SETTING.match(words)
        spoken = long and words and _SPOKEN.search(words)
        if (
            hardware
            or spoken
            or (words and n > last and "?" in words and not _SETTING.match(words))
        ):
            said.append(_TITLE.sub("", words))
            lines[n] = ""
    return "\n".join([*lines, *said]) if said else text


def unnamed(prose: str, keys: Iterable[str]) -> str:
    """`prose` without names of settings that the paste sets and it only speaks of.

    `I only changed max_seq_length and r` seeks no longest one; `can I push max_seq_len up` does.
    """
    if "_" not in prose or _SOUGHT.search(prose):
        return prose
    named = {key for key in keys if "_" in key and key in prose.casefold()}
    for key in named:
        prose = re.sub(rf"(?<![\w-]){re.escape(key)}(?![\w-])(?!\s*[:=]?\s*\d)", " ", prose,
                       flags=re.IGNORECASE)  # fmt: skip
    return prose


def _words(line: str) -> str:
    found = _COMMENT.match(line)
    return "" if found is None else found["words"].strip()


def settings_alone(text: str) -> str:
    """`text` without when something happens, and what fills or may be needed of its settings."""
    words = text.casefold()
    if ("tok" in words or "ctx" in words or "context" in words) and _LENGTH.search(text):
        text = _HAPPENS.sub(" ", text)
    if "full" in words and _LENGTH.search(text):
        text = _FILLED.sub(r"\g<who>", text)
    return _NEEDED.sub(r"\g<asked>", text) if " need" in words else text
