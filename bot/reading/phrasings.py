"""Ways that people put numbers together → the usual words: `8x80 A100`, `r8 a16`, `bs 2x8`.

Each would be read by itself as something else: as 640 cards, as an NVIDIA A16, as tokens.
"""

import re

from bot.compiled import compiled
from bot.reading.rules import Rule

_LENGTH = r"\d[\d,.]*\s?k|\d{3,7}|\d{1,3}(?:,\d{3})+"
_ENDS = (  # what may stand behind a size that is one of the card before it
    r"(?=\s*(?:$|[,;.?!)\n]|\s(?:for|on|with|w/|w|at|and|or|vs|can|is|ok|okay|seq|seqlen|ctx|bs"
    r"|bsz|lora|qlora|dora|full|fp16|bf16|ddp|fsdp|enough|possible|doable|yes|to)\b))"
)
_SIZED_BEFORE = compiled(  # memory that stands between the count and the card
    r"\b(?P<n>\d{1,3})\s?[x×*]\s?(?P<gb>(?:40|80)(?=\s+[ah](?:100|800)\b)|64(?=\s+h100\b)"
    r"|(?:94|96)(?=\s+(?:h100|h20|gh200)\b)|32(?=\s+(?:v100|mi50|rtx\s5090|5090)\b)"
    r"|24(?=\s+(?:rtx\s)?(?:3090|4090|a5000|a10g?|l4)\b)"
    r"|48(?=\s+(?:rtx\s)?(?:a6000|a40|l40s?|4090)\b)|141(?=\s+h200\b))\s+",
    re.IGNORECASE,
)
_SIZE_BEHIND = compiled(  # of cards that come with several
    r"\b(?P<card>(?:4060|5060)\s?ti(?=\s+(?:8|16)s?\b)|9060\s?xt(?=\s+(?:8|16)\b)"
    r"|4070\s?ti\s?super(?=\s+16\b)|3080(?=\s+1[02]\b)|3060(?=\s+(?:8|12)\b)|2060(?=\s+(?:6|12)\b)|3050(?=\s+[68]\b)"
    r"|p100(?=\s+1[26]\b)|v100s?(?=\s+(?:16|32)\b)|a100(?=\s+[48]0\b)|mi50(?=\s+(?:16|32)\b)"
    r"|h20(?=\s+(?:96|141)\b)|h100(?=\s+(?:80|94|96)\b))\s+(?P<gb>\d{1,3})s?\b" + _ENDS,
    re.IGNORECASE,
)
_RANK_ALPHA = compiled(
    r"\br\s?=?\s?(?P<r>\d{1,4})(?P<between>\s*[,/+&]?\s*)a\s?=?\s?(?P<a>8|16|32|64|128|256|512)\b"
    r"(?!\s?(?:gb|gib))",
    re.IGNORECASE,
)
_ALPHA = compiled(r"(?<![\w.\-])a\s?=\s?(?=\d{1,4}\b)", re.IGNORECASE)
_BATCH_TIMES_STEPS = compiled(
    r"\b(?P<key>(?:micro[ _-]?)?batch(?:[ _-]?size)?|bsz?|mbs)\s*[:=]?\s*(?P<b>\d{1,3})\s?[x×*]\s?"
    r"(?P<s>\d{1,3})\b(?!\s?(?:k\b|tok|[x×*]|gpus?|cards?|gb?\b|[a-z]+\d|\d))",
    re.IGNORECASE,
)
_SEQUENCES_OF = compiled(
    r"\b(?P<n>\d{1,4}|one|two|four|eight|sixteen|a single)\s+"
    r"(?:sequences?|seqs?|samples?|examples?)\s+of\s+(?:length\s+|up to\s+|about\s+)?"
    rf"(?P<len>{_LENGTH})\b(?:\s*tok(?:en)?s?\b)?",
    re.IGNORECASE,
)
_HOW_MANY_AT_ONCE = compiled(
    r"\bhow many\s+(?:concurrent|parallel|simultaneous|active|in[- ]flight)\s+"
    r"(?:requests?|users?|streams?|sequences?|sessions?|chats?|people|clients?|queries)\b",
    re.IGNORECASE,
)
_ONE_LONG = compiled(  # a conversation of so many tokens; several are a data set
    r"(?P<a>\b(?:an?|one|each|every)\s+)(?P<n>\d+(?:\.\d+)?k)[ -](?:tokens?[ -])?"
    r"(?:conversation|chat|history|dialog(?:ue)?|document"
    r"|transcript|thread|story|novel|book|codebase|file)\b"
    r"(?!\s+(?:samples?|examples?|rows?|pairs?|data))",
    re.IGNORECASE,
)
_SAVES_OVER = compiled(
    r"\bsaves?\s+(?:(?:me|us|any|much|memory|vram)\s+)*"
    r"(?:over|compared to|compared with|versus|vs\.?)\s+",
    re.IGNORECASE,
)
_DROPOUT = compiled(r"(?<![\w.\-])do\s?[=:]\s?(?=0?\.\d)", re.IGNORECASE)
_BATCH_SEQ = compiled(
    r"(?<![\w.\-])b\s?=?\s?(?P<b>\d{1,3})\s*[,/x×]?\s*s(?:l|q|eq)?\s?=?\s?(?P<s>\d{3,6}|\d{1,3}k)\b",
    re.IGNORECASE,
)
_CONTEXT_ASKED = compiled(
    r"(?P<before>(?:^|\b\w+)[ ,]*)(?<!of )\b(?:max\s+)?(?:ctx|context)\s*\?+\s*$", re.IGNORECASE
)
_NO_LENGTH = compiled(r"(?:[a-z][a-z\d]*|[1-5]0[5-9]0)[ ,]*$", re.IGNORECASE)
_AT_ONCE = compiled(
    r"(?<=\d\s)(?:concurrent|parallel|simultaneous|active|in[- ]flight)\s+"
    r"(?=(?:requests?|users?|streams?|sequences?|people)\b)",
    re.IGNORECASE,
)
_PEOPLE = compiled(
    r"(?P<n>\b\d{1,5}\s|\b(?:two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|twelve|fifteen|sixteen|twenty|thirty|forty|fifty|sixty|hundred)\s)"
    r"(?P<how>(?:concurrent|parallel|simultaneous|active|of my|of our|of us)\s+)?"
    r"(?:dev(?:eloper)?s|engineers|colleagues|co-?workers|employees|students|customers|clients"
    r"|agents|sessions|connections|seats|teammates|team members|friends|researchers|callers"
    r"|analysts|testers|persons|(?<=t )chats|(?<=t )conversations|(?<=l )chats)\b",
    re.IGNORECASE,
)
_PROMPTS = compiled(r"\bprompts\s+(?:of\s+|up to\s+|are\s+)*(?=\d)", re.IGNORECASE)
_PROMPTS_OF = compiled(
    r"(?<![\w.])(?P<n>\d+(?:\.\d+)?k|\d{3,6})[ -]tok(?:en)?s? prompts\b", re.IGNORECASE
)
_ORIGIN = compiled(r"\b(?P<n>(?:[2-9]|\d\d|two|three|four|eight)\s)v100s\b(?!-)", re.IGNORECASE)
_QUANTIZED_AWARE = compiled(
    r"[\s_-]qat[\s_-]*(?:q4[_ ]0|q4|int4|4[ -]?bit)\b|\b(?:q4[_ ]0|q4|int4|4[ -]?bit)[\s_-]*qat\b"
    r"|(?:(?<=it)|(?<=\db))[\s_-]qat\b",
    re.IGNORECASE,
)
_NEEDS_MORE = compiled(
    r"\b(?P<aux>does|do|will|would)\s+(?P<one>(?!it\b|this\b|that\b|they\b)[^,;?\n]{2,40}?)\s+"
    r"(?:need|use|take|require|cost|consume|eat)s?\s+"
    r"(?:(?:any|so|that|much|a lot|way|far|even|really|rly)\s+)*"
    r"(?:more|less|as much|the same)(?:\s+(?:vram|memory|gpu|ram|gb|space))*\s+(?:than|as)\s+",
    re.IGNORECASE,
)
_SMALLER = compiled(  # of two that are named
    r"\b(?:is|are)\s+(?P<one>(?!it\b|this\b|that\b|they\b|there\b)[^,;?\n]{2,40}?)\s+"
    r"(?:(?:really|rly|that|so|much|way|a lot|any|actually|truly|far|even)\s+)*"
    r"(?:smaller|lighter|leaner|cheaper|bigger|heavier|larger|hungrier"
    r"|(?:more|less)(?: (?:memory|v?ram|gpu))?[ -]\w+)"
    r"\s+than\s+",
    re.IGNORECASE,
)
_HOW_MUCH_MORE = compiled(  # `dora … needs how much more than plain lora`
    r"\b(?:needs?|nees|uses?|takes?|costs?|eats?|is|are)\s+(?:how\s+)?(?:much|many)\s+(?:gb\s+)?"
    r"(?:more|less|bigger|smaller)[^?.,;\n]{0,20}?\s+than\s+(?:a\s+)?"
    r"(?:plain|normal|regular|standard|just|vanilla|simple)?\s*",
    re.IGNORECASE,
)
_AND_WITH = compiled(  # a second question of one thing: `… at bf16? and with q4 kv?`
    r"\?+\s*(?:and|&|what about|how about|vs\.?)\s+(?:(?:with|w/?|at|for|in|on)\s+)?"
    r"(?P<b>(?:i?q\d\w*|fp8|fp16|bf16|int[48]|awq|gptq|nf4|\d-?bit)(?:\s+(?:kv|cache))?|\d+k"
    r"|q?lora|dora|full|zero ?[123]|fsdp)(?:\s+(?:instead|then))?\s*(?=\?|$)",
    re.IGNORECASE,
)
_TABBED = compiled(r"\btabby\b(?!\s?api)", re.IGNORECASE)
_SQUEEZED = compiled(
    r"\bpaged[ _-]?(?P<name>adamw?|lion)[ _-]?(?P<bits>8|32)[ _-]?bit\b", re.IGNORECASE
)
_DISTILLED = compiled(r"(?<=r1 )distil\b", re.IGNORECASE)
_GLUED = compiled(  # `iq3xxs`, `q3ks`: formats of files without their underscores
    r"(?<![\w.\-])(?P<bits>iq\d(?=x|s|m|nl)|q\dk(?=[sml]))(?P<kind>xxs|xs|nl|s|m|l)(?!\w)",
    re.IGNORECASE,
)
_OWN_SHORT = compiled(
    r"(?<![\w/.\-])(?:ds(?=[ -]?(?:v[23]|r1|coder)\b)|qw(?=[ -]?(?:[23](?:\.5)?)\b))", re.IGNORECASE
)
_SHORT_NAMES = {"ds": "deepseek ", "qw": "qwen "}
_INSTRUCT = compiled(
    r"\b(?:inst?rct|instuct|insturct|intruct|isntruct|instrcut|insruct)\b", re.IGNORECASE
)
_BATCH_STEPS = compiled(
    r"(?<![\w.\-])b(?P<b>\d{1,3})(?=\s*[,/]?\s*(?:ga|gas|accum)\s?=?\d)", re.IGNORECASE
)
_LENGTH_ALONE = compiled(
    r"(?P<before>\b[a-z]+[ _-])?\blen(?:gth)?\s?=?\s?(?P<n>\d{2,6})\b(?!\s?k\b)", re.IGNORECASE
)
_OF_LENGTHS = (
    *("seq", "sequence", "max", "min", "ctx", "context", "text", "prompt", "input", "output"),
    *("cutoff", "completion", "compl", "comp", "token", "model", "gen", "generation", "block"),
)
_QUANT_OF = compiled(
    r"\b(?P<most>best|highest|biggest|largest|which|what)\s+(?P<model>(?:[\w.]+[ -]){0,3}"
    r"\d+(?:\.\d+)?b)\s+(?P<quant>quant(?:ization|isation)?)\b",
    re.IGNORECASE,
)
_QWEN = compiled(  # `q3 30b q5_k_m`: what is packed one way is not packed another
    r"(?<![\w.\-])q(?=(?:2\.5|3(?:\.5)?)[ -]\d+(?:\.\d+)?b\b[^\n]{0,80}"
    r"(?:\bi?q\d|awq|gptq|exl2|fp8|int[48]|bf16|fp16|[48][ -]?bit|lora|\bfull\b))",
    re.IGNORECASE,
)
_OSS = compiled(r"\b(?P<size>20b|120b)\s+(?:gpt[ -]?)?oss\b", re.IGNORECASE)
_EXPERTS_AWAY = compiled(
    r"\b(?P<n>\d{1,3})\s+(?:of\s+\d+\s+)?(?:moe|experts?)\s+layers?\s+(?:\w+\s+){0,3}?"
    r"(?:on|in|to|onto)\s+(?:the\s+|my\s+)?(?:cpu|ram|system ram|host)\b",
    re.IGNORECASE,
)
_BIGGER_OVER = compiled(
    r"(?P<head>\b(?:bigger|larger|smaller|heavier|lighter|higher|lower)\b[^,;?\n]{0,60}?)\sover\s",
    re.IGNORECASE,
)


def _length_alone(found: re.Match[str]) -> str:
    """`len 128`, but not the `len 128` of `prompt len 128`."""
    before = found["before"] or ""
    if before[:-1].casefold() in _OF_LENGTHS:
        return found[0]
    return f"{before}seq {found['n']}"


def _context_asked(found: re.Match[str]) -> str:
    """`3090, context?` asks how long it can be; `32k context?` says it."""
    before = found["before"]
    return f"{before}longest context" if _NO_LENGTH.fullmatch(before) else found[0]


_SIZED_CARDS = (
    *("4060", "5060", "9060", "4070", "3080", "3060", "2060", "3050", "p100", "v100", "a100"),
    *("mi50", "h20", "h100"),
)
_WHO = (
    *("develop", "devs", "engineer", "colleague", "worker", "employee", "student", "customer"),
    *("client", "agent", "session", "connection", "seat", "teammate", "member", "friend"),
    *("research", "caller", "analyst", "tester", "person", "chats", "conversations"),
)
_LONG_THINGS = (
    *("conversation", "chat", "history", "dialog", "document", "transcript", "thread", "story"),
    *("novel", "book", "codebase", "file"),
)
RULES: tuple[Rule, ...] = (  # one of the words is there
    (("x", "×", "*"), _SIZED_BEFORE, r"\g<n>x \g<gb>gb "),
    (_SIZED_CARDS, _SIZE_BEHIND, r"\g<card> \g<gb>gb"),
    (("a",), _RANK_ALPHA, r"r \g<r> , alpha \g<a>"),
    (("a=", "a ="), _ALPHA, "alpha="),
    (("bs", "batch"), _BATCH_TIMES_STEPS, r"\g<key> \g<b> , ga \g<s>"),
    ((" of ",), _SEQUENCES_OF, r"bs \g<n> , \g<len> tokens"),
    (_WHO, _PEOPLE, r"\g<n>users"),
    (("requests", "users", "streams", "sequences", "people"), _AT_ONCE, ""),
    (("how many",), _HOW_MANY_AT_ONCE, "how many users"),
    (_LONG_THINGS, _ONE_LONG, r"\g<a>ctx \g<n>"),
    (("save",), _SAVES_OVER, "vs "),
    (("ctx", "context"), _CONTEXT_ASKED, _context_asked),
    (("do",), _DROPOUT, "dropout="),
    (("b",), _BATCH_SEQ, r"bs \g<b> , seq \g<s>"),
    (("rct", "stuct", "turct", "ntruct", "snt", "rcut", "sruct"), _INSTRUCT, "instruct"),
    (("ga",), _BATCH_STEPS, r"bs \g<b>"),
    (("len",), _LENGTH_ALONE, _length_alone),
    (("quant",), _QUANT_OF, r"\g<model> \g<most> \g<quant>"),
    (("q2", "q3"), _QWEN, "qwen"),
    (("oss",), _OSS, r"gpt-oss \g<size>"),
    (("layer",), _EXPERTS_AWAY, r"n cpu moe \g<n>"),
    ((" over ",), _BIGGER_OVER, r"\g<head> vs "),
    (("prompts",), _PROMPTS, "prompt "),
    ((" prompts",), _PROMPTS_OF, r"prompt \g<n>"),
    (("v100s",), _ORIGIN, r"\g<n>v100"),
    (("qat",), _QUANTIZED_AWARE, " Q4_0 "),
    ((" than ", " as "), _NEEDS_MORE, r"\g<one> vs "),
    ((" than ",), _SMALLER, r"\g<one> vs "),
    ((" than ", " then "), _HOW_MUCH_MORE, " vs "),
    (("?",), _AND_WITH, r" vs \g<b> "),
    (("tabby",), _TABBED, "tabbyapi"),
    (("paged",), _SQUEEZED, r"paged_\g<name>_\g<bits>bit "),
    (("r1 distil",), _DISTILLED, "distill"),
    (("q",), _GLUED, r"\g<bits>_\g<kind>"),
    (("ds", "qw"), _OWN_SHORT, lambda found: _SHORT_NAMES[found[0].casefold()]),
)
