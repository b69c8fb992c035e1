"""A stand-in for the Hub on a port of loopback: repositories, and whatever it is told to do wrong.

It keeps the Hub's rules where a client can notice: records with what was expanded, files by
revision, ranges, `X-Error-Code`. `wrong` lets a path be answered in any other way.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

SHA = "0123456789abcdef0123456789abcdef01234567"
RANGE = re.compile(r"bytes=0-(\d+)")
Json = dict[str, Any]
Wrong = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Repo:
    """One model's repository: its files by name, and what its record says besides."""

    files: dict[str, bytes] = field(default_factory=dict)
    counts: Mapping[str, int] | None = None
    record: Json = field(default_factory=dict)
    gated: bool = False
    names: tuple[str, ...] | None = None  # that it lists, where those are others than `files`


@dataclass
class Asked:
    """One request: its path, and what came with it."""

    path: str
    query: list[str]
    headers: Mapping[str, str]


class HubStandIn:
    """Use as a context manager; `base` is what a client is pointed at."""

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.moved: dict[str, str] = {}
        self.asked: list[Asked] = []
        self.wrong: dict[str, Wrong] = {}  # by a part of the path
        self.token: str | None = None  # who has it sees gated files
        self.most_at_once = 0
        self._at_once = 0
        self._runner: web.AppRunner | None = None
        self.base = ""

    async def __aenter__(self) -> Self:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(application, handle_signals=False, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.base = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def add(
        self, name: str, config: object = None, counts: Mapping[str, int] | None = None
    ) -> Repo:
        """A repository; `config` is dumped as its config.json, or taken as bytes."""
        repo = self.repos[name] = Repo(counts=counts)
        if config is not None:
            body = config if isinstance(config, bytes) else json.dumps(config).encode()
            repo.files["config.json"] = body
        return repo

    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [one.path for one in self.asked]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            self.asked.append(
                Asked(request.path, request.query.getall("expand[]", []), dict(request.headers))
            )
            for part, wrong in self.wrong.items():
                if part in request.path:
                    return await wrong(request)
            return self._right(request)
        finally:
            self._at_once -= 1

    def _right(self, request: web.Request) -> web.StreamResponse:
        parts = request.path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            return self._record("/".join(parts[2:]))
        if len(parts) == 5 and parts[2] == "resolve":
            return self._file(request, "/".join(parts[:2]), parts[4])
        return web.Response(status=404)

    def _record(self, name: str) -> web.Response:
        if name in self.moved:
            return web.Response(status=307, headers={"Location": f"/api/models/{self.moved[name]}"})
        repo = self.repos.get(name)
        if repo is None:
            return web.json_response(
                {"error": "Invalid username or password."},
                status=401,
                headers={"X-Error-Code": "RepoNotFound"},
            )
        names = repo.names if repo.names is not None else tuple(repo.files)
        record: Json = {
            "_id": "0",
            "id": name,
            "sha": SHA,
            "gated": "manual" if repo.gated else False,
            "siblings": [{"rfilename": file} for file in names],
            "pipeline_tag": "text-generation",
        }
        if repo.counts is not None:
            total = sum(repo.counts.values())
            record["safetensors"] = {"parameters": dict(repo.counts), "total": total}
        return web.json_response(record | repo.record)

    def _file(self, request: web.Request, name: str, file: str) -> web.Response:
        repo = self.repos.get(name)
        if repo is None:
            return web.Response(status=401, headers={"X-Error-Code": "RepoNotFound"})
        allowed = self.token and request.headers.get("Authorization") == f"Bearer {self.token}"
        if repo.gated and not allowed:
            return web.Response(status=401, headers={"X-Error-Code": "GatedRepo"})
        if file not in repo.files:
            return web.Response(status=404, headers={"X-Error-Code": "EntryNotFound"})
        body = repo.files[file]
        wanted = RANGE.fullmatch(request.headers.get("Range", ""))
        if wanted is None:
            return web.Response(body=body)
        part = body[: int(wanted[1]) + 1]
        head = {"Content-Range": f"bytes 0-{len(part) - 1}/{len(body)}"}
        return web.Response(status=206, body=part, headers=head)


def says(status: int = 200, body: bytes = b"", **headers: str) -> Wrong:
    """An answer of that status; `_` in a header's name is a hyphen."""

    async def answer(_request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(status=status, body=body, headers=named)

    return answer


def goes_to(location: str, status: int = 302) -> Wrong:
    """A redirect."""
    return says(status, Location=location)


async def hangs(_request: web.Request) -> web.StreamResponse:
    """No answer."""
    await asyncio.sleep(600)
    return web.Response()


async def drops(request: web.Request) -> web.StreamResponse:
    """The connection breaks before an answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


def breaks_off(body: bytes) -> Wrong:
    """The connection breaks within the body."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": str(len(body) + 100)})
        await response.prepare(request)
        await response.write(body)
        await asyncio.sleep(0.01)
        assert request.transport is not None
        request.transport.abort()
        return response

    return answer


def endless(chunk: bytes, sent: list[int], **headers: str) -> Wrong:
    """A body without an end; `sent` counts what was written of it."""

    async def answer(request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = web.StreamResponse(headers=named)
        if "Content-Length" not in named:
            response.enable_chunked_encoding()
        await response.prepare(request)
        try:
            while sum(sent) < 2**31:
                await response.write(chunk)
                sent.append(len(chunk))
        except (ConnectionError, OSError):
            pass
        return response

    return answer
