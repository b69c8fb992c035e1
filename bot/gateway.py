"""Where Discord says to connect, and with how many shards: read strictly.

What nobody could connect with is an error, and asked for again later. Where settings say a
part of it, Discord need not.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from discord.http import HTTPClient, Route
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from yarl import URL

from bot.one_try import NonsenseError
from bot.sections import MOST_SHARDS
from estimator import THOUSAND

A_DAY_S = 86_400  # after which Discord counts IDENTIFYs anew
ROUTE = "/gateway/bot"


@dataclass(frozen=True, slots=True)
class Told:
    """`left` IDENTIFYs may go before they are counted anew, in `reset_s`."""

    shards: int
    address: URL
    left: int
    reset_s: float


def _socket(text: str) -> str:
    address = URL(text)
    if address.scheme not in ("ws", "wss") or not address.host:
        raise ValueError("no address of a gateway")
    return text


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Limit(_Strict):
    remaining: int = Field(ge=0)
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


def read_told(said: object, own: dict[str, object]) -> Told:
    """The answer `said`, with `own` in the place of what it says of the same."""
    try:
        read = _Answer.model_validate({**said, **own} if isinstance(said, dict) else said)
    except ValidationError as error:
        wrong = {".".join(map(str, one["loc"])) for one in error.errors(include_url=False)}
        parts = ", ".join(sorted(wrong - {""})) or "no document"
        raise NonsenseError(f"{ROUTE} gives nothing to connect with ({parts})") from None
    limit = read.session_start_limit
    return Told(read.shards, URL(read.url), limit.remaining, limit.reset_after / THOUSAND)
