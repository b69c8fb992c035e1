"""The settings of `[endpoint]`: what is read, what is refused, and what `check` says of them."""

from pathlib import Path

import pytest
from nacl.signing import SigningKey

from bot.config import ConfigError, Settings, load_settings
from bot.ops.checking import describe

KEY = bytes(SigningKey(b"\x07" * 32).verify_key).hex()
TOKEN = ".".join(("A" * 24, "B" * 6, "C" * 38))
ON = f'[endpoint]\nenabled = true\npublic_key = "{KEY}"\n'


def loaded(folder: Path, text: str) -> Settings:
    file = folder / "own.toml"
    file.write_text(text, encoding="utf-8")
    return load_settings(file, {"DISCORD_TOKEN": TOKEN})


def test_it_is_off_unless_that_is_said() -> None:
    endpoint = Settings().endpoint
    assert not endpoint.enabled
    assert endpoint.gateway
    assert endpoint.host == "127.0.0.1"


def test_every_setting_is_read(tmp_path: Path) -> None:
    endpoint = loaded(
        tmp_path,
        f'[endpoint]\nenabled = true\npublic_key = " {KEY.upper()} "\nhost = "::"\nport = 9\n'
        'path = "/a/b-c"\ngateway = false\n',
    ).endpoint
    assert endpoint.public_key == KEY
    assert (endpoint.host, endpoint.port, endpoint.path) == ("::", 9, "/a/b-c")
    assert not endpoint.gateway


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "enabled = true": "`[endpoint] public_key` is missing, and `enabled` is true. It stands in",
        'public_key = ""': "`[endpoint] public_key` is no public key. It stands in",
        f'public_key = "{KEY[1:]}"': "is no public key",
        f'public_key = "{KEY}0"': "is no public key",
        f'public_key = "g{KEY[1:]}"': "is no public key",
        f'public_key = "{"0" * 64}"': "is no public key",  # of which anybody knows the other half
        f'public_key = "{"12" * 32}"': "is no public key",  # no point of the curve
        "public_key = 1": "`[endpoint] public_key` is 64 hexadecimal digits in quotes, not 1.",
        "gateway = false": "`[endpoint] gateway` is false only where `enabled` is true",
        'path = "interactions"': "`[endpoint] path` begins with /",
        'path = "/a b"': "`[endpoint] path` begins with /",
        'path = "/a?b"': "`[endpoint] path` begins with /",
        "port = 0": "`[endpoint] port` is a whole number from 1 to 65535, not 0.",
        'host = ""': "`[endpoint] host` is an address",
    }.items(),
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, f"[endpoint]\n{text}\n")
    (problem,) = caught.value.problems
    assert said in problem


def test_another_applications_token_is_not_repeated(tmp_path: Path) -> None:
    """Who mixes the two up has a secret in the place of what is none."""
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, f'[endpoint]\nenabled = true\npublic_key = "{TOKEN}"\n')
    assert TOKEN not in str(caught.value)


def test_check_says_where_discord_calls(tmp_path: Path) -> None:
    text = describe(loaded(tmp_path, ON))
    assert f"public_key  {KEY}" in text
    assert "With these settings `python -m bot` connects to Discord." in text
    assert "Discord calls it at port 8081 of 127.0.0.1." in text
    assert "your proxy's name, /interactions" in text
    alone = describe(loaded(tmp_path, f"{ON}gateway = false\n"))
    assert "does not connect to Discord's gateway" in alone
    assert "Discord calls it" not in describe(loaded(tmp_path, "[endpoint]\nport = 9\n"))
