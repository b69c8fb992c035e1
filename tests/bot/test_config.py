"""Settings: what is read, what is refused and in which words, and that no token gets out."""

import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yarl
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config import SECTIONS, ConfigError, Settings, load_settings
from bot.sections import LogLevel

TOKEN = ".".join(("A" * 24, "B" * 6, "C" * 38))
EXAMPLE = Path(__file__).parents[2] / "config.example.toml"
DAMAGED, TYPED = 300, 600

Written = Callable[[str | bytes], Path]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A function that puts a text in a file `config.toml`."""
    file = tmp_path_factory.mktemp("settings") / "config.toml"

    def write(content: str | bytes) -> Path:
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write


def problems(path: Path | None, **environment: str) -> tuple[str, ...]:
    """What is wrong, without the name of the file."""
    with pytest.raises(ConfigError) as caught:
        load_settings(path, environment)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return tuple(problem.removeprefix(f"{path}: ") for problem in caught.value.problems)


def example(*, with_comments: bool = False) -> dict[str, Any]:
    """The example's tables, as they are or with the settings that are commented out."""
    text = EXAMPLE.read_text(encoding="utf-8")
    return tomllib.loads(
        re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE) if with_comments else text
    )


def test_the_example_holds_the_defaults() -> None:
    read = load_settings(EXAMPLE, {})
    assert read.model_copy(update={"file": None}) == Settings()
    assert set(example()) == set(SECTIONS)


def test_the_example_names_every_setting_and_no_other() -> None:
    named = {name: set(section) for name, section in example(with_comments=True).items()}
    assert named == {name: set(model.model_fields) for name, model in SECTIONS.items()}


def test_the_example_shows_every_default_that_has_a_value() -> None:
    held = Settings().model_dump(mode="json", exclude={"file", "token_source"}, exclude_none=True)
    assert example() == held


def test_the_example_says_what_each_setting_means() -> None:
    for block in EXAMPLE.read_text(encoding="utf-8").split("\n\n")[1:]:
        *said, setting = re.sub(r"^\[\w+\]\n", "", block.strip()).splitlines()
        assert said, setting
        assert all(line.startswith("# ") for line in said)
        assert re.match(r"(# )?\w+ = ", setting)


def test_without_a_file_the_defaults_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings(None, {}) == Settings()


def test_the_file_of_the_working_folder_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.toml").write_text(f'[discord]\ntoken = "{TOKEN}"\n', encoding="utf-8")
    read = load_settings(None, {})
    assert read.file == Path("config.toml")
    assert read.discord.token is not None
    assert read.discord.token.get_secret_value() == TOKEN


def test_a_link_that_leads_nowhere_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.toml").symlink_to("gone.toml")
    assert problems(None) == ("config.toml: this file does not exist.",)


def test_every_setting_is_read(written: Written) -> None:
    read = load_settings(
        written(
            '[discord]\napi_base = "http://127.0.0.1:8000/api/v10/"\n'
            'gateway_url = "ws://[::1]:7878"\nshard_count = 4\nsync_on_start = false\n'
            'shard_ids = "2-3"\nidentify_queue = "http://queue:8000"\n'
            'token_file = " "\ntoken = ""\n'
            '[health]\nenabled = false\nhost = "::1"\nport = 65_535\n'
            '[log]\nlevel = "debug"\n'
            "[limits]\nidentifies_per_hour = 1\nlongest_wait_s = 0.5\ndrain_s = 0\n"
        ),
        {},
    )
    assert read.discord.api_base == "http://127.0.0.1:8000/api/v10"
    assert read.discord.gateway_url == "ws://[::1]:7878"
    assert (read.discord.shard_count, read.discord.sync_on_start) == (4, False)
    assert (read.discord.shard_ids, read.discord.identify_queue) == ((2, 3), "http://queue:8000")
    assert (read.discord.token, read.discord.token_file, read.token_source) == (None, None, None)
    assert (read.health.enabled, read.health.host, read.health.port) == (False, "::1", 65_535)
    assert read.log.level is LogLevel.DEBUG
    assert read.limits.longest_wait_s == 0.5


WRONG = {
    '[discord]\ntokn = "x"': "I do not know `[discord] tokn`. Did you mean `token`?",
    "[discord]\nport = 1": "I do not know `[discord] port`. Did you mean `[health] port`?",
    "[log]\nzzzz = 1": "I do not know `[log] zzzz`. What I know: `level`, `format`, `questions`.",
    '[log]\n"\\u001b[2J" = 1': "I do not know `[log] …` (a name of 4 characters). "
    "What I know: `level`, `format`, `questions`.",
    "[discord]\nshards = 1": "I do not know `[discord] shards`. Did you mean `shard_count`?",
    "[discrod]\nshards = 1": "I do not know the section `[discrod]`. Did you mean `[discord]`?",
    "[zzz]": "I do not know the section `[zzz]`. What I know: `[discord]`, `[health]`, "
    "`[endpoint]`, `[hub]`, `[store]`, `[pictures]`, `[log]`, `[limits]`, `[prices]`.",
    'level = "info"': "`level` stands outside a section. Did you mean `[log] level`?",
    "zzz = 1": "`zzz` stands outside a section. Settings stand below the name of their section.",
    "log = 3": "`log` is a section. Write `[log]` on a line of its own, and its settings below it.",
    '[health]\nport = "abc"': '`[health] port` is a whole number from 1 to 65535, not "abc".',
    "[health]\nport = 0": "`[health] port` is a whole number from 1 to 65535, not 0.",
    "[health]\nport = true": "`[health] port` is a whole number from 1 to 65535, not true.",
    "[health]\nport = 8080.0": "`[health] port` is a whole number from 1 to 65535, not 8080.0.",
    "[health]\nport = [1]": "`[health] port` is a whole number from 1 to 65535, not a list.",
    "[health.port]": "`[health] port` is a whole number from 1 to 65535, not a section.",
    "[health]\nport = 2026-01-01": "`[health] port` is a whole number from 1 to 65535, not a "
    "date or a time.",
    "[health]\nenabled = 1": "`[health] enabled` is true or false, not 1.",
    '[health]\nhost = ""': "`[health] host` is an address or a name of this machine, such as "
    "127.0.0.1.",
    '[log]\nlevel = "INFO"': '`[log] level` is "debug", "info", "warning" or "error", not "INFO".',
    '[log]\nlevel = "a text that is rather long"': '`[log] level` is "debug", "info", "warning" '
    'or "error", not a text of 26 characters.',
    '[discord]\nshard_count = "many"': "`[discord] shard_count` is a whole number from 1 to 10000, "
    'or "auto", not "many".',
    "[discord]\nshard_count = 0": "`[discord] shard_count` is a whole number from 1 to 10000, or "
    '"auto", not 0.',
    "[discord]\ntoken = 1234": "`[discord] token` is a text in quotes.",
    f'[discord]\ntoken_file = "{TOKEN}"': "`[discord] token_file` is the path of a file. What "
    "looks like a token goes in `token`.",
    "[limits]\ndrain_s = nan": "`[limits] drain_s` is a number of seconds from 0 to 60, not nan.",
    f"[limits]\nidentifies_per_hour = 0x{'f' * 5000}": "`[limits] identifies_per_hour` is a whole "
    "number from 1 to 41, not a number as large as this.",
}


@pytest.mark.parametrize(("text", "said"), WRONG.items())
def test_what_is_wrong_is_said_with_what_to_write(written: Written, text: str, said: str) -> None:
    assert said in problems(written(text))


@pytest.mark.parametrize(
    ("address", "said"),
    {
        "ftp://x": "begins with https:// or http://",
        "discord.com": "begins with https:// or http://",
        "https://me:secret@discord.com": "holds no name and no password",
        "https://discord.com/api?x=1": "nothing after them",
        "https://discord.com/api#x": "nothing after them",
        "https://discord.com/api v10": "nothing after them",
        "https://discord.com/api\\n": "nothing after them",
        "https://": "nothing after them",
        "https://:80": "nothing after them",
        "https://x:": "nothing after them",
        "https://1.2.3": "nothing after them",
        "https://[::g]/": "nothing after them",
        "https://x:0/": "a port from 1 to 65535",
        "https://x:70000/": "a port from 1 to 65535",
    }.items(),
)
def test_an_address_is_a_host_and_a_path(written: Written, address: str, said: str) -> None:
    (problem,) = problems(written(f'[discord]\napi_base = "{address}"'))
    assert problem.startswith("`[discord] api_base` ")
    assert said in problem
    assert "secret" not in problem


def test_the_gateway_is_a_web_socket(written: Written) -> None:
    (problem,) = problems(written('[discord]\ngateway_url = "https://gateway.discord.gg"'))
    assert problem == "`[discord] gateway_url` begins with wss:// or ws://."


def test_all_is_said_at_once(written: Written) -> None:
    file = written("[health]\nport = 0\nhost = 1\n[log]\nlvl = 1\n[discord]\ntoken = 'Bot a.b.c'")
    said = problems(file)
    assert len(said) == 4
    assert [bool(re.search("port|host|lvl|token", line)) for line in said] == [True] * 4


@pytest.mark.parametrize(
    ("text", "place"),
    {
        "[log]\nlevel = debug": "line 2, column 9",
        f"[discord]\ntoken = {TOKEN}": "line 2, column 9",
        "[log]\n[log]": "line 2, column 5",
        "[log": "its end",
        "x = " + "[" * 5000: "some place",
        "x = " + "9" * 5000: "some place",
    }.items(),
)
def test_what_is_not_toml_is_said_to_be_so_where(written: Written, text: str, place: str) -> None:
    (problem,) = problems(written(text))
    assert problem.startswith(f"this is not TOML at {place}. ")
    assert TOKEN not in problem


@pytest.mark.parametrize(
    ("content", "said"),
    {
        b"[log]\nlevel = '\xff'": "is not UTF-8. Save it again as UTF-8",
        "[log]".encode("utf-16"): "is not UTF-8. Save it again as UTF-8",
        b"#" * 70_000: "is larger than 65,536 bytes",
    }.items(),
)
def test_a_file_that_is_no_text_is_refused(written: Written, content: bytes, said: str) -> None:
    assert problems(written(content)) == (f"this file {said}.",)


def test_a_mark_at_the_beginning_does_no_harm(written: Written) -> None:
    assert load_settings(written(b'\xef\xbb\xbf[log]\r\nlevel = "error"'), {}).log.level == "error"


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    assert problems(tmp_path / "x.toml") == ("this file does not exist.",)
    assert problems(tmp_path) == ("this file is a folder.",)
    assert problems(Path("\0")) == ("?: this file cannot be read.",)
    assert problems(Path("x" * 5000))[0].endswith("this file cannot be read.")


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody writes into the pipe, so to open it would take for ever."""
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", Path("/dev/zero")):
        (problem,) = problems(file)
        assert problem.startswith("this file is a pipe or a device")


@given(content=st.binary(max_size=300))
@settings(max_examples=DAMAGED, deadline=None)
def test_bytes_are_settings_or_an_error(written: Written, content: bytes) -> None:
    read_or_refused(written(content))


VALUES = st.one_of(
    st.sampled_from(["true", "nan", "-inf", "1e999", "0x" + "f" * 5000, "2026-01-01", "12:00:00"]),
    st.sampled_from(["[]", "{}", "[{a=1}]", "{a={b=1}}", "''", '"auto"', '"\\u0000"', '"info"']),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=30).map(lambda text: '"' + "".join(f"\\U{ord(c):08x}" for c in text) + '"'),
    st.sampled_from(["ws", "wss", "http", "https"]).flatmap(
        lambda scheme: st.text("aZ0.:/[]-_%@?#", max_size=20).map(
            lambda rest: f'"{scheme}://{rest}"'
        )
    ),
)
KEYS = st.one_of(
    st.sampled_from([key for model in SECTIONS.values() for key in model.model_fields]),
    st.sampled_from(['""', "'a.b'", "a.b", "token.x", '"\\u0000"']),
)
LINES = st.one_of(
    st.sampled_from([f"[{name}]" for name in SECTIONS] + ["[[log]]", "[discord.token]", "[x.y]"]),
    st.tuples(KEYS, VALUES).map(" = ".join),
)


@given(lines=st.lists(LINES, max_size=12, unique=True))
@settings(max_examples=TYPED, deadline=None)
def test_lines_are_settings_or_an_error(written: Written, lines: list[str]) -> None:
    read_or_refused(written("\n".join(lines)))


def read_or_refused(file: Path) -> None:
    """Settings that can be used, or an error with a line for each problem."""
    try:
        read = load_settings(file, {})
    except ConfigError as error:
        lines = error.problems
    else:
        lines = ("It can be used.",)
        assert yarl.URL(read.discord.api_base).host
        assert read.discord.gateway_url is None or yarl.URL(read.discord.gateway_url).host
    assert lines
    assert all(line.isprintable() and line.endswith((".", "?")) for line in lines)
