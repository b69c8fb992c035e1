"""The stand-in for Discord: start it, let a real client connect, act as people do, and look."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.wire.callbacks import Exchange
from tests.wire.errors import Unanswered
from tests.wire.files import Attached
from tests.wire.interactions import Interactions
from tests.wire.invocation import Value
from tests.wire.messages import Message
from tests.wire.observed import PATIENCE_S, Observed
from tests.wire.people import Json, Person
from tests.wire.places import MEMBER_OF, Where
from tests.wire.reply import Reply
from tests.wire.rest import Front
from tests.wire.routes import Routes
from tests.wire.world import Settings, World
from tests.wire.writing import Writing

BUTTON = 2
INTERACTION = "INTERACTION_CREATE"
SHUTDOWN_S = 0.5
BACKLOG = 4096  # a burst of answers comes on as many connections
Target = Reply | Message | None


class StandIn(Observed):
    """REST and gateway on one port of loopback. `async with` starts and ends it."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - see Settings
        super().__init__(World(settings=Settings(**settings)))
        self.someone = self.person("ana")
        self._front = Front(self.world)
        app = web.Application(middlewares=[self._front.run], client_max_size=64 << 20)
        Routes(self.world).add_to(app)
        self._gateway.add_to(app)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_S)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, backlog=BACKLOG).start()
        host, port = self._runner.addresses[0][:2]
        self.world.origin = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._front.closing.set()
        await self._gateway.drop()
        await self._runner.cleanup()

    def person(self, name: str, locale: str = "en-US", *, manages: bool = False) -> Person:
        """Somebody; `manages`: who may manage the guild."""
        return Person(name, locale, manages=manages)

    def attachment(self, filename: str, content: bytes) -> Attached:
        """A file that a person attaches; the bot can fetch it."""
        return Attached(self.world.files.keep(self.world.origin, filename, content))

    async def slash(
        self,
        path: str,
        options: Mapping[str, Value] | None = None,
        *,
        timeout: float | None = None,  # noqa: ASYNC109
        **who: Any,  # noqa: ANN401 - see Interactions
    ) -> Reply:
        """Run a slash command: `by`, `where`, `guild_id` and `check` say how."""
        return await self.ask(self.people(**who).slash(path, options or {}), timeout)

    async def autocomplete(
        self,
        path: str,
        options: Mapping[str, Value],
        focused: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109
        **who: Any,  # noqa: ANN401
    ) -> Reply:
        """Type into an option of a slash command."""
        return await self.ask(self.people(**who).autocomplete(path, options, focused), timeout)

    async def press(
        self,
        custom_id: str,
        message: Target = None,
        component_type: int = BUTTON,
        values: Sequence[str] | None = None,
        *,
        without_component: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109
        **who: Any,  # noqa: ANN401
    ) -> Reply:
        """Press a button or choose from a select, in the newest message that has it."""
        exchange = self.people(**who).press(
            custom_id,
            _message(message),
            component_type,
            values,
            without_component=without_component,
        )
        return await self.ask(exchange, timeout)

    async def submit(
        self,
        custom_id: str,
        values: Mapping[str, object],
        message: Target = None,
        *,
        timeout: float | None = None,  # noqa: ASYNC109
        **who: Any,  # noqa: ANN401
    ) -> Reply:
        """Send off a modal."""
        exchange = self.people(**who).submit(custom_id, values, _message(message))
        return await self.ask(exchange, timeout)

    async def context_menu(
        self,
        name: str,
        message_content: str | None = None,
        *,
        target: Person | Message | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
        **who: Any,  # noqa: ANN401
    ) -> Reply:
        """Run a command on a message, or on a person."""
        people = self.people(**who)
        aim = target or people.message(message_content or "", people.by.user())
        return await self.ask(people.context_menu(name, aim), timeout)

    async def write(
        self,
        content: str,
        by: Person | None = None,
        where: Where = Where.GUILD,
        *,
        to: Target = None,
        guild_id: str | None = None,
        **how: Any,  # noqa: ANN401 - see Writing
    ) -> Message:
        """Write a message; `@bot` in it mentions the bot, `to` is what it replies to.

        Where the application is no member nobody hears of it. `guild_id`: of another guild that
        it joined.
        """
        writing = Writing(self.world, by or self.someone, where, guild_id)
        said = content.replace("@bot", f"<@{self.world.bot.id}>")
        message = writing.message(said, to=_message(to), **how)
        if where in MEMBER_OF:
            await self.dispatch("MESSAGE_CREATE", writing.event(message))
        return message

    async def answer_to(self, message: Message, timeout: float = PATIENCE_S) -> Message:  # noqa: ASYNC109
        """The message in which the bot replies to one, when it comes."""

        def found() -> list[Message]:
            return [each for each in self.posted if _replies(each, message)]

        await self.until(lambda: bool(found()), timeout, "an answer to a message")
        return found()[0]

    @property
    def posted(self) -> list[Message]:
        """Everything that the bot posted in channels, the oldest first."""
        return list(self.world.channels.posted())

    def bot_message(self, content: str = "", **body: Any) -> Message:  # noqa: ANN401
        """A message of the bot from before: of another process, or of last year."""
        return self.people().message(content, self.world.bot.user(), **body)

    def people(self, by: Person | None = None, **how: Any) -> Interactions:  # noqa: ANN401
        """Who acts and where: for payloads that are built and not sent yet."""
        return Interactions(self.world, by or self.someone, **how)

    def interaction(
        self,
        kind: int,
        data: Json,
        message: Target = None,
        **who: Any,  # noqa: ANN401
    ) -> Json:
        """A whole payload, to damage by hand and to dispatch."""
        return self.people(**who).open(kind, data, _message(message)).interaction

    async def ask(
        self,
        asked: Exchange | Json,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> Reply:
        """Send an interaction and wait for its callback."""
        exchange = asked if isinstance(asked, Exchange) else self.world.exchanges.by_id[asked["id"]]
        within_s = self.settings.answer_within_s if timeout is None else timeout
        if not await self.dispatch(INTERACTION, exchange.interaction):
            raise Unanswered(self.uncalled or "no session is there to hear it")
        try:
            await exchange.changed.until(
                lambda: exchange.status is not None, within_s, "a callback"
            )
        except TimeoutError:
            refused = "; ".join(exchange.refusals)
            why = f"every answer was refused: {refused}" if refused else "no answer"
            raise Unanswered(f"{why} within {within_s:g} s") from None
        return Reply(exchange)

    async def dispatch(self, event: str, data: Any) -> int:  # noqa: ANN401 - any event
        """Send an event, numbered and kept for replay; returns how many sessions heard it."""
        asked = data.get("id") if isinstance(data, dict) else None
        if event == INTERACTION and asked in self.world.exchanges.by_id:
            self.world.exchanges.by_id[asked].born = self.world.clock.now()
        if event == INTERACTION and self.world.caller.url is not None:
            within_s = self.settings.answer_within_s
            self.uncalled = await self.world.caller.deliver(data, within_s)
            return not self.uncalled
        return await self._gateway.dispatch(event, data)

    async def send_frame(self, frame: Json) -> None:
        """A raw frame to every socket, neither numbered nor kept."""
        await self._gateway.send_frame(frame)

    async def send_text(self, text: str) -> None:
        """Raw text to every socket."""
        await self._gateway.send_text(text)

    async def drop(self) -> None:
        """Reset the gateway's sockets."""
        await self._gateway.drop()

    async def close_gateway(self, code: int, *, keep_session: bool | None = None) -> None:
        """Close the gateway's sockets with a code."""
        await self._gateway.close(code, keep_session=keep_session)

    async def ask_reconnect(self) -> None:
        """Op 7."""
        await self._gateway.ask_reconnect()

    async def invalidate(self, *, resumable: bool) -> None:
        """Op 9."""
        await self._gateway.invalidate(resumable=resumable)


def _replies(message: Message, to: Message) -> bool:
    reference = message.stored.get("message_reference") or {}
    return bool(reference.get("message_id") == to.id)


def _message(target: Target) -> Message | None:
    return target.stored if isinstance(target, Reply) else target


__all__ = ["Exchange", "Person", "Reply", "StandIn", "Unanswered", "Where"]
