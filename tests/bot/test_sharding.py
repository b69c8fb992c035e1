"""Which shards are a process's: every shard is somebody's and nobody's twice, or it is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import ConfigError, load_settings
from bot.ops.sharding import Said, Shards, ShardsRefused, find_shards, read_ids, shown_ids

POD = {"SHARD_COUNT": "16", "SHARDS_PER_PROCESS": "4"}


NOTHING = Said()


def found(said: Said = NOTHING, /, **environment: str) -> Shards:
    return find_shards(environment, said=said, file="config.toml")


def refused(said: Said = NOTHING, /, **environment: str) -> str:
    with pytest.raises(ShardsRefused) as caught:
        found(said, **environment)
    return str(caught.value)


def test_without_a_word_one_process_has_all() -> None:
    assert found() == Shards("auto")
    assert found(Said(8)) == found(SHARD_COUNT="8") == Shards(8)
    assert found(Said(8), SHARD_COUNT="auto", SHARD_IDS=" ") == Shards("auto")


def test_they_are_named_in_either_place_and_the_environment_wins() -> None:
    assert found(Said(4, (1, 0))).ids == (0, 1)
    assert found(Said(4, (1, 0)), SHARD_IDS="2-3").ids == (2, 3)
    assert found(Said(4, (1, 0)), SHARD_COUNT="9", SHARD_IDS=" 8, 2 - 3 ").ids == (2, 3, 8)
    assert found(Said(4, (1, 0)), SHARDS_PER_PROCESS="3", SHARD_PROCESS="1").ids == (3,)
    assert found(Said(4, per_process=2), SHARD_PROCESS="1").ids == (2, 3)
    assert found(Said(4, per_process=2), SHARD_IDS="0").ids == (0,)


@pytest.mark.parametrize("name", ["3", "vram-bot-3", "bot.3", "2-3"])
def test_a_process_has_the_shards_of_its_number(name: str) -> None:
    assert found(NOTHING, **POD, SHARD_PROCESS=name).ids == (12, 13, 14, 15)


@given(st.integers(1, 200), st.integers(1, 200))
def test_every_shard_is_of_one_process(count: int, each: int) -> None:
    said, processes = Said(count, per_process=each), -(-count // each)
    ids = [found(said, SHARD_PROCESS=f"bot-{number}").ids or () for number in range(processes)]
    assert [one for some in ids for one in some] == list(range(count))
    assert f"the last is {processes - 1}." in refused(said, SHARD_PROCESS=f"bot-{processes}")


@given(st.sets(st.integers(0, 300), min_size=1))
def test_what_is_shown_is_read_again(ids: set[int]) -> None:
    assert read_ids(shown_ids(sorted(ids))) == tuple(sorted(ids))


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"SHARD_IDS": "0-3"}, "SHARD_IDS wants the number of all shards beside it"),
        ({"SHARD_IDS": "0-3,16", "SHARD_COUNT": "16"}, "names shard 16: the last of 16 is 15"),
        ({"SHARD_IDS": "0-3,2", "SHARD_COUNT": "16"}, "SHARD_IDS names shard 2 twice."),
        ({"SHARD_IDS": "3-0", "SHARD_COUNT": "16"}, "3-0, whose end comes before its beginning"),
        ({"SHARD_IDS": "0-", "SHARD_COUNT": "16"}, 'takes numbers from 0 on, such as "0, 1, 2"'),
        ({"SHARD_IDS": "٣", "SHARD_COUNT": "16"}, "takes numbers from 0 on"),
        ({"SHARD_IDS": ",".join(["0-9999"] * 9)}, "names more than 10000 shards"),
        ({"SHARD_COUNT": "0"}, 'SHARD_COUNT is a whole number from 1 to 10000, or "auto".'),
        ({"SHARD_COUNT": "²"}, "SHARD_COUNT is a whole number"),
        ({"SHARDS_PER_PROCESS": "many", "SHARD_PROCESS": "0"}, "PROCESS is a whole number from 1"),
        ({"SHARDS_PER_PROCESS": "4", "SHARD_PROCESS": "0"}, "wants the number of all shards"),
        (POD, "which process this is stands nowhere. Set the environment variable SHARD_PROCESS"),
        ({**POD, "SHARD_PROCESS": "web"}, 'is "web", which does not end in the number'),
        ({**POD, "SHARD_PROCESS": "bot-4"}, "the last is 3. Run 4 of them, or raise the count."),
        ({**POD, "SHARD_IDS": "0"}, "say the same in two ways: unset one of them"),
        ({"SHARD_PROCESS": "0"}, "says how many shards each has: set SHARDS_PER_PROCESS"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(environment: dict[str, str], said: str) -> None:
    text = refused(NOTHING, **environment)
    assert said in text
    assert text.endswith(".")


def test_a_file_may_be_wrong_too(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    for text, said in {
        "shard_ids = [0, 1]": "`[discord] shard_ids` wants the number of all shards beside it",
        "shard_ids = []\nshard_count = 2": "`[discord] shard_ids` names no shard. To have all",
        "shard_ids = [0]\nshards_per_process = 1": "`shards_per_process` say the same in two ways",
        "shards_per_process = 1": "`[discord] shards_per_process`: which process this is stands",
        "shards_per_process = 0": "is a whole number from 1 to 10000, not 0.",
        "shard_ids = 3": 'list of whole numbers such as [0, 1], or a text such as "0-3", not 3.',
        "shard_ids = [0, -1]": 'such as [0, 1], or a text such as "0-3", not -1.',
        'shard_ids = "all"': 'takes numbers from 0 on, such as "0, 1, 2", or a range, such',
        'identify_queue = "redis"': 'is "local", "store", or an address: one begins with https://',
        'identify_queue = "store"\n[store]\nenabled = false': '"store", and nothing is kept: write',
    }.items():
        file.write_text(f"[discord]\n{text}\n", encoding="utf-8")
        with pytest.raises(ConfigError) as caught:
            load_settings(file, {})
        (problem,) = caught.value.problems
        assert problem.startswith(f"{file}: ")
        assert said in problem
