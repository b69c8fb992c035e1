"""`with the gpt2 tokenizer`: a tokenizer bears a model's name and is none."""

import re

from bot.compiled import compiled
from bot.reading.facts import Fact, Said

REMARK = "tokenizer"  # the sentence's key
_TOKENIZER = compiled(
    r"(?P<before>\(\s*)?(?:(?:with|using|use|w/|and|uses)\s+)?(?:(?:the|a|an|its|our|my)\s+)?"
    r"(?P<name>[a-z][\w.-]*(?:[ -]\d[\w.]*)?(?:['\u2019]s)?)[ -]tokeni[sz]er\b",
    re.IGNORECASE,
)
_PLAIN = ("own", "custom", "same", "new", "slow", "fast", "the", "a", "my", "hf", "auto", "bpe")


def take_tokenizer(text: str, said: Said) -> str:
    """`text` without tokenizers that are called by a model, which is said."""

    def take(found: re.Match[str]) -> str:
        if found["name"].casefold() in _PLAIN:
            return found[0]
        words = f"{found['name']} tokenizer"
        said.facts.append(Fact("remarked", REMARK, words))
        return f"{found['before'] or ''} "

    return _TOKENIZER.sub(take, text) if "tokeni" in text.casefold() else text
