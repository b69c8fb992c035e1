"""A Hub, or a repository on it, that means harm: refused in words, and nothing is followed."""

import gzip
import json
import zlib
from collections.abc import Iterator

import pytest
from aiohttp import web

from bot.hub.hub import Hub
from estimator import KIB, MIB, architecture_from_config
from tests.hub import heads
from tests.hub.desk import refused, replied
from tests.hub.families import LLAMA, LLAMA_COUNT
from tests.hub.standin import SHA, HubStandIn, endless, says

LINE = "infer some/thing-8b ctx 8k"
RECORD, CONFIG = "/api/models/some", "config.json"
NEST = 100_000

SHAPES = {
    "qwen3_moe": {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 64},
    "lfm2": {"conv_L_cache": 3},
}


class Counted(list[int]):
    """A list that knows how often somebody went through it."""

    gone_through = 0

    def __iter__(self) -> Iterator[int]:
        self.gone_through += 1
        return super().__iter__()

    def __contains__(self, _one: object) -> bool:
        self.gone_through += 1
        return False


@pytest.mark.parametrize("path", [RECORD, CONFIG])
async def test_a_body_without_end_is_read_no_further(
    standin: HubStandIn, hub: Hub, path: str
) -> None:
    standin.add("some/thing-8b", LLAMA)
    sent: list[int] = []
    standin.wrong[path] = endless(b" " * MIB, sent)
    code, wrong = await refused(hub, LINE)
    assert code == "hub_too_large"
    assert "larger than I read" in wrong
    assert sum(sent) < 64 * MIB  # what the sockets buffer, not two GiB


async def test_a_length_of_two_gib_is_believed(standin: HubStandIn, hub: Hub) -> None:
    standin.add("some/thing-8b", LLAMA)
    sent: list[int] = []
    standin.wrong[CONFIG] = endless(b" " * MIB, sent, Content_Length=str(2**31))
    assert (await refused(hub, LINE))[0] == "hub_too_large"
    assert sum(sent) < 64 * MIB


async def test_a_length_that_lies_is_not(standin: HubStandIn, hub: Hub) -> None:
    """Less than comes: what is beyond it is not the answer, and what is before it no JSON."""

    async def lies(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        body = json.dumps(LLAMA).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n"
        request.transport.write(head + body)
        request.transport.close()
        return web.Response()

    standin.add("some/thing-8b", LLAMA)
    standin.wrong[CONFIG] = lies
    code, _ = await refused(hub, LINE)
    assert code in ("hub_malformed", "hub_offline")


def bomb(packed_to: str) -> bytes:
    """64 MiB of blanks, packed."""
    blanks = b" " * (64 * MIB)
    return gzip.compress(blanks) if packed_to == "gzip" else zlib.compress(blanks)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_bomb_is_not_unpacked(standin: HubStandIn, hub: Hub, encoding: str) -> None:
    standin.add("some/thing-8b", LLAMA)
    standin.wrong[CONFIG] = says(200, bomb(encoding), Content_Encoding=encoding)
    assert (await refused(hub, LINE))[0] == "hub_too_large"


async def test_what_is_packed_honestly_is_read(standin: HubStandIn, hub: Hub) -> None:
    standin.add("some/thing-8b", LLAMA)
    body = gzip.compress(json.dumps(LLAMA).encode())
    standin.wrong[CONFIG] = says(200, body, Content_Encoding="gzip")
    answer = await replied(hub, LINE)
    assert answer.answer.estimate.parameters.total == LLAMA_COUNT


@pytest.mark.parametrize(
    ("encoding", "body"), [("gzip", b"not gzip"), ("br", b"x"), ("zstd", b"x"), ("gzip, br", b"x")]
)
async def test_what_is_packed_otherwise_is_refused(
    standin: HubStandIn, hub: Hub, encoding: str, body: bytes
) -> None:
    standin.add("some/thing-8b", LLAMA)
    standin.wrong[CONFIG] = says(200, body, Content_Encoding=encoding)
    assert (await refused(hub, LINE))[0] == "hub_malformed"


def with_config(**changed: object) -> bytes:
    return json.dumps(LLAMA | changed).encode()


def raw(text: str) -> bytes:
    """A config whose width is written so."""
    return with_config(hidden_size="?").replace(b'"?"', text.encode())


HOSTILE: dict[str, tuple[bytes, str]] = {
    "a deep list": (b'{"a":' + b"[" * NEST + b"]" * NEST + b"}", "nested too deeply"),
    "deep objects": (b'{"a":' * NEST + b"1" + b"}" * NEST, "nested too deeply"),
    "not so deep": (b'{"a":' * 50 + b"1" + b"}" * 50, "nested too deeply"),
    "negative layers": (with_config(num_hidden_layers=-32), "`num_hidden_layers` is a whole"),
    "too many layers": (with_config(num_hidden_layers=10**30), "`num_hidden_layers` is a whole"),
    "layers as text": (with_config(num_hidden_layers="32"), "`num_hidden_layers` is a whole"),
    "layers as a list": (with_config(num_hidden_layers=[32]), "`num_hidden_layers` is a whole"),
    "half a layer": (with_config(num_hidden_layers=32.5), "`num_hidden_layers` is a whole"),
    "true heads": (with_config(num_attention_heads=True), "`num_attention_heads` is a whole"),
    "no heads": (with_config(num_attention_heads=0), "`num_attention_heads` is a whole"),
    "heads that do not divide": (with_config(num_key_value_heads=7), "do not divide"),
    "a number that is none": (raw("NaN"), "`hidden_size` is missing"),
    "without an end": (raw("Infinity"), "`hidden_size` is missing"),
    "below all": (raw("-Infinity"), "`hidden_size` is missing"),
    "larger than floats": (raw("1e999"), "`hidden_size` is a whole"),
    "ten thousand digits": (raw("9" * 10_000), "is not JSON"),
    "a thousand digits": (raw("9" * 1_000), "`hidden_size` is a whole"),
    "two widths": (raw('1, "hidden_size": 2'), "says two things"),
    "thousands of kinds": (with_config(model_type="gemma2", layer_types=["x"] * 5_000), "lists"),
    "kinds of nothing": (with_config(model_type="gemma2", layer_types=[]), "all 32 layers"),
    "a halved character": (with_config(model_type="\ud800"), "half a character"),
    "a text that is none": (with_config(text_config=[1]), "`text_config` is an object"),
}


@pytest.mark.parametrize("kind", HOSTILE)
async def test_numbers_that_mean_harm_are_refused(standin: HubStandIn, hub: Hub, kind: str) -> None:
    body, words = HOSTILE[kind]
    standin.add("some/thing-8b", body)
    code, wrong = await refused(hub, LINE)
    assert code in ("hub_malformed", "hub_unknown_shape")
    assert words in wrong


async def test_the_same_key_twice_with_one_meaning_is_read(standin: HubStandIn, hub: Hub) -> None:
    standin.add("some/thing-8b", raw('4096, "hidden_size": 4096'))
    await replied(hub, LINE)


async def test_names_of_strangers_reach_nobody_as_they_are(standin: HubStandIn, hub: Hub) -> None:
    standin.add(
        "some/thing-8b", with_config(model_type="`@everyone` <@1> [x](http://evil.example)")
    )
    _, wrong = await refused(hub, LINE)
    assert not set("@<[") & set(wrong)


async def test_a_kind_that_is_no_kind_is_not_repeated(standin: HubStandIn, hub: Hub) -> None:
    repo = standin.add("some/thing-8b", with_config(model_type="unet"))
    repo.record = {"pipeline_tag": "@everyone [x](http://evil.example)"}
    _, wrong = await refused(hub, LINE)
    assert "everyone" not in wrong


@pytest.mark.parametrize(
    ("kind", "name"), [("qwen3_moe", "mlp_only_layers"), ("lfm2", "full_attn_idxs")]
)
def test_a_list_without_end_is_gone_through_once(kind: str, name: str) -> None:
    """As often as there are layers it would be a quarter of a thousand million looks."""
    layers = Counted(range(60_000))
    config = LLAMA | SHAPES[kind] | {"model_type": kind, name: layers, "num_hidden_layers": 4_096}
    architecture_from_config(config)
    assert layers.gone_through == 1


async def test_code_of_strangers_is_not_asked_for(standin: HubStandIn, hub: Hub) -> None:
    repo = standin.add("some/thing-8b", with_config(auto_map={"AutoModel": "evil--repo.Model"}))
    repo.files["modeling_evil.py"] = b"raise SystemExit"
    answer = await replied(hub, LINE)
    assert answer.answer.estimate.parameters.total == LLAMA_COUNT
    assert standin.paths() == [
        "/api/models/some/thing-8b",
        f"/some/thing-8b/resolve/{SHA}/config.json",
    ]


RECORDS: dict[str, dict[str, object]] = {
    "a name that is a path": {"id": "../../etc/passwd"},
    "a name that is none": {"id": ["some/thing-8b"]},
    "counts of nothing": {"safetensors": {"parameters": [1, 2]}},
    "negative counts": {"safetensors": {"parameters": {"BF16": -1}}},
    "counts without end": {"safetensors": {"parameters": {"BF16": 10**40}}},
    "counts of text": {"safetensors": {"parameters": {"BF16": "8B"}}},
    "thousands of types": {"safetensors": {"parameters": {f"T{n}": 1 for n in range(5_000)}}},
    "a GGUF without end": {"gguf": {"total": 10**40}},
}


@pytest.mark.parametrize("kind", RECORDS)
async def test_records_that_mean_harm_are_refused(standin: HubStandIn, hub: Hub, kind: str) -> None:
    standin.add("some/thing-8b", LLAMA).record = RECORDS[kind]
    code, wrong = await refused(hub, LINE)
    assert code == "hub_malformed"
    assert "its record" in wrong


async def test_a_revision_that_is_none_is_not_put_into_an_address(
    standin: HubStandIn, hub: Hub
) -> None:
    standin.add("some/thing-8b", LLAMA).record = {"sha": "../../../api/whoami"}
    await replied(hub, LINE)
    assert standin.paths()[1] == "/some/thing-8b/resolve/main/config.json"


async def test_a_config_too_large_to_keep_is_refused(standin: HubStandIn, hub: Hub) -> None:
    many = {f"key_{number}": [number] * 1_000 for number in range(90)}
    standin.add("some/thing-8b", json.dumps(LLAMA | many).encode())
    assert len(standin.repos["some/thing-8b"].files["config.json"]) < MIB
    assert (await refused(hub, LINE))[0] == "hub_too_large"


async def test_labels_of_pictures_are_left_out(standin: HubStandIn, hub: Hub) -> None:
    labels = {str(number): "a label " * 20 for number in range(2_000)}
    standin.add("some/thing-8b", json.dumps(LLAMA | {"id2label": labels}).encode())
    await replied(hub, LINE)


async def test_a_whole_file_for_a_range_is_read_no_further(standin: HubStandIn, hub: Hub) -> None:
    """Two GiB behind the header of a safetensors file, sent to who asked for its beginning."""
    repo = standin.add("some/thing-8b", LLAMA)
    repo.files["model.safetensors"] = b""
    header = heads.safetensors({"x": ("BF16", (LLAMA_COUNT,))})
    sent: list[int] = []
    standin.wrong["model.safetensors"] = endless(header + b"\0" * (64 * KIB), sent)
    answer = await replied(hub, LINE)
    assert (
        "confirmed by the repository's own count (the head of model.safetensors)"
        in (answer.notes[1])
    )
    assert sum(sent) < 64 * MIB
