"""Everything the stand-in knows: who and what there is, what was said, and how to behave."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.wire.callbacks import Exchanges
from tests.wire.calling import Caller
from tests.wire.changes import Changes
from tests.wire.channels import Channels, Permissions
from tests.wire.clock import Clock
from tests.wire.command_store import CommandStore
from tests.wire.errors import ApiError, invalid_form
from tests.wire.faults import Faults
from tests.wire.files import Files
from tests.wire.messages import Messages
from tests.wire.people import Bot, Json
from tests.wire.places import Places
from tests.wire.recorded import Identify, Request, Resume, Violations
from tests.wire.shapes import Violation

MEANT_ALONE = {  # codes of whole requests, not of one part of a form
    "50006": (50006, "Cannot send an empty message"),
    "30032": (30032, "Maximum number of application commands reached"),
    "APPLICATION_COMMANDS_DUPLICATE_NAME": (
        40041,
        "An application command with that name already exists",
    ),
}
Announce = Callable[[str, Any], Awaitable[int]]


async def _nobody_hears(_event: str, _data: object) -> int:
    return 0


@dataclass
class Settings:
    """Numbers that Discord fixes, and tests may change."""

    answer_within_s: float = 3.0
    token_life_s: float = 900.0
    session_life_s: float = 180.0
    heartbeat_ms: int = 41_250
    heartbeat_grace_s: float = 5.0
    identify_window_s: float = 0.0  # Discord's is 5; 0 lets every IDENTIFY pass
    max_concurrency: int = 1
    shards: int = 1  # what GET /gateway/bot advises
    gateway_says: Json = field(default_factory=dict)  # by GET /gateway/bot, in place of the truth
    identifies_left: int = 1000
    approved_intents: int = 0  # privileged ones that the application may ask for
    force_text: bool = False  # text frames, whatever compression was asked for
    attachment_size_limit: int = 10 * 1024 * 1024


@dataclass
class World:
    """One Discord."""

    bot: Bot = field(default_factory=Bot)
    caller: Caller = field(default_factory=Caller)
    places: Places = field(default_factory=Places)
    clock: Clock = field(default_factory=Clock)
    settings: Settings = field(default_factory=Settings)
    faults: Faults = field(default_factory=Faults)
    files: Files = field(default_factory=Files)
    messages: Messages = field(default_factory=Messages)
    exchanges: Exchanges = field(default_factory=Exchanges)
    violations: Violations = field(default_factory=Violations)
    requests: list[Request] = field(default_factory=list)
    identifies: list[Identify] = field(default_factory=list)
    resumes: list[Resume] = field(default_factory=list)
    frames: Counter[str] = field(default_factory=Counter)  # that clients sent, by name
    guilds: list[str] = field(default_factory=list)
    changed: Changes = field(default_factory=Changes)
    permissions: dict[str, Permissions] = field(default_factory=dict)  # by channel, where not all
    announce: Announce = _nobody_hears  # sends an event to the sessions that hear it
    origin: str = ""  # http://127.0.0.1:port

    def __post_init__(self) -> None:
        self.commands = CommandStore(self.bot.id)
        self.channels = Channels(self)
        self.guilds.append(self.places.guild_id)

    commands: CommandStore = field(init=False)
    channels: Channels = field(init=False)

    @property
    def gateway_url(self) -> str:
        return self.origin.replace("http", "ws", 1) + "/"

    @property
    def resume_url(self) -> str:
        return f"{self.gateway_url}resume/"

    def judge(self, what: str, found: Iterable[Violation]) -> None:
        """Write down what was broken, and refuse the call if anything was."""
        violations = list(found)
        if not violations:
            return
        for violation in violations:
            self.violations.add(f"{what}: {violation}")
        first = violations[0]
        if first.code in MEANT_ALONE:
            raise ApiError(400, *MEANT_ALONE[first.code])
        raise invalid_form(violations)

    def refuse(self, what: str, error: ApiError) -> ApiError:
        """A refusal that is the bot's own fault: written down as well."""
        self.violations.add(f"{what}: {error}")
        return error
