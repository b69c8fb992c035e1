"""Numbers in words of their own → those of a line: `10B active`, `412MiB / 24576MiB`, `at step 3`.

Each would be read as something else: a second model, a card's size, a bare 8.
"""

import re

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

_SIZE = r"\d+(?:\.\d+)?\s?b(?:illion|n)?\b"
_COUNTED = r"(?:\s+(?:of\s+)?(?:params?|parameters))?"
_ACTIVE = compiled(  # of a model with experts: what a token passes through
    rf"(?<![\w.])(?:with\s+)?(?:only\s+|just\s+)?(?:uses?\s+)?{_SIZE}{_COUNTED}\s+(?:are\s+|is\s+)?"
    rf"(?:active|activated)\b(?!\s+(?:block|layer|lora|adapter|expert)){_COUNTED}"
    rf"|\b(?:active|activated){_COUNTED}\s*(?:of|is|are|=|:)?\s*{_SIZE}{_COUNTED}",
    re.IGNORECASE,
)
_TOTAL_ACTIVE = compiled(  # both at once, which is one model's size
    r"(?<![\w.])(?P<total>\d{1,4}(?:\.\d{1,3})?)\s?b(?:illion|n)?"
    r"(?:\s+(?:total|params?|parameters|moe|model))*[ ,(/]{1,3}"
    r"(?:(?:with|and|of which|but|only|just)\s+)*"
    r"(?P<active>\d{1,3}(?:\.\d{1,3})?)\s?b(?:illion|n)?(?:\s+(?:params?|parameters|are|is))*\s+"
    r"(?:active|activated)\b(?:\s+(?:params?|parameters))?\)?",
    re.IGNORECASE,
)
_OF_THE_CARD = compiled(  # as nvidia-smi shows what is in use of what there is
    r"(?<![\w.])(?P<used>\d{1,6})\s?MiB\s?/\s?(?P<all>\d{3,6})\s?MiB(?!\w)", re.IGNORECASE
)
_MOMENT = compiled(  # of a run; `Step` is also a family of models
    r"\b(?:(?:at|after|by|until|till|before|around|during|past|reach\w{0,4})"
    r"|(?:oom|crash|die|died|dies|fail|kill|nan|hang|stuck)\w{0,6} (?:on|in)"
    r"|error (?:on|in))\s+(?:(?:the|about|around|like|global|training|optimizer)\s+){0,2}"
    r"(?:step|iter(?:ation)?|epoch)s?\s+#?\d{1,7}(?:\s?(?:/|of|out of)\s?\d{1,7})?(?![\w.-])",
    re.IGNORECASE,
)
_EVALUATION = compiled(  # no batch of the step; in LM Studio one of the prompt's pieces
    r"\b(?:eval|evaluation|validation)[ -]batch(?:[ -]size)?(?:\sis\s|\sof\s|[:= ]{1,3})\d{1,5}\b",
    re.IGNORECASE,
)
_OF_CODE = compiled(  # a notebook that is no laptop
    r"(?<=\bcolab\s)notebooks?\b|(?<=\bkaggle\s)notebooks?\b"
    r"|\b(?:jupyter|unsloth|training|official|example|sagemaker|hf)\snotebooks?\b"
    r"|\bnotebook(?=\s(?:values|cells?|settings|code|config|defaults|from|crash|kernel))",
    re.IGNORECASE,
)
_ONE_NODE = compiled(  # a machine of such cards, however many it has
    r"\b(?:one|a single|single) (?=(?:\d{1,2} ?x ?)?[a-z]{1,3}\d{2,4}\w{0,3}"
    r"(?: (?:sxm\d?|nvl|pcie))?(?: \d{2,3} ?gb)? (?:node|server|machine|box|host)\b)",
    re.IGNORECASE,
)
_WHOLE = compiled(  # of what is shown, and no way to train
    r"\b(?:the |my |here'?s the )?full (?=(?:scripts?|code|logs?|traceback|stack ?trace|errors?"
    r"|configs?|configuration|yaml|yml|json|commands?|cmd|outputs?|files?|repro|paste|settings|list|details"
    r"|story|message|path|specs?|args|arguments)\b)",
    re.IGNORECASE,
)
_CORRECTED = compiled(  # what a person takes back in the same breath
    r"\b(?:laptop|notebook|mobile|desktop)\?\s{0,3}(?:no|nope|nah)[,.]?\s{1,3}(?:wait,?\s|sorry,?\s"
    r"|it'?s\s)?(?:an?\s|the\s)?(?P<meant>laptop|notebook|desktop)\b",
    re.IGNORECASE,
)
_THOUSAND = compiled(r"(?<![\w.])(?P<number>\d{1,4}(?:\.\d+)?)\s+thousand\b", re.IGNORECASE)
_TRAINED = compiled(  # what was done before what is asked
    r"\b(?P<done>(?:pre-?)?trained\b[^.?!;\n]{0,60}?)\s+from\s+scratch\b", re.IGNORECASE
)
_SERVED = compiled(r"\b(?:serv(?:e|ing)|infer(?:ence)?|host(?:ing)?|deploy\w*)\b", re.IGNORECASE)


def take_beside(text: str, locale: Locale, said: Said) -> str:
    """`text` with such numbers as a line has them; active parameters move no memory."""
    words = text.casefold()
    if "from scratch" in words and _SERVED.search(text):
        text = _TRAINED.sub(r"\g<done>", text)
    if "activ" in words:
        text = _TOTAL_ACTIVE.sub(r"\g<total>B-A\g<active>B", text)
        text = _ACTIVE.sub(lambda match: _aside(match[0], locale, said), text)
    if any(word in words for word in ("step", "iter", "epoch")):
        text = _MOMENT.sub(" , ", text)
    if "eval" in words and "batch" in words:
        text = _EVALUATION.sub(" , ", text)
    if any(name in words for name in (" node", " server", " machine", " box", " host")):
        text = _ONE_NODE.sub("", text)
    if "full " in words:
        text = _WHOLE.sub(" ", text)
    if "notebook" in words:
        text = _OF_CODE.sub(lambda m: " unsloth " if "unsloth" in m[0].casefold() else " ", text)
    if "?" in words and "top" in words:
        text = _CORRECTED.sub(r"\g<meant>", text)
    if "mib" in words:
        text = _OF_THE_CARD.sub(_used, text)
    return _THOUSAND.sub(r"\g<number>k", text) if "thousand" in words else text


def _used(found: re.Match[str]) -> str:
    """What is in use; more than there is stays, to be said."""
    more = int(found["used"]) > int(found["all"])
    return found[0] if more else f" , {found['used']} MiB in use , "


def _aside(words: str, locale: Locale, said: Said) -> str:
    said.remarks.append(locale.say("active_alone", words=echo(words.strip())))
    return " , "
