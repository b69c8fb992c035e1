"""Where things are kept: what is read, what is refused, and that no password gets out."""

from pathlib import Path

import pytest

from bot.config import ConfigError, Settings, load_settings
from bot.ops.checking import describe
from bot.ops.redaction import redact
from bot.store.address import AddressRefused, Kind, read_address
from bot.store.chosen import address_of, store_of

SECRET = "hunter2"
SERVER = f"postgresql://vram:{SECRET}@db.example:5432/kept?sslmode=require"


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("sqlite:///kept.sqlite3", "kept.sqlite3"),
        ("sqlite:////data/kept.sqlite3", "/data/kept.sqlite3"),
        ("sqlite:///a folder/kept", None),
        ("sqlite://kept.sqlite3", None),
        ("sqlite:///", None),
        ("sqlite:///data/", None),
        ("sqlite:///:memory:", None),
        ("sqlite:///kept?mode=ro", None),
        ("sqlite:///kept\n", None),
        ("kept.sqlite3", None),
    ],
)
def test_files(text: str, file: str | None) -> None:
    if file is None:
        with pytest.raises(AddressRefused):
            read_address(text, "here")
        return
    found = read_address(text, "here")
    assert (found.kind, found.file) == (Kind.SQLITE, Path(file))


@pytest.mark.parametrize("text", [SERVER, SERVER.replace("postgresql", "postgres")])
def test_servers(text: str) -> None:
    found = read_address(text, "here")
    assert found.kind is Kind.POSTGRESQL
    assert found.url.get_secret_value() == SERVER.replace("postgresql", "postgresql+psycopg")
    assert {one.get_secret_value() for one in found.secrets} > {SECRET, text}
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://vram:{SECRET}@db.example",
        f"postgresql://vram:{SECRET}@db.example:port/kept",
        f"postgresql://vram:{SECRET}@db.example:0/kept",
        f"postgresql://vram:{SECRET}#1@db.example/kept",
        f"postgresql://vram:{SECRET}@[db.example/kept",
        f"mysql://vram:{SECRET}@db.example/kept",
        f"postgresql+asyncpg://vram:{SECRET}@db.example/kept",
        f"postgresql://vram:{SECRET} @db.example/kept",
        f"postgresql://vram:{SECRET}@db.example/{'x' * 5000}",
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(AddressRefused) as caught:
        read_address(text, "STORE_URL")
    assert str(caught.value).startswith("STORE_URL: this ")
    assert str(caught.value).endswith(".")
    assert SECRET not in str(caught.value)


def test_a_password_with_signs_is_hidden_both_ways() -> None:
    found = read_address("postgresql://vram:a%40b@db.example/kept", "here")
    assert {"a%40b", "a@b"} < {one.get_secret_value() for one in found.secrets}


def test_without_one_it_is_the_file_of_the_working_folder() -> None:
    assert address_of(Settings()).file == Path("vram-bot.sqlite3")
    assert "SQLite, the file vram-bot.sqlite3 in the working folder" in describe(Settings())


def test_the_first_place_that_names_one_wins(tmp_path: Path) -> None:
    named, kept = tmp_path / "named", tmp_path / "kept"
    named.write_text(f"{SERVER}\n", encoding="utf-8")
    kept.write_text("sqlite:///of-a-file\n", encoding="utf-8")
    config = tmp_path / "config.toml"
    config.write_text(
        f'[store]\nurl = "sqlite:///of-the-settings"\nurl_file = "{kept}"\n', encoding="utf-8"
    )
    environment = {"STORE_URL": "sqlite:///of-the-environment", "STORE_URL_FILE": str(named)}
    files = []
    for name in (None, "STORE_URL", "STORE_URL_FILE"):
        environment.pop(name or "", None)
        found = address_of(load_settings(config, environment))
        files.append(found.file or found.kind)
    assert files == [Path("of-the-environment"), Kind.POSTGRESQL, Path("of-a-file")]
    config.write_text('[store]\nurl = "sqlite:///of-the-settings"\n', encoding="utf-8")
    settings = load_settings(config, {"STORE_URL": " "})
    assert address_of(settings).file == Path("of-the-settings")
    assert f"SQLite, from store.url in {config}" in describe(settings)


def test_a_server_is_named_and_its_address_is_not(tmp_path: Path) -> None:
    settings = load_settings(None, {"STORE_URL": SERVER})
    text = describe(settings)
    assert "PostgreSQL, from the environment variable STORE_URL" in text
    assert SECRET not in text + repr(settings) + str(settings.model_dump())
    config = tmp_path / "config.toml"
    config.write_text(f'[store]\nurl = "{SERVER}"\n', encoding="utf-8")
    settings = load_settings(config, {})
    assert SECRET not in describe(settings) + repr(settings) + str(settings.model_dump())


@pytest.mark.parametrize(
    ("section", "environment", "said"),
    [
        (
            'url = "mysql://x/y"',
            {},
            "config.toml: `[store] url`: this is the address of no database",
        ),
        (
            "",
            {"STORE_URL": "postgresql://db"},
            "STORE_URL: this is no whole address of PostgreSQL.",
        ),
        ("", {"STORE_URL_FILE": "nowhere"}, "STORE_URL_FILE: the file nowhere does not exist."),
        ("", {"STORE_URL_FILE": SERVER}, "STORE_URL_FILE holds an address."),
        ("url = 3", {}, "`[store] url` is an address in quotes"),
        ('enabled = "no"', {}, '`[store] enabled` is true or false, not "no".'),
    ],
)
def test_what_is_wrong_is_said_without_it(
    section: str,
    environment: dict[str, str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.toml").write_text(f"[store]\n{section}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_settings(None, environment)
    assert said in str(caught.value)
    assert SECRET not in str(caught.value)


def test_nothing_is_kept_where_that_is_said(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[store]\nenabled = false\n", encoding="utf-8")
    assert store_of(load_settings(config, {})) is None


@pytest.mark.parametrize("text", [SERVER, SERVER.replace("postgresql:", "postgresql+psycopg:")])
def test_no_log_holds_an_address(text: str) -> None:
    assert SECRET not in redact(f"could not connect to {text}: refused")
