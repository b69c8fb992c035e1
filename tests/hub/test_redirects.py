"""The Hub sends on: followed on its own host, twice at most, and nowhere else."""

import pytest

from bot.hub.hub import Hub
from tests.hub.desk import refused
from tests.hub.families import LLAMA
from tests.hub.standin import HubStandIn, goes_to

LINE = "infer some/thing-8b ctx 8k"
RECORD, CONFIG = "/api/models/some", "config.json"

ELSEWHERE = (
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/config.json",
    "http://[::1]/config.json",
    "http://localhost:1/config.json",
    "https://huggingface.co.evil.example/config.json",
    "https://cdn-lfs.huggingface.co/some/file",
    "//evil.example/config.json",
    "file:///etc/passwd",
    "ftp://127.0.0.1/config.json",
    "gopher://127.0.0.1:70/",
    "data:application/json,{}",
    "javascript:alert(1)",
)


@pytest.mark.parametrize("location", ELSEWHERE)
@pytest.mark.parametrize("path", [RECORD, CONFIG])
async def test_nothing_is_followed_off_the_host(
    standin: HubStandIn, hub: Hub, location: str, path: str
) -> None:
    standin.add("some/thing-8b", LLAMA)
    standin.wrong[path] = goes_to(location)
    code, wrong = await refused(hub, LINE)
    assert code == "hub_elsewhere"
    assert "another host" in wrong
    assert location not in wrong


async def test_another_port_or_scheme_of_the_host_is_another_host(
    standin: HubStandIn,
) -> None:
    async with HubStandIn() as other:
        for location in (other.base, standin.base.replace("http:", "https:"),
                         standin.base.replace("//", "//user:secret@")):  # fmt: skip
            standin.wrong[RECORD] = goes_to(f"{location}/api/models/some/thing-8b")
            code, _ = await refused(Hub(base=standin.base), LINE)
            assert code == "hub_elsewhere"
        assert other.asked == []


async def test_a_circle_is_left(standin: HubStandIn, hub: Hub) -> None:
    standin.wrong[RECORD] = goes_to("/api/models/some/thing-8b", 307)
    code, wrong = await refused(hub, LINE)
    assert code == "hub_malformed"
    assert "circle" in wrong
    assert len(standin.asked) == 3


@pytest.mark.parametrize("location", ["", "http://[", "http://exa mple:port/"])
async def test_a_redirect_to_nowhere_is_not_followed(
    standin: HubStandIn, hub: Hub, location: str
) -> None:
    standin.wrong[RECORD] = goes_to(location)
    code, _ = await refused(hub, LINE)
    assert code in ("hub_elsewhere", "hub_malformed")
