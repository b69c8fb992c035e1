"""Ways to say a thing that no word list holds → the words that it does: `2048 in + 512 out`.

Each rule turns one way of writing into the usual one, before the line is read.
"""

import re

from bot.compiled import compiled
from bot.reading.rules import Rule

_N = r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?\s?k?"
_TOKENS = r"(?:\s*tok(?:en)?s?)?"
_AND = r"\s*(?:[+,/&|]|and|->|→|then|with)?\s*"
_IN_OUT = compiled(
    rf"(?<![\w.])(?P<i>{_N}){_TOKENS}\s*(?:in|input|prompt|prefill)\b{_TOKENS}{_AND}"
    rf"(?P<o>{_N}){_TOKENS}\s*(?:out|output|generated|generation|decode|completion)\b{_TOKENS}",
    re.IGNORECASE,
)
_IN_SLASH_OUT = compiled(
    rf"(?<![\w.])(?P<i>{_N})\s*/\s*(?P<o>{_N}){_TOKENS}\s+(?:in|input)\s*/\s*(?:out|output)\b",
    re.IGNORECASE,
)
_GRADE_FIRST = compiled(
    r"\b(xtx|xt|ti|super|gre)\s+(\d{4})\b(?!\s*(?:xtx|xt|ti|super|gre|tok|ctx))", re.IGNORECASE
)
_CACHE_GLUED = compiled(r"\bkv[-_]?(q\d(?:_\d)?|fp8|fp16|bf16|int8|f16)\b", re.IGNORECASE)
_SLICE_FIRST = compiled(
    r"\b(?P<slice>[1-7]g[. ]?\d{1,3}gb)(?:\s+(?:mig|slice|partition|instance|profile))*"
    r"(?:\s+(?:of|on))?(?:\s+(?:an?|the|my|one))?\s+(?:nvidia\s+)?(?P<card>a30|a100|h100|h200|b200)\b"
    r"(?:[ -]?(?:sxm\d?|pcie))?(?:[ -]?\d{2,3}\s?gb)?",
    re.IGNORECASE,
)
_SAGEMAKER = compiled(r"\bml\.(?=[a-z]\w+\.\w+)", re.IGNORECASE)
_TRILLION = compiled(
    r"\b(?:an?|one|1)\s+trillion(?=[ -](?:param\w*|model|weights)\b)", re.IGNORECASE
)
_OFFLOAD_TO = compiled(r"\boffload\s*[:=]?\s*cpu\b", re.IGNORECASE)
_PROJECTED_8BIT = compiled(
    r"\b(?P<name>galore|apollo)[_-]adamw?[_-]8[_-]?bit(?![a-z0-9])", re.IGNORECASE
)

_HOW_MANY = compiled(
    r"\bhow many (?:concurrent |parallel |simultaneous )?(?P<n>\d+k)(?: ctx| context| token)?\s+"
    r"(?:users?|streams?|sessions?|requests?|chats?|conversations?|people|clients?)\b",
    re.IGNORECASE,
)
_CHANGE = compiled(
    r"\b(?:jump|increase|go(?:ing)?|went|step|chang\w+|grow\w*|extend\w*|difference|rais\w+|scal\w+"
    r"|switch\w*|mov(?:e|ing)|upgrad\w+|downgrad\w+|drop\w*|quantiz\w+|increas\w+|reduc\w+)\b"
    r"(?P<between>[^,;?\n]{0,40}?)\sfrom\s+(?P<a>[\w.]+(?: [\w.]+)?)\s+to\s+(?=[\w.])",
    re.IGNORECASE,
)
_RAISED = compiled(  # and not `push the context to 32k`
    r"\b(?:how (?:far|high|long|big) (?:can|could|may) (?:i|we|it|you)|(?:can|could) (?:i|we|you))"
    r" (?:still )?(?:push|raise|go|crank|bump|increase|stretch|up)(?: up)?(?: with| on)?"
    r"(?: (?:the|my|our|that))? (?:(?P<batch>batch(?:[_ ]size)?|micro_batch_size|bs)"
    r"|(?:max[-_ ])?(?:seq(?:uence)?(?:[-_ ]len(?:gth)?)?|context(?:[-_ ](?:length|size|window))?"
    r"|ctx(?:[-_ ]size)?|model[-_]len|cutoff_len|num_ctx))(?![\w-])"
    r"(?!(?: up)? ?(?:to|by|past|beyond|from \d|=|:|\d))(?: (?:up|higher|further|more))?",
    re.IGNORECASE,
)
_LENGTH_TOLD = compiled(  # `with 24k context: 4080?`
    r"(?<![\w.])(?P<n>\d+(?:\.\d+)?k)[ -](?P<key>context|ctx):(?=\s)", re.IGNORECASE
)
_POINT = compiled(r"(?<=[a-z][-_])(\d)_(\d)(?=-\d+(?:\.\d+)?b\b)", re.IGNORECASE)
_BARE_SIZE = compiled(  # of a device that lends its memory: `strix halo 128`, `m4 max 128`
    r"\b(?P<name>strix halo|framework desktop|ryzen ai max(?: ?\+)?(?: pro)?(?: 395)?|dgx spark"
    r"|m[1-6] (?:max|ultra|pro))\s+(?P<size>16|18|24|32|36|48|64|96|128|192|256|512)\b"
    r"(?!\s?(?:g|gb|gib|b|k|x|×|tok\w*|ctx|layers|users)(?![a-z])|\s?/)",
    re.IGNORECASE,
)
_DATA_TOKENS = compiled(
    r"\bdata(?:set)?[ _](?:tokens|size)\s*[=:]?\s*(?P<n>\d+(?:\.\d+)?)\s?(?P<unit>b|m|bn|t|million|"
    r"billion|trillion)\b",
    re.IGNORECASE,
)
_LAYERS_ON_CARD = compiled(
    r"\b(?P<n>\d{1,3})\s+(?:of\s+(?:the\s+)?\d{1,3}\s+)?layers\s+(?:on|in|to|onto|into)\s+(?:the\s+|my\s+)?"
    r"(?:gpus?|vram|cards?|cuda)\b|\boffload(?:ed|ing)?\s+(?P<m>\d{1,3})\s+layers\b",
    re.IGNORECASE,
)
_ASKED = compiled(r"(?:^|(?<=\s))(?:Q|A|Question|Answer):(?=\s|$)")
_QUESTION = compiled(  # a letter that is a module's elsewhere
    r"\b(?:the|my|quick|main|real|only|last|dumb|stupid|noob) q\b(?=\s*(?:is\b|was\b|[:=?.,-]|$))",
    re.IGNORECASE,
)


def _wish(found: re.Match[str]) -> str:
    """`can I push the context up?` seeks the longest."""
    return "largest batch" if found["batch"] else "longest context"


RULES: tuple[Rule, ...] = (  # one of the words is there
    (("out", "generat", "decode", "complet"), _IN_OUT, r" prompt \g<i> , new tokens \g<o> , "),
    (("/out", "/ out"), _IN_SLASH_OUT, r" prompt \g<i> , new tokens \g<o> , "),
    (("xt ", "xtx ", "ti ", "super ", "gre "), _GRADE_FIRST, r"\2 \1"),
    (("kv",), _CACHE_GLUED, r"kv \1"),
    ((*(f"{n}g" for n in range(1, 8)),), _SLICE_FIRST, r"\g<card> \g<slice>"),
    (("ml.",), _SAGEMAKER, ""),
    (("trillion",), _TRILLION, "1000B"),
    (("galore", "apollo"), _PROJECTED_8BIT, r"\g<name> 8bit "),
    (("offload",), _OFFLOAD_TO, "cpu offload"),
    (
        ("halo", "desktop", "ryzen", "spark", " max", " ultra", " pro"),
        _BARE_SIZE,
        r"\g<name> \g<size>gb",
    ),
    (("data",), _DATA_TOKENS, r"\g<n>\g<unit> tokens"),
    (("layers",), _LAYERS_ON_CARD, lambda found: f"gpu layers {found['n'] or found['m']}"),
    (("q:", "a:", "question:", "answer:"), _ASKED, " , "),
    ((" q",), _QUESTION, "question"),
    (("how many",), _HOW_MANY, r"how many users ctx \g<n>"),
    ((" from ",), _CHANGE, r"\g<between> \g<a> vs "),
    (("context:", "ctx:"), _LENGTH_TOLD, r"\g<n> \g<key> , "),
    (("can ", "could ", "may "), _RAISED, _wish),
    (("_",), _POINT, r"\1.\2"),
)
