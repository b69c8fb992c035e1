"""Shorthand of chats → the usual words: `4 ppl`, `UD Q4KXL`, `full 131k`, `dies on step 1`.

Without these a word is unknown, or a number lands where it does not belong.
"""

import re
from functools import lru_cache

from bot.compiled import compiled
from bot.reading.rules import Rule

_K = r"\d+(?:\.\d+)?\s?k\b"
_PEOPLE = compiled(
    r"(?<![\w.])(?P<n>~?\d{1,5}|two|three|four|five|six|eight|ten)\s+"
    r"(?:(?:concurrent|parallel|simultaneous|active|concurent)\s+)?"
    r"(?:ppl|peeps|homies|buddies|usrs?|sessions?|chatters|reqs?|seqs at once|seqs|chats at once"
    r"|simultaneous chats|chats in parallel|parallel chats|concurrent chats)\b"
    r"(?:\s+at (?:a time|once)|\s+in parallel|\s+simultaneously|\s+concurrently)?",
    re.IGNORECASE,
)
_DYNAMIC = compiled(  # Unsloth's files, with or without their underscores
    r"\b(?:unsloth\s+)?ud[-_ ]?(?P<bits>i?q\d)[-_ ]?k?[-_ ]?(?P<kind>x{1,2}[lsm]|[sml])\b"
    r"|\b(?P<bits2>q\d)kxl\b",
    re.IGNORECASE,
)
_WHOLE_LENGTH = compiled(
    rf"\b(?:full|whole|entire|native)\s+(?:fat\s+)?(?P<n>{_K})(?!\s*(?:samples|examples|rows|tok/s))",
    re.IGNORECASE,
)
_WHOLE_CONTEXT = compiled(
    r"\b(?:full|whole|entire|native)\s+(?P<n>\d{4,7})(?=\s*(?:ctx|context|window))", re.IGNORECASE
)
_OF_US = compiled(
    r"(?<![\w.])(?P<n>\d{1,4}|two|three|four|five|six|eight|ten)\s+of\s+us\b", re.IGNORECASE
)
_A_CARD = compiled(r"\ba(?=[1-5]0[5-9]0(?:\s?ti|\s?super)?\b)", re.IGNORECASE)  # `have a3090`
_MEMORY_OF = compiled(  # `48 gigs of m4 max`
    r"(?<![\w.])(?P<n>\d{2,3})\s?(?:gb|gigs?)\s+(?:of\s+)?(?P<card>m[1-5]\s?(?:max|ultra|pro)"
    r"|strix halo)\b(?!\s*\d{2,3}\s?gb)",
    re.IGNORECASE,
)
_THIS_NOT_THAT = compiled(  # `m3 ultra... the 96 not the 512`
    r"\b(?P<card>m[1-5]\s?(?:max|ultra|pro)|a100|h100|v100|strix halo|5060\s?ti|4060\s?ti|3060)"
    r"(?P<between>[\s.,(…-]{0,6}(?:\s*(?:its|it's|i have|i got))?\s*)the\s+"
    r"(?P<n>\d{1,3})\s?(?:gb|gig)?(?:\s+(?:one|version|model))?\s*,?\s*(?:and\s+)?not\s+the\s+\d{1,3}\s?(?:gb|gig)?\b",
    re.IGNORECASE,
)
_HEDGED = compiled(  # between a key and its number
    r"\b(?P<key>ctx|context|seq(?: ?len)?|batch(?: size)?|bs|rank|users|accum)\s+"
    r"(?:(?:like|say|obv|obvs|obviously|around|about|just|only|maybe|prolly|probably|roughly|approx"
    r"|basically|literally|of like|at like|is like|is)\s+){1,3}(?=~?\d)",
    re.IGNORECASE,
)
_SENTENCE = compiled(  # `512. batch`: a number that ends a sentence is no key's of the next
    r"(?P<n>(?<![\w.])\d{1,7}k?)\.\s+(?=(?:batch|bs|seq|ctx|context|rank|users|accum|ga)\b"
    r"[^\n.]{0,16}?\d)",
    re.IGNORECASE,
)
_R1 = compiled(r"\br1\b", re.IGNORECASE)
_REAL_ONE = compiled(  # `the real one not the distil`
    r",?\s*\b(?:the\s+)?(?:real|full|actual|big|671b)\s*(?:one|model|thing|deal)?\s*,?\s*"
    r"(?:and\s+)?not\s+(?:the|a|some)\s+distil\w*\b",
    re.IGNORECASE,
)
_LAPTOP_ONE = compiled(  # `my 3070 (the 8gb laptop one sadly)`
    r"\b(?P<card>[2345]0[5-9]0(?:\s?ti)?)\s*,?\s*\(\s*(?:it's\s+|its\s+)?(?:the\s+|a\s+)?"
    r"(?:\d{1,2}\s?gb?\s+)?(?:laptop|mobile)(?:\s+\d{1,2}\s?gb?)?\b[^)\n]{0,30}\)",
    re.IGNORECASE,
)
_LAPTOPS = compiled(r"\blaptop\s+(?P<card>[2345]0[5-9]0)s\b", re.IGNORECASE)
_LONG_SEQS = compiled(r"(?<![\w.])(?P<n>\d+k|\d{3,6})\s+seqs\b(?!\s+(?:at|in))", re.IGNORECASE)
_NUMBERED = compiled(r"(?:(?<=^)|(?<=\s))\(?[1-5]\)(?=\s)")  # `1) is … 2) …`
_HOW_FAR = compiled(  # `how far can ctx go`
    r"\bhow (?:far|high|long|big|large|much)\s+(?:can|could|does|will)\s+(?:i\s+|we\s+|you\s+)?"
    r"(?:push\s+|stretch\s+|take\s+)?(?:the\s+|my\s+)?(?:ctx|context|window)(?:\s+length)?"
    r"(?:\s+(?:go|be|get|stretch|reach))?\b"
    r"|\bhow much\s+(?:ctx|context)\s+(?:can|could|will)\s+(?:i|we|it|you)\s+"
    r"(?:get|squeeze|fit|have|use|run|push)\b",
    re.IGNORECASE,
)
_N = compiled(  # `q3ks n q3km`
    r"(?<=[a-z0-9])\s+n\s+(?=(?:i?q\d|fp\d|bf16|int\d|q?lora\b|dora\b|full\b|\d+b\b|[1-5]0[5-9]0))",
    re.IGNORECASE,
)
_WHICH_EXL2 = compiled(r"\b(?:which|what|best|highest)\s+exl2\s+(?:bpw|quant)s?\b", re.IGNORECASE)
_STORED = compiled(  # `the cache … stored in fp8`
    r"\b(?P<cache>cache\b[^\n?!]{0,80}?)\b(?:stored|kept|held|saved)\s+(?:in|as|at)\s+"
    r"(?P<format>fp8|fp16|bf16|int8|q8_0|q4_0|q8|q4)\b",
    re.IGNORECASE,
)
_CARD_BEHIND = compiled(  # `long context 3090`: a card, and no length
    r"\b(?P<key>context|window)\s+(?=(?:rtx\s+)?(?:[2-5]0[5-9]0)\b(?!\s?(?:tok|k\b)))",
    re.IGNORECASE,
)
_THOUSANDS = compiled(r"(?<![\w.,])(?P<n>[1-9]\d{0,2})\.000(?![\w.]|\s?(?:bpw|bits?|gb|b\b))")
_COMMA_K = compiled(r"(?<![\w.,])(?P<n>\d{1,3}),(?P<m>\d)k\b", re.IGNORECASE)
_GRADE_THEN = compiled(  # `q4 1.5k ctx`: no Q4_1
    r"\b(?P<q>i?q[2-8])\s+(?=\d(?:[.,]\d|\d|\s?(?:k|x|gb|b|users|cards)\b))", re.IGNORECASE
)
_SECOND = compiled(
    r"(?<!and )(?<!plus )(?<!\+ )(?<!, )\ba\s+second\s+"
    r"(?=(?:rtx\s+)?(?:[1-5]0[5-9]0|[ahlvp]\d{2,3})\b)",
    re.IGNORECASE,
)
_MORE_THEN = compiled(r"\b(?P<more>more|less|bigger|smaller|larger|better)\s+then(?=\s+\w)",
                        re.IGNORECASE)  # fmt: skip
_TRAINS = compiled(
    r"train|tun(?:e|ing)|\bs?ft\b|lora|adam|optim|\bseq(?!s\b)|\bbs|batch|grad|\bckpt|zero|fsdp|epoch|\bdpo"
    r"|grpo|\bga\b",
    re.IGNORECASE,
)
_AT_STEP = compiled(
    r"\b(?:on|at|in|after|by|around|before|until)\s+(?:the\s+)?"
    r"(?:(?:very\s+)?(?:first|second|1st|2nd|third)\s+(?:step|iteration|iter|epoch|batch)"
    r"|(?:step|iteration|iter|epoch)\s*#?\d{1,7})\b(?!\.\d)",
    re.IGNORECASE,
)
_GROUPS = compiled(r"(?<![\w.-])g(?:s|roup)?[ =]?(?P<n>32|64|128|256)\b(?!\s?(?:gb|g\b))",
                     re.IGNORECASE)  # fmt: skip
_PROMPT_COMPLETION = compiled(
    r"(?<![\w.])(?P<i>\d{2,6}|\d+k)\s*(?:tok(?:en)?s?\s+)?prompts?\s*[/+,&|]?\s*(?:and\s+)?"
    r"(?P<o>\d{2,6}|\d+k)\s*(?:tok(?:en)?s?\s+)?(?:compl?s?|completions?|responses?|gen|answers?)\b",
    re.IGNORECASE,
)
_THE_LARGER = compiled(
    r",?\s*\b(?:or|do)\s+(?:(?:do|would|should|must|will)\s+)?(?:i|we)\s+(?:really\s+)?"
    r"(?:need|get|go for|want|buy|rent)\s+(?:to\s+\w+\s+)?the\s+(?:\d{2,3}s|bigger|larger)"
    r"(?:\s+(?:one|ones|card|cards))?\b",
    re.IGNORECASE,
)
_PARTLY = compiled(  # a card, and the slice of it that is used
    r"\b(?P<card>(?:a30|a100|h100|h200|b200)\b(?:[ -]?(?:sxm\d?|pcie))?(?:[ -]?\d{2,3}\s?gb)?)"
    r"[^,;\n]{0,20}?\b(?:only|just|but)\b[^,;\n]{0,30}?\b(?P<slice>[1-7]g[. ]?\d{1,3}gb)"
    r"(?:\s+(?:mig\s+)?(?:slice|partition|instance))?",
    re.IGNORECASE,
)
_NOT_THAT = compiled(
    r"\b(?P<key>bs|bsz|batch(?: size)?|seq(?: ?len)?|ctx|context|rank|r|ga)\s*=?\s*(?P<n>\d+k?)"
    r"\s*,?\s*\(?\s*not\s+\d+k?\b(?!\s?b)\)?",
    re.IGNORECASE,
)
_BESIDE_CARD = compiled(  # `lora 2048 a10g`: so many cards nobody has
    r"(?P<before>\b[a-z_]+\s*[=:]?\s*)?(?<![\w.x-])"
    r"(?P<n>1024|2048|3072|4096|6144|8192|16384|32768)\s+(?=(?:nvidia\s+|rtx\s+|tesla\s+)?"
    r"(?:a10g?|l4|l40s?|t4|v100|a100|h100|h200|[2345]0[5-9]0|a6000)\b)",
    re.IGNORECASE,
)
_OF_RECIPES = (
    *("lora", "qlora", "dora", "full", "sft", "ft", "finetune", "bf16", "fp16", "packing", "dpo"),
    *("adamw", "adam"),
)
_SAYS_LENGTH = compiled(r"\b(?:seq|ctx|context|cutoff|max_?len)|\d\s?k?\s?tok", re.IGNORECASE)


@lru_cache(maxsize=1)
def _trains(text: str) -> bool:
    """Asked once of a text, however often it says a length."""
    return _TRAINS.search(text) is not None


@lru_cache(maxsize=1)
def _says_length(text: str) -> bool:
    """Likewise."""
    return _SAYS_LENGTH.search(text) is not None


def _real_one(found: re.Match[str]) -> str:
    """DeepSeek's R1 is the model that has distils of its name; another's are left as typed."""
    return " 671B " if _R1.search(found.string) else found[0]


def _people(found: re.Match[str]) -> str:
    """Users; `16 seqs` of what trains are a batch, and `of 2k` tells how long they are."""
    if "seq" in found[0].casefold() and _trains(found.string):
        return f" bs {found['n']} , "
    return f" users {found['n']} , "


def _dynamic(found: re.Match[str]) -> str:
    if found["bits2"]:
        return f"{found['bits2']}_K_XL"
    bits, kind = found["bits"].upper(), found["kind"].upper()
    return f"UD-{bits}_{kind}" if bits.startswith("I") else f"UD-{bits}_K_{kind}"


def _beside_card(found: re.Match[str]) -> str:
    """A length behind a word of a recipe, where none is said: cards may be as many elsewhere."""
    before = found["before"] or ""
    length = before.strip().casefold() in _OF_RECIPES and not _says_length(found.string)
    return found[0] if not length else f"{before}seq {found['n']} , "


def _whole_length(found: re.Match[str]) -> str:
    """`full 131k` is a whole window, unless the line trains: `7B full 4k seq`."""
    return found[0] if _trains(found.string) else f"ctx {found['n']}"


RULES: tuple[Rule, ...] = (  # one of the words is there
    (("ppl", "peeps", "usr", "session", "seqs", "chat", "req", "homies", "buddies"), _PEOPLE,
     _people),
    (("ud", "kxl"), _DYNAMIC, _dynamic),
    (("full", "whole", "entire", "native"), _WHOLE_LENGTH, _whole_length),
    (("full", "whole", "entire", "native"), _WHOLE_CONTEXT, r"ctx \g<n>"),
    (("of us",), _OF_US, r" users \g<n> , "),
    (("a1", "a2", "a3", "a4", "a5"), _A_CARD, "a "),
    (("gig", "gb"), _MEMORY_OF, r"\g<card> \g<n>gb "),
    (("not the",), _THIS_NOT_THAT, r"\g<card> \g<n>gb "),
    (("not ",), _REAL_ONE, _real_one),
    (("ctx", "context", "seq", "batch", "bs", "rank", "users", "accum"), _HEDGED, r"\g<key> "),
    ((". ",), _SENTENCE, r"\g<n> , "),
    (("laptop", "mobile"), _LAPTOP_ONE, r"\g<card> laptop "),
    (("laptop",), _LAPTOPS, r"laptop \g<card>"),
    (("seqs",), _LONG_SEQS, r"seq \g<n>"),
    (("1)",), _NUMBERED, " , "),
    (("how ",), _HOW_FAR, "longest context"),
    ((" n ",), _N, " and "),
    (("exl2",), _WHICH_EXL2, " exllamav2 best quant "),
    (("stored", "kept", "held", "saved"), _STORED, r"\g<cache> kv \g<format> , infer "),
    (("context", "window"), _CARD_BEHIND, r"\g<key> , "),
    ((".000",), _THOUSANDS, r"\g<n>000"),
    (("k",), _COMMA_K, r"\g<n>.\g<m>k"),
    (("q",), _GRADE_THEN, r"\g<q> , "),
    (("second",), _SECOND, "2x "),
    ((" then ",), _MORE_THEN, r"\g<more> than"),
    (("step", "iter", "epoch", "batch"), _AT_STEP, " , "),
    (("g32", "g64", "g128", "g256", "gs", "group"), _GROUPS, r" group size \g<n> "),
    (("prompt",), _PROMPT_COMPLETION, r" prompt \g<i> , completion \g<o> , "),
    ((" the ",), _THE_LARGER, " , "),
    (("g.", "gb"), _PARTLY, r"\g<card> \g<slice> "),
    ((" not ", "(not "), _NOT_THAT, r"\g<key> \g<n>"),
    (("1024", "2048", "3072", "4096", "6144", "8192", "16384", "32768"), _BESIDE_CARD,
     _beside_card),
)  # fmt: skip
