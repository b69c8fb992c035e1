"""One setting of a paste, wherever it stood: a key under other keys, and what it is set to."""

from dataclasses import dataclass

from bot.compiled import compiled

NOTHING = ("", "null", "none", "~", "auto", "nil", "[]", "{}", "unset")
OFF = ("false", "no", "off", "disabled")
ON = ("true", "yes", "on", "enabled")
MOST_KEPT = 600  # settings of one message; what is beyond no run has
LONGEST_KEY = 80  # characters
LONGEST_VALUE = 400
_VARIABLE = compiled(r"\$\{?\w{1,60}(?:\[@\])?\}?")  # that nothing of the paste sets


@dataclass(frozen=True, slots=True)
class Setting:
    """`path`: the key behind those that it lies under, dotted, lower case, `_` for `-`.

    `values`: what it is set to, as text without quotes; several of a list, none of a bare flag.
    """

    path: str
    values: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def value(self) -> str:
        """Its one value, or the first of several."""
        return self.values[0] if self.values else ""

    @property
    def is_nothing(self) -> bool:
        """Whether it leaves open what it could set: `null`, `auto`, `$N`, an empty list."""
        return bool(self.values) and all(
            value.casefold() in NOTHING or _VARIABLE.fullmatch(value) for value in self.values
        )

    @property
    def is_off(self) -> bool:
        return self.value.casefold() in OFF

    @property
    def is_on(self) -> bool:
        """Set, by a word for it or by being there at all."""
        return not self.values or self.value.casefold() in ON


def path_of(*keys: str) -> str:
    """The keys of a path from outside in, as tables have them."""
    return ".".join(key.strip().casefold().replace("-", "_") for key in keys if key)


def path_of_pair(key: str) -> str:
    """The path of `key=value`: of the environment, where it is in capitals."""
    return path_of("env", key) if key.isupper() else path_of(key)


def bare(value: str) -> str:
    """A value without its quotes, commas and blanks, and no longer than any that says something."""
    value = value.strip().rstrip(",;`").strip()
    if value[:1] in ("'", '"'):
        value = value[1:].removesuffix(value[0])
    if value.endswith(".") and value[-2:-1].isalnum():  # of a sentence
        value = value[:-1]
    return value[:LONGEST_VALUE].strip()
