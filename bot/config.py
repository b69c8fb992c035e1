"""The settings: `config.toml`, read strictly, with the token from where it is kept.

Every setting has a default, so without a file all of them hold. `config.example.toml` says
what each one means. What is wrong is said all at once, one line a mistake.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr, ValidationError

from bot.compiled import compiled
from bot.ops.mistakes import mistakes
from bot.ops.sharding import Said, Shards, ShardsRefused, find_shards
from bot.ops.text_file import Unreadable, read_text
from bot.ops.token import FoundToken, TokenRefused, find_hub_token, find_token, plain
from bot.sections import (
    IN_STORE,
    DiscordSettings,
    EndpointSettings,
    HealthSettings,
    HubSettings,
    LimitSettings,
    LogSettings,
    PictureSettings,
    PriceSettings,
    Section,
    StoreSettings,
)
from bot.store.address import AddressRefused, FoundAddress, find_address

FILE = Path("config.toml")
LARGEST_FILE = 65_536  # bytes
PLACE = compiled(r"\(at (line \d+, column \d+)\)$")


class ConfigError(Exception):
    """Settings that cannot be used; each of `problems` is a line that says what to write."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class _Document(Section):
    """All that may stand in the file."""

    discord: DiscordSettings = DiscordSettings()
    health: HealthSettings = HealthSettings()
    endpoint: EndpointSettings = EndpointSettings()
    hub: HubSettings = HubSettings()
    store: StoreSettings = StoreSettings()
    pictures: PictureSettings = PictureSettings()
    log: LogSettings = LogSettings()
    limits: LimitSettings = LimitSettings()
    prices: PriceSettings = PriceSettings()


class Settings(_Document):
    """What holds now; `token_source` says in words where the token came from.

    `store_address`: where things are kept, if that was said anywhere.
    `shards_source`: who says which shards are this process's, where it is a part of them.
    `hub_token`: of the environment alone; it shows models to the bot that are not for everyone.
    """

    hub_token: SecretStr | None = None
    store_address: FoundAddress | None = None
    file: Path | None = None
    token_source: str | None = None
    shards_source: str | None = None


SECTIONS: Mapping[str, type[BaseModel]] = {
    "discord": DiscordSettings,
    "health": HealthSettings,
    "endpoint": EndpointSettings,
    "hub": HubSettings,
    "store": StoreSettings,
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
    store_address = _store_address(environment, document, file, wrong)
    shards = _shards(environment, (checked or _Document()).discord, file, wrong)
    if checked is not None:
        wrong += _unmatched(checked, file)
    if wrong or checked is None:
        raise ConfigError(wrong)
    won = {
        "token": found.token if found else None,
        "shard_count": shards.count,
        "shard_ids": shards.ids,
        "shards_per_process": shards.per_process,
    }
    return Settings(
        **{**dict(checked), "discord": checked.discord.model_copy(update=won)},
        hub_token=hub_token,
        store_address=store_address,
        file=None if text is None else file,
        token_source=found.source if found else None,
        shards_source=shards.source or None,
    )


def _unmatched(document: _Document, file: Path) -> Iterator[str]:
    """What one section says that another makes impossible."""
    begins, health, endpoint = plain(str(file)), document.health, document.endpoint
    if document.discord.identify_queue == IN_STORE and not document.store.enabled:
        yield (
            f'{begins}: `[discord] identify_queue` is "{IN_STORE}", and nothing is kept: write '
            "`enabled = true` under `[store]`."
        )
    if health.enabled and endpoint.enabled and health.port == endpoint.port:
        yield (
            f"{begins}: `[health] port` and `[endpoint] port` are both {health.port}: write "
            "another `port` under one of them."
        )


def _shards(
    environment: Mapping[str, str], discord: DiscordSettings, file: Path, wrong: list[str]
) -> Shards:
    """Which shards are this process's."""
    said = Said(discord.shard_count, discord.shard_ids, discord.shards_per_process)
    try:
        return find_shards(environment, said=said, file=plain(str(file)))
    except ShardsRefused as refused:
        wrong.append(str(refused))
        return Shards(discord.shard_count)


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
    texts = _texts(document, "discord")
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


def _store_address(
    environment: Mapping[str, str], document: Mapping[str, Any], file: Path, wrong: list[str]
) -> FoundAddress | None:
    """Where things are kept, looked for in the same places."""
    texts = _texts(document, "store")
    try:
        return find_address(
            environment,
            url=texts.get("url", ""),
            url_file=texts.get("url_file", ""),
            file=plain(str(file)),
        )
    except AddressRefused as refused:
        wrong.append(str(refused))
    return None


def _texts(document: Mapping[str, Any], section: str) -> Mapping[str, str]:
    """The settings of a section that are texts."""
    said = document.get(section)
    pairs = said.items() if isinstance(said, dict) else ()
    return {key: value for key, value in pairs if isinstance(value, str)}
