"""What a bot did, kept for tests to look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.wire.files import Upload

Json = dict[str, Any]


@dataclass
class Request:
    """One call of the REST API. `route` is the template, or None where there is no such route."""

    method: str
    route: str | None
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    at: float
    body: Any = None
    files: list[str] = field(default_factory=list)  # the names of what was uploaded
    uploads: list[Upload] = field(default_factory=list, repr=False)
    status: int | None = None  # None until it is answered, and for ever if the answer was cut off


@dataclass(frozen=True)
class Identify:
    """One IDENTIFY, as it came; `data` lacks the token."""

    at: float
    shard: tuple[int, int] | None
    intents: int
    data: Json


@dataclass(frozen=True)
class Resume:
    """One RESUME, as it came, and how it ended."""

    at: float
    session_id: str
    seq: int
    resumed: bool


@dataclass
class Violations:
    """Every rule that a bot broke, as sentences."""

    sentences: list[str] = field(default_factory=list)
    expected: bool = False

    def add(self, sentence: str) -> None:
        self.sentences.append(sentence)
