"""The token: which place wins, what cannot be one, and that none ever gets out."""

import os
import traceback
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.config import ConfigError, Settings, load_settings
from bot.ops.checking import describe
from bot.ops.token import find_hub_token, plain
from tests.examples import examples

FIRST, SECOND, THIRD, FOURTH = (
    ".".join((letter * 24, letter * 6, letter * 38)) for letter in "ABCD"
)
LEAKED = examples(400)


def read(folder: Path, config: str = "", **environment: str) -> Settings:
    """The settings of a file in `folder`."""
    file = folder / "config.toml"
    file.write_text(config, encoding="utf-8")
    return load_settings(file, environment)


def problem(folder: Path, config: str = "", **environment: str) -> str:
    """The one thing that is wrong, without the folder."""
    with pytest.raises(ConfigError) as caught:
        read(folder, config, **environment)
    (said,) = caught.value.problems
    return said.replace(f"{folder}/", "")


def token(read: Settings) -> str | None:
    return read.discord.token.get_secret_value() if read.discord.token else None


def test_the_first_place_that_has_one_wins(tmp_path: Path) -> None:
    second, third = tmp_path / "second", tmp_path / "third"
    second.write_text(f" {SECOND}\n", encoding="utf-8")
    third.write_bytes(b"\xef\xbb\xbf" + THIRD.encode() + b"\r\n")
    own = f"token = '{FOURTH}'"
    both = f"{own}\ntoken_file = '{third}'"
    places: tuple[tuple[str, dict[str, str], str | None], ...] = (
        (both, {"DISCORD_TOKEN": f" {FIRST}\t", "DISCORD_TOKEN_FILE": str(second)}, FIRST),
        (both, {"DISCORD_TOKEN": " ", "DISCORD_TOKEN_FILE": f" {second} "}, SECOND),
        (both, {"DISCORD_TOKEN": "", "DISCORD_TOKEN_FILE": "\n"}, THIRD),
        (own, {}, FOURTH),
        (f"{own}\ntoken_file = ' '", {}, FOURTH),
        ("token = ' '", {}, None),
    )
    sources = []
    for config, environment, expected in places:
        found = read(tmp_path, f"[discord]\n{config}", **environment)
        assert token(found) == expected
        sources.append(found.token_source and found.token_source.replace(f"{tmp_path}/", ""))
    assert sources == [
        "the environment variable DISCORD_TOKEN",
        "the file second",
        "the file third",
        "discord.token in config.toml",
        "discord.token in config.toml",
        None,
    ]


def test_what_is_outranked_is_not_read(tmp_path: Path) -> None:
    config = "[discord]\ntoken_file = 'gone'\ntoken = 'no token'"
    assert (
        token(read(tmp_path, config, DISCORD_TOKEN=FIRST, DISCORD_TOKEN_FILE=str(tmp_path)))
        == FIRST
    )


@pytest.mark.parametrize(
    ("text", "said"),
    {
        f"Bot {FIRST}": 'the token begins with "Bot ". Leave that word out; it is added for you.',
        f"bot\t{FIRST}": 'the token begins with "Bot ". Leave that word out; it is added for you.',
        f'"{FIRST}"': "the token stands in quotes. Write it without them.",
        f"{FIRST[:30]} {FIRST[30:]}": "white space or other characters",
        f"{FIRST}\n{SECOND}": "white space or other characters",
        f"{FIRST}\u200b": "white space or other characters",
        f"{FIRST}\x7f": "white space or other characters",
        "the token": "white space or other characters",
        "token": "this is no token of a bot. One has three parts",
        "a.b": "this is no token of a bot. One has three parts",
        "a..b": "this is no token of a bot. One has three parts",
        f"{FIRST}.d": "this is no token of a bot. One has three parts",
        f"{'x' * 5000}.a.b": "this is no token of a bot. One has three parts",
    }.items(),
)
def test_what_cannot_be_a_token_is_refused_everywhere(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "token"
    file.write_text(text[:4000], encoding="utf-8")
    escaped = "".join(f"\\U{ord(c):08x}" for c in text)
    for found, where in (
        (problem(tmp_path, DISCORD_TOKEN=text), "DISCORD_TOKEN: "),
        (problem(tmp_path, DISCORD_TOKEN_FILE=str(file)), "DISCORD_TOKEN_FILE: the file token: "),
        (
            problem(tmp_path, f"[discord]\ntoken_file = '{file}'"),
            "config.toml: `[discord] token_file`: the file token: ",
        ),
        (
            problem(tmp_path, f'[discord]\ntoken = "{escaped}"'),
            "config.toml: `[discord] token`: ",
        ),
    ):
        assert found.startswith(where)
        assert said in found
        assert len(text) < 10 or text not in found


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gone", None, "does not exist"),
        ("empty", b" \n", "is empty"),
        ("large", b"x" * 5000, "is larger than 4,096 bytes"),
        (".", None, "is a folder"),
        ("x" * 5000, None, "cannot be read"),
        ("\0", None, "cannot be read"),
    ],
)
def test_a_file_that_is_named_holds_a_token(
    tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    found = problem(tmp_path, f"[discord]\ntoken = '{FOURTH}'", DISCORD_TOKEN_FILE=str(file))
    assert found.startswith("DISCORD_TOKEN_FILE: the file ")
    assert found.endswith(f" {said}. It has to hold the token and nothing else.")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = problem(tmp_path, DISCORD_TOKEN_FILE=str(tmp_path / "pipe"))
    assert found.startswith("DISCORD_TOKEN_FILE: the file pipe is a pipe or a device, ")
    assert found.endswith("It has to hold the token and nothing else.")


def test_a_file_that_may_not_be_read_is_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Any = Path.open

    def closed(path: Path, mode: str, **how: Any) -> object:  # noqa: ANN401
        if path.name == "secret":  # whoever runs tests may read everything: no file system says no
            raise PermissionError(mode)
        return opened(path, mode, **how)

    (tmp_path / "secret").write_text(FIRST, encoding="utf-8")
    monkeypatch.setattr("bot.ops.text_file.Path.open", closed)
    found = problem(tmp_path, DISCORD_TOKEN_FILE=str(tmp_path / "secret"))
    assert "the file secret may not be read by the user" in found


def test_a_token_in_the_place_of_its_file_is_not_repeated(tmp_path: Path) -> None:
    found = problem(tmp_path, DISCORD_TOKEN_FILE=FIRST)
    assert found == (
        "DISCORD_TOKEN_FILE holds what looks like a token. It takes the path of a file; a token "
        "itself goes in DISCORD_TOKEN."
    )
    assert FIRST not in plain(f"/run/{FIRST}")


def test_a_token_that_is_wrong_is_said_beside_the_rest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, "[health]\nport = 0", DISCORD_TOKEN=FIRST[:30])
    assert len(caught.value.problems) == 2


TOKENS = st.from_regex(
    r"[A-Za-z0-9_-]{18,30}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{27,40}", fullmatch=True
)
PLACES = st.sampled_from(
    [
        "[discord]\n{key} = '{token}'",
        "[health]\n{key} = '{token}'",
        "[{token}]\nport = 1",
        "['{token}']\nport = 1",
        "{token} = 1",
        "'{token}' = 1",
        "[discord]\n'{token}' = 1",
        "[discord]\ntoken = {token}",
        "[discord]\ntoken = 'Bot {token}'",
        "[discord]\ntoken = ['{token}']",
        "[discord]\ntoken = 'x {token}'",
        "[discord]\napi_base = 'https://{token}@discord.com'",
        "[discord]\ntoken_file = '/run/{token}'",
        "[log]\nlevel = '{token}'",
        "'{token}'.x = 1\n'{token}' = 2",
        "{token}",
    ]
)


@given(token=TOKENS, place=PLACES, key=st.sampled_from(["port", "token", "token_file", "api_base"]))
@settings(max_examples=LEAKED, deadline=None)
def test_no_token_gets_out(
    tmp_path_factory: pytest.TempPathFactory, token: str, place: str, key: str
) -> None:
    folder = tmp_path_factory.getbasetemp()
    for environment in (
        {},
        {"DISCORD_TOKEN": token},
        {"DISCORD_TOKEN": f"Bot {token}"},
        {"DISCORD_TOKEN_FILE": token},
    ):
        told = said(folder, place.format(token=token, key=key), environment)
        assert token not in told


def said(folder: Path, config: str, environment: dict[str, str]) -> str:
    """All that settings or an error can say, to people and to programs."""
    try:
        found = read(folder, config, **environment)
    except ConfigError as error:
        return "".join(traceback.format_exception(error)) + repr(
            (vars(error), error.__context__, error.__cause__)
        )
    return f"{found!r} {found} {found.model_dump()} {found.model_dump_json()}"


HUB_TOKEN = "hf_" + "aB3" * 11


def test_the_hubs_token_is_of_the_environment() -> None:
    found = find_hub_token({"HF_TOKEN": f" {HUB_TOKEN}\n"})
    assert found is not None
    assert found.get_secret_value() == HUB_TOKEN
    assert find_hub_token({}) is None
    assert find_hub_token({"HF_TOKEN": "  "}) is None
    loaded = load_settings(None, {"HF_TOKEN": HUB_TOKEN})
    assert loaded.hub_token == SecretStr(HUB_TOKEN)
    assert HUB_TOKEN not in repr(loaded)
    assert HUB_TOKEN not in describe(loaded)


@pytest.mark.parametrize(
    "text", ["hf_x y", "hf_x\r\nHost: evil.example", "hf_\x00", "hf_ä", "x" * 5_000]
)
def test_what_cannot_be_the_hubs_token_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_settings(None, {"HF_TOKEN": text})
    (problem,) = raised.value.problems
    assert problem.startswith("HF_TOKEN: this is no token of the Hugging Face Hub.")
    assert text not in problem


def test_the_hubs_token_is_no_setting(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[hub]\ntoken = "{HUB_TOKEN}"', "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_settings(file, {})
    assert HUB_TOKEN not in str(raised.value)
