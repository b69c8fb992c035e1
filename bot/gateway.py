"""Where Discord says to connect, and with how many shards: read strictly.

What nobody could connect with is an error, and asked for again later. Where settings say a
part of it, Discord need not.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from aiohttp import ClientWebSocketResponse
from discord.http import HTTPClient, Route
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from yarl import URL

from bot.one_try import NonsenseError
from bot.ops.sharding import MOST_SHARDS
from estimator import THOUSAND

HOUR_S = 3600
A_DAY_S = 24 * HOUR_S  # after which Discord counts IDENTIFYs anew
ROUTE = "/gateway/bot"
DISCORDS = ".discord.gg"  # what the hosts of its gateways end in


@dataclass(frozen=True, slots=True)
class Told:
    """`left` of `total` IDENTIFYs may go before they are counted anew, in `reset_s`."""

    shards: int
    address: URL
    left: int
    reset_s: float
    total: int = 0
    concurrency: int = 1  # buckets of shards that do not wait for each other

    def wait_s(self, an_hour: int) -> float:
        """Seconds until all shards may begin, by what was begun today; 0 for at once.

        Half a day's share goes as it is needed. From there on no more than `an_hour` in each
        hour of the day have gone, whoever began them: some are always left.
        """
        if self.left < self.shards:
            return self.reset_s
        used = self.total - self.left
        if used <= self.total / 2:
            return 0.0
        since_s = A_DAY_S - self.reset_s
        return min(self.reset_s, max(0.0, used / an_hour * HOUR_S - since_s))


def _socket(text: str) -> str:
    address = URL(text)
    if address.scheme not in ("ws", "wss") or not address.host:
        raise ValueError("no address of a gateway")
    return text


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Limit(_Strict):
    total: int = Field(0, ge=0)
    remaining: int = Field(ge=0)
    max_concurrency: int = Field(1, ge=1)
    reset_after: float = Field(ge=0, le=A_DAY_S * THOUSAND, allow_inf_nan=False)


class _Answer(_Strict):
    shards: int = Field(ge=1, le=MOST_SHARDS)
    url: Annotated[str, AfterValidator(_socket)]
    session_start_limit: _Limit


async def ask_gateway(http: HTTPClient, *, shards: int | None, address: str | None) -> Told:
    """What Discord says, but for what is given; raises NonsenseError and HTTPException."""
    said: Any = await http.request(Route("GET", ROUTE))
    own = {"shards": shards, "url": address}
    return read_told(said, {key: value for key, value in own.items() if value is not None})


def stay_at(http: HTTPClient, address: URL) -> None:
    """Connect to `address` alone: where a proxy stands, Discord's own for resuming is past it."""
    connect = http.ws_connect

    async def through(url: str, *, compress: int = 0) -> ClientWebSocketResponse:
        return await connect(str(address.with_query(URL(url).query)), compress=compress)

    http.ws_connect = through  # type: ignore[method-assign]


def resuming_at(said: str, gateway: URL) -> URL:
    """Where to go on with a session: at `said`, where that is Discord's, else at `gateway`.

    Who connects there is shown the token, and `said` was kept where others may write.
    """
    try:
        found = URL(said)
    except ValueError:
        return gateway
    same = found.origin() == gateway.origin() if found.is_absolute() else False
    discords = found.scheme == "wss" and (found.host or "").endswith(DISCORDS)
    return found if same or discords else gateway


def read_told(said: object, own: dict[str, object]) -> Told:
    """The answer `said`, with `own` in the place of what it says of the same."""
    try:
        read = _Answer.model_validate({**said, **own} if isinstance(said, dict) else said)
    except ValidationError as error:
        wrong = {".".join(map(str, one["loc"])) for one in error.errors(include_url=False)}
        parts = ", ".join(sorted(wrong - {""})) or "no document"
        raise NonsenseError(f"{ROUTE} gives nothing to connect with ({parts})") from None
    limit = read.session_start_limit
    reset_s = limit.reset_after / THOUSAND
    return Told(
        shards=read.shards,
        address=URL(read.url),
        left=limit.remaining,
        reset_s=reset_s,
        total=limit.total,
        concurrency=limit.max_concurrency,
    )
