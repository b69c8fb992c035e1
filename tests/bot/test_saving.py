"""Embedding and head that are trained whole beside adapters."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from bot.reading.reading import Reading
from estimator import BadRequest, answer, load_catalog, parse_request

CATALOG = load_catalog()
READER = Reader(load_locale(), CATALOG)


def read(line: str) -> Reading:
    """The reading of `line`, which its canonical line says as well."""
    reading = READER.read(line)
    assert dict(READER.read(reading.line).fields) == dict(reading.fields)
    return reading


BOTH = ["embed_tokens", "lm_head"]


@pytest.mark.parametrize(
    ("words", "modules"),
    [
        ("save lm_head", ["lm_head"]),
        ("modules_to_save lm_head", ["lm_head"]),
        ("modules_to_save embed_tokens,lm_head", BOTH),
        ("modules_to_save=embed_tokens, lm_head", BOTH),
        ('modules_to_save: ["embed_tokens", "lm_head"]', BOTH),
        ("lora_modules_to_save: [embed_tokens, lm_head]", BOTH),
        ("additional_target lm_head,embed_tokens", BOTH[::-1]),
        ("train embeddings and head too", BOTH),
        ("train the embeddings and the lm head as well", BOTH),
        ("training the embedding layer too", BOTH[:1]),
        ("trainable embeddings and lm_head", BOTH),
        ("saving word embeddings", BOTH[:1]),
        ("modules to save wte", BOTH[:1]),
    ],
)
def test_modules_that_are_trained_whole(words: str, modules: list[str]) -> None:
    for line in (f"train 7B lora {words}", f"train 7B qlora {words} bs 2", f"7B lora r=8, {words}"):
        reading = read(line)
        assert reading.fields["modules_to_save"] == modules
        assert reading.fields["task"] == "train"
        assert not reading.notes


def test_saved_modules_imply_lora() -> None:
    reading = read("train 7B save lm_head")
    assert reading.fields["method"] == "lora"
    assert "Taken as `lora`" in reading.notes[0]


@pytest.mark.parametrize("line", ["train 7B lora, head"])
def test_a_module_that_nothing_announces_is_an_error(line: str) -> None:
    with pytest.raises(NotUnderstoodError):
        READER.read(line)


@pytest.mark.parametrize("module", ["lm_head", "embed_tokens"])
@pytest.mark.parametrize("words", ["target_modules=q_proj,{}", "targets q_proj {}", "{}"])
def test_an_adapter_on_either_end_of_the_model_is_refused_by_name(words: str, module: str) -> None:
    reading = READER.read(f"train llama 3.1 8b lora {words.format(module)}")
    assert module in reading.fields["targets"]
    with pytest.raises(BadRequest, match=f"`modules_to_save {module}`"):
        answer(parse_request(dict(reading.fields)), CATALOG)


def test_embedding_states_are_another_thing() -> None:
    fields = read("train 7B adamw 8bit embedding states fp32").fields
    assert "modules_to_save" not in fields
    assert fields["embedding_states"] == "fp32"


@pytest.mark.parametrize(
    "words", ["save q_proj", "modules_to_save q_proj", "saves q_proj, lm_head"]
)
def test_another_module_is_asked_back_and_no_target(words: str) -> None:
    with pytest.raises(NotUnderstoodError) as error:
        READER.read(f"train 7B lora {words}")
    assert error.value.code == "ambiguous"
    assert error.value.lines[0].endswith("targets q_proj")
