"""What stands beside a question and names no model, card or length: `thinkpad p16`, `1080p`.

Each bears a name or a number that would be taken for one.
"""

import re

from bot.compiled import compiled
from bot.reading.rules import Rule

_LAPTOP = compiled(  # a machine's own name, with what is behind it
    r"\b(?:thinkpad|xps|legion|zephyrus|predator|zbook|omen|alienware|latitude|elitebook"
    r"|ideapad|vivobook|aorus|razer blade|surface book|zenbook|framework(?= 1[36]))"
    r"(?:\s+(?:pro|slim|g))?\s+(?!with\b|w/|has\b|and\b|i\b)[a-z]{0,2}\d{1,4}[a-z]{0,2}\b(?!\s?gb)",
    re.IGNORECASE,
)
_HEIGHT = compiled(r"(?<![\w.])(?:240|360|480|720|1080|1440|2160)p\b", re.IGNORECASE)
_DROPPED = compiled(  # `nvm the 70b idea.`, where something else is said
    r"\b(?:nvm|nevermind|never mind|forget|scrap|ditch|screw)\s+(?:about\s+)?(?:the|that|my)\s+"
    r"[^.,;!?\n]{1,30}(?:[.,;!?]|\b(?:idea|plan|thing|one)\b)(?=[^\n]{0,200}?\d\s?b\b)",
    re.IGNORECASE,
)
_MARKETED = compiled(  # `forget the 10M marketing`
    r"\b(?:forget|ignore|nvm|never mind)\s+(?:about\s+)?(?:the|that|their)\s+[^.,;!?\n]{0,20}?"
    r"\b(?:marketing|hype|claims?|promises?)\b",
    re.IGNORECASE,
)
_UNAFFORDABLE = compiled(
    r"\b(?:the|a|an)?\s*(?:rtx\s+)?(?:[1-5]0[5-9]0(?:\s?ti|\s?super)?|[ahlb]\d{2,3}s?)"
    r"\s+(?:is|are|was)\s+(?:way\s+|just\s+|a bit\s+)?(?:too\s+(?:expensive|pricey|much)"
    r"|out of (?:my |our )?(?:budget|reach)|sold out|no option|not an option)\b",
    re.IGNORECASE,
)
_VERSION = compiled(  # `cuda 12 4090`: a version counts no cards
    r"\b(?:cuda|python|debian|ubuntu|fedora|driver|windows|pytorch|torch|rocm|core ultra|macos)\s+"
    r"v?\d{1,4}(?:\.\d{1,4}){0,2}(?=[\s,])",
    re.IGNORECASE,
)
_LANES = compiled(r"\bpcie(?:\s?\d(?:\.0)?)?\s?@?\s?x(?:4|8|16)\b|@\s?x(?:4|8|16)\b", re.IGNORECASE)
_INCHES = compiled(r"(?<![\w.])1[3-6](?:\s?[\"”]|''|[- ]?inch\b)")
_YEARS = compiled(
    r"(?<![\w.])(?P<n>(?:20[0-2]|25[01]|26[01])\d)\s+(?=\d{1,3}\s?gb\b)", re.IGNORECASE
)
_PER_STEP = compiled(
    r"(?<![\w.])(?P<n>\d{1,4}|one|two|four|eight)\s+(?:samples?|examples?|seqs?|sequences?)\s+"
    r"(?:per|each|a|every)\s+(?:optimi[sz]er\s+|training\s+)?step\b",
    re.IGNORECASE,
)
_STEP = compiled(
    r"\b(?:per|each|every|optimi[sz]er|training|one|a)\s+steps?\b(?![ -]?\d)", re.IGNORECASE
)
_WIDE = compiled(  # `at like 1.8bit (ud-iq1_s?)`: what the format comes to, not one more
    r"\b(?:at\s+)?(?:like\s+|about\s+|around\s+|~\s?)?\d\.\d{1,2}[ -]?bits?\b"
    r"(?=[^\n]{0,30}?\b(?:ud[-_ ]?i?q\d|iq\d|q\d_?k))",
    re.IGNORECASE,
)

_VERSIONED = ("cuda", "python", "debian", "ubuntu", "fedora", "driver", "windows", "torch", "rocm",
              "core ultra", "macos")  # fmt: skip
_UNWANTED = ("expensive", "pricey", "too much", "budget", "reach", "sold out", "option")

RULES: tuple[Rule, ...] = (  # one of the words is there
    (
        (*("thinkpad", "xps", "legion", "zephyrus", "predator", "zbook", "omen"),
         *("alienware", "latitude", "elitebook", "ideapad", "vivobook", "aorus", "razer blade"),
         *("surface book", "zenbook", "framework")),
        _LAPTOP, " laptop ",
    ),
    (("0p",), _HEIGHT, " "),
    (("nvm", "never", "forget", "scrap", "ditch", "screw"), _DROPPED, " "),
    (("forget", "ignore", "nvm", "never"), _MARKETED, " , "),
    (_UNWANTED, _UNAFFORDABLE, " , "),
    (_VERSIONED, _VERSION, " "),
    (("x4", "x8", "x16"), _LANES, " "),
    (("13", "14", "15", "16"), _INCHES, " "),
    (("20", "25", "26"), _YEARS, r"\g<n> , "),
    (("step",), _PER_STEP, r" bs \g<n> , "),
    (("step",), _STEP, " "),
    (("bit",), _WIDE, " "),
)  # fmt: skip
