"""Whatever the Hub says of a model, it is an answer or a clear refusal, and never an error."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ask import Refused, Replied
from bot.hub import gguf, safetensors
from bot.hub.decoding import decoded, shortened
from bot.hub.file import OUTCOME
from bot.hub.ids import is_id
from bot.hub.record import record_of
from bot.hub.repository import MissedError, Repository
from bot.hub.shape import Found, found_in
from tests.estimator.questions import FIXED
from tests.hub import heads
from tests.hub.desk import PLAIN
from tests.hub.families import CATALOG, FAMILIES, Json

NAME = "some/thing-8b"
HUGE = 10**30
CONFIGS = [family.config for family in FAMILIES.values()]
KEYS = sorted({key for config in CONFIGS for key in config})

WORDS = st.sampled_from(
    [*KEYS, *(str(config["model_type"]) for config in CONFIGS), "gptq", "awq", "nf4", "layer"]
)
SCALAR = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from((0, -1, 1, 7, 64, 4096, HUGE, -HUGE)),
    st.floats(),
    st.text(max_size=12),
    WORDS,
)
ANY: st.SearchStrategy[Any] = st.recursive(
    SCALAR,
    lambda part: st.lists(part, max_size=4) | st.dictionaries(WORDS | st.text(max_size=8), part,
                                                              max_size=5),
    max_leaves=12,
)  # fmt: skip
PACKING = st.dictionaries(
    st.sampled_from(
        ("quant_method", "bits", "group_size", "w_bit", "load_in_4bit", "bnb_4bit_quant_type",
         "weight_block_size", "config_groups", "quant_config", "quant_algo", "mode")
    ),
    ANY,
    max_size=5,
)  # fmt: skip
COUNTS = st.dictionaries(
    st.sampled_from(("BF16", "F16", "F32", "F8_E4M3", "I32", "U8", "I64", "X")),
    st.integers(0, 10**13),
    max_size=4,
)


def told(config: Json, counts: dict[str, int]) -> Repository:
    """As it comes from the Hub: through bytes, and through what is kept of it."""
    body = json.dumps(config).encode()
    read = shortened(decoded(body, "config.json"), "config.json")
    said = Repository(id=NAME, asked=NAME, config=read, counts=counts)
    kept = OUTCOME.validate_json(said.model_dump_json())
    assert isinstance(kept, Repository)
    return kept


def hold(repository: Repository, line: str) -> None:
    """There is an answer with a source, or a refusal with a line to type."""
    shape = found_in(repository, CATALOG)
    answer = PLAIN.having_heard(repository).ask(line)
    json.dumps(answer.document())
    if isinstance(answer, Replied):
        assert isinstance(shape, Found)
        assert answer.answer.estimate.peak.bytes > 0
        assert shape.row.parameters > 0
    else:
        assert isinstance(answer, Refused)
        assert 0 < len(answer.refusal.wrong) < 2_000
        assert answer.refusal.lines


@pytest.mark.parametrize("line", [f"infer {NAME}", f"train {NAME} qlora"])
@given(config=st.dictionaries(WORDS | st.text(max_size=10), ANY, max_size=8), counts=COUNTS)
@FIXED
def test_any_json_as_a_config(line: str, config: Json, counts: dict[str, int]) -> None:
    try:
        repository = told(config, counts)
    except MissedError:
        return
    hold(repository, line)


@pytest.mark.parametrize("line", [f"infer {NAME}", f"train {NAME} lora"])
@given(data=st.data())
@FIXED
def test_a_real_config_with_anything_in_it(line: str, data: st.DataObject) -> None:
    config = data.draw(st.sampled_from(CONFIGS))
    broken = data.draw(st.dictionaries(st.sampled_from(sorted(config)) | WORDS, ANY, max_size=3))
    packing = data.draw(st.none() | PACKING)
    packed = {} if packing is None else {"quantization_config": packing}
    try:
        repository = told(config | broken | packed, data.draw(COUNTS))
    except MissedError:
        return
    hold(repository, line)


@given(body=st.binary(max_size=200) | ANY.map(lambda value: json.dumps(value).encode()))
@FIXED
def test_any_bytes_as_json(body: bytes) -> None:
    try:
        config = shortened(decoded(body, "x"), "x")
    except MissedError:
        return
    assert json.loads(json.dumps(config)) == config


RECORD = st.dictionaries(
    st.sampled_from(
        ("id", "sha", "gated", "safetensors", "gguf", "cardData", "siblings", "pipeline_tag")
    ),
    ANY
    | st.dictionaries(
        st.sampled_from(("parameters", "total", "context_length", "base_model", "license")), ANY
    ),
)


@given(record=RECORD)
@FIXED
def test_any_record(record: Json) -> None:
    try:
        found = record_of(record, NAME)
    except MissedError:
        return
    assert is_id(found.id)
    assert not found.base or is_id(found.base)


HEAD = heads.gguf(heads.LLAMA_8B, heads.llama_tensors()[:9])


@given(st.binary(max_size=300), st.integers(0, len(HEAD)), st.integers(0, 300))
@FIXED
def test_any_bytes_as_a_gguf_head(put: bytes, at: int, over: int) -> None:
    body = HEAD[:at] + put + HEAD[at + over :]
    try:
        header = gguf.header_of(body, "x")
    except MissedError:
        return
    assert all(count >= 0 for count in header.elements.values())


@given(st.binary(max_size=100), ANY)
@FIXED
def test_any_bytes_as_a_safetensors_head(behind: bytes, value: object) -> None:
    text = json.dumps(value).encode()
    for body in (behind, len(text).to_bytes(8, "little") + text + behind):
        try:
            counts = safetensors.counts_of_header(body, "x")
        except MissedError:
            continue
        assert all(count >= 0 for count in counts.values())
