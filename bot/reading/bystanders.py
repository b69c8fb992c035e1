"""Unknown words that may stand aside: `train 7B lora lol`, but not `train 7B frobnicate`.

A word that nobody here knows may have been meant to change the answer. It is left aside, and
said, only where the line says without it what the answer turns on, and where it looks like no
term of this field: no number in it, none of the field's stems, no slip of a known word.
"""

from collections.abc import Iterable

from rapidfuzz.distance import OSA

from bot.compiled import compiled
from bot.reading.atoms import atoms_of
from bot.reading.facts import Said, Unread
from bot.reading.vocabulary import Vocabulary

CHOSEN = ("method", "method_hint", "weights", "precision", "find", "open")
SERVED = ("engine", "gpus", "context", "users", "task", "task_hint")  # of a model that is run
MODEL = ("model", "half_name", "size")  # without one, an unknown word may be its name
COMPARED = ("compare", "either")  # joints: an unknown word may be the other side
MODULES = ("saving", "lm_head", "embed_tokens", "module")  # words that are of adapters elsewhere
DETAILED = 5  # settings that make a line one that answers without a word more
ONE_NUMBER = 1  # without a word that such a line may hold
SHORT, LONG = 5, 8  # letters from which one, and two, slips make a known word
_STEM = compiled(
    r"adam|lora|optim|quant|tun(?:e|ing)|gpu|cuda|rtx|zero|shard|offload|parallel|bits?$|float|gguf"
    r"|ckpt|checkpoint|bat?ch|token|kv|attn|attention|precision|prop$|grad|former|gpt|llm"
)


def may_stand_aside(unread: Unread, said: Said, vocabulary: Vocabulary) -> bool:
    """Whether the answer holds without the word."""
    word = unread.text.casefold().partition("(")[0]
    named = {fact.field for fact in said.facts}
    if not _is_whole(said, named) or not named.isdisjoint(COMPARED):
        return False
    if (
        unread.behind
        or unread.named is not None
        or unread.key is not None
        or unread.denied is not None
    ):
        return False
    match = vocabulary.longest(atoms_of(word), 0)
    if match is not None and any(meaning.field in MODULES for meaning in match.meanings):
        return False
    words = vocabulary.words | vocabulary.families
    return word.replace("'", "").isalpha() and not _STEM.search(word) and not _is_slip(word, words)


def is_detailed(said: Said) -> bool:
    """Whether a line says a model and so much of the rest that one stray number may stand aside."""
    named = {fact.field for fact in said.facts}
    if named.isdisjoint(MODEL) or said.doubted or len(said.loose) > ONE_NUMBER:
        return False
    return len(named - {"half_name", "size", "task_hint", "method_hint"}) >= DETAILED


def _is_whole(said: Said, named: set[str]) -> bool:
    """Whether what the answer turns on is said: how it is trained, or that it is run at all."""
    if not named.isdisjoint(CHOSEN):
        return True
    trained = any(
        fact.value == "train" for fact in (*said.all_of("task"), *said.all_of("task_hint"))
    )
    return not trained and not named.isdisjoint(SERVED) and not named.isdisjoint(MODEL)


def _is_slip(word: str, words: Iterable[str]) -> bool:
    """Whether a known word is so near that it may be meant."""
    if len(word) < SHORT:
        return False
    most = 2 if len(word) >= LONG else 1
    return any(
        abs(len(known) - len(word)) <= most
        and known[:1] == word[:1]
        and len(known) >= SHORT - 1
        and OSA.distance(word, known, score_cutoff=most) <= most
        for known in words
    )
