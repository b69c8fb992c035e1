"""Replies of the REST API as bytes on the wire: the exact content type, the bucket headers."""

import hashlib
import json
from collections.abc import Mapping

from aiohttp import web

from tests.wire.errors import ApiError

JSON_TYPE = "application/json"  # with a charset after it the client hands back plain text
BUCKET_LIMIT = 50
BUCKET_RESET_S = 1.0


def answer(document: object, status: int = 200) -> web.Response:
    """A JSON reply; None is a reply without a body."""
    if document is None:
        return web.Response(status=204)
    body = json.dumps(document, separators=(",", ":")).encode()
    return web.Response(body=body, status=status, headers={"Content-Type": JSON_TYPE})


def refusal(error: ApiError) -> web.Response:
    return answer(error.document(), error.status)


def page(status: int) -> web.Response:
    """What a proxy in front of Discord says when it is broken."""
    text = "<html><head><title>Bad gateway</title></head><body>cloudflare</body></html>"
    return web.Response(text=text, status=status, content_type="text/html")


def too_many(
    retry_after_s: float, *, via: bool, everywhere: bool, scope: str = "user"
) -> web.Response:
    """429: when to come back stands in the body and in a header."""
    body = {
        "message": "You are being rate limited.",
        "retry_after": retry_after_s,
        "global": everywhere,
    }
    response = answer(body, 429)
    response.headers["Retry-After"] = str(max(1, round(retry_after_s)))
    response.headers["X-RateLimit-Scope"] = "global" if everywhere else scope
    if everywhere:
        response.headers["X-RateLimit-Global"] = "true"
    if via:
        response.headers["Via"] = "1.1 google"
    return response


def add_bucket(
    response: web.StreamResponse,
    bucket: str,
    now: float,
    *,
    remaining: int = BUCKET_LIMIT - 1,
    reset_after_s: float = BUCKET_RESET_S,
) -> None:
    """The five headers that say how much of a route's allowance is left."""
    headers: Mapping[str, str] = {
        "X-RateLimit-Limit": str(BUCKET_LIMIT),
        "X-RateLimit-Remaining": str(remaining),
        "X-RateLimit-Reset": f"{now + reset_after_s:.3f}",
        "X-RateLimit-Reset-After": f"{reset_after_s:.3f}",
        "X-RateLimit-Bucket": hashlib.sha256(bucket.encode()).hexdigest()[:32],
    }
    response.headers.update(headers)
