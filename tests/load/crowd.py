"""What people do with the bot, as interactions that are ready to be sent.

They are many people on many servers, so that none of them is held back for asking too often.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from tests.load.questions import Question, questions
from tests.wire.callbacks import Exchange
from tests.wire.interactions import ATTACH_FILES, Interactions
from tests.wire.messages import Message, parts_of
from tests.wire.people import Json, Person
from tests.wire.standin import StandIn

PEOPLE, SERVERS = 4000, 200
BUTTON, SELECT = 2, 3
SHOWN = ("embeds", "components")  # of an answer, that is copied
COMMAND, AUTOCOMPLETE, PRESS, PICTURE = "command", "autocomplete", "press", "picture"
MIXED = "mix"
MIX = {COMMAND: 5, PICTURE: 2, AUTOCOMPLETE: 8, PRESS: 3}  # so many of each; typing is most
KINDS = (COMMAND, AUTOCOMPLETE, PRESS, PICTURE)


@dataclass(frozen=True)
class Pressed:
    """A button or a list `below` the body of an answer; of a list, what is chosen."""

    below: Json
    name: str
    kind: int
    value: str | None


@dataclass
class Crowd:
    """Who asks on one stand-in. `answers`: bodies of messages that are there to be pressed."""

    standin: StandIn
    seed: int = 1
    distinct: int = 0  # questions, beginnings of them, and presses; 0: always another
    answers: list[Json] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._chance = Random(self.seed)  # noqa: S311 - a choice, no secret
        self._questions: Iterator[Question] = questions(self.seed, self.distinct)
        self._pressed: list[Pressed] = []  # the few, where few are wanted
        self._people = [Person(f"person{number}") for number in range(PEOPLE)]
        while len(self.standin.world.guilds) < SERVERS:
            self.standin.guild_of_shard(0, 1)

    def kind(self, scenario: str) -> str:
        """What somebody does next; `mix` is any of the kinds."""
        if scenario != MIXED:
            return scenario
        return self._chance.choices(tuple(MIX), tuple(MIX.values()))[0]

    def one(self, scenario: str) -> tuple[str, Exchange]:
        """The next thing that somebody does, and what kind it is of."""
        kind = self.kind(scenario)
        make: dict[str, Callable[[], Exchange]] = {
            COMMAND: self.command,
            AUTOCOMPLETE: self.autocomplete,
            PRESS: self.press,
            PICTURE: self.picture,
        }
        return kind, make[kind]()

    def command(self) -> Exchange:
        """A question where the bot may attach no files: its answer waits for no picture."""
        return without_files(self.picture())

    def picture(self) -> Exchange:
        """A question whose answer has a picture, if it is of those that have one."""
        asked = next(self._questions)
        return self._people_of(asked.locale).slash(f"vram {asked.command}", asked.typed)

    def autocomplete(self) -> Exchange:
        """A question, half typed."""
        asked = next(self._questions)
        chance = Random(asked.line) if self.distinct else self._chance  # noqa: S311 - no secret
        typed = asked.line[: chance.randint(1, len(asked.line))]
        people = self._people_of(asked.locale)
        return people.autocomplete(f"vram {asked.command}", {"query": typed}, "query")

    def press(self) -> Exchange:
        """Any button or choice below an answer that nobody has pressed before."""
        people, few = self._people_of("en-US"), self._pressed
        known = self._chance.choice(few) if few and len(few) >= self.distinct else None
        below = self._chance.choice(self.answers) if known is None else known.below
        message = people.message("", self.standin.world.bot.user(), **below)
        pressed = known or self._something_of(message, below)
        if self.distinct and known is None:
            few.append(pressed)
        values = None if pressed.value is None else [pressed.value]
        asked = people.press(pressed.name, message, pressed.kind, values)
        return without_files(asked)

    def _something_of(self, message: Message, below: Json) -> "Pressed":
        part = self._chance.choice(list(pressable(message)))
        value = self._chance.choice(part["options"])["value"] if part["type"] == SELECT else None
        return Pressed(below, part["custom_id"], part["type"], value)

    def learn(self, message: Message) -> None:
        """From now on people also press what stands below a message like this one."""
        body: Json = {key: message.sent[key] for key in SHOWN if key in message.sent}
        if any(pressable(message)):
            self.answers.append(body)

    def several(self, count: int) -> list[Exchange]:
        """Questions without pictures."""
        return list(islice(iter(self.command, None), count))

    def _people_of(self, locale: str) -> Interactions:
        who = self._chance.choice(self._people)
        by = Person(who.name, locale, who.id)
        guild = self._chance.choice(self.standin.world.guilds)
        return self.standin.people(by, guild_id=guild)


def pressable(message: Message) -> Iterator[Json]:
    """Its buttons and lists that a bot hears of."""
    for part in parts_of(message.stored):
        if part.get("custom_id") and part["type"] in (BUTTON, SELECT) and not part.get("disabled"):
            yield part


def without_files(exchange: Exchange) -> Exchange:
    """The same where the bot may attach none."""
    asked = exchange.interaction
    asked["app_permissions"] = str(int(asked["app_permissions"]) & ~ATTACH_FILES)
    return exchange
