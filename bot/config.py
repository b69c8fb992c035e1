"""The settings: `config.toml`, read strictly, with the token from where it is kept.

Every setting has a default, so without a file all of them hold. `config.example.toml` says
what each one means. What is wrong is said all at once, one line a mistake.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)

from bot.ops.address import HIGHEST_PORT, check_address, check_host
from bot.ops.mistakes import mistakes
from bot.ops.text_file import Unreadable, read_text
from bot.ops.token import TOKEN_LIKE, FoundToken, TokenRefused, find_hub_token, find_token, plain

FILE = Path("config.toml")
LARGEST_FILE = 65_536  # bytes
API_BASE = "https://discord.com/api/v10"
MOST_AN_HOUR = 100_000  # of any currency; above it is a slip
MOST_PRICES = 500
LONGEST_INSTANCE = 40  # characters of a name that is repeated
MOST_SHARDS = 10_000  # of 2,500 servers each: more than there are
PLACE = re.compile(r"\(at (line \d+, column \d+)\)$")


class ConfigError(Exception):
    """Settings that cannot be used; each of `problems` is a line that says what to write."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class LogLevel(StrEnum):
    """How much is logged: this and what is graver."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _path_or_none(value: object) -> object:
    """Blank is absent; a token in the place of a path is refused before anyone shows it."""
    if isinstance(value, str) and TOKEN_LIKE.search(value):
        raise ValueError("is the path of a file. What looks like a token goes in `token`")
    return (value.strip() or None) if isinstance(value, str) else value


def _api_base(text: str) -> str:
    """Paths are joined to it with a slash, so it ends in none."""
    return check_address("https", "http")(text).rstrip("/")


class _Section(BaseModel):
    """A field's description completes the sentence “this setting is …”."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, allow_inf_nan=False
    )


class DiscordSettings(_Section):
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
    shards: Annotated[int, Field(ge=1, le=MOST_SHARDS)] | Literal["auto"] = Field(
        "auto", description=f'a whole number from 1 to {MOST_SHARDS}, or "auto"'
    )
    sync_on_start: bool = Field(default=True, description="true or false")


class HealthSettings(_Section):
    """Where the bot says how it is."""

    enabled: bool = Field(default=True, description="true or false")
    host: Annotated[str, AfterValidator(check_host)] = Field(
        "127.0.0.1", description='an address in quotes, such as "127.0.0.1"'
    )
    port: int = Field(
        8080, ge=1, le=HIGHEST_PORT, description=f"a whole number from 1 to {HIGHEST_PORT}"
    )


class HubSettings(_Section):
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


class PriceSettings(_Section):
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


class PictureSettings(_Section):
    """Whether answers come with a picture."""

    enabled: bool = Field(default=True, description="true or false")


class LogSettings(_Section):
    """What is written to standard error."""

    level: LogLevel = Field(
        LogLevel.INFO, strict=False, description='"debug", "info", "warning" or "error"'
    )


class LimitSettings(_Section):
    """What keeps a bad day from getting worse."""

    identifies_per_hour: int = Field(40, ge=1, le=41, description="a whole number from 1 to 41")
    longest_wait_s: float = Field(
        60, gt=0, le=3600, description="a number of seconds, more than 0 and at most 3600"
    )
    drain_s: float = Field(3, ge=0, le=60, description="a number of seconds from 0 to 60")


class _Document(_Section):
    """All that may stand in the file."""

    discord: DiscordSettings = DiscordSettings()
    health: HealthSettings = HealthSettings()
    hub: HubSettings = HubSettings()
    pictures: PictureSettings = PictureSettings()
    log: LogSettings = LogSettings()
    limits: LimitSettings = LimitSettings()
    prices: PriceSettings = PriceSettings()


class Settings(_Document):
    """What holds now; `token_source` says in words where the token came from.

    `hub_token`: of the environment alone; it shows models to the bot that are not for everyone.
    """

    hub_token: SecretStr | None = None
    file: Path | None = None
    token_source: str | None = None


SECTIONS: Mapping[str, type[BaseModel]] = {
    "discord": DiscordSettings,
    "health": HealthSettings,
    "hub": HubSettings,
    "pictures": PictureSettings,
    "log": LogSettings,
    "limits": LimitSettings,
    "prices": PriceSettings,
}


def load_settings(path: Path | None, environment: Mapping[str, str]) -> Settings:
    """The settings of the file `path`, which has to exist, or of `config.toml`, which need not.

    Raises ConfigError, which holds every mistake and no secret.
    """
    file = FILE if path is None else path
    wrong: list[str] = []
    text = _read(file, wrong, needed=path is not None)
    document = _parsed(text or "", file, wrong)
    checked = _checked(document, file, wrong)
    found = _token(environment, document, file, wrong)
    hub_token = _hub_token(environment, wrong)
    if wrong or checked is None:
        raise ConfigError(wrong)
    token = found.token if found else None
    return Settings(
        **{**dict(checked), "discord": checked.discord.model_copy(update={"token": token})},
        hub_token=hub_token,
        file=None if text is None else file,
        token_source=found.source if found else None,
    )


def _read(file: Path, wrong: list[str], *, needed: bool) -> str | None:
    """The file's text, or None where there is none; what is wrong with it is added to `wrong`."""
    try:
        return read_text(file, LARGEST_FILE)
    except FileNotFoundError:
        if not needed and not file.is_symlink():
            return None
        problem = "does not exist"
    except Unreadable as error:
        problem = str(error)
    wrong.append(f"{plain(str(file))}: this file {problem}.")
    return None


def _parsed(text: str, file: Path, wrong: list[str]) -> dict[str, Any]:
    """The tables of `text`. The parser's own words are left out: they repeat what was typed."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = PLACE.search(str(error))
        where = (
            place[1] if place else "its end" if "end of document" in str(error) else "some place"
        )
    wrong.append(
        f"{plain(str(file))}: this is not TOML at {where}. Settings are lines such as "
        '`level = "info"`, under the name of their section, such as `[log]`.'
    )
    return {}


def _checked(document: dict[str, Any], file: Path, wrong: list[str]) -> _Document | None:
    try:
        return _Document.model_validate(document)
    except ValidationError as error:
        found = mistakes(error, document, SECTIONS)
    wrong += [f"{plain(str(file))}: {mistake}" for mistake in found]
    return None


def _hub_token(environment: Mapping[str, str], wrong: list[str]) -> SecretStr | None:
    try:
        return find_hub_token(environment)
    except TokenRefused as refused:
        wrong.append(str(refused))
        return None


def _token(
    environment: Mapping[str, str], document: Mapping[str, Any], file: Path, wrong: list[str]
) -> FoundToken | None:
    """The token, looked for also where other settings are wrong, so that all is said at once."""
    discord = document.get("discord")
    texts = {
        key: value
        for key, value in (discord.items() if isinstance(discord, dict) else ())
        if isinstance(value, str)
    }
    try:
        return find_token(
            environment,
            token=texts.get("token", ""),
            token_file=texts.get("token_file", ""),
            file=plain(str(file)),
        )
    except TokenRefused as refused:
        wrong.append(str(refused))
    return None
