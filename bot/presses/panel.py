"""What stands under an answer, as data: selects, and one row of buttons."""

from dataclasses import dataclass

NO_CHOICE = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One value to choose. `present`: it is the one that holds now. `detail`: a few words more."""

    label: str
    value: str
    detail: str = ""
    present: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """A list to choose one value from; `hint` is shown while none is chosen."""

    id: str
    hint: str
    options: tuple[Option, ...]
    chosen: str = NO_CHOICE


@dataclass(frozen=True, slots=True)
class Button:
    """A button; `main`: the one that most people want; `chosen`: what it stands for holds now."""

    id: str
    label: str
    main: bool = False
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """The whole of it; `note` says why there is less than usual."""

    selects: tuple[Select, ...] = ()
    buttons: tuple[Button, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """What of an answer can be changed by a press, the value of each option in words.

    `how`: what is done, and in which formats; `size`: how much of it, on which cards; `fit`: what
    makes it fit the card that was named. `readable`: whether the line says all that was asked.
    """

    how: tuple[Option, ...] = ()
    size: tuple[Option, ...] = ()
    fit: tuple[Option, ...] = ()
    readable: bool = True


@dataclass(frozen=True, slots=True)
class Input:
    """A text that a form asks for: `value` stands in it, `example` while it is empty.

    `most`: characters that go into it.
    """

    name: str
    label: str
    value: str
    example: str = ""
    most: int = 40
