"""The endpoint, put together: a client that answers, and the port where Discord calls it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.endpoint.client import EndpointClient, url_expected
from bot.endpoint.receiving import Receiving
from bot.endpoint.serving import serve_endpoint
from bot.endpoint.signed import Signed
from bot.sections import EndpointSettings
from bot.supervisor import Supervisor


@asynccontextmanager
async def endpoint_of(settings: EndpointSettings, life: Supervisor) -> AsyncIterator[None]:
    """Take calls while the block runs, and let the client of `life` answer."""

    def client() -> EndpointClient | None:
        return life.client if isinstance(life.client, EndpointClient) else None

    if settings.public_key is None:
        raise ValueError("settings with an endpoint and without a key")
    receiving = Receiving(settings.path, Signed(settings.public_key), client)
    with url_expected():
        async with serve_endpoint(settings, receiving.receive):
            yield
