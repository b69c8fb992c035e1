"""JSON, files of a repository and links, pasted beside a question."""

import pytest

from bot.replies import Replied
from tests.bot.pasted_text import asked, desk, wrong


@pytest.mark.parametrize(
    ("stage", "field"),
    [
        ('{"stage": 2, "stage": 3}', "zero3"),
        ('{"stage": 3}', "zero3"),
        ('{"stage": 1,', "zero1"),
        ('{\n  // comment\n  "stage": 2\n}', "zero2"),
        ("{'stage': 3, }", "zero3"),
    ],
)
def test_json_is_read_broken_too(stage: str, field: str) -> None:
    text = f'full finetune of qwen2.5 7b\n{{"zero_optimization": {stage}'
    assert asked(text)[0]["strategy"] == field


CONFIG = """{
  "architectures": ["MistralForCausalLM"],
  "bos_token_id": 1,
  "hidden_act": "silu",
  "hidden_size": 4096,
  "intermediate_size": 14336,
  "max_position_embeddings": 32768,
  "model_type": "mistral",
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "rms_norm_eps": 1e-05,
  "sliding_window": null,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16",
  "vocab_size": 32000
}"""


@pytest.mark.parametrize(
    "text",
    [
        f"lora on a 4090?\n{CONFIG}",
        f"lora on a 4090?\n```json\n{CONFIG}\n```",
        "lora on a 4090? " + " ".join(CONFIG.split()),
        "lora on a 4090?\n" + CONFIG.replace("{\n", "").replace("\n}", ""),
    ],
)
def test_a_config_is_the_model_of_its_shape(text: str) -> None:
    fields, notes = asked(text)
    assert str(fields["model"]).startswith("mistralai/Mistral-7B")
    assert fields["method"] == "lora"
    assert "has the shape of" in notes


def test_a_config_of_no_known_model_is_its_own_shape() -> None:
    shallow = CONFIG.replace('"num_hidden_layers": 32', '"num_hidden_layers": 7')
    found = desk().ask(f"train lora\n{shallow}")
    assert isinstance(found, Replied), found.shown
    assert found.fields["architecture"]["num_hidden_layers"] == 7
    parameters = found.answer.document()["parameters"]
    assert parameters["total"] - parameters["trainable"] == 262_144_000 + 7 * 218_112_000 + 4096


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (CONFIG.partition('"num_hidden')[0], "bad_config", "`num_hidden_layers`, `vocab_size`"),
        (CONFIG.replace("4096", "4095"), "bad_config", "4095"),
        (CONFIG.replace('"mistral"', '"madeup"'), "unsupported", "madeup"),
        ('{"tokenizer_class": "LlamaTokenizer", "model_max_length": 9}', "wrong_file", "tokenizer"),
        ('{"eos_token_id": 2, "do_sample": true, "top_p": 0.9}', "wrong_file", "generation"),
        ('{"metadata": {"total_size": 9}, "weight_map": {"a": "b"}}', "wrong_file", "index"),
    ],
)
def test_a_file_that_makes_no_model_is_refused_for_what_it_is(
    text: str, code: str, words: str
) -> None:
    found, message = wrong(f"lora of this?\n{text}")
    assert found == code
    assert words in message


@pytest.mark.parametrize(
    ("link", "fields"),
    [
        ("https://huggingface.co/Qwen/Qwen2.5-7B/tree/main?not=x", {"model": "Qwen/Qwen2.5-7B"}),
        ("<https://hf.co/Qwen/Qwen2.5-7B/blob/main/config.json>", {"model": "Qwen/Qwen2.5-7B"}),
        ("https://modelscope.cn/models/Qwen/Qwen2.5-7B/summary", {"model": "Qwen/Qwen2.5-7B"}),
        ("[the model](https://huggingface.co/Qwen/Qwen2.5-7B)", {"model": "Qwen/Qwen2.5-7B"}),
        (
            "https://huggingface.co/a/Qwen2.5-14B-Instruct-GGUF/resolve/main/x-Q6_K.gguf?download=true",
            {"model": "Qwen/Qwen2.5-14B-Instruct", "weights": "gguf:Q6_K"},
        ),
        (
            "https://huggingface.co/a/Qwen2.5-14B-Instruct-GGUF/blob/main/Q8_0/q-Q8_0-00001-of-00002.gguf",
            {"model": "Qwen/Qwen2.5-14B-Instruct", "weights": "gguf:Q8_0"},
        ),
        (
            "hf download a/Qwen2.5-14B-Instruct-GGUF q-IQ4_XS.gguf",
            {"model": "Qwen/Qwen2.5-14B-Instruct", "weights": "gguf:IQ4_XS"},
        ),
    ],
)
def test_a_link_says_model_and_format(link: str, fields: dict[str, str]) -> None:
    assert fields.items() <= asked(f"can I run {link} on a 4090")[0].items()


def test_no_other_link_names_a_model() -> None:
    assert wrong("train lora https://example.com/Qwen/Qwen2.5-7B")[0] == "no_model"
