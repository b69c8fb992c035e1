"""Commands are registered once, and again only where Discord's differ."""

import pytest

from tests.wire.our_bot import COMMANDS, ready
from tests.wire.standin import StandIn

SUBCOMMANDS = {"train", "infer", "help"}


def puts(standin: StandIn) -> int:
    return len(standin.requests_to(COMMANDS, "PUT"))


async def test_the_first_start_registers_and_the_next_does_not(standin: StandIn) -> None:
    async with ready(standin):
        assert puts(standin) == 1
    (vram,) = standin.commands
    async with ready(standin):
        assert puts(standin) == 1
    assert standin.commands[0]["id"] == vram["id"]
    assert {option["name"] for option in vram["options"]} == SUBCOMMANDS
    assert vram["integration_types"] == [0, 1]
    assert vram["contexts"] == [0, 1, 2]


async def test_the_first_option_is_one_required_text(standin: StandIn) -> None:
    async with ready(standin):
        pass
    for subcommand in standin.commands[0]["options"]:
        if subcommand["name"] == "help":
            continue
        first, *others = subcommand["options"]
        assert (first["name"], first["type"], first["required"]) == ("query", 3, True)
        assert others
        assert not any(option.get("required") for option in others)
        described = [option["description"] for option in subcommand["options"]]
        assert all(len(text) > 10 for text in described)


@pytest.mark.parametrize(
    "change", ["a word", "an option less", "a command more", "none of it", "another install"]
)
async def test_a_difference_registers_again(standin: StandIn, change: str) -> None:
    async with ready(standin):
        pass
    (vram,) = standin.commands
    match change:
        case "a word":
            standin.commands = [vram | {"description": "otherwise"}]
        case "an option less":
            standin.commands = [vram | {"options": vram["options"][:-1]}]
        case "a command more":
            standin.commands = [vram, {"name": "old", "description": "old", "type": 1}]
        case "none of it":
            standin.commands = []
        case _:
            standin.commands = [vram | {"integration_types": [0]}]
    async with ready(standin):
        assert puts(standin) == 2
    assert [command["name"] for command in standin.commands] == ["vram"]
    assert standin.commands[0]["description"] == vram["description"]


async def test_it_starts_without_syncing_where_that_is_off(standin: StandIn) -> None:
    async with ready(standin, sync_on_start=False):
        assert puts(standin) == 0


@pytest.mark.parametrize("status", [403, 500])
async def test_a_sync_that_fails_keeps_nobody_from_answering(
    standin: StandIn, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ready(standin):
        pass

    async def at_once(_: float) -> None:
        """discord.py's waits between its tries."""

    monkeypatch.setattr("discord.http.asyncio.sleep", at_once)
    standin.faults.status(status, route=COMMANDS, times=None)
    async with ready(standin):
        reply = await standin.slash("vram train", {"query": "7B adam lora"})
    assert reply.embeds
