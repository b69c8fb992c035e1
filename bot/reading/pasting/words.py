"""The words that one paste says, while they are put together.

Beside those of a line there are some that only a paste has, `#per_node 8`: they are taken apart
by name, and whoever settles the rest makes words of a line of them.
"""

from collections.abc import Callable, Iterable, Sequence

from bot.compiled import compiled

OWN = "#"  # begins words that no line has
LISTED = ("litgpt", "titan")  # of which each adds to those before
MOST_DIGITS = 5  # of a count of cards or blocks
_OWN = compiled(r"^#(?P<name>\w+)(?: (?P<rest>.*))?$")


class Words:
    """`own`: by name, what words that no line has are followed by."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words: list[str] = []
        self.own: dict[str, str] = {}
        for word in dict.fromkeys(words):
            match = _OWN.match(word)
            if match is None:
                self._words += word.split(" , ")
                continue
            name, rest = match["name"], match["rest"] or ""
            before = f"{self.own[name]} " if name in LISTED and name in self.own else ""
            self.own[name] = before + rest

    def __contains__(self, word: str) -> bool:
        return word in self._words

    def all_of(self, words: Sequence[str]) -> list[str]:
        """Those of `words` that are said, in the order of `words`."""
        return [word for word in words if word in self._words]

    def last_of(self, words: Sequence[str]) -> str:
        """The one of `words` that was said last; none if none was."""
        return next((word for word in reversed(self._words) if word in words), "")

    def any_begins(self, *starts: str) -> bool:
        return any(word.startswith(starts) for word in self._words)

    def add(self, *words: str) -> None:
        self._words += [word for word in words if word and word not in self._words]

    def swap(self, word: str, other: str) -> None:
        """`other` in the place of `word`, where that is said."""
        self._words = [other if one == word else one for one in self._words]

    def drop(self, which: Callable[[str], bool]) -> None:
        self._words = [word for word in self._words if not which(word)]

    def drop_all(self, words: Iterable[str]) -> None:
        gone = set(words)
        self.drop(lambda word: word in gone)

    def count(self, name: str) -> int:
        """The number behind an own word; 0 where there is none."""
        last = self.own.get(name, "").split()[-1:]
        plain = last[0] if last else ""
        counts = plain.isascii() and plain.isdigit() and len(plain) <= MOST_DIGITS
        return int(plain) if counts else 0

    def is_on(self, name: str) -> bool:
        """Whether an own word is said, and not to be off."""
        return name in self.own and self.own[name].casefold() not in ("false", "no", "0", "off")

    def whole(self) -> list[str]:
        return list(dict.fromkeys(word for word in self._words if word))
