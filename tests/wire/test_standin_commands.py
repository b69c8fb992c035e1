"""The commands that Discord has, and what a sync does to them."""

import pytest

from tests.wire.bare_client import BareClient
from tests.wire.errors import SetupError, Unanswered
from tests.wire.people import Json
from tests.wire.standin import StandIn, Where
from tests.wire.tiny_bot import TinyBot, running


def command(name: str, **more: object) -> Json:
    return {"name": name, "type": 1, "description": "Words", **more}


def path_of(standin: StandIn, guild: str | None = None) -> str:
    scope = f"/guilds/{guild}" if guild else ""
    return f"/applications/{standin.application_id}{scope}/commands"


async def test_ids_survive_by_type_and_name(standin: StandIn, bare: BareClient) -> None:
    path = path_of(standin)
    _, before = await bare.rest.call("PUT", path, [command("a"), command("b")])
    changed = command("a", description="Other words")
    _, after = await bare.rest.call("PUT", path, [changed, command("c")])
    assert [each["name"] for each in after] == ["a", "c"]
    assert after[0]["id"] == before[0]["id"]
    assert after[0]["version"] != before[0]["version"]
    assert after == standin.commands
    menu = {"name": "a", "type": 3}
    _, again = await bare.rest.call("PUT", path, [menu])
    assert again[0]["id"] != before[0]["id"]
    assert again[0]["application_id"] == standin.application_id


async def test_the_same_sync_changes_nothing(standin: StandIn) -> None:
    async with running(standin, TinyBot(shard_count=1)):
        await standin.ready()
    before = list(standin.commands)
    async with running(standin, TinyBot(shard_count=1)):
        await standin.ready()
    assert standin.commands == before


async def test_what_discord_has_can_be_set(standin: StandIn, bare: BareClient) -> None:
    standin.commands = [command("old", name_localizations={"de": "alt"})]
    status, found = await bare.rest.call("GET", path_of(standin))
    assert status == 200
    assert found[0]["name"] == "old"
    assert "name_localizations" not in found[0]
    _, whole = await bare.rest.call("GET", path_of(standin) + "?with_localizations=true")
    assert whole[0]["name_localizations"] == {"de": "alt"}


async def test_defaults_are_filled_in_and_those_of_options_left_out(standin: StandIn) -> None:
    option = {"type": 3, "name": "q", "description": "Words", "required": False, "choices": []}
    standin.commands = [command("a", options=[option])]
    (stored,) = standin.commands
    assert stored["integration_types"] == [0]
    assert stored["nsfw"] is False
    assert stored["options"] == [{"type": 3, "name": "q", "description": "Words"}]


@pytest.mark.parametrize(
    ("bodies", "code"),
    [
        ([command("a"), command("a")], 40041),
        ([command(f"c{number}") for number in range(101)], 30032),
        ([command("UPPER")], 50035),
        ([command("a", description="x" * 101)], 50035),
    ],
)
async def test_a_sync_over_a_limit_is_refused(
    standin: StandIn, bare: BareClient, bodies: list[Json], code: int
) -> None:
    status, body = await bare.rest.call("PUT", path_of(standin), bodies)
    assert (status, body["code"]) == (400, code)
    assert standin.commands == []
    assert standin.expect_violations()


async def test_two_hundred_creates_are_a_days_work(standin: StandIn, bare: BareClient) -> None:
    path = path_of(standin)
    for prefix in ("a", "b"):
        bodies = [command(f"{prefix}{number}") for number in range(100)]
        assert (await bare.rest.call("PUT", path, bodies))[0] == 200
    status, body = await bare.rest.call("PUT", path, [command("one-more")])
    assert (status, body["code"]) == (400, 30034)


async def test_commands_one_by_one(standin: StandIn, bare: BareClient) -> None:
    path = path_of(standin)
    status, made = await bare.rest.call("POST", path, command("a"))
    assert status == 201
    status, same = await bare.rest.call("POST", path, command("a", description="Other"))
    assert (status, same["id"]) == (200, made["id"])
    one = f"{path}/{made['id']}"
    await bare.rest.call("PATCH", one, {"description": "Third"})
    assert (await bare.rest.call("GET", one))[1]["description"] == "Third"
    assert await bare.rest.call("DELETE", one) == (204, None)
    status, body = await bare.rest.call("GET", one)
    assert (status, body["code"]) == (404, 10063)


async def test_a_guild_has_commands_of_its_own(standin: StandIn, bare: BareClient) -> None:
    guild = standin.guild_id
    await bare.rest.call("PUT", path_of(standin, guild), [command("dev")])
    assert standin.commands == []
    data = standin.people().slash("dev", {}).interaction["data"]
    assert data["guild_id"] == guild
    with pytest.raises(Unanswered, match="no session"):  # found, only nobody listens
        await standin.slash("dev")
    with pytest.raises(SetupError):
        await standin.slash("dev", where=Where.BOT_DM)
    status, body = await bare.rest.call("PUT", path_of(standin, "7"), [])
    assert (status, body["code"]) == (403, 50001)


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({}, {Where.GUILD, Where.BOT_DM}),
        ({"integration_types": [1]}, {Where.BOT_DM, Where.GROUP_DM, Where.FOREIGN_GUILD}),
        ({"integration_types": [0, 1]}, set(Where)),
        ({"integration_types": [0, 1], "contexts": [0]}, {Where.GUILD, Where.FOREIGN_GUILD}),
        ({"contexts": [1]}, {Where.BOT_DM}),
    ],
)
async def test_a_command_is_found_where_it_is_installed(
    standin: StandIn, more: Json, shown: set[Where]
) -> None:
    standin.commands = [command("a", **more)]
    found = set()
    for where in Where:
        try:
            standin.people(where=where).slash("a", {})
        except SetupError:
            continue
        found.add(where)
    assert found == shown


async def test_emojis(standin: StandIn, bare: BareClient) -> None:
    path = f"/applications/{standin.application_id}/emojis"
    image = {"name": "card", "image": "data:image/png;base64,aGk="}
    status, made = await bare.rest.call("POST", path, image)
    assert status == 201
    one = f"{path}/{made['id']}"
    assert (await bare.rest.call("PATCH", one, {"name": "gpu"}))[1]["name"] == "gpu"
    assert (await bare.rest.call("GET", path))[1]["items"][0]["id"] == made["id"]
    assert await bare.rest.call("DELETE", one) == (204, None)
    assert (await bare.rest.call("GET", one))[1]["code"] == 10014
    big = {"name": "big", "image": "data:image/png;base64," + "AAAA" * (100 * 1024)}
    assert (await bare.rest.call("POST", path, big))[1]["code"] == 50035
    assert standin.expect_violations()
