"""A person's words for a message: `sglang says not enough memory` → the message meant.

Only where a program's name and its words of shortage stand together.
"""

from bot.reading.oom.figures import phrase
from bot.reading.oom.message import OomKind, OomMessage

MOST_CHARACTERS = 600  # of a person's question; a longer text is a log
SHORT = (
    r"(?:not enough|insufficient|no (?:available|free|more)|out of) "
    r"(?:gpu |video |kv |cache |v|system |the |card'?s? )*"
    r"(?:memory|ram|space|resources)\b"
)
ANY = rf"(?:{SHORT}|\booms?\b|\boom(?:ed|ing)\b)"
START = r"not enough (?:gpu |video )?(?:memory|vram)\b|insufficient (?:gpu )?(?:memory|vram)\b"
# What has not happened: a question of planning, which needs a model.
AHEAD = phrase(r"\b(?:without|will|would|won'?t|avoid|before|going to)\b")
# A program, its words, and what they are a message of; the words that say most first.
MEANT = (
    (r"\bsglang", START, OomKind.SGLANG_NO_KV),
    (r"\bexllama\w{0,3}\b|\bexl[23]\b|\btabby ?api\b", ANY, OomKind.EXLLAMA),
    (r"\bvllm", START, OomKind.VLLM_NO_KV),
    (r"\bollama\b", r"system memory", OomKind.OLLAMA_SYSTEM),
    (
        r"\bllama[._\s-]?cpp\b|\bollama\b|\bllama[-\s]server\b",
        r"(?:alloc\w{0,6}|no room|not enough|create) [^.?\n]{0,20}?\bkv[-\s]cache",
        OomKind.LLAMA_CPP_KV,
    ),
    (r"\btgi\b|\btext[-\s]generation[-\s]inference\b", ANY, OomKind.TGI_PREFILL),
    (r"\blm ?studio\b", rf"guard ?rails?|{ANY}", OomKind.GUARDRAIL),
    (r"\btensorrt[-\s_]?llm\b|\btrt[-\s_]?llm\b", ANY, OomKind.TENSORRT_LLM),
    (r"\bmlx\b", ANY, OomKind.METAL),
    (r"\bsglang|\bvllm|\bllama[._\s-]?cpp\b|\bollama\b", ANY, OomKind.CUDA),
)
_ALL = tuple(
    (
        phrase(rf"(?:{name})[^.?!\n]{{0,40}}?(?:{words})|(?:{words})[^.?!\n]{{0,20}}?(?:{name})"),
        kind,
    )
    for name, words, kind in MEANT
)


def spoken(text: str) -> OomMessage | None:
    """The message that a person speaks of, without figures; none where no program is blamed."""
    if len(text) > MOST_CHARACTERS or AHEAD.search(text) is not None:
        return None
    kind = next((kind for known, kind in _ALL if known.search(text)), None)
    return None if kind is None else OomMessage(kind, incomplete=True)
