"""What `check` says of folders and ports on this machine, and that nothing else is said."""

import socket
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from bot.config import ConfigError, Settings, load_settings
from bot.ops.around import trouble_around
from bot.ops.checking import AROUND, describe
from bot.sections import EndpointSettings, HealthSettings, HubSettings, LimitSettings

LOOPBACK = "127.0.0.1"
KEY = bytes(SigningKey(b"\x07" * 32).verify_key).hex()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)


def free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as free:
        return int(free.getsockname()[1])


def settings(port: int) -> Settings:
    return Settings(health=HealthSettings(port=port))


def test_where_all_is_well_nothing_is_said() -> None:
    here = settings(free_port())
    assert trouble_around(here) == ()
    assert AROUND not in describe(here, trouble_around(here))


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        (said,) = trouble_around(settings(port))
    assert said.startswith(
        f"[health] port {port} of {LOOPBACK}: in use now, by this bot if it runs"
    )
    assert f"- {said}" in describe(settings(port), [said])


def test_an_address_of_another_machine_is_told() -> None:
    here = Settings(
        health=HealthSettings(host="192.0.2.1", port=free_port())
    )  # for documents alone
    (said,) = trouble_around(here)
    assert "not on this machine" in said


def test_what_is_off_is_not_looked_at() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        off = HealthSettings(enabled=False, port=taken.getsockname()[1])
        assert trouble_around(Settings(health=off)) == ()


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        f'[store]\nurl = "sqlite:///{tmp_path}/none/x.sqlite3"\n[health]\nport = {free_port()}\n'
    )
    (said,) = trouble_around(load_settings(file, {}))
    assert said.startswith("[store]: the folder of ")
    assert said.endswith("none/x.sqlite3 does not exist, so nothing is kept.")


def test_each_file_that_is_written_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = tmp_path / "none" / "file"
    here = Settings(
        health=HealthSettings(enabled=False),
        hub=HubSettings(cache_file=missing),
        limits=LimitSettings(identifies_file=missing),
    )
    assert [one.partition(":")[0] for one in trouble_around(here)] == [
        "[hub] cache_file",
        "[limits] identifies_file",
    ]
    monkeypatch.setattr("bot.ops.around.os.access", lambda *_: False)
    (said,) = trouble_around(Settings(health=HealthSettings(enabled=False)))
    assert "may not write into the folder of vram-bot.sqlite3" in said


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "vram-bot.sqlite3").mkdir()
    (said,) = trouble_around(settings(free_port()))
    assert "may not read and write vram-bot.sqlite3" in said


def test_one_port_cannot_be_two(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    port = EndpointSettings().port
    file.write_text(f'[health]\nport = {port}\n[endpoint]\nenabled = true\npublic_key = "{KEY}"\n')
    with pytest.raises(ConfigError, match=rf"are both {port}: write another `port`"):
        load_settings(file, {})
