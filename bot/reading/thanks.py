"""Thanks, and other words below an answer that ask for nothing."""

from bot.compiled import compiled

_WORD = compiled(r"[^\W\d_]+")
PLEASED = frozenset((
    "thanks", "thank", "thx", "ty", "tysm", "cheers", "cool", "nice", "great", "good", "perfect",
    "awesome", "amazing", "wow", "lol", "lmao", "haha", "neat", "sweet", "brilliant", "helpful",
    "ok", "okay", "kk", "understood", "merci", "danke", "gracias", "obrigado", "obrigada",
    "спасибо", "谢谢", "謝謝", "ありがとう", "ありがとうございます", "감사합니다", "고마워",
    "धन्यवाद",
))  # fmt: skip
AROUND = frozenset((
    "a", "ah", "all", "already", "and", "appreciate", "as", "at", "beaucoup", "bot", "damn", "for",
    "got", "have", "help", "i", "is", "it", "lot", "lots", "makes", "man", "mate", "much", "muchas",
    "oh", "one", "really", "sense", "so", "super", "that", "thats", "the", "this", "useful", "very",
    "vielen", "was", "work", "yes", "you", "your",
))  # fmt: skip


def is_thanks(plain: str) -> bool:
    """Whether `plain` says that somebody is content, and nothing else."""
    words = [word.casefold() for word in _WORD.findall(plain)]
    known = all(word in PLEASED or word in AROUND for word in words)
    digits = any(character.isdigit() for character in plain)
    return known and not digits and any(word in PLEASED for word in words)
