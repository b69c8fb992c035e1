"""What stands around an out-of-memory message: `train 7B lora bs 4 on a 3090`, a command.

Discord makes one line of what is pasted, so words before the message and behind it count too.
"""

import re
from collections.abc import Iterator

from bot.compiled import compiled
from bot.reading.oom.pasted import plain

MOST_PIECES = 4
MOST_CHARACTERS = 600  # of one piece; a longer one is part of a log
# Where a message, a traceback or a line of a log begins: what stands before it is the person's.
_BEGINS = compiled(
    r"Traceback \(most|\bFile \"|(?:\[rank\d+\]:?\s*)?(?:torch\.)?(?:cuda\.)?OutOfMemoryError"
    r"|(?<![\w.])[\w.]{0,80}(?:Error|Exception)\b:?"
    r"|\b(?:CUDA|HIP|XPU|NPU|MPS backend) (?:error: )?out of memory"
    r"|\bTried to allocate|RESOURCE_EXHAUSTED|\bggml_\w+|\bllama_\w+|\bload_tensors\b"
    r"|\balloc_tensor"
    r"|\b(?:INFO|ERROR|WARNING)\b|\[\d{4}-\d\d-\d\d|\b20\d\d[-/]\d\d[-/]\d\d|\bterminate called"
    r"|CUBLAS_STATUS|Not enough memory|Insufficient VRAM|Model loading was stopped|\{\"error"
    r"|\bin memory space\b|\bhbm\b|\bUsed [\d.]+[KMGT]"
    r"|\bsee_memory_usage|\blibc\+\+abi|(?m:^\s{4,}\S)|\[TensorRT-LLM\]|\[TRT-LLM\]",
    re.IGNORECASE,
)
# Where one ends, on the line that it ends: what stands behind is the person's again.
_ENDS = compiled(
    r"#environment-variables\)|to avoid fragmentation\.?|\bmemory in use\.|system failure\)\.?"
    r"|is allocated by PyTorch[^\n]{0,160}?unallocated\.|when initializing the engine\."
    r"|\) out of memory"
    r"|PYTORCH_CUDA_ALLOC_CONF|\bof which [\d.]+ \w+ is free\.|already allocated[^)]*\)"
    r"|used by other processes\.|mem-fraction-static\.|out of memory(?![.:]? Tried)[.!]?",
    re.IGNORECASE,
)
_WORDS = compiled(r"[a-zA-Z]{2}")
_SAYS = compiled(r"\d|\b(?:qwen|llama|mistral|mixtral|gemma|phi|deepseek|gpt)", re.IGNORECASE)


def settings_around(text: str) -> tuple[str, ...]:
    """Pieces of `text` outside its message that may say what ran; the longest first."""
    pieces = {piece.strip(" \t,;:-`>\n") for piece in _pieces(plain(text))}
    able = [one for one in pieces if _WORDS.search(one) and _SAYS.search(one)]
    short = [one for one in able if len(one) <= MOST_CHARACTERS]
    return tuple(sorted(short, key=lambda one: (-len(one), one))[:MOST_PIECES])


def _pieces(log: str) -> Iterator[str]:
    for line in log.splitlines():
        begin = _BEGINS.search(line)
        yield line if begin is None else line[: begin.start()]
        if begin is not None:
            *_, last = (begin, *_ENDS.finditer(line, begin.start()))
            rest = line[last.end() :] if last is not begin else ""
            again = _BEGINS.search(rest)
            yield rest if again is None else rest[: again.start()]
