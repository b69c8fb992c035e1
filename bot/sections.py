"""The sections of the settings, each read strictly; a description completes a sentence.

`config.example.toml` says what each setting means.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
)

from bot.ops.address import HIGHEST_PORT, check_address, check_host, check_path
from bot.ops.public_key import WHERE_IT_IS, check_public_key
from bot.ops.sharding import MOST_SHARDS, read_ids
from bot.ops.token import TOKEN_LIKE, plain

API_BASE = "https://discord.com/api/v10"
MOST_AN_HOUR = 100_000  # of any currency; above it is a slip
MOST_PRICES = 500
LONGEST_INSTANCE = 40  # characters of a name that is repeated
MOST_A_MINUTE = 100_000  # questions; above it is a slip, and 0 is as many as one likes
MOST_OPERATORS = 100
UserId = Annotated[int, Field(strict=True, ge=1, lt=2**63)]  # as Discord numbers people
LOCAL, IN_STORE = "local", "store"


class LogLevel(StrEnum):
    """How much is logged: this and what is graver."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """How a record is written."""

    CONSOLE = "console"
    JSON = "json"


def _path_or_none(value: object) -> object:
    """Blank is absent; a token in the place of a path is refused before anyone shows it."""
    if isinstance(value, str) and TOKEN_LIKE.search(value):
        raise ValueError("is the path of a file. What looks like a token goes in `token`")
    return (value.strip() or None) if isinstance(value, str) else value


def _api_base(text: str) -> str:
    """Paths are joined to it with a slash, so it ends in none."""
    return check_address("https", "http")(text).rstrip("/")


def _shard_ids(value: object) -> object:
    """A text of numbers and ranges is a list of them."""
    if isinstance(value, str):
        return read_ids(value)
    return tuple(value) if isinstance(value, list) else value


def _queue(text: str) -> str:
    """Who says when a shard may begin: this process, the store, or a service."""
    if text in (LOCAL, IN_STORE):
        return text
    try:
        return check_address("https", "http")(text)
    except ValueError as error:
        raise ValueError(f'is "{LOCAL}", "{IN_STORE}", or an address: one {error}') from None


class Section(BaseModel):
    """A field's description completes the sentence “this setting is …”."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, allow_inf_nan=False
    )


class DiscordSettings(Section):
    """How Discord is reached. `token` is the one that won, wherever it came from."""

    token: SecretStr | None = Field(None, description="a text in quotes")
    token_file: Annotated[Path | None, BeforeValidator(_path_or_none)] = Field(
        None, strict=False, description="the path of a file, in quotes"
    )
    api_base: Annotated[str, AfterValidator(_api_base)] = Field(
        API_BASE, description=f'an address in quotes, such as "{API_BASE}"'
    )
    gateway_url: Annotated[str, AfterValidator(check_address("wss", "ws"))] | None = Field(
        None, description='an address in quotes, such as "wss://gateway.discord.gg/"'
    )
    shard_count: Annotated[int, Field(ge=1, le=MOST_SHARDS)] | Literal["auto"] = Field(
        "auto", description=f'a whole number from 1 to {MOST_SHARDS}, or "auto"'
    )
    shard_ids: Annotated[
        tuple[Annotated[int, Field(ge=0, lt=MOST_SHARDS)], ...] | None, BeforeValidator(_shard_ids)
    ] = Field(None, description='a list of whole numbers such as [0, 1], or a text such as "0-3"')
    shards_per_process: int | None = Field(
        None, ge=1, le=MOST_SHARDS, description=f"a whole number from 1 to {MOST_SHARDS}"
    )
    identify_queue: Annotated[str, AfterValidator(_queue)] = Field(
        LOCAL, description=f'"{LOCAL}", "{IN_STORE}", or an address in quotes'
    )
    sync_on_start: bool = Field(default=True, description="true or false")
    operators: Annotated[tuple[UserId, ...], Field(max_length=MOST_OPERATORS)] = Field(
        (), strict=False, description="a list of people's ids, such as [80351110224678912]"
    )


class HealthSettings(Section):
    """Where the bot says how it is."""

    enabled: bool = Field(default=True, description="true or false")
    host: Annotated[str, AfterValidator(check_host)] = Field(
        "127.0.0.1", description='an address in quotes, such as "127.0.0.1"'
    )
    port: int = Field(
        8080, ge=1, le=HIGHEST_PORT, description=f"a whole number from 1 to {HIGHEST_PORT}"
    )
    metrics: bool = Field(default=True, description="true or false")


class EndpointSettings(Section):
    """Whether Discord calls over HTTP, and where. `public_key`: in lower case."""

    enabled: bool = Field(default=False, description="true or false")
    public_key: Annotated[str, AfterValidator(check_public_key)] | None = Field(
        None, validate_default=True, description="64 hexadecimal digits in quotes"
    )
    host: Annotated[str, AfterValidator(check_host)] = Field(
        "127.0.0.1", description='an address in quotes, such as "127.0.0.1"'
    )
    port: int = Field(
        8081, ge=1, le=HIGHEST_PORT, description=f"a whole number from 1 to {HIGHEST_PORT}"
    )
    path: Annotated[str, AfterValidator(check_path)] = Field(
        "/interactions", description='a path in quotes, such as "/interactions"'
    )
    gateway: bool = Field(default=True, validate_default=True, description="true or false")

    @field_validator("public_key")
    @classmethod
    def _needs_key(cls, key: str | None, others: ValidationInfo) -> str | None:
        if key is None and others.data.get("enabled"):
            raise ValueError(f"is missing, and `enabled` is true. {WHERE_IT_IS}")
        return key

    @field_validator("gateway")
    @classmethod
    def _needs_one_way(cls, gateway: bool, others: ValidationInfo) -> bool:  # noqa: FBT001
        if not gateway and others.data.get("enabled") is False:
            raise ValueError("is false only where `enabled` is true: nothing would be heard")
        return gateway


class HubSettings(Section):
    """Whether the Hugging Face Hub is asked about models that no table has."""

    enabled: bool = Field(default=True, description="true or false")
    cache_file: Annotated[Path | None, BeforeValidator(_path_or_none)] = Field(
        None, strict=False, description="the path of a file, in quotes"
    )


def _known_instances(prices: Mapping[str, float]) -> Mapping[str, float]:
    """Names that no table has would never be shown, so they are told."""
    if not prices:
        return prices
    from estimator import load_catalog  # noqa: PLC0415  (most files name no price)

    instances = load_catalog().instances
    for name in prices:
        if instances.get(name) is None:
            near = instances.closest(name)
            hint = f'; the closest is "{near[0]}"' if near else ""
            shown = plain(name[:LONGEST_INSTANCE])
            raise ValueError(f'names "{shown}", a machine that I do not know{hint}')
    return {instances.find(name).id: price for name, price in prices.items()}


class PriceSettings(Section):
    """What an hour of a cloud's machine costs; shown beside it, and nowhere else."""

    currency: Annotated[str, Field(pattern="^[A-Za-z]{3}$")] = Field(
        "USD", description='three letters in quotes, such as "USD"'
    )
    per_hour: Annotated[
        dict[str, Annotated[float, Field(gt=0, le=MOST_AN_HOUR)]],
        Field(max_length=MOST_PRICES),
        AfterValidator(_known_instances),
    ] = Field(
        {},
        description="a table of machines and what an hour of each costs, such as "
        '{ "p5.48xlarge" = 98.5 }',
    )


class StoreSettings(Section):
    """Where things are kept between messages. `url`: as it is written here, and not as it won."""

    enabled: bool = Field(default=True, description="true or false")
    url: SecretStr | None = Field(
        None, description='an address in quotes, such as "sqlite:///vram-bot.sqlite3"'
    )
    url_file: Annotated[Path | None, BeforeValidator(_path_or_none)] = Field(
        None, strict=False, description="the path of a file, in quotes"
    )


class PictureSettings(Section):
    """Whether answers come with a picture."""

    enabled: bool = Field(default=True, description="true or false")


class LogSettings(Section):
    """What is written to standard error."""

    level: LogLevel = Field(
        LogLevel.INFO, strict=False, description='"debug", "info", "warning" or "error"'
    )
    format: LogFormat = Field(LogFormat.CONSOLE, strict=False, description='"console" or "json"')
    questions: bool = Field(default=False, description="true or false")


class LimitSettings(Section):
    """What keeps a bad day from getting worse."""

    identifies_per_hour: int = Field(40, ge=1, le=41, description="a whole number from 1 to 41")
    identifies_file: Annotated[Path | None, BeforeValidator(_path_or_none)] = Field(
        None, strict=False, description="the path of a file, in quotes"
    )
    longest_wait_s: float = Field(
        60, gt=0, le=3600, description="a number of seconds, more than 0 and at most 3600"
    )
    drain_s: float = Field(3, ge=0, le=60, description="a number of seconds from 0 to 60")
    person_a_minute: int = Field(
        60, ge=0, le=MOST_A_MINUTE, description=f"a whole number from 0 to {MOST_A_MINUTE}"
    )
    server_a_minute: int = Field(
        6_000, ge=0, le=MOST_A_MINUTE, description=f"a whole number from 0 to {MOST_A_MINUTE}"
    )
