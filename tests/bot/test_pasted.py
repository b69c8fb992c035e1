"""Flags of pasted commands that have words of their own, and what stands before a command."""

import pytest

from tests.bot.test_servers import asked, wrong

VLLM = "vllm serve meta-llama/Llama-3.1-8B"
LLAMA = "llama-server -m Llama-3.1-8B-Q4_K_M.gguf"
LARGE = "llama-server -m Llama-3.1-70B-Q4_K_M.gguf"
SMALL = "meta-llama/Llama-3.2-1B"
VISION = "vllm serve Qwen/Qwen2.5-VL-7B-Instruct --limit-mm-per-prompt"
UNCOUNTED = "Not counted, though it changes the memory: "


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (f"{VLLM} --max-loras 2 --max-lora-rank 64", {"lora_adapters": 2, "rank": 64}),
        (f"{VLLM} --enable-lora --max_lora_rank=64", {"lora_adapters": 1, "rank": 64}),
        (f"{VISION} image=2", {"images": 2}),
        (f'{VISION} \'{{"image": 3, "video": 0}}\'', {"images": 3}),
        ("llama-server -m gemma-3-27b-it-Q4_K_M.gguf --mmproj mmproj-F16.gguf", {"images": 1}),
        (f"{VLLM} --dtype half", {"weights": "fp16"}),
        (f"{VLLM} --dtype float16", {"weights": "fp16"}),
        (f"{VLLM} --dtype bfloat16", {"weights": "bf16"}),
        (f"{VLLM} --dtype=float32", {"weights": "fp32"}),
        (f"{VLLM} --kv-cache-dtype fp8_e5m2", {"kv": "fp8"}),
        (f"{VLLM} --quantization gptq_marlin", {"weights": "gptq4"}),
        (f"{VLLM} --quantization awq_marlin", {"weights": "awq4"}),
        (f"{VLLM} --quantization modelopt_fp4", {"weights": "nvfp4"}),
        (
            "vllm serve nvidia/Llama-3.1-8B-Instruct-FP4 --quantization modelopt_fp4",
            {"model": "meta-llama/Llama-3.1-8B", "weights": "nvfp4"},
        ),
        (f"{LLAMA} -c 0", {"context": 131_072}),
        (f"./build/bin/{LLAMA} -c 8192", {"engine": "llama.cpp", "context": 8192}),
        (f"{LLAMA} --ctx_size=0", {"context": 131_072}),
        (
            "trtllm-serve meta-llama/Llama-3.1-8B --max_batch_size 32 --max_seq_len 8192",
            {"engine": "tensorrt_llm", "max_num_seqs": 32, "context": 8192},
        ),
    ],
)
def test_a_flag_is_read_in_the_words_that_a_line_has(
    command: str, fields: dict[str, object]
) -> None:
    assert fields.items() <= asked(command)[0].items()


@pytest.mark.parametrize(
    ("command", "weights"),
    [
        (f"{LARGE} -md Llama-3.2-1B-Q8_0.gguf", "gguf:Q8_0"),
        (f"{LARGE} --model-draft=/m/Llama-3.2-1B-Instruct-UD-Q4_K_XL.gguf", "gguf:UD-Q4_K_XL"),
        (f"{LARGE} -hfd unsloth/Llama-3.2-1B-Instruct-GGUF:Q6_K -ngld 99", "gguf:Q6_K"),
        (f"vllm serve meta-llama/Llama-3.1-70B --speculative-model {SMALL}", None),
        (
            (
                "vllm serve meta-llama/Llama-3.1-70B --speculative-config "
                f'\'{{"model": "{SMALL}", "num_speculative_tokens": 5}}\''
            ),
            None,
        ),
    ],
)
def test_a_draft_is_read_with_its_format(command: str, weights: str | None) -> None:
    fields, _ = asked(command)
    assert fields["model"] == "meta-llama/Llama-3.1-70B"
    assert (fields["draft"], fields.get("draft_weights")) == (SMALL, weights)


@pytest.mark.parametrize(
    "flags",
    [
        "--cpu-offload-gb 10",
        "--kv-cache-memory-bytes 8000000",
        '--speculative-config \'{"method": "eagle3", "model": "a/b-EAGLE3"}\'',
    ],
)
def test_flags_that_move_memory_uncounted_are_said_to(flags: str) -> None:
    fields, notes = asked(f"{VLLM} {flags}")
    assert UNCOUNTED + f"`{flags.split(maxsplit=1)[0]}" in notes
    assert "draft" not in fields


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        (VLLM, "--dtype auto"),
        (VLLM, "--kv-cache-dtype auto"),
        (VLLM, '--speculative-config \'{"method": "ngram"}\''),
        (LLAMA, "-ngl auto"),
        (LLAMA, "-fa auto"),
    ],
)
def test_what_leaves_it_to_the_engine_changes_nothing(command: str, flags: str) -> None:
    fields, notes = asked(f"{command} {flags}")
    assert fields == asked(command)[0]
    assert UNCOUNTED not in notes


def test_a_projector_is_said_to_stand_for_one_image() -> None:
    command = "llama-server -m gemma-3-27b-it-Q4_K_M.gguf --mmproj mmproj-F16.gguf"
    assert "`--mmproj mmproj-F16.gguf`: one image" in asked(command)[1]
    assert asked(f"{command} 3 images")[0]["images"] == 3


@pytest.mark.parametrize(
    ("image", "command", "fields"),
    [
        (
            "--shm-size 16g -v a:b -p 8000:8000 --ipc=host vllm/vllm-openai:v0.8.5",
            "--model meta-llama/Llama-3.1-8B --max-model-len 8192",
            {"engine": "vllm", "engine_version": "0.8.5", "context": 8192},
        ),
        (
            '-v ~/.cache:/hub --env "HF_TOKEN=x" vllm/vllm-openai:latest',
            "--model meta-llama/Llama-3.1-8B",
            {"engine": "vllm"},
        ),
        (
            "-v /m:/models ghcr.io/ggml-org/llama.cpp:server-cuda-b4719",
            "-m /models/Llama-3.1-8B-Q4_K_M.gguf -c 0",
            {"engine": "llama.cpp", "engine_version": "b4719", "context": 131_072},
        ),
        (
            "-e OLLAMA_NUM_PARALLEL=4 -v ollama:/kept --name ollama ollama/ollama:0.6.2",
            "run llama3.1:8b",
            {"engine": "ollama", "engine_version": "0.6.2", "slots": 4},
        ),
        (
            "lmsysorg/sglang:v0.4.6.post1-cu124",
            "python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B",
            {"engine": "sglang", "engine_version": "0.4.6"},
        ),
        (
            "nvcr.io/nvidia/tensorrt-llm/release:1.0.0",
            "trtllm-serve meta-llama/Llama-3.1-8B --max_batch_size 32",
            {"engine": "tensorrt_llm", "max_num_seqs": 32},
        ),
    ],
)
def test_an_image_says_the_engine_and_its_container_nothing(
    image: str, command: str, fields: dict[str, object]
) -> None:
    found, notes = asked(f"docker run --gpus all {image} {command}")
    assert found["model"] == "meta-llama/Llama-3.1-8B"
    assert fields.items() <= found.items()
    assert "`docker run ... " in notes


def test_an_image_that_nobody_knows_is_left_to_be_read() -> None:
    assert wrong("docker run --gpus all somebody/something:1 -p 80:80")


@pytest.mark.parametrize(
    "line",
    [
        f"CUDA_VISIBLE_DEVICES=0,1 {VLLM} -tp 2",
        f"export CUDA_VISIBLE_DEVICES=0; NCCL_P2P_DISABLE=1 {VLLM} -tp 2",
    ],
)
def test_the_environment_counts_no_cards(line: str) -> None:
    fields, notes = asked(line)
    assert fields == asked(f"{VLLM} -tp 2")[0]
    assert "CUDA_VISIBLE_DEVICES=0" in notes
