"""From a line to its answer with the Hub between: what is asked, said, and offered."""

import pytest

from bot.ask import Refused, Replied
from bot.asking import completed, known
from bot.hub.hub import Hub
from bot.hub.later import Off
from estimator import MIB
from tests.hub import heads
from tests.hub.desk import PLAIN, asked, desk_of, refused, replied
from tests.hub.families import LLAMA, LLAMA_COUNT, Json
from tests.hub.standin import SHA, HubStandIn, says

NAME = "some/thing-8b"
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 32}


async def test_an_answer_names_the_hub_as_its_source(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA, counts={"BF16": LLAMA_COUNT})
    answer = await replied(hub, f"train {NAME} lora")
    source, checked = answer.notes[:2]
    assert "config.json of `some/thing-8b` on the Hugging Face Hub" in source
    assert f"at revision {SHA[:7]}" in source
    assert checked == (
        "Its 8.03 B parameters are confirmed by the repository's own count (the Hub's record)."
    )
    assert answer.document()["warnings"][:2] == [source, checked]
    assert answer.presentation.warnings[:2] == (source, checked)
    assert answer.document()["understood"]["model"] == NAME


async def test_it_is_what_the_model_of_the_table_is(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA)
    ours = await replied(hub, f"train {NAME} qlora seq 4096 bs 2")
    table = PLAIN.ask("train meta-llama/Llama-3.1-8B qlora seq 4096 bs 2")
    assert isinstance(table, Replied)
    assert ours.answer.estimate.peak.bytes == table.answer.estimate.peak.bytes


async def test_a_count_that_differs_is_warned_of(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA, counts={"BF16": LLAMA_COUNT + 10**9})
    answer = await replied(hub, f"infer {NAME}")
    assert "Take care" in answer.notes[1]
    assert "1,000,000,000 more" in answer.notes[1]


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("infer some/thing-8b", "infer some/thing-8b"),
        ("infer https://huggingface.co/some/thing-8b/tree/main", "infer some/thing-8b"),
        ("infer hf.co/some/plain", "infer hf.co/some/plain"),
        ("https://huggingface.co/some/plain how much to run it?", "infer hf.co/some/plain"),
    ],
)
async def test_its_line_can_be_typed_again(
    standin: HubStandIn, hub: Hub, typed: str, line: str
) -> None:
    standin.add("some/thing-8b", LLAMA)
    standin.add("some/plain", LLAMA)
    answer = await replied(hub, typed)
    assert answer.presentation.line == line
    again = await replied(Hub(base=standin.base), answer.presentation.line)
    assert again.presentation.line == line


async def test_a_link_to_what_is_no_model_is_not_asked_for(standin: HubStandIn, hub: Hub) -> None:
    await asked(hub, "infer 7B https://huggingface.co/datasets/some-data")
    await asked(hub, "infer 7B https://huggingface.co/spaces/some-space")
    await asked(hub, "infer 7B https://evil.example/some/thing-8b")
    assert standin.asked == []


@pytest.mark.parametrize(
    "line", ["train 7B lora", "infer qwen2.5 7b", "infer Qwen/Qwen2.5-7B", "nonsense", "",
             "infer 7B, either awq/gptq", "train some/thing-8b other/thing-9b lora"],
)  # fmt: skip
async def test_what_is_known_or_none_is_not_asked_for(
    standin: HubStandIn, hub: Hub, line: str
) -> None:
    found, unknown = await known(desk_of(hub), line)
    assert not unknown
    assert found.shown == completed(PLAIN, PLAIN.ask(line)).shown
    assert standin.asked == []


async def test_the_option_is_looked_up_too(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA)
    answer = await replied(hub, "7B awq", {"task": "infer", "model": NAME})
    assert answer.answer.request.model == NAME
    assert "The option `model` wins over `7B`." in answer.notes


async def test_a_wrong_word_beside_it_is_refused_with_lines_that_work(
    standin: HubStandIn, hub: Hub
) -> None:
    standin.add(NAME, LLAMA)
    found = await asked(hub, f"train {NAME} lora frobadam")
    assert isinstance(found, Refused)
    assert "frobadam" in found.refusal.wrong
    assert found.refusal.lines[0] == f"train {NAME} lora"


async def test_nothing_is_remembered_of_it_by_the_desk(standin: HubStandIn, hub: Hub) -> None:
    """The catalogue of one question is of that question alone."""
    standin.add(NAME, LLAMA)
    await replied(hub, f"infer {NAME}")
    found = PLAIN.ask(f"infer {NAME}")
    assert isinstance(found, Refused)
    assert found.code == "unknown_name"


async def test_what_is_typed_is_never_looked_up_ahead(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA)
    desk = desk_of(hub)
    desk.ahead(f"train {NAME} lora", {"task": "train"})
    desk.ahead(f"train {NAME} lora b", {"task": "train"})
    assert standin.asked == []


@pytest.mark.parametrize(
    ("line", "number_format"),
    [
        (f"infer {NAME}", "gptq4"),
        (f"infer {NAME} bf16", "bf16"),
        (f"infer {NAME} q4_k_m", "gguf:Q4_K_M"),
        (f"train {NAME} qlora", "gptq4"),
        (f"train {NAME} lora", "gptq4"),
        (f"train {NAME} qlora nf4", "nf4"),
        (f"train {NAME} full", "bf16"),
    ],
)
async def test_the_packing_of_the_files_holds_unless_another_is_named(
    standin: HubStandIn, hub: Hub, line: str, number_format: str
) -> None:
    standin.add(NAME, LLAMA | {"quantization_config": GPTQ}, counts={"I32": 10**9})
    answer = await replied(hub, line)
    assert answer.answer.setup.numbers.format.id == number_format
    assert answer.answer.estimate.parameters.total >= LLAMA_COUNT
    groups = [one.value for one in answer.answer.assumed if one.field == "group_size"]
    assert groups == (["32"] if number_format == "gptq4" else [])


async def test_groups_of_its_own_take_their_bytes(standin: HubStandIn) -> None:
    """Smaller groups have more scales: 4 + 20/32 bits a weight instead of 4 + 20/128."""
    sizes = {}
    for group in (32, 128):
        standin.add(NAME, LLAMA | {"quantization_config": GPTQ | {"group_size": group}})
        answer = await replied(Hub(base=standin.base), f"infer {NAME}")
        lines = answer.answer.estimate.peak.lines
        sizes[group] = sum(line.bytes for line in lines if "weights" in line.key)
    assert sizes[32] - sizes[128] > 300 * MIB


GGUF_FILES = ("thing-Q2_K.gguf", "thing-Q4_K_M.gguf", "thing-Q8_0.gguf", "README.md")


def gguf_repo(standin: HubStandIn, body: bytes, **record: object) -> None:
    repo = standin.add("some/thing-8b-gguf")
    repo.files = dict.fromkeys(GGUF_FILES, body)
    repo.record = record


async def test_a_gguf_repository_is_read_from_a_header(standin: HubStandIn, hub: Hub) -> None:
    gguf_repo(standin, heads.gguf(heads.LLAMA_8B, heads.llama_tensors()))
    answer = await replied(hub, "infer some/thing-8b-gguf")
    assert answer.answer.estimate.parameters.total == LLAMA_COUNT
    assert answer.answer.setup.numbers.format.id == "gguf:Q4_K_M"
    assert "the head of `thing-Q4_K_M.gguf`" in answer.notes[0]
    assert "confirmed" in answer.notes[1]
    assert standin.paths()[1:] == [f"/some/thing-8b-gguf/resolve/{SHA}/thing-Q4_K_M.gguf"]


@pytest.mark.parametrize("base", ["meta-llama/Llama-3.1-8B", "some/base-8b"])
async def test_large_files_lie_elsewhere_so_the_base_and_the_record_serve(
    standin: HubStandIn, hub: Hub, base: str
) -> None:
    standin.add("some/base-8b", LLAMA)
    gguf_repo(
        standin,
        b"",
        gguf={"total": LLAMA_COUNT + 64, "architecture": "llama", "context_length": 131072},
        cardData={"base_model": base},
    )
    standin.wrong[".gguf"] = says(302, Location="https://cas-bridge.xethub.hf.co/x")
    answer = await replied(hub, "infer some/thing-8b-gguf")
    assert answer.answer.setup.numbers.format.id == "gguf:Q4_K_M"
    assert answer.answer.estimate.parameters.total == LLAMA_COUNT
    assert f"`{base}`" in answer.notes[0]
    assert "within 64" in answer.notes[1]


async def test_of_a_file_in_parts_no_count_is_believed(standin: HubStandIn, hub: Hub) -> None:
    """The first part lists a part of the tensors, and no head."""
    body = heads.gguf(heads.LLAMA_8B | {"split.count": 3}, heads.llama_tensors()[:1])
    gguf_repo(standin, body)
    answer = await replied(hub, "infer some/thing-8b-gguf")
    assert answer.answer.estimate.parameters.total == LLAMA_COUNT
    assert "own count" not in " ".join(answer.notes)


async def test_the_tower_of_a_gguf_is_not_the_model(standin: HubStandIn, hub: Hub) -> None:
    gguf_repo(standin, heads.gguf(heads.LLAMA_8B, heads.llama_tensors()))
    repo = standin.repos["some/thing-8b-gguf"]
    repo.files = {"mmproj-F16.gguf": b"x"} | dict.fromkeys(("Q5_K_M/thing-Q5_K_M.gguf",), b"x")
    repo.record = {"cardData": {"base_model": "meta-llama/Llama-3.1-8B"}}
    answer = await replied(hub, "infer some/thing-8b-gguf")
    assert answer.answer.setup.numbers.format.id == "gguf:Q5_K_M"
    assert not [path for path in standin.paths() if path.endswith(".gguf")]


async def test_a_gguf_repository_that_tells_nothing_is_refused(
    standin: HubStandIn, hub: Hub
) -> None:
    gguf_repo(standin, b"", gguf={"total": LLAMA_COUNT, "architecture": "llama"})
    standin.wrong[".gguf"] = says(302, Location="https://cas-bridge.xethub.hf.co/x")
    assert (await refused(hub, "infer some/thing-8b-gguf"))[0] == "hub_no_config"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"model.safetensors.index.json": b'{"metadata": {"total_size": 16060522496}}'},
            "confirmed by the repository's own count (model.safetensors.index.json)",
        ),
        (
            {"model.safetensors": heads.safetensors({"x": ("BF16", (LLAMA_COUNT, 1))})},
            "confirmed by the repository's own count (the head of model.safetensors)",
        ),
        ({"model.safetensors.index.json": b'{"metadata": {"total_size": "much"}}'}, ""),
        ({"pytorch_model.bin": b"x"}, ""),
    ],
)
async def test_where_the_record_has_no_counts_the_files_tell(
    standin: HubStandIn, hub: Hub, files: dict[str, bytes], said: str
) -> None:
    standin.add(NAME, LLAMA).files |= files
    answer = await replied(hub, f"infer {NAME}")
    assert said in " ".join(answer.notes)
    assert ("own count" in " ".join(answer.notes)) == bool(said)


async def test_switched_off_says_so() -> None:
    code, wrong = await refused(Off(), f"infer {NAME}")
    assert code == "hub_switched_off"
    assert "am set not to ask" in wrong
    answer = await replied(Off(), "infer someone/dolphin-llama-3.1-8b-awq")
    assert "So the built-in shape of meta-llama/Llama-3.1-8B is used" in answer.notes[0]


async def test_a_document_is_json_also_of_what_was_looked_up(standin: HubStandIn, hub: Hub) -> None:
    standin.add(NAME, LLAMA)
    document: Json = (await replied(hub, f"train {NAME} dora")).document()
    assert document["error"] is None
    missing = (await asked(hub, "infer some/other-8b")).document()
    assert missing["error"]["code"] == "hub_missing"
    assert missing["error"]["suggestions"]
