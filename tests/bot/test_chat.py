"""Lines as they are typed in chats: shorthand, second thoughts, what was tried, counted cards."""

import pytest

from bot.ask import Desk, Explained, Refused, Replied, Weighed, open_desk

LINES = {
    # cards with words before or behind their count
    "70b q4_k_m on two used 3090s": "infer 70B Q4_K_M, 2x rtx-3090",
    "3 of these old p40s for mixtral q4_k_m": "infer mistralai/Mixtral-8x7B-v0.1 Q4_K_M, 3x p40",
    "a 3090, two of them actually, 70b q4_k_m": "infer 70B Q4_K_M, 2x rtx-3090",
    "have mi300x (8 of them), deepseek v3 fp8": "infer deepseek-ai/DeepSeek-V3 fp8, 8x mi300x",
    "2 rented a100 80gb full 7b": "train 7B full, 2x a100-sxm4-80gb",
    "a100 80gb but only the 3g.40gb slice, llama3 8b bf16": (
        "infer meta-llama/Meta-Llama-3-8B bf16, a100-80gb-3g.40gb"
    ),
    "m3 ultra, the 96 not the 512, 70b q4_k_m": "infer 70B Q4_K_M, apple-m3-ultra-96gb",
    "70b q4_k_m on 48 gigs of m4 max": "infer 70B Q4_K_M, apple-m4-max-48gb",
    "have a3090, 8b qlora": "train 8B qlora, rtx-3090",
    "thinkpad p16 with a 4070 8gb, 8b q4_k_m": "infer 8B Q4_K_M, rtx-4070-laptop",
    "cache of a 100k sequence on Llama-3.1-8B stored in fp8": (
        "infer meta-llama/Llama-3.1-8B ctx 100000 kv fp8"
    ),
    # second thoughts
    "nvm the 70b idea. yi 34b q4_k_m, 3090": "infer 01-ai/Yi-34B Q4_K_M, rtx-3090",
    "r1 0528, the real one not the distil, fp8": "infer deepseek-ai/DeepSeek-R1-0528 fp8",
    "infer 8B q4_k_m no wait q5_k_m": "infer 8B Q5_K_M",
    "train 8B lora bs 8, no wait, 4": "train 8B lora bs 4",
    "train 8B lora on a 3090, sorry i mean a 4090": "train 8B lora, rtx-4090",
    "can i run 70b - sorry, 32b - on a 3090 q4_k_m": "infer 32B Q4_K_M, rtx-3090",
    "train 7B lora seq 4096, actually make it 8k": "train 7B lora seq 8192",
    "train 7b lora bs 4 not 8": "train 7B lora bs 4",
    "7b lora r32, bs 4.. no wait make that bs 2. seq 4096": "train 7B lora r=32 bs 2 seq 4096",
    "8b lora bs 4 seq 2k ga 8, sorry i mean seq 4k": "train 8B lora bs 4 seq 4096 accum 8",
    "mistral 7b, the real one not a distil, q4_k_m": "infer mistralai/Mistral-7B-v0.3 Q4_K_M",
    # what was tried, or wished for
    "tried bs 8 -> oom, bs 4 -> oom. so bs 2? 8b lora": "train 8B lora bs 2",
    "8b qlora, bs 16 crashed, bs 4 ok?": "train 8B qlora bs 4",
    "train 7B lora bs 8 ooms on a 3090": "train 7B lora bs 8, rtx-3090",
    "wanted a 70b but no money so 32b q4_k_m, 3090": "infer 32B Q4_K_M, rtx-3090",
    "8b lora bs4 sl1024 keeps dying, should bs2 be ok": "train 8B lora bs 2 seq 1024",
    # shorthand
    "my 3070 (the 8gb laptop one) 8b q4_k_m": "infer 8B Q4_K_M, rtx-3070-laptop",
    "dual 4060ti 16s, 14b q4_k_m": "infer 14B Q4_K_M, 2x rtx-4060-ti-16gb",
    "34b full, 4k seqs, mbs 1, 4xA100-80": "train 34B full bs 1 seq 4096, 4x a100-sxm4-80gb",
    "8b lora pdbs 2 attention projs only": "train 8B lora targets attention bs 2",
    "llama 4 scout int4 on a h100? forget the 10M marketing, 128k": (
        "infer meta-llama/Llama-4-Scout-17B-16E-Instruct int4 ctx 131072, h100-sxm5-80gb"
    ),
    "can i train a 3b on 6gb. qlora. ctx like 512. batch obv 1": "train 3B qlora bs 1 seq 512, 6GB",
    "qlora 32B, 1 sample per step, accumulate 12": "train 32B qlora bs 1 accum 12",
    "gpt-oss 120b full 131072 ctx": "infer openai/gpt-oss-120b ctx 131072",
    "gemma3 12b q4_0, 2 of us, 8k each": "infer google/gemma-3-12b-it Q4_0 users 2 ctx 8192",
    "continued pretraning 8B bf16": "train 8B bf16 pretrain",
    "8b vllm 4 ppl at a time 8k each": "infer 8B vllm users 4 ctx 8192",
    "llama2 13b 4096 ctx 16 seqs fp16": "infer meta-llama/Llama-2-13b-hf fp16 users 16 ctx 4096",
    "glm4.5air ud q4kxl 4090": "infer zai-org/GLM-4.5-Air UD-Q4_K_XL, rtx-4090",
    "gptoss20b w/ full 131k on a 4090": "infer openai/gpt-oss-20b ctx 131072, rtx-4090",
    "7B full 4k seq bs 2": "train 7B full bs 2 seq 4096",
    "34b qlora dies on step 1, seq 4096": "train 34B qlora seq 4096",
    "starcoder2 15b gptq g128 4x T4": "infer bigcode/starcoder2-15b gptq4 group size 128, 4x t4",
    "llama2 7b lora 2048 a10g": "train meta-llama/Llama-2-7b-hf lora seq 2048, a10g",
    "grpo 1.5b full, 512 prompt / 1024 compl, vllm": (
        "train 1.5B full vllm grpo prompt 512 new tokens 1024"
    ),
    "dpo 7b qlora prompt 512 + completion 256": "train 7B qlora dpo seq 768",
    "7b full pagedadamw8bit": "train 7B full paged_adamw_8bit",
    "pretrain a 1b with the gpt2 tokenizer, bf16": "train 1B bf16 pretrain",
    "qwen3 32b q4_k_m w qwen3 0.6b as draft": "infer Qwen/Qwen3-32B Q4_K_M, draft Qwen/Qwen3-0.6B",
    "infer 8B q4_k_m cpu only": "infer 8B Q4_K_M ngl 0",
}
COMPARED = {
    "whats the diff between q3ks n q3km n q3kl for 70b": ("Q3_K_S", "Q3_K_M", "Q3_K_L"),
    "Q8_0 against fp16 for 8B at 8k": ("Q8_0", "fp16"),
    "1) is lion 8bit smaller than adamw 8bit 2) 3b full": ("lion_8bit", "adamw_8bit"),
    "dora rank 32 on 8b nees HOW much more then plain lora": ("lora", "dora"),
    "is adam8bit really that much smaller than adamw? 3b full": ("adamw_8bit", "adamw"),
    "why does adam need so much more memory than sgd for a full 1.5b": ("sgd", "adamw"),
    "so a 7b is 28 GB in fp32 and 14 in fp16?": ("fp16", "fp32"),
    "70b q4_k_m on 2x3090? and q5_k_m?": ("Q4_K_M", "Q5_K_M"),
    "qwen3 14b at 128k kv bf16? and with q4 kv?": ("kv Q4_0", "kv bf16"),
}
REMARKED = {
    "llama2 7b with the llama3 tokenizer, lora": "`llama3 tokenizer`",
    "dpo 7b qlora prompt 512 + completion 256": "together one sequence",
    "train 8B lora bs 4 seq 4096 3090 128": "`128`",
    "falcon40b … ancient ik. 8bit, a40, 2048 ctx": "`ancient`",
}


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


@pytest.mark.parametrize(("text", "line"), LINES.items())
def test_a_line_of_a_chat_is_read(desk: Desk, text: str, line: str) -> None:
    found = desk.ask(text)
    assert isinstance(found, Replied)
    assert found.presentation.line == line


@pytest.mark.parametrize(("text", "names"), COMPARED.items())
def test_a_question_of_two_compares_them(desk: Desk, text: str, names: tuple[str, ...]) -> None:
    found = desk.ask(text)
    assert isinstance(found, Weighed)
    assert tuple(row.name for row in found.comparison.rows) == names


@pytest.mark.parametrize(("text", "words"), REMARKED.items())
def test_what_stands_aside_is_said(desk: Desk, text: str, words: str) -> None:
    found = desk.ask(text)
    assert isinstance(found, Replied)
    assert words in " ".join(found.presentation.warnings)


def test_caches_are_held_against_each_other_in_the_same_weights(desk: Desk) -> None:
    found = desk.ask("qwen3 14b at 128k kv bf16 vs kv q4_0")
    assert isinstance(found, Weighed)
    sides = [side.answer.setup for side in found.sides if isinstance(side, Replied)]
    assert len({side.numbers.format.id for side in sides}) == 1


@pytest.mark.parametrize("text", ["train 7B lora 16", "train 7B lora bs 4 adamofoo", "7B bs lora"])
def test_what_may_have_been_meant_is_still_asked_about(desk: Desk, text: str) -> None:
    assert isinstance(desk.ask(text), Refused)


def test_what_is_asked_of_a_laptop_is_the_model(desk: Desk) -> None:
    found = desk.ask("how many gigs do i need for ai on my laptop")
    assert not isinstance(found, Explained)
    assert isinstance(found, Refused)
    assert found.code == "no_model"


@pytest.mark.parametrize("text", ["mixtral q4_k_m tp 8 on one 4090", "infer 8B tp 2, 1x 4090"])
def test_one_card_is_not_split_over_more(desk: Desk, text: str) -> None:
    found = desk.ask(text)
    assert isinstance(found, Refused)
    assert found.code == "contradiction"
    assert isinstance(desk.ask(text.replace("one ", "a ").replace("1x ", "a ")), Replied)


NOT_CARDS = {
    "96gb across 4 cards, 123b q4_k_m": "infer 123B Q4_K_M, 4x 24GB",
    "4 gpus 96gb in total, 70b q8_0": "infer 70B Q8_0, 4x 24GB",
    "3090 pcie x16 70b q4_k_m": "infer 70B Q4_K_M, rtx-3090",
    '16" m3 max 64gb 70b q4_k_m': "infer 70B Q4_K_M, apple-m3-max-64gb",
    "cuda 12 4090 8b q8_0": "infer 8B Q8_0, rtx-4090",
    "i sold my 3090 and bought a 5090, 32b q6_k": "infer 32B Q6_K, rtx-5090",
    "upgrading from a 3060 12gb to a 4090, 32b q4_k_m": "infer 32B Q4_K_M, rtx-4090",
    "my 3090 died so im on a 3060 12gb, 13b q4_k_m": "infer 13B Q4_K_M, rtx-3060-12gb",
    "file is 20gb, 32b q4_k_m, 24gb card": "infer 32B Q4_K_M, 24GB",
    "8b takes 6gb at q4_k_m, 12gb card": "infer 8B Q4_K_M, 12GB",
    "leave 4gb free, 3090, 32b q4_k_m": "infer 32B Q4_K_M in use 4096MiB, rtx-3090",
    "no gpu, 32gb, 8b q4_k_m": "infer 8B Q4_K_M ngl 0",
    "8b q4_k_m with long context 3090": "infer 8B Q4_K_M, rtx-3090",
    "8b q4_k_m 128.000 context": "infer 8B Q4_K_M ctx 128000",
    "8b q4 1,5k context": "infer 8B Q4_K_M ctx 1500",
    "would a second 3090 help me run 70b q4_k_m": "infer 70B Q4_K_M, 2x rtx-3090",
}


@pytest.mark.parametrize(("text", "line"), NOT_CARDS.items())
def test_what_only_sounds_like_a_card_is_none(desk: Desk, text: str, line: str) -> None:
    found = desk.ask(text)
    assert isinstance(found, Replied)
    assert found.presentation.line == line


def test_how_long_it_takes_is_said_not_to_be_answered(desk: Desk) -> None:
    found = desk.ask("how long does it take to train a 7B on an H100")
    assert isinstance(found, Replied)
    assert "how long it takes is not answered" in " ".join(found.presentation.warnings)
