"""Commands are registered once, and again only where Discord's differ."""

import pytest

from tests.wire.our_bot import COMMANDS, DESK, answers, ready
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

SUBCOMMANDS = {
    *("train", "infer", "fit", "compare", "oom"),
    *("explain", "help", "learn", "measured", "status", "team"),
}
MENUS = set(DESK.locale.menus.values())


def puts(standin: StandIn) -> int:
    return len(standin.requests_to(COMMANDS, "PUT"))


async def test_the_first_start_registers_and_the_next_does_not(standin: StandIn) -> None:
    async with ready(standin):
        assert puts(standin) == 1
    vram, *menus = standin.commands
    async with ready(standin):
        assert puts(standin) == 1
    assert standin.commands[0]["id"] == vram["id"]
    assert {option["name"] for option in vram["options"]} == SUBCOMMANDS
    assert {(menu["name"], menu["type"]) for menu in menus} == {(name, 3) for name in MENUS}
    for command in standin.commands:
        assert command["integration_types"] == [0, 1]
        assert command["contexts"] == [0, 1, 2]


async def test_the_first_option_is_one_required_text(standin: StandIn) -> None:
    async with ready(standin):
        pass
    for subcommand in standin.commands[0]["options"]:
        if subcommand["name"] in ("help", "learn", "status"):
            continue
        first, *others = subcommand["options"]
        name = "topic" if subcommand["name"] == "explain" else "query"
        assert (first["name"], first["type"]) == (name, 3)
        assert first["required"] is True
        assert others
        assert not any(option.get("required") for option in others)
        described = [option["description"] for option in subcommand["options"]]
        assert all(len(text) > 10 for text in described)


@pytest.mark.parametrize(
    "change",
    [
        "a word",
        "an option less",
        "a command more",
        "none of it",
        "another install",
        "no menus",
        "a menu of people",
    ],
)
async def test_a_difference_registers_again(standin: StandIn, change: str) -> None:
    async with ready(standin):
        pass
    vram, *menus = standin.commands
    match change:
        case "a word":
            standin.commands = [vram | {"description": "otherwise"}, *menus]
        case "an option less":
            standin.commands = [vram | {"options": vram["options"][:-1]}, *menus]
        case "a command more":
            standin.commands = [vram, *menus, {"name": "old", "description": "old", "type": 1}]
        case "none of it":
            standin.commands = []
        case "no menus":
            standin.commands = [vram]
        case "a menu of people":
            standin.commands = [vram, *(menu | {"type": 2} for menu in menus)]
        case _:
            standin.commands = [vram, *(menu | {"integration_types": [0]} for menu in menus)]
    async with ready(standin):
        await standin.until(lambda: puts(standin) == 2)
    kinds = {(command["type"], command["name"]) for command in standin.commands}
    assert kinds == {(1, "vram")} | {(3, name) for name in MENUS}
    assert standin.commands[0]["description"] == vram["description"]


async def test_it_starts_without_syncing_where_that_is_off(standin: StandIn) -> None:
    async with ready(standin, sync_on_start=False):
        assert puts(standin) == 0


async def test_a_sync_that_fails_keeps_nobody_from_answering(standin: StandIn) -> None:
    standin.faults.status(403, route=COMMANDS, times=None)
    async with ready(standin):
        assert await answers(standin, check=False)


async def test_a_sync_whose_connection_breaks_keeps_nobody_from_answering(
    standin: StandIn,
) -> None:
    standin.faults.cut(route=COMMANDS, times=None)
    async with ready(standin):
        assert await answers(standin, check=False)


@pytest.mark.parametrize("how", ["slow", "limited", "down", "a page"])
async def test_a_sync_that_hangs_keeps_nobody_from_answering(
    standin: StandIn, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.syncing.SYNC_S", 0.1)
    if how == "slow":
        standin.faults.delay(60, route=COMMANDS)
    elif how == "a page":
        standin.faults.html(200, route=COMMANDS, times=None)
    elif how == "limited":
        standin.faults.rate_limit(600, route=COMMANDS)
    else:
        standin.faults.status(500, route=COMMANDS, times=None)
    async with ready(standin):
        assert await answers(standin, check=False)
