"""Settings read again: what is taken, what waits for a restart, and that nothing is half taken."""

import logging

import pytest
from pydantic import SecretStr

from bot.config import SECTIONS, ConfigError, Settings
from bot.ops.metrics import RELOADS
from bot.reloading import CHANGES, Live
from bot.sections import DiscordSettings, HealthSettings, LimitSettings
from bot.store.address import FoundAddress, read_address

TOKENS = ("MTIz.abc.def", "NDU2.ghi.jkl")


@pytest.fixture(autouse=True)
def from_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RELOADS, "values", {})


def of(token: str, **discord: object) -> Settings:
    return Settings(discord=DiscordSettings.model_validate({"token": token, **discord}))


def test_what_may_change_is_there_to_change() -> None:
    for section, keys in CHANGES.items():
        assert keys <= set(SECTIONS[section].model_fields)
    assert (
        not {"token", "token_file", "shard_count", "api_base", "gateway_url"} & CHANGES["discord"]
    )
    assert not {"store", "health"} & set(CHANGES)


def test_who_is_told_and_who_looks_see_the_same_whole() -> None:
    new = of(TOKENS[0], operators=[5]).model_copy(update={"limits": LimitSettings(drain_s=1)})
    live = Live(of(TOKENS[0]), lambda: new)
    seen: list[Settings] = []
    live.tell(seen.append)
    live.tell(lambda _: seen.append(live.now))
    live.reload()
    assert seen[0] is seen[1] is live.now
    assert live.now == new
    assert RELOADS.values == {("taken",): 1}


def test_what_takes_a_restart_keeps_its_value_and_no_secret_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    address = read_address("postgresql://ana:sesame@db/vram", "here")
    new = of(TOKENS[1], shard_count=3, sync_on_start=False).model_copy(
        update={
            "health": HealthSettings(port=9),
            "store_address": FoundAddress(address, "here"),
            "hub_token": SecretStr("hf_sesame"),
        }
    )
    live = Live(of(TOKENS[0]), lambda: new)
    live.reload()
    assert live.now == of(TOKENS[0], sync_on_start=False)
    changed, later = caplog.messages
    assert changed.endswith("changed: [discord] sync_on_start")
    assert later.partition(": ")[2].split(", ") == [
        *("the token of the Hugging Face Hub", "the address of the store"),
        *("[discord] token", "[discord] shard_count", "[health] port"),
    ]
    assert not any(secret in caplog.text for secret in ("sesame", *TOKENS))


def test_mistakes_are_said_and_change_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def read() -> Settings:
        raise ConfigError(["one is wrong.", "another is wrong."])

    before = of(TOKENS[0])
    live = Live(before, read)
    live.tell(lambda _: pytest.fail("nobody is told"))
    live.reload()
    assert live.now is before
    assert [message.partition(": ")[2] for message in caplog.messages] == [
        "one is wrong.",
        "another is wrong.",
    ]
    assert RELOADS.values == {("refused",): 1}


def test_what_came_from_no_file_stays(caplog: pytest.LogCaptureFixture) -> None:
    live = Live(of(TOKENS[0]))
    live.reload()
    assert caplog.messages == []
