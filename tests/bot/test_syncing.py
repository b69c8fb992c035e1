"""Commands are sent only where Discord's differ: its own additions and defaults do not count."""

from copy import deepcopy
from typing import Any

import pytest

from bot.ask import open_desk
from bot.commands import vram_group
from bot.syncing import Synced, compare

DESK = open_desk()


def ours() -> dict[str, Any]:
    """`/vram` as this program sends it."""
    import discord  # noqa: PLC0415

    tree: Any = discord.app_commands.CommandTree(discord.Client(intents=discord.Intents.none()))
    tree.add_command(vram_group(DESK))
    (command,) = tree.get_commands()
    payload: dict[str, Any] = command.to_dict(tree)
    return payload


def theirs() -> dict[str, Any]:
    """The same as Discord tells it: with ids, without what is false or empty."""
    command = deepcopy(ours())
    command |= {"id": "1", "application_id": "2", "version": "3", "name_localizations": None}
    command.pop("dm_permission", None)
    command["contexts"] = [2, 0, 1]
    for subcommand in command["options"]:
        for option in subcommand.get("options", []):
            if not option.get("required"):
                option.pop("required", None)
            for choice in option.get("choices", []):
                choice["name_localizations"] = None
    return command


def test_the_same_commands_are_not_sent_again() -> None:
    assert not compare([ours()], [theirs()])
    assert str(compare([ours()], [theirs()])) == "nothing to change"


def test_what_is_missing_changed_or_too_much_is_named() -> None:
    other = theirs() | {"name": "oom"}
    changed = theirs()
    changed["options"][0]["description"] = "otherwise"
    assert compare([ours()], []) == Synced(added=("vram",))
    assert compare([ours()], [changed, other]) == Synced(changed=("vram",), removed=("oom",))
    assert str(compare([ours()], [other])) == "added vram; removed oom"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("description",), "x"),
        (("contexts",), [0]),
        (("integration_types",), [0]),
        (("nsfw",), True),
        (("options", -1, "name"), "x"),
        (("options", -1, "options", 0, "required"), False),
        (("options", -1, "options", 0, "max_length"), 10),
        (("options", -1, "options", 1, "autocomplete"), False),
        (("options", -1, "options", 2, "choices", 0, "value"), "x"),
        (("name_localizations",), {"de": "x"}),
    ],
)
def test_each_difference_counts(path: tuple[str | int, ...], value: object) -> None:
    changed: Any = theirs()
    place = changed
    for step in path[:-1]:
        place = place[step]
    assert place.get(path[-1]) != value
    place[path[-1]] = value
    assert compare([ours()], [changed]).changed == ("vram",)


def test_the_order_of_options_counts() -> None:
    changed = theirs()
    changed["options"].reverse()
    assert compare([ours()], [changed]).changed == ("vram",)


def test_a_command_of_the_same_name_and_another_kind_is_another() -> None:
    menu = {"name": "vram", "type": 3, "contexts": [0, 1, 2], "integration_types": [0, 1]}
    theirs_of_it = menu | {"id": "1", "version": "2", "description": "", "nsfw": False}
    assert not compare([ours(), menu], [theirs_of_it, theirs()])
    assert compare([ours(), menu], [theirs()]).added == ("vram",)
    assert compare([ours()], [theirs(), theirs_of_it]).removed == ("vram",)
