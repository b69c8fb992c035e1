"""What `check` says: every setting, no secret, and the way on."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.config import SECTIONS, Settings, load_settings
from bot.ops.checking import STEPS, describe
from bot.sections import DiscordSettings, LimitSettings

TOKEN = ".".join(("A" * 24, "B" * 6, "C" * 38))
COLUMNS = 80


def said(settings: Settings) -> dict[str, str]:
    """Each setting's name in its section, and what is said of it."""
    found, section = {}, ""
    for line in describe(settings).splitlines():
        if line.startswith("[") or not line:
            section = line
        elif section:
            name, value = line.split(None, 1)
            found[f"{section} {name}"] = value
    return found


def test_every_setting_is_said() -> None:
    assert set(said(Settings())) == {
        f"[{name}] {key}" for name, model in SECTIONS.items() for key in model.model_fields
    }


def test_values_are_as_in_the_file() -> None:
    found = said(Settings(limits=LimitSettings(longest_wait_s=0.5)))
    assert found["[discord] api_base"] == "https://discord.com/api/v10"
    assert found["[discord] gateway_url"] == "as api_base says"
    assert found["[discord] shard_count"] == "auto"
    assert found["[discord] shard_ids"] == "all"
    assert found["[discord] sync_on_start"] == "true"
    assert found["[discord] token"] == found["[discord] token_file"] == "none"
    assert found["[log] level"] == "info"
    assert found["[limits] drain_s"] == "3"
    assert found["[limits] longest_wait_s"] == "0.5"


def test_of_the_shards_it_says_which_are_this_processs_and_who_says_so() -> None:
    pod = {"SHARD_COUNT": "16", "SHARDS_PER_PROCESS": "4", "SHARD_PROCESS": "vram-bot-3"}
    found = said(load_settings(None, pod))
    assert found["[discord] shard_count"] == "16"
    assert found["[discord] shard_ids"] == "12-15 (as SHARD_PROCESS says)"
    assert found["[discord] shards_per_process"] == "4"
    many = {"SHARD_COUNT": "100", "SHARD_IDS": ",".join(map(str, range(0, 100, 2)))}
    named = said(load_settings(None, many))["[discord] shard_ids"]
    assert named.startswith("0, 2, 4, ")
    assert named.endswith(", … (from SHARD_IDS)")


def test_of_the_token_only_its_place_is_said() -> None:
    settings = load_settings(None, {"DISCORD_TOKEN": TOKEN})
    text = describe(settings)
    assert said(settings)["[discord] token"] == "from the environment variable DISCORD_TOKEN"
    assert TOKEN not in text
    assert text.endswith("\n\nWith these settings `python -m bot` connects to Discord.\n")
    assert STEPS not in text


def test_a_token_that_a_program_set_is_not_shown_either() -> None:
    settings = Settings(discord=DiscordSettings(token=SecretStr(TOKEN)))
    assert said(settings)["[discord] token"] == "from the program that runs this"
    assert TOKEN not in describe(settings)


def test_without_a_token_the_first_steps_are_said() -> None:
    text = describe(Settings())
    assert "Without a token `python -m bot` is the console." in text
    assert text.endswith(STEPS)


def test_the_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert describe(load_settings(None, {})).startswith("There is no config.toml here")
    Path("config.toml").touch()
    assert describe(load_settings(None, {})).startswith("Read from config.toml.\n\n[discord]\n")


def test_it_fits_a_terminal() -> None:
    for line in describe(Settings()).splitlines():
        assert len(line) < COLUMNS
        assert line.isprintable()
        assert line == line.rstrip()


def test_the_steps_say_what_to_press() -> None:
    assert [line[:2] for line in STEPS.splitlines() if line[0].isdigit()] == ["1.", "2.", "3."]
    for word in ("https://discord.com/developers/applications", "DISCORD_TOKEN", "Reset Token"):
        assert word in STEPS
