"""Files of weights that mean harm, over the socket: what they confirm is lost, and no more."""

import pytest

from bot.hub.hub import Hub
from estimator import MIB
from tests.hub import heads
from tests.hub.desk import refused, replied
from tests.hub.families import LLAMA, LLAMA_COUNT
from tests.hub.standin import HubStandIn

LINE = "infer some/thing-8b ctx 8k"

WRONG_COUNTS: dict[str, tuple[str, bytes, str]] = {
    "a header of 2^63": (
        "model.safetensors",
        (2**63).to_bytes(8, "little") + b"{}",
        "the header of model.safetensors",
    ),
    "a header that is none": ("model.safetensors", b"\0" * 8 + b"x", "is not JSON"),
    "a shape without end": (
        "model.safetensors",
        heads.safetensors({"x": ("BF16", (10**40,))}),
        "of an impossible shape",
    ),
    "an index of HTML": ("model.safetensors.index.json", b"<html>", "is not JSON"),
    "an index without end": (
        "model.safetensors.index.json",
        b" " * (9 * MIB),
        "model.safetensors.index.json",
    ),
}


@pytest.mark.parametrize("kind", WRONG_COUNTS)
async def test_what_only_confirms_costs_the_confirmation(
    standin: HubStandIn, hub: Hub, kind: str
) -> None:
    file, body, words = WRONG_COUNTS[kind]
    standin.add("some/thing-8b", LLAMA).files[file] = body
    answer = await replied(hub, LINE)
    assert answer.notes[1].startswith("The repository's own count cannot be read: ")
    assert words in answer.notes[1]


WRONG_HEADS = {
    "2^63 tensors": heads.gguf(heads.LLAMA_8B, claimed=(2**63, 3)),
    "a text of 2^60": heads.gguf({}, claimed=(0, 1), body=(2**60).to_bytes(8, "little")),
    "another file": b"\x80\x02 a pickle",
    "half of one": heads.gguf(heads.LLAMA_8B, heads.llama_tensors(), body=b"")[:-50],
}


@pytest.mark.parametrize("kind", WRONG_HEADS)
async def test_a_gguf_that_means_harm_is_refused_or_its_base_is_asked(
    standin: HubStandIn, hub: Hub, kind: str
) -> None:
    repo = standin.add("some/thing-8b")
    repo.files["thing-Q4_K_M.gguf"] = WRONG_HEADS[kind]
    code, wrong = await refused(hub, LINE)
    assert code == "hub_malformed"
    assert "thing-Q4_K_M.gguf" in wrong
    repo.record = {"cardData": {"base_model": "meta-llama/Llama-3.1-8B"}}
    answer = await replied(Hub(base=standin.base), LINE)
    assert answer.answer.estimate.parameters.total == LLAMA_COUNT
