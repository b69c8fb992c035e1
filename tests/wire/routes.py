"""The routes a slash-only bot calls, each a few lines over what the stand-in knows."""

from typing import Any

from aiohttp import web

from tests.wire.answers import answer
from tests.wire.callbacks import MESSAGE
from tests.wire.command_store import without_localizations
from tests.wire.emojis import Emojis
from tests.wire.errors import ApiError, invalid_form, unknown_webhook
from tests.wire.limits import check_commands
from tests.wire.messages import EPHEMERAL, Message
from tests.wire.people import Json, partial_guild
from tests.wire.rest import BASE, EXCHANGE, RECORD, Handler
from tests.wire.rulings import ORIGINAL, Rulings
from tests.wire.shapes import Violation
from tests.wire.world import World

COMMANDS = "/applications/{app}/commands"
GUILD_COMMANDS = "/applications/{app}/guilds/{g}/commands"
WEBHOOK = "/webhooks/{app}/{token}"
MOST_GUILDS = 200  # in one answer
MESSAGES = "/channels/{channel}/messages"


class Routes:
    """Handlers by method and template."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rulings = Rulings(world)

    def add_to(self, app: web.Application) -> None:
        routes: dict[str, Handler] = {
            "GET /users/@me": self.me,
            "GET /users/@me/guilds": self.own_guilds,
            "GET /oauth2/applications/@me": self.application,
            "GET /applications/@me": self.application,
            "GET /gateway": self.gateway,
            "GET /gateway/bot": self.gateway_bot,
            "POST /interactions/{id}/{token}/callback": self.callback,
            f"POST {WEBHOOK}": self.follow_up,
            f"POST {MESSAGES}": self.post,
            f"GET {MESSAGES}/{{mid}}": self.fetch_posted,
            f"PATCH {MESSAGES}/{{mid}}": self.edit_posted,
        }
        for message in (ORIGINAL, "{mid}"):
            routes |= {
                f"GET {WEBHOOK}/messages/{message}": self.fetch_message,
                f"PATCH {WEBHOOK}/messages/{message}": self.edit_message,
                f"DELETE {WEBHOOK}/messages/{message}": self.delete_message,
            }
        for path in (COMMANDS, GUILD_COMMANDS):
            routes |= {
                f"GET {path}": self.list_commands,
                f"PUT {path}": self.replace_commands,
                f"POST {path}": self.put_command,
                f"GET {path}/{{id}}": self.fetch_command,
                f"PATCH {path}/{{id}}": self.change_command,
                f"DELETE {path}/{{id}}": self.delete_command,
            }
        routes |= Emojis(self._world).routes()
        for route, handler in routes.items():
            method, template = route.split(" ")
            app.router.add_route(method, BASE + template, handler)
        app.router.add_get("/attachments/{id}/{filename}", self.file)

    async def me(self, _request: web.Request) -> web.StreamResponse:
        return answer(self._world.bot.user())

    async def application(self, _request: web.Request) -> web.StreamResponse:
        return answer(
            {
                **self._world.bot.application(),
                "verify_key": self._world.caller.public_key,
                "interactions_endpoint_url": self._world.caller.url,
                "approximate_guild_count": len(self._world.guilds),
            }
        )

    async def own_guilds(self, request: web.Request) -> web.StreamResponse:
        """Those that the application is in, some at a time."""
        query = request.query
        after, most = int(query.get("after", 0)), int(query.get("limit", MOST_GUILDS))
        ids = sorted(each for each in map(int, self._world.guilds) if each > after)
        return answer([partial_guild(str(each)) for each in ids[:most]])

    async def gateway(self, _request: web.Request) -> web.StreamResponse:
        return answer({"url": self._world.gateway_url})

    async def gateway_bot(self, _request: web.Request) -> web.StreamResponse:
        settings = self._world.settings
        limit = {
            "total": 1000,
            "remaining": settings.identifies_left,
            "reset_after": 86_400_000,
            "max_concurrency": settings.max_concurrency,
        }
        return answer(
            {
                "url": self._world.gateway_url,
                "shards": settings.shards,
                "session_start_limit": limit,
                **settings.gateway_says,
            }
        )

    async def list_commands(self, request: web.Request) -> web.StreamResponse:
        commands = self._world.commands.of(self._scope(request))
        whole = request.query.get("with_localizations") in ("1", "true", "True")
        return answer(commands if whole else without_localizations(commands))

    async def replace_commands(self, request: web.Request) -> web.StreamResponse:
        scope = self._scope(request)
        bodies = request[RECORD].body
        if not isinstance(bodies, list):
            wrong = Violation("", "LIST_TYPE_CONVERT", "Only lists may be used here")
            raise self._world.refuse("commands", invalid_form([wrong]))
        self._world.judge("commands", check_commands(bodies))
        return answer(self._world.commands.replace(bodies, scope))

    async def put_command(self, request: web.Request) -> web.StreamResponse:
        scope, body = self._scope(request), self._body(request)
        self._world.judge("commands", check_commands([body]))
        before = len(self._world.commands.of(scope))
        command = self._world.commands.put(body, scope)
        return answer(command, 201 if len(self._world.commands.of(scope)) > before else 200)

    async def fetch_command(self, request: web.Request) -> web.StreamResponse:
        scope = self._scope(request)
        return answer(self._world.commands.get(request.match_info["id"], scope))

    async def change_command(self, request: web.Request) -> web.StreamResponse:
        scope, body = self._scope(request), self._body(request)
        return answer(self._world.commands.change(request.match_info["id"], body, scope))

    async def delete_command(self, request: web.Request) -> web.StreamResponse:
        self._world.commands.delete(request.match_info["id"], self._scope(request))
        return answer(None)

    async def callback(self, request: web.Request) -> web.StreamResponse:
        interaction_id, token = request.match_info["id"], request.match_info["token"]
        exchange = self._rulings.callback(
            interaction_id, token, self._body(request), request[RECORD].uploads
        )
        request[EXCHANGE] = exchange
        if exchange.callback_type == MESSAGE and exchange.original is not None:
            await self._announce(exchange.original)
        wanted = request.query.get("with_response") in ("1", "true", "True")
        return answer(self._rulings.callback_reply(exchange) if wanted else None)

    async def post(self, request: web.Request) -> web.StreamResponse:
        channel = request.match_info["channel"]
        uploads = request[RECORD].uploads
        message, new = self._world.channels.post(channel, self._body(request), uploads)
        if new:
            await self._announce(message)
        self._world.changed.tell()
        return answer(message.stored)

    async def fetch_posted(self, request: web.Request) -> web.StreamResponse:
        channel, message = request.match_info["channel"], request.match_info["mid"]
        return answer(self._world.channels.fetch(channel, message).stored)

    async def edit_posted(self, request: web.Request) -> web.StreamResponse:
        channel, message = request.match_info["channel"], request.match_info["mid"]
        uploads = request[RECORD].uploads
        changed = self._world.channels.edit(channel, message, self._body(request), uploads)
        return answer(changed.stored)

    async def follow_up(self, request: web.Request) -> web.StreamResponse:
        message = self._rulings.follow_up(
            self._webhook(request), self._body(request), request[RECORD].uploads
        )
        wanted = request.query.get("wait") in ("1", "true", "True")
        return answer(message.stored if wanted else None)

    async def fetch_message(self, request: web.Request) -> web.StreamResponse:
        token = self._webhook(request)
        return answer(self._rulings.fetch(token, request.match_info.get("mid", ORIGINAL)).stored)

    async def edit_message(self, request: web.Request) -> web.StreamResponse:
        token, body = self._webhook(request), self._body(request)
        message_id = request.match_info.get("mid", ORIGINAL)
        message = self._rulings.edit(token, message_id, body, request[RECORD].uploads)
        return answer(message.stored)

    async def delete_message(self, request: web.Request) -> web.StreamResponse:
        self._rulings.delete(self._webhook(request), request.match_info.get("mid", ORIGINAL))
        return answer(None)

    async def file(self, request: web.Request) -> web.StreamResponse:
        found = self._world.files.by_path.get(request.path)
        if found is None:
            raise web.HTTPNotFound
        content, kind = found
        return web.Response(body=content, headers={"Content-Type": kind})

    async def _announce(self, message: Message) -> None:
        """A bot hears its own messages as well, where it is a member and all see them."""
        event = self._world.places.said_in(message.stored)
        if event is not None and not message.stored["flags"] & EPHEMERAL:
            await self._world.announce("MESSAGE_CREATE", event)

    def _scope(self, request: web.Request) -> str | None:
        """The guild of a commands route, or None; another application's are not ours to see."""
        if request.match_info["app"] != self._world.bot.id:
            raise ApiError(403, 50001, "Missing Access")
        guild = request.match_info.get("g")
        if guild is not None and guild not in self._world.guilds:
            raise ApiError(403, 50001, "Missing Access")
        return guild

    def _webhook(self, request: web.Request) -> str:
        """The token of an interaction's webhook."""
        if request.match_info["app"] != self._world.bot.id:
            raise unknown_webhook()
        return request.match_info["token"]

    def _body(self, request: web.Request) -> Json:
        body: Any = request[RECORD].body
        if isinstance(body, str):
            broken = ApiError(400, 50109, "The request body contains invalid JSON.")
            raise self._world.refuse("body", broken)
        if not isinstance(body, dict):
            wrong = Violation("", "DICT_TYPE_CONVERT", "Only dictionaries may be used here")
            raise self._world.refuse("body", invalid_form([wrong]))
        return body
