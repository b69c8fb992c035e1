"""How a server is started, in words and in commands that were pasted."""

import pytest

from bot.ask import Refused, Replied, open_desk

DESK = open_desk()
SERVED = "serve llama 3.1 8b"


def asked(line: str) -> tuple[dict[str, object], str]:
    """(fields, notes) of `line`; what its canonical line says is the same."""
    reply = DESK.ask(line)
    assert isinstance(reply, Replied), reply.shown
    fields = reply.answer.request.model_dump(exclude_none=True)
    again = DESK.ask(reply.presentation.line)
    assert isinstance(again, Replied)
    assert again.answer.request.model_dump(exclude_none=True) == fields
    return fields, " ".join(reply.document()["warnings"])


def wrong(line: str) -> tuple[str, tuple[str, ...]]:
    reply = DESK.ask(line)
    assert isinstance(reply, Refused)
    return reply.refusal.wrong, tuple(reply.refusal.lines)


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("ollama num_parallel 4 llama 3.1 8b ctx 4k", {"engine": "ollama", "slots": 4}),
        ("OLLAMA_NUM_PARALLEL=4 llama 3.1 8b", {"engine": "ollama", "slots": 4}),
        (f"{SERVED} q4_k_m -ngl -1", {"gpu_layers": "all"}),
        (f"{SERVED} q4_k_m -ngl max", {"gpu_layers": "all"}),
        (f"{SERVED} q4_k_m -ngl 9999", {"gpu_layers": 9999}),
        (f"{SERVED} ik_llama", {"engine": "llama.cpp", "engine_version": "ik_llama"}),
        (f"{SERVED} ik_llama.cpp 2025-06", {"engine_version": "ik_llama 2025-06"}),
        (f"{SERVED} llama.cpp b4500", {"engine_version": "b4500"}),
        (f"{SERVED} llama.cpp 2025-04", {"engine_version": "2025-04"}),
        (f"{SERVED} ollama 2025-04-17", {"engine_version": "2025-04-17"}),
        (f"{SERVED} kv k q8_0 v q4_0 llama.cpp", {"kv_k": "Q8_0", "kv_v": "Q4_0"}),
        (f"{SERVED} kv v q4_0, k q8_0 llama.cpp", {"kv_k": "Q8_0", "kv_v": "Q4_0"}),
        ("serve 70b draft 1b draft 1b", {"model": "70B", "draft": "1b"}),
        ("infer llama-3.1-8b ctx max users 4", {"context": 131_072, "users": 4}),
    ],
)
def test_settings_are_read(line: str, fields: dict[str, object]) -> None:
    found, _ = asked(line)
    assert fields.items() <= found.items()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("how many layers llama 3.1 70b q4_k_m fit on 24gb", "other way round"),
        ("most layers on the card llama 3.1 70b q4_k_m 24gb", "other way round"),
        ("what ngl llama 3.1 70b q4_k_m 24gb", "other way round"),
        ("max context llama 3.1 8b fp16 on 16gb", "fp16 longest context, 16GB`"),
    ],
)
def test_questions_the_other_way_round_are_noted(line: str, words: str) -> None:
    assert words in asked(line)[1]


def test_the_most_users_are_sought_and_a_number_of_them_is_a_number() -> None:
    reply = DESK.ask("max users llama 3.1 8b on 80gb")
    assert isinstance(reply, Replied)
    assert reply.document()["solved"]["find"] == "users"
    found, _ = asked(f"{SERVED} max users 8")
    assert found["users"] == 8
    assert "find" not in found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("users -5", "`users` cannot be `-5`. It takes a number, as in `users 4`"),
        ("ctx -5", "`ctx` cannot be `-5`. It takes a number, as in `ctx 8k`"),
        ("-ngl 20%", "`ngl` cannot be `20%`. It takes a number, as in `ngl 4`"),
        ("slots 0", "`slots` is a whole number from 1 up, not `0`"),
        ("vllm util 90", "`util` is a share, as in `util 0.9` or `util 90%`, not `90`"),
        ("draft frobnicate", "no model called `frobnicate`"),
    ],
)
def test_a_wrong_number_is_said_with_what_it_is_of(words: str, said: str) -> None:
    assert said in wrong(f"{SERVED} {words}")[0]


def test_a_share_in_per_cent_without_its_sign_is_offered_as_one() -> None:
    assert "infer meta-llama/Llama-3.1-8B vllm util 0.9" in wrong(f"{SERVED} vllm util 90")[1]


def test_two_drafts_cannot_both_guess() -> None:
    said, lines = wrong("serve 70b draft 1b draft 3b")
    assert said == "`1b` and `3b` cannot both hold."
    assert lines[:2] == ("infer 70B, draft 1b", "infer 70B, draft 3b")


@pytest.mark.parametrize(
    ("command", "fields", "aside"),
    [
        (
            "llama-server -m Llama-3.1-8B-Q4_K_M.gguf -ngl 99 -c 8192 -np 4 --port 80 -b 2048 -t 8",
            {"engine": "llama.cpp", "weights": "gguf:Q4_K_M", "context": 8192, "slots": 4},
            ("`--port 80`", "`-b 2048`", "`-t 8`"),
        ),
        (
            "./llama-server -m /models/Qwen2.5-7B-Instruct-Q5_K_M-00001-of-00002.gguf --foo-bar 3",
            {"model": "Qwen/Qwen2.5-7B-Instruct", "weights": "gguf:Q5_K_M"},
            ("`--foo-bar 3`",),
        ),
        (
            "llama-server -hf ggml-org/gemma-3-4b-it-GGUF -c 8192",
            {"model": "google/gemma-3-4b-it", "engine": "llama.cpp", "context": 8192},
            (),
        ),
        (
            'llama-cli -m ./mixtral-8x7b-v0.1.Q4_K_M.gguf -n 128 -p "hi there" -ngl 20',
            {"model": "mistralai/Mixtral-8x7B-v0.1", "gpu_layers": 20, "new_tokens": 128},
            (),
        ),
        (
            "vllm serve meta-llama/Llama-3.1-8B --max-model-len 8192 --enable-lora",
            {"engine": "vllm", "model": "meta-llama/Llama-3.1-8B", "context": 8192},
            ("`--enable-lora`",),
        ),
        (
            "vllm serve --trust-remote-code Qwen/Qwen2.5-7B -tp 2 --host 0.0.0.0 --port 8000",
            {"engine": "vllm", "model": "Qwen/Qwen2.5-7B", "tp": 2},
            ("`--host 0.0.0.0`", "`--port 8000`"),
        ),
        (
            f"{SERVED} --port 80 -b 2048",
            {"model": "meta-llama/Llama-3.1-8B"},
            ("`--port 80`", "`-b 2048`"),
        ),
    ],
)
def test_a_pasted_command_is_read_and_what_says_nothing_is_noted(
    command: str, fields: dict[str, object], aside: tuple[str, ...]
) -> None:
    found, notes = asked(command)
    assert fields.items() <= found.items()
    assert all(one in notes for one in aside)


def test_a_file_that_is_called_model_leaves_the_model_to_be_asked() -> None:
    assert "Which model?" in wrong("llama-server -m model.gguf -ngl 99 -c 8192")[0]


@pytest.mark.parametrize(
    ("command", "weights"),
    [
        ("ollama run hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q8_0", "Q8_0"),
        ("ollama run hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:IQ3_M", "IQ3_M"),
        ("ollama pull https://huggingface.co/unsloth/Qwen3-30B-A3B-GGUF:Q2_K", "Q2_K"),
        ("ollama run hf.co/unsloth/gpt-oss-20b-GGUF:UD-Q4_K_XL", "UD-Q4_K_XL"),
        ("ollama run hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:latest", "Q4_K_M"),
    ],
)
def test_a_tag_behind_a_link_says_the_format(command: str, weights: str) -> None:
    assert asked(command)[0]["weights"] == f"gguf:{weights}"


def test_a_block_of_the_cache_is_no_context_and_one_of_training_is_a_length() -> None:
    command = "vllm serve meta-llama/Llama-3.1-8B --enable-lora --block-size"
    fields, notes = asked(f"{command} 16")
    assert "context" not in fields
    assert "`--block-size 16`" in notes
    assert asked(f"{command}=32 --max-model-len 8192")[0]["context"] == 8192
    assert "context" not in asked(f"{SERVED} vllm block size 16")[0]
    assert "context" not in asked("vllm llama 3.1 8b block size 16")[0]
    assert asked("train llama 3.1 8b block size 1024")[0]["seq"] == 1024
    assert asked("grpo llama 3.1 8b vllm block size 1024")[0]["seq"] == 1024


MIXTURE = "llama-server -m Qwen3-30B-A3B-Q4_K_M.gguf"


@pytest.mark.parametrize(
    "pattern",
    [
        '-ot ".ffn_.*_exps.=CPU" -ngl 99',
        "-ot exps=CPU",
        "--override-tensor exps=CPU -c 8192",
        "-ot .ffn_.*_exps.=CPU -c 8192",
        r'-ot "blk\.[0-9]+\.ffn_(up|down|gate)_exps.=CPU"',
    ],
)
def test_a_pattern_of_all_experts_puts_them_on_the_cpu(pattern: str) -> None:
    fields, notes = asked(f"{MIXTURE} {pattern}")
    assert fields["experts_on_cpu"] is True
    assert "Not counted" not in notes


@pytest.mark.parametrize(
    "pattern",
    [
        '-ot "blk.1.attn=CUDA1"',
        '-ot "blk.([0-9]|1[0-9]).ffn_.*_exps.=CPU"',
        "-ot .ffn_(up|down)_exps.=CPU -c 8192",
        "-ot exps=CUDA1",
    ],
)
def test_another_pattern_of_tensors_is_said_to_change_memory(pattern: str) -> None:
    fields, notes = asked(f"{MIXTURE} {pattern}")
    assert "experts_on_cpu" not in fields
    assert "Not counted, though it changes the memory: `-ot " in notes
