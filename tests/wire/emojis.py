"""The application's own emojis."""

from base64 import b64decode

from aiohttp import web

from tests.wire.answers import answer
from tests.wire.clock import snowflake
from tests.wire.errors import ApiError, invalid_form
from tests.wire.people import Json
from tests.wire.rest import RECORD, Handler
from tests.wire.shapes import Violation
from tests.wire.world import World

MOST = 2000
LARGEST_BYTES = 256 * 1024


class Emojis:
    """Kept by id."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._by_id: dict[str, Json] = {}

    def routes(self) -> dict[str, Handler]:
        path = "/applications/{app}/emojis"
        return {
            f"GET {path}": self.all,
            f"POST {path}": self.create,
            f"GET {path}/{{id}}": self.fetch,
            f"PATCH {path}/{{id}}": self.rename,
            f"DELETE {path}/{{id}}": self.delete,
        }

    async def all(self, _request: web.Request) -> web.StreamResponse:
        return answer({"items": list(self._by_id.values())})

    async def create(self, request: web.Request) -> web.StreamResponse:
        name, image = self._field(request, "name"), self._field(request, "image")
        if len(b64decode(image.partition(",")[2])) > LARGEST_BYTES:
            wrong = Violation("image", "BINARY_TYPE_MAX_SIZE", "File cannot be larger than 256 KiB")
            self._world.judge("emoji", [wrong])
        if len(self._by_id) >= MOST:
            limit = ApiError(400, 30008, f"Maximum number of emojis reached ({MOST})")
            raise self._world.refuse("emoji", limit)
        emoji: Json = {
            "id": snowflake(),
            "name": name,
            "roles": [],
            "user": self._world.bot.user(),
            "require_colons": True,
            "managed": False,
            "animated": image.startswith("data:image/gif"),
            "available": True,
        }
        self._by_id[emoji["id"]] = emoji
        return answer(emoji, 201)

    async def fetch(self, request: web.Request) -> web.StreamResponse:
        return answer(self._found(request))

    async def rename(self, request: web.Request) -> web.StreamResponse:
        emoji = self._found(request)
        emoji["name"] = self._field(request, "name")
        return answer(emoji)

    async def delete(self, request: web.Request) -> web.StreamResponse:
        del self._by_id[self._found(request)["id"]]
        return answer(None)

    def _found(self, request: web.Request) -> Json:
        emoji = self._by_id.get(request.match_info["id"])
        if emoji is None:
            raise ApiError(404, 10014, "Unknown Emoji")
        return emoji

    def _field(self, request: web.Request, key: str) -> str:
        value = (request[RECORD].body or {}).get(key)
        if not isinstance(value, str) or not value:
            raise invalid_form([Violation(key, "BASE_TYPE_REQUIRED", "This field is required")])
        return value
