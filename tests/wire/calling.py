"""Discord as it calls over HTTP: signed interactions to an Interactions Endpoint URL.

As Discord does it, an address is tried before it is taken, with a good signature and bad ones,
and what is not answered within three seconds is given up.
"""

import json
import time
from typing import Any

import aiohttp
from nacl.signing import SigningKey

from tests.wire.people import Json

SIGNATURE, TIMESTAMP = "X-Signature-Ed25519", "X-Signature-Timestamp"
PING: Json = {"type": 1, "version": 1}
TAKEN = 202


class Caller:
    """Who calls. `url`: the address that was taken; none while interactions go by the gateway."""

    def __init__(self) -> None:
        self._key = SigningKey.generate()
        self.url: str | None = None
        self.statuses: list[int] = []  # of calls with interactions

    @property
    def public_key(self) -> str:
        """As the portal shows it."""
        return bytes(self._key.verify_key).hex()

    def signed(self, body: bytes, at: float | None = None) -> dict[str, str]:
        """The headers for a body; `at`: the time of it, in seconds since 1970."""
        timestamp = str(int(time.time() if at is None else at))
        signature = self._key.sign(timestamp.encode() + body).signature
        return {
            SIGNATURE: signature.hex(),
            TIMESTAMP: timestamp,
            "Content-Type": "application/json",
            "User-Agent": "Discord-Interactions/1.0 (+https://discord.com)",
        }

    async def deliver(self, interaction: Json, within_s: float) -> str:
        """Call with an interaction; what is wrong with how it was taken, or nothing."""
        assert self.url is not None
        body = json.dumps(interaction).encode()
        try:
            status, _, said = await call(self.url, body, self.signed(body), within_s)
        except (aiohttp.ClientError, TimeoutError) as error:
            return f"the endpoint was called, and then: {type(error).__name__}"
        self.statuses.append(status)
        if status == TAKEN and not said:
            return ""
        return f"the endpoint answered {status} and {len(said)} bytes"

    async def try_out(self, url: str, within_s: float = 3.0) -> list[str]:
        """What Discord finds wrong with an address; one with nothing wrong is taken."""
        body = json.dumps(PING).encode()
        good = self.signed(body)
        bad = {**good, SIGNATURE: bytes(64).hex()}
        other = {**good, SIGNATURE: SigningKey.generate().sign(body).signature.hex()}
        bare = {"Content-Type": "application/json"}
        wrong = []
        for headers in (bad, good, other, bare, {**good, TIMESTAMP: "0"}):
            status, content_type, said = await call(url, body, headers, within_s)
            if headers is good and (status, _json(said)) != (200, {"type": 1}):
                wrong.append(f"a PING is answered with {status}")
            if headers is good and content_type != "application/json":
                wrong.append(f"a PING is answered with {content_type}")
            if headers is not good and status != 401:
                wrong.append(f"a wrong signature is answered with {status}")
        if not wrong:
            self.url = url
        return wrong


async def call(
    url: str, body: bytes, headers: dict[str, str], within_s: float = 3.0, method: str = "POST"
) -> tuple[int, str, bytes]:
    """Any call: the status, the type and the body of its answer."""
    timeout = aiohttp.ClientTimeout(total=within_s)
    async with (
        aiohttp.ClientSession(timeout=timeout) as session,
        session.request(method, url, data=body, headers=headers) as response,
    ):
        return response.status, response.content_type, await response.read()


def _json(text: bytes) -> Any:  # noqa: ANN401  (whatever was sent)
    try:
        return json.loads(text)
    except ValueError:
        return None
