"""GET from one fixed host: never off it, never more than was allowed for, never for long.

Redirects are followed to another path of the same host, twice at most: that is how the Hub
serves small files, and how it tells a new name. Where it sends on to a host for large files,
nobody follows. Bodies are measured while they arrive, unpacked, whatever their head says.
"""

import asyncio
import logging
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from types import TracebackType
from typing import Self

import aiohttp
import yarl
from pydantic import SecretStr

from bot.hub.repository import MissedError, Reason
from estimator import KIB

log = logging.getLogger(__name__)

MOST_REDIRECTS = 2
CHUNK = 64 * KIB
CONNECTIONS = 4  # of one look-up; it asks one thing after the other
OK, PARTIAL, UNAUTHORISED, FORBIDDEN, NOT_FOUND, TOO_MANY = 200, 206, 401, 403, 404, 429
SERVER_ERRORS = 500
MOVED = (301, 302, 303, 307, 308)
ERROR_CODE = "X-Error-Code"  # where the Hub says what a 401 or 404 means
UNPACKED = ("gzip", "deflate")


class Fetcher:
    """Asks `base`, with `token` if there is one. To be entered once, for one look-up."""

    def __init__(self, base: str, token: SecretStr | None = None) -> None:
        self._base = yarl.URL(base)
        self._token = token
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            auto_decompress=False,
            connector=aiohttp.TCPConnector(limit=CONNECTIONS),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"Accept-Encoding": "identity", "User-Agent": "vram-bot"},
            timeout=aiohttp.ClientTimeout(total=None),  # who asks sets one for everything
            trust_env=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def whole(self, path: str, most: int, what: str) -> bytes:
        """All of a small file or answer; raises MissedError, and also for more than `most`."""
        parts = bytearray()
        async with aclosing(self._chunks(path, what, most=most)) as chunks:
            async for chunk in chunks:
                parts += chunk
                if len(parts) > most:
                    raise MissedError(Reason.TOO_LARGE, what)
        return bytes(parts)

    async def beginning(
        self, path: str, most: int, what: str, enough: Callable[[bytes], bool]
    ) -> bytes:
        """The first bytes of a file, until they are `enough`, it ends, or there are `most`.

        A host that does not know ranges sends everything: then the rest is not read.
        """
        parts, tried = bytearray(), CHUNK
        async with aclosing(self._chunks(path, what, most=most, ranged=True)) as chunks:
            async for chunk in chunks:
                parts += chunk
                if len(parts) >= tried:
                    if await asyncio.to_thread(enough, bytes(parts)):  # it may take a while
                        break
                    tried = 2 * len(parts)
                if len(parts) >= most:
                    break
        return bytes(parts[:most])

    async def _chunks(
        self, path: str, what: str, *, most: int, ranged: bool = False
    ) -> AsyncGenerator[bytes, None]:
        if self._session is None:
            raise RuntimeError("a Fetcher is entered before it is used")
        url = self._base.join(yarl.URL(path, encoded=True))
        moves = 0
        while moves <= MOST_REDIRECTS:
            headers = self._headers(most if ranged else None)
            async with self._session.get(url, headers=headers, allow_redirects=False) as response:
                if response.status in MOVED:
                    url = self._followed(url, response.headers.get("Location", ""), what)
                    moves += 1
                    continue
                if self._refuses_token(response):
                    continue
                _check(response, what)
                length = response.content_length
                if not ranged and length is not None and length > most:
                    raise MissedError(Reason.TOO_LARGE, what)
                async for chunk in _unpacked(response, most, what):
                    yield chunk
                return
        raise MissedError(Reason.MALFORMED, f"{what} redirects in a circle")

    def _headers(self, most: int | None) -> dict[str, str]:
        ranged = {} if most is None else {"Range": f"bytes=0-{most - 1}"}
        if self._token is None:
            return ranged
        return ranged | {"Authorization": f"Bearer {self._token.get_secret_value()}"}

    def _refuses_token(self, response: aiohttp.ClientResponse) -> bool:
        """Whether the token is not accepted; then nothing more is asked with it."""
        if self._token is None or response.status != UNAUTHORISED or ERROR_CODE in response.headers:
            return False
        log.warning("the Hub does not accept HF_TOKEN: it is asked without")
        self._token = None
        return True

    def _followed(self, url: yarl.URL, location: str, what: str) -> yarl.URL:
        """The address that is redirected to, if it is of the same host."""
        try:
            target = url.join(yarl.URL(location))
            same = target.origin() == self._base.origin() and target.user is None
        except ValueError:  # no address, or none of a host
            same, target = False, url
        if not same:
            raise MissedError(Reason.ELSEWHERE, what)
        return target


async def _unpacked(response: aiohttp.ClientResponse, most: int, what: str) -> AsyncIterator[bytes]:
    """The body as it arrives; a packed one unpacked by at most `most` bytes, and no further."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding in ("identity", ""):
        async for chunk in response.content.iter_chunked(CHUNK):
            yield chunk
        return
    if encoding not in UNPACKED:
        raise MissedError(Reason.MALFORMED, f"{what} is packed in a way nobody asked for")
    unpacking, room = zlib.decompressobj(wbits=47), most + 1  # 47: gzip or zlib, by its head
    try:
        async for chunk in response.content.iter_chunked(CHUNK):
            found = unpacking.decompress(chunk, room)
            room -= len(found)
            yield found
            if room <= 0:
                return
    except zlib.error:
        raise MissedError(Reason.MALFORMED, f"{what} is packed wrongly") from None


def _check(response: aiohttp.ClientResponse, what: str) -> None:
    """Raise what the status means, where it is no answer."""
    status, code = response.status, response.headers.get(ERROR_CODE, "")
    if status in (OK, PARTIAL):
        return
    if code == "GatedRepo" or (status == FORBIDDEN and code != "RepoNotFound"):
        raise MissedError(Reason.GATED, what)
    if status == UNAUTHORISED:  # also what is not there: it may be somebody's own
        raise MissedError(Reason.MISSING if code == "RepoNotFound" else Reason.GATED, what)
    if status == NOT_FOUND:
        raise MissedError(Reason.NO_CONFIG if code == "EntryNotFound" else Reason.MISSING, what)
    if status == TOO_MANY:
        raise MissedError(Reason.RATE_LIMITED, response.headers.get("Retry-After", "")[:10])
    reason = Reason.SERVER_ERROR if status >= SERVER_ERRORS else Reason.MALFORMED
    raise MissedError(reason, f"{what}: status {status}")
