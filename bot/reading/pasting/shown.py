"""What `ollama show` prints of a model: the format counts, and not what the model could have.

Its context is the longest there is, its architecture a family, and neither is what is run.
"""

import re

from bot.compiled import compiled

FEWEST = 2  # such lines; one could be anybody's
_LINE = compiled(r"^[ \t]*(?:architecture|quantization)[ \t]{2,}\S+[ \t]*$", re.MULTILINE)
_COULD = compiled(
    r"^[ \t]*(?:architecture|context length|embedding length)[ \t]{2,}\S+[ \t]*$", re.MULTILINE
)
_SIZE = compiled(r"^[ \t]*parameters[ \t]{2,}\S+[ \t]*$", re.MULTILINE)
_NAMED = compiled(r"ollama\s+show\s+\w")


def without_shown(text: str) -> str:
    """`text` without what a model could have; its size goes where its name is said."""
    if len(_LINE.findall(text)) < FEWEST:
        return text
    text = _COULD.sub("", text)
    return _SIZE.sub("", text) if _NAMED.search(text) else text
