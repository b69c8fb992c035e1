"""Other programs that hold memory of the card: `two llama-servers taking 76 GB`.

Their names are engines and models elsewhere; here they are nobody's who is asked about.
`128 GB of unified memory` is what the card has.
"""

import re

from bot.compiled import compiled

_SIZE = r"\d{1,4}(?:\.\d{1,2})?\s?(?:gib|gb|gigs?|g|mib|mb)\b"
_ABOUT = r"(?:(?:about|around|roughly|some|up|already|currently|like)\s+|~\s?)*"
_PROGRAM = (
    r"(?:llama[-. ]?(?:cpp|server)|vllm|sglang|ollama|tgi|lm[- ]?studio|koboldcpp|exllama\w*"
    r"|tabbyapi|comfyui|sdxl|stable diffusion|flux|whisper|embedding model|reranker|tts|asr"
    r"|mlx(?:_lm)?)(?:[-_ ]?(?:servers?|instances?|process(?:es)?|models?|containers?|s\b))*"
)
_COUNT = r"(?:\d{1,2}|two|three|four|five|six|several|some|both)"
_MARKED = (  # that it is another than the one that is asked about
    rf"(?:(?:another|an?\s+second|second|other|existing|running|already running|{_COUNT}|next to"
    r"|beside|besides|alongside)\s+(?:(?:an?|the|my|other|running|two|three)\s+)*)"
)
_HOLDING = (
    r"(?:us(?:es|ing|e)|tak(?:es|ing|e)|occup(?:ies|ying|y)|hold(?:s|ing)?|eat(?:s|ing)?"
    r"|consum(?:es|ing|e)|hog(?:s|ging)?|reserv(?:es|ing|e)|keep(?:s|ing)?)(?:\s+up)?"
)
_LINK = r"(?:\s+(?:is|are|that|which|already|currently|still|now))*\s+"
_HOLDS = compiled(
    rf"\b(?:{_MARKED}{_PROGRAM}{_LINK}|{_PROGRAM}(?:\s+(?:is|are))?\s+already\s+){_HOLDING}\s+"
    rf"{_ABOUT}(?P<size>{_SIZE})(?!\s*(?:v?ram\s+)?(?:cards?|gpus?|each|apiece|nvidia|rtx|[ahl]\d))",
    re.IGNORECASE,
)
_HELD = compiled(
    rf"(?P<size>{_SIZE})\s+(?:(?:is|are|already|currently)\s+)*"
    rf"(?:taken|used|occupied|held|eaten|reserved|hogged)(?:\s+up)?\s+by\s+"
    rf"(?:(?:an?|the|my)\s+)?{_MARKED}?{_PROGRAM}\b",
    re.IGNORECASE,
)
_UNIFIED = compiled(
    r"(?P<size>\d{2,3}\s?gb)\s+(?:of\s+)?unified(?:\s+(?:memory|v?ram))?\b", re.IGNORECASE
)
_DEVICES = compiled(  # that have a row of their own
    r"\b(?:macs?\w*|m[1-6]|apple|halo|spark|dgx|gb10|framework|ryzen|jetson|thor)\b", re.IGNORECASE
)
_AMOUNT = compiled(r"\d\s?[gm]")
HOLDING = ("us", "tak", "occup", "hold", "eat", "consum", "hog", "reserv", "keep")


def take_programs(text: str) -> str:
    """`text` with what they hold as memory in use, and unified memory as a card's."""
    words = text.casefold()
    if "unified" in words and not _DEVICES.search(text):
        text = _UNIFIED.sub(r"\g<size> vram ", text)
    if _AMOUNT.search(words) is None:
        return text
    if any(verb in words for verb in HOLDING):
        text = _HOLDS.sub(r", \g<size> in use , ", text)
    if " by " in words:
        text = _HELD.sub(r", \g<size> in use , ", text)
    return text
