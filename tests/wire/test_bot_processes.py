"""Two processes of the program: each has its shards, and either answers what the other began."""

from pathlib import Path

from tests.wire.clock import guild_id_of_shard
from tests.wire.our_bot import COMMANDS, QUERY, VERDICT
from tests.wire.standin import StandIn, Where
from tests.wire.test_bot_process import PATIENCE_S
from tests.wire.test_bot_team import CARDS, TEAM
from tests.wire.two_processes import EACH, SHARDS, two_processes
from tests.wire.under import HOW, SELECT, line_of


async def test_two_processes_are_one_bot(standin: StandIn, tmp_path: Path) -> None:
    own, others = (standin.guild_of_shard(shard, SHARDS) for shard in (0, EACH))
    store_url = f"sqlite:///{tmp_path}/shared.sqlite3"
    async with two_processes(standin, tmp_path, store_url) as two:
        shards = sorted(one.shard or () for one in standin.identifies)
        assert shards == [(shard, SHARDS) for shard in range(SHARDS)]  # none refused, so none twice
        await standin.until(lambda: bool(standin.requests_to(COMMANDS, "PUT")), PATIENCE_S)

        asked = await standin.slash("vram train", QUERY, guild_id=own)
        reply = await asked.finished(timeout=PATIENCE_S)
        assert str(reply.embeds[0]["title"]).startswith(VERDICT)
        await standin.press(HOW, reply, SELECT, ["qlora"], guild_id=others)
        await standin.until(lambda: line_of(reply).startswith("train 7B qlora"), PATIENCE_S)

        await keeps_what_the_other_sees(standin)
        assert await two.statuses() == [200, 200]
    assert len(standin.requests_to(COMMANDS, "PUT")) == 1


async def keeps_what_the_other_sees(standin: StandIn) -> None:
    """One's own cards, told in direct messages, count where the other process hears of one."""
    told = await standin.slash(TEAM, CARDS, where=Where.BOT_DM)
    kept = await told.finished(timeout=PATIENCE_S)
    elsewhere = guild_id_of_shard(SHARDS - 1, SHARDS)
    asked = await standin.slash(
        TEAM, {"query": "show"}, where=Where.FOREIGN_GUILD, guild_id=elsewhere
    )
    shown = await asked.finished(timeout=PATIENCE_S)
    assert "2× RTX 3090" in kept.content
    assert shown.content == kept.content
