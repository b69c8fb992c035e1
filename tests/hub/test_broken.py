"""A Hub on its bad days: each has a sentence of its own, and nothing is guessed."""

import asyncio
import json

import pytest

from bot.hub.hub import Hub
from tests.hub.desk import refused, replied
from tests.hub.families import LLAMA, LLAMA_COUNT
from tests.hub.standin import HubStandIn, Wrong, breaks_off, drops, hangs, says

LINE = "infer some/thing-8b ctx 8k"
RECORD, CONFIG = "/api/models/", "config.json"
BODY = json.dumps(LLAMA).encode()

CONFIGS: dict[str, tuple[bytes, str]] = {
    "not JSON": (b"{hidden_size: 4096}", "config.json is not JSON"),
    "HTML": (b"<!doctype html><html><body>Log in</body></html>", "config.json is not JSON"),
    "nothing": (b"", "config.json is not JSON"),
    "blanks": (b" \n ", "config.json is not JSON"),
    "cut off": (BODY[: len(BODY) // 2], "config.json is not JSON"),
    "two of them": (BODY + BODY, "config.json is not JSON"),
    "another charset": ('{"näme": 1}'.encode("latin-1"), "config.json is not UTF-8"),
    "UTF-16": (BODY.decode().encode("utf-16"), "config.json is not UTF-8"),
    "a list": (b"[1, 2]", "config.json is no JSON object"),
    "a number": (b"4096", "config.json is no JSON object"),
    "null": (b"null", "config.json is no JSON object"),
    "no width": (json.dumps(LLAMA | {"hidden_size": None}).encode(), "`hidden_size` is missing"),
    "no layers": (json.dumps({"model_type": "qwen2"}).encode(), "`num_attention_heads` is missing"),
}
STATUSES: dict[str, tuple[str, Wrong, str, str]] = {
    "gated": (CONFIG, says(401, X_Error_Code="GatedRepo"), "hub_gated", "is gated"),
    "forbidden": (CONFIG, says(403), "hub_gated", "is gated"),
    "a file that hides": (CONFIG, says(401), "hub_gated", "is gated"),
    "gated at once": (RECORD, says(403, X_Error_Code="GatedRepo"), "hub_gated", "is gated"),
    "not there": (RECORD, says(404), "hub_missing", "shows no `some/thing-8b`"),
    "nobody's": (RECORD, says(401, X_Error_Code="RepoNotFound"), "hub_missing", "shows no"),
    "asked too often": (RECORD, says(429, Retry_After="60"), "hub_rate_limited", "less often"),
    "its own fault": (RECORD, says(500), "hub_server_error", "trouble of its own"),
    "out of order": (RECORD, says(503), "hub_server_error", "trouble of its own"),
    "gateway": (CONFIG, says(502), "hub_server_error", "trouble of its own"),
    "a teapot": (CONFIG, says(418), "hub_malformed", "status 418"),
    "a record of HTML": (RECORD, says(200, b"<html>"), "hub_malformed", "its record is not JSON"),
    "a record of nothing": (RECORD, says(200, b""), "hub_malformed", "its record is not JSON"),
    "no file": (CONFIG, says(404, X_Error_Code="EntryNotFound"), "hub_no_config", "has no config"),
    "a broken record": (RECORD, drops, "hub_offline", "cannot reach"),
    "a broken file": (CONFIG, drops, "hub_offline", "cannot reach"),
    "a file broken off": (CONFIG, breaks_off(BODY[:100]), "hub_offline", "cannot reach"),
}


@pytest.mark.parametrize("kind", CONFIGS)
async def test_a_config_that_makes_no_sense(standin: HubStandIn, hub: Hub, kind: str) -> None:
    body, words = CONFIGS[kind]
    standin.add("some/thing-8b", body)
    code, wrong = await refused(hub, LINE)
    assert code == "hub_malformed"
    assert words in wrong


@pytest.mark.parametrize("kind", STATUSES)
async def test_a_status_that_is_no_answer(standin: HubStandIn, hub: Hub, kind: str) -> None:
    path, wrong, code, words = STATUSES[kind]
    standin.add("some/thing-8b", LLAMA)
    standin.wrong[path] = wrong
    said = await refused(hub, LINE)
    assert said[0] == code
    assert words in said[1]


async def test_a_missing_model_gets_the_closest_five(hub: Hub) -> None:
    code, wrong = await refused(hub, "train Qwen/Qwen2.5-77B lora")
    assert code == "hub_missing"
    closest = wrong.partition("Closest that I know: ")[2]
    assert closest.count("`") == 10
    assert "`Qwen/Qwen2.5-7B`" in closest


async def test_nobody_waits_for_a_slow_hub(standin: HubStandIn) -> None:
    standin.wrong[RECORD] = hangs
    hub = Hub(base=standin.base, patience_s=0.05)
    code, wrong = await refused(hub, LINE)
    await hub.close()
    assert code == "hub_slow"
    assert "took too long" in wrong


async def test_a_slow_file_is_waited_for_no_longer(standin: HubStandIn) -> None:
    standin.add("some/thing-8b", LLAMA)
    standin.wrong[CONFIG] = hangs
    hub = Hub(base=standin.base, patience_s=0.2)
    assert (await refused(hub, LINE))[0] == "hub_slow"
    await hub.close()


async def test_nobody_is_there() -> None:
    hub = Hub(base="http://127.0.0.1:9")
    code, wrong = await refused(hub, LINE)
    await hub.close()
    assert code == "hub_offline"
    assert "cannot reach the Hugging Face Hub" in wrong


async def test_what_is_no_http_is_no_answer() -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    hub = Hub(base=f"http://127.0.0.1:{port}")
    code, _ = await refused(hub, LINE)
    await hub.close()
    server.close()
    assert code == "hub_malformed"


async def test_a_model_of_pictures_is_said_to_be_one(standin: HubStandIn, hub: Hub) -> None:
    repo = standin.add("some/pictures-8b", {"model_type": "unet", "sample_size": 64})
    repo.record["pipeline_tag"] = "text-to-image"
    code, wrong = await refused(hub, "infer some/pictures-8b")
    assert code == "hub_no_language"
    assert "text-to-image" in wrong


async def test_a_family_that_is_not_counted_is_named(standin: HubStandIn, hub: Hub) -> None:
    standin.add("some/zamba-8b", LLAMA | {"model_type": "zamba2"})
    code, wrong = await refused(hub, "infer some/zamba-8b")
    assert code == "hub_unknown_shape"
    assert "cannot size a `zamba2` config" in wrong
    assert len(wrong) < 300


async def test_what_fails_says_nothing_of_what_it_tried(standin: HubStandIn, hub: Hub) -> None:
    """No address, no path, no name of an exception is shown to who asks."""
    standin.wrong[RECORD] = drops
    _, wrong = await refused(hub, LINE)
    assert not {"127.0.0.1", "api/models", "Error", "http"} & set(wrong.replace(":", " ").split())
    assert standin.base not in wrong


@pytest.mark.parametrize(
    "wrong", [says(500), says(429), drops, says(401, X_Error_Code="GatedRepo"), says(404)]
)
async def test_where_the_name_tells_a_shape_it_is_used_and_named(
    standin: HubStandIn, hub: Hub, wrong: Wrong
) -> None:
    standin.wrong[RECORD] = wrong
    answer = await replied(hub, "infer someone/dolphin-llama-3.1-8b-awq")
    assert answer.answer.request.model == "meta-llama/Llama-3.1-8B"
    assert answer.answer.setup.numbers.format.id == "awq4"
    assert "`someone/dolphin-llama-3.1-8b-awq`" in answer.notes[0]
    assert "So the built-in shape of meta-llama/Llama-3.1-8B is used" in answer.notes[0]


async def test_a_gated_model_has_the_shape_of_what_it_was_made_from(
    standin: HubStandIn, hub: Hub
) -> None:
    repo = standin.add("some/finetune-8b", LLAMA, counts={"BF16": LLAMA_COUNT})
    repo.gated = True
    repo.record["cardData"] = {"base_model": "meta-llama/Llama-3.1-8B", "license": "llama3.1"}
    answer = await replied(hub, "infer some/finetune-8b")
    assert answer.answer.estimate.parameters.total == LLAMA_COUNT
    assert "gated" in answer.notes[0]
    assert "`meta-llama/Llama-3.1-8B`" in answer.notes[0]
    assert "confirmed by the repository's own count" in answer.notes[1]
