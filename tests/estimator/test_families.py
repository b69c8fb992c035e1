"""What models have beside layers of attention and an MLP: towers, states, encoders, two stacks."""

import pytest

from estimator import BadRequest, answer, answer_document, load_catalog, parse_request
from tests.estimator.questions import Document

CATALOG = load_catalog()
IDS = CATALOG.models.ids
GEMMA = "google/gemma-3-4b-it"
MAMBA = "state-spaces/mamba-2.8b-hf"
JAMBA = "ai21labs/Jamba-v0.1"
BERT = "google-bert/bert-base-uncased"
T5 = "google-t5/t5-base"


def lines(request: Document, moment: str) -> dict[str, int]:
    found = answer(parse_request(request), CATALOG)
    return {
        line.key: line.bytes
        for one in found.estimate.moments
        if one.name == moment
        for line in one.lines
    }


def train(model: str, **fields: object) -> Document:
    return {"task": "train", "method": "lora", "model": model, **fields}


def serve(model: str, **fields: object) -> Document:
    return {"task": "infer", "engine": "transformers", "model": model, **fields}


@pytest.mark.parametrize("model", IDS)
@pytest.mark.parametrize("task", ["train", "infer"])
def test_every_model_is_answered(model: str, task: str) -> None:
    method = {"method": "lora"} if task == "train" else {}
    answered = answer_document({"task": task, "model": model, **method}, CATALOG)
    assert answered["error"] is None
    assert answered["peak"]["bytes"] > answered["parameters"]["total"] / 4


def test_a_tower_is_held_beside_the_language_model() -> None:
    tower = CATALOG.models.find(GEMMA).architecture.tower
    assert tower is not None
    held = lines(serve(GEMMA), "load")
    assert held["tower"] == 2 * tower.parameters
    assert held["weights"] == 2 * 3_880_263_168


def test_bitsandbytes_packs_a_towers_linears_and_engines_do_not() -> None:
    tower = CATALOG.models.find(GEMMA).architecture.tower
    assert tower is not None
    packed = lines(train(GEMMA, method="qlora", kbit_prepare=False), "load")
    assert packed["tower_bf16"] == 2 * (tower.parameters - tower.linears)
    assert packed["tower_nf4_dq"] < tower.linears
    plain = lines({"task": "infer", "model": GEMMA, "weights": "awq4"}, "load")
    assert plain["tower"] == 2 * tower.parameters


def test_a_gguf_file_leaves_the_tower_out() -> None:
    assert "tower" not in lines({"task": "infer", "model": GEMMA, "weights": "gguf:Q8_0"}, "load")


def test_a_tower_is_not_trained_and_the_answer_says_so() -> None:
    found = answer(parse_request(train(GEMMA, method="full")), CATALOG)
    assert found.estimate.parameters.trainable == 3_880_263_168
    assert found.estimate.parameters.total == 4_300_079_472
    assert any("frozen" in sentence for sentence in found.warnings)


def test_images_are_tokens() -> None:
    with_images = train(GEMMA, seq=1000, images=2)
    assert lines(with_images, "backward") == lines(train(GEMMA, seq=1512), "backward")
    served = serve(GEMMA, prompt=1000, new_tokens=24, images=1)
    assert lines(served, "decode") == lines(serve(GEMMA, prompt=1256, new_tokens=24), "decode")
    assert any("tower" in sentence for sentence in answer_document(served, CATALOG)["warnings"])


@pytest.mark.parametrize(
    ("model", "tokens"),
    [("Qwen/Qwen2.5-VL-7B-Instruct", 37 * 37), ("Qwen/Qwen3-VL-8B-Instruct", 32 * 32)],
)
def test_an_image_of_a_usual_size_is_cut_into_tokens(model: str, tokens: int) -> None:
    answered = answer_document(train(model, images=1), CATALOG)
    assert {a["field"]: a["value"] for a in answered["assumed"]}["image_tokens"] == str(tokens)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (train("meta-llama/Llama-3.1-8B", images=1), "no tower"),
        (train(GEMMA, image_tokens=256), "images"),
        (train("meta-llama/Llama-4-Scout-17B-16E-Instruct", images=1), "how many tokens"),
    ],
)
def test_images_that_cannot_be_sized_are_refused_in_words(request_: Document, words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        answer(parse_request(request_), CATALOG)


def test_a_state_does_not_grow_with_the_context() -> None:
    short, long = (lines(serve(MAMBA, context=n), "decode") for n in (1024, 4096))
    assert "kv_cache" not in long
    # 64 layers of 5120 channels: 4 inputs of the convolution in bf16, 16 of state in fp32
    assert short["recurrent_state"] == long["recurrent_state"] == 64 * 5120 * (4 * 2 + 16 * 4)


def test_a_hybrid_caches_for_its_attention_alone() -> None:
    held = lines(serve(JAMBA, context=1024), "decode")
    assert held["kv_cache"] == 4 * 1024 * 8 * 128 * 2 * 2  # 4 of 32 layers attend
    assert held["recurrent_state"] == 28 * 8192 * (4 * 2 + 16 * 4)


def test_layers_that_borrow_keys_and_values_cache_none() -> None:
    held = lines(serve("google/gemma-3n-E2B-it", context=512), "decode")
    assert held["kv_cache"] == 20 * 512 * 2 * 256 * 2 * 2  # 10 of 30 layers borrow


def test_fused_kernels_are_said_where_a_state_is_trained() -> None:
    answered = answer_document(train(MAMBA), CATALOG)
    assert any("fused kernels" in sentence for sentence in answered["warnings"])


def test_an_encoder_has_no_logits_and_no_cache() -> None:
    assert "logits" not in lines(train(BERT, method="full"), "loss")
    held = lines(serve(BERT), "decode")
    assert "kv_cache" not in held
    assert "logits" not in held


def test_a_decoder_behind_an_encoder_caches_both_attentions() -> None:
    held = lines(serve(T5, context=512), "decode")
    assert held["kv_cache"] == 12 * 2 * 512 * 12 * 64 * 2 * 2


def test_latents_are_cached_as_the_engine_keeps_them() -> None:
    model = "deepseek-ai/DeepSeek-V2-Lite"
    narrow = lines({"task": "infer", "engine": "vllm", "model": model, "context": 1024}, "decode")
    assert narrow["kv_cache"] == 27 * 1024 * (512 + 64) * 2
    wide = lines(serve(model, context=1024), "decode")
    assert wide["kv_cache"] == 27 * 1024 * 16 * (128 + 64 + 128) * 2


def test_modules_that_predict_several_tokens_are_left_out_and_said() -> None:
    answered = answer_document({"task": "infer", "model": "deepseek-ai/DeepSeek-V3"}, CATALOG)
    assert answered["parameters"]["total"] == 671_026_404_352
    assert any("MTP" in sentence for sentence in answered["warnings"])
