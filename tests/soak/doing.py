"""What people do with a whole bot: all that a crowd does, and what it keeps, reads and fills in."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import Random

from tests.load.crowd import KINDS, Crowd
from tests.wire.callbacks import Exchange
from tests.wire.messages import Message
from tests.wire.people import Person
from tests.wire.standin import StandIn, Where
from tests.wire.test_bot_message_commands import ESTIMATE, EXPLAIN, OOM
from tests.wire.under import EXACT, FORM
from tests.wire.writing import Writing

CARDS = ("2x 3090, 4090", "h100", "4x a100 80gb", "rtx 4060 ti 16gb", "none", "show")
PEAKS = ("15.9 GiB", "17.1 GB", "22.5 GiB", "14 GiB")
TOPICS = ("lora", "kv cache", "adam", "why?", "zero")
FILLED = ({"batch": "3"}, {"seq": "4096"}, {"batch": "2", "seq": "3000"}, {"seq": "a lot"})
SAID = ("7B adam lora", "infer 8B q4_k_m ctx {n}", "train 13B qlora seq {n} on a 4090", "hi")
FORM_OPENED, FORM_SENT = "form", "form sent"
TEAM, MEASURED, LIST, OUT, MENU, EXPLAINED = "team", "measured", "list", "oom", "menu", "explain"
MENTION, LETTER = "mention", "direct message"
MESSAGES = (MENTION, LETTER)
WEIGHTS = {
    **dict.fromkeys(KINDS, 8),
    **dict.fromkeys((FORM_OPENED, FORM_SENT, TEAM, MEASURED, LIST), 2),
    **dict.fromkeys((OUT, MENU, EXPLAINED, MENTION, LETTER), 2),
}


@dataclass(frozen=True)
class Doing:
    """Somebody does something: an interaction, or a message to the bot."""

    kind: str
    exchange: Exchange | None = None
    message: Message | None = None
    event: dict[str, object] | None = None  # of the message, as the bot hears of it


class Everybody:
    """A crowd, and those who do the rest. `manager` may manage the server."""

    def __init__(self, crowd: Crowd, seed: int) -> None:
        self._crowd = crowd
        self._standin: StandIn = crowd.standin
        self._chance = Random(seed)  # noqa: S311 - a choice, no secret
        self._numbers = count()

    def next(self) -> Doing:
        """The next thing that somebody does."""
        kind = self._chance.choices(tuple(WEIGHTS), tuple(WEIGHTS.values()))[0]
        if kind in KINDS:
            return Doing(kind, self._crowd.one(kind)[1])
        if kind in MESSAGES:
            return self._writes(kind)
        makes: dict[str, Callable[[], Exchange]] = {
            FORM_OPENED: self._form_opened,
            FORM_SENT: self._form_sent,
            TEAM: lambda: self._types("vram team", query=self._chance.choice(CARDS)),
            MEASURED: self._measured,
            LIST: lambda: self._types("vram measured", query="list"),
            OUT: lambda: self._menu(EXPLAIN, OOM),
            MENU: lambda: self._menu(ESTIMATE, self._words()),
            EXPLAINED: lambda: self._types("vram explain", topic=self._chance.choice(TOPICS)),
        }
        return Doing(kind, makes[kind]())

    def _somebody(self, *, manages: bool = False) -> Person:
        return Person(f"someone{next(self._numbers)}", manages=manages)

    def _types(self, path: str, **options: str) -> Exchange:
        guild = self._chance.choice(self._standin.world.guilds)
        people = self._standin.people(self._somebody(manages=True), guild_id=guild)
        return people.slash(path, options)

    def _measured(self) -> Exchange:
        words = self._words()
        return self._types("vram measured", query=words, peak=self._chance.choice(PEAKS))

    def _menu(self, name: str, content: str) -> Exchange:
        people = self._standin.people(self._somebody())
        return people.context_menu(name, people.message(content, people.by.user()))

    def _form_opened(self) -> Exchange:
        return self._standin.people(self._somebody()).press(EXACT, self._answer(), 2, None)

    def _form_sent(self) -> Exchange:
        """A form that was opened long ago comes back."""
        people = self._standin.people(self._somebody(), check=False)
        return people.submit(FORM, self._chance.choice(FILLED), self._answer())

    def _answer(self) -> Message:
        """An answer from before that has the button of the form."""
        people = self._standin.people()
        having = [body for body in self._crowd.answers if EXACT in str(body.get("components"))]
        body = self._chance.choice(having)
        return people.message("", self._standin.world.bot.user(), **body)

    def _writes(self, kind: str) -> Doing:
        where = Where.GUILD if kind == MENTION else Where.BOT_DM
        writing = Writing(self._standin.world, self._somebody(), where)
        called = f"<@{self._standin.world.bot.id}> " if kind == MENTION else ""
        message = writing.message(called + self._words())
        return Doing(kind, message=message, event=writing.event(message))

    def _words(self) -> str:
        return self._chance.choice(SAID).format(n=self._chance.randint(256, 8192))
