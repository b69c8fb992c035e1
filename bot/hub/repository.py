"""What the Hub said of one model's repository, as values; or why it said nothing of use.

Only facts are kept, as they were read: the shape is worked out from them anew for each
question, so that a program that counts more families makes more of what is remembered.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

MOST_PARAMETERS = 10**15  # a thousand times the largest model there is
Name = Annotated[str, Field(max_length=200)]
Whole = Annotated[int, Field(ge=0, le=MOST_PARAMETERS)]


class Reason(StrEnum):
    """Why the Hub is of no use for a model."""

    GATED = "gated"  # its files are for those who were let in
    MISSING = "missing"  # no such model, or a private one
    NO_CONFIG = "no_config"  # it holds neither a config.json nor another way to its shape
    SLOW = "slow"
    MALFORMED = "malformed"  # it does not say what it should
    TOO_LARGE = "too_large"
    OFFLINE = "offline"  # it cannot be reached, or the connection broke
    ELSEWHERE = "elsewhere"  # it sends on to another host, where nobody follows
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    BUSY = "busy"  # too many ask at once
    SWITCHED_OFF = "switched_off"
    NO_LANGUAGE = "no_language"  # a model of images, sound or else
    UNKNOWN_SHAPE = "unknown_shape"  # a language model whose parts are not counted here


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class Missed(_Fact):
    """Nothing of use: `detail` says more, in words of this program alone."""

    id: Name
    reason: Reason
    detail: Annotated[str, Field(max_length=1_200)] = ""


class GgufFigures(_Fact):
    """What is known of a repository's GGUF files: by the Hub's word, or by a header."""

    total: Whole = 0
    architecture: Name = ""
    context: Whole | None = None
    file: Name = ""  # whose header was read
    config: Mapping[str, Any] | None = None  # what the header says, in config.json's words
    format: Name = ""  # of most of its weights, as the header says


class Repository(_Fact):
    """A model's repository. `id`: its name now; `asked`: the one that was asked about.

    `config`: its config.json, shortened to what may shape memory; where it has none,
    `without` says why. `counts`: stored elements by element type. `base`: the model that it
    says it was made from, with that one's config.json where it could be read.
    """

    id: Name
    asked: Name
    revision: Name = ""
    gated: bool = False
    licence: Name = "unknown"
    kind: Name = ""  # what it is for, in the Hub's words: text-generation
    config: Mapping[str, Any] | None = None
    without: Reason | None = None
    counts: Mapping[Name, Whole] = {}
    counted_by: Name = ""  # where the counts were read
    uncounted: Name = ""  # what was wrong where there would have been counts
    gguf: GgufFigures | None = None
    gguf_files: Annotated[tuple[Name, ...], Field(max_length=200)] = ()
    base: Name = ""
    base_config: Mapping[str, Any] | None = None


Outcome = Repository | Missed


class MissedError(Exception):
    """Raised where the Hub is of no use; becomes a `Missed`."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
