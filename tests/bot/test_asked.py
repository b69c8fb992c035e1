"""Which topic a question is about; what is no such question is about none."""

import pytest

from bot.ask import Explained, open_desk
from bot.explaining.asked import TopicFinder
from bot.explaining.phrases import phrase_of, words_of
from bot.explaining.topics import load_topics

DESK = open_desk()
FINDER = TopicFinder(load_topics())

WHY = [
    ("gib", "is it GB or GiB that nvidia-smi prints?"),
    ("gib", "why does my 24GB card only show 23.6 GB"),
    ("gib", "what is a GiB"),
    ("weights_rule", "what is the 2 GB per billion rule worth?"),
    ("weights_rule", "why 2 bytes per parameter"),
    ("weights_rule", "wofür gilt die Faustregel, warum mal 2?"),
    ("sixteen_bytes", "where does the 16 bytes per param come from"),
    ("sixteen_bytes", "why does training take so much more memory than inference"),
    ("sixteen_bytes", "why do people say 18 bytes and not 16?"),
    ("adam_8bit", "why does 8-bit Adam not save anything with LoRA"),
    ("adam_8bit", "bnb adam 8bit makes no difference, why"),
    ("sharded_qlora", "why is my 4bit base whole on each gpu under FSDP"),
    ("sharded_qlora", "can fsdp shard bnb 4-bit weights?"),
    ("sharded_qlora", "what does quant storage mean"),
    ("zero_estimator", "why is the DeepSpeed ZeRO estimator so far off"),
    ("zero_stages", "what is ZeRO stage 2"),
    ("zero_stages", "what's the difference between zero2 and zero3"),
    ("fsdp", "explain FSDP"),
    ("qlora", "what is QLoRA?"),
    ("lora", "what does LoRA mean"),
    ("lora_activations", "why does lora need as much as full fine-tuning at long sequences"),
    ("kbit", "why is qlora above lora in memory"),
    ("kbit", "what is prepare_model_for_kbit_training"),
    ("four_bit", "why is 4 bit more than half a byte per weight"),
    ("four_bit", "what does Q4_K_M mean"),
    ("four_bit", "what is double quant"),
    ("checkpointing", "what does gradient checkpointing do"),
    ("checkpointing", "how does activation checkpointing work"),
    ("logits", "why does cross entropy go oom with a big vocab"),
    ("logits", "what are logits"),
    ("one_allocation", "it dies on one 40 GiB allocation. what is that allocation?"),
    ("gqa", "what's GQA"),
    ("kv_cache", "why does long context eat so much vram"),
    ("kv_cache", "what is the kv cache formula"),
    ("slots", "why does ollama num_parallel multiply memory"),
    ("slots", "is num_ctx per slot?"),
    ("vllm_share", "why does vllm fill my whole card"),
    ("vllm_share", "what is gpu_memory_utilization"),
    ("cuda_graphs", "what are CUDA graphs"),
    ("cuda_graphs", "how come enforce-eager frees memory"),
    ("reserved", "what's reserved vs allocated memory"),
    ("reserved", "what is fragmentation"),
    ("reserved", "explain expandable_segments"),
    ("cuda_context", "what is the cuda context"),
    ("moe", "why must all experts be in memory"),
    ("moe", "is it active or total params that count?"),
    ("unified", "why can't my macbook use all its 32GB"),
    ("unified", "what is unified memory"),
    ("several_cards", "do two 3090 add up to 48 GB?"),
    ("several_cards", "why does the first gpu OOM and the second card idles"),
    ("offload", "why exit code -9 with cpu offload"),
    ("mxfp4", "why does MXFP4 train in bf16"),
    ("evaluation", "training ran fine, then oom during eval"),
    ("evaluation", "why does evaluation need more memory"),
    ("tied", "what are tied embeddings"),
    ("ddp_buckets", "what are DDP buckets"),
    ("galore", "how does GaLore work"),
    ("optimizer_step", "why oom in optimizer.step only"),
    ("optimizer_step", "what does foreach do"),
    ("accumulation", "does gradient accumulation use more memory?"),
    ("accumulation", "what is the effective batch"),
    ("rank", "why is it the same memory with lora r=8 and r=64"),
    ("rank", "does lora alpha change memory?"),
    ("optimizers", "is adafactor smaller than adam"),
    ("optimizers", "does paged adamw reduce vram at all?"),
    ("precision", "does bf16 vs fp16 matter for memory"),
    ("batch", "does batch size affect inference vram"),
    ("speculative", "does speculative decoding need more vram"),
    ("peak", "why does the first step use less memory than the second"),
    ("calculators", "why is the hf memory calculator so far off"),
    ("zero_stages", "does fsdp shard activations?"),
    ("offload", "why does deepspeed offload need so much ram"),
    ("flash_attention", "what is flash attention"),
    ("flash_attention", "why is eager attention so bad at 8k"),
    ("methods", "what's the difference between LoRA and QLoRA"),
    ("by_hand", "how do I estimate VRAM?"),
    ("by_hand", "what is a back of the envelope calculation"),
    ("range", "why a range and not one number?"),
    ("range", "what does tight mean"),
    ("vocabulary", "why does a large vocabulary take so much"),
    ("vocabulary", "does vocab size matter for memory"),
    ("context_length", "what is n_ctx"),
    ("context_length", "does context length matter for VRAM"),
    ("disk", "why is a checkpoint so big on disk"),
    ("measuring", "how do I measure VRAM"),
    ("measuring", "what is a memory snapshot"),
    ("lora", "how does LoRA work"),
    ("lora", "what is a LoRA adapter"),
    ("qlora", "what does load_in_4bit do"),
    ("dora", "what is DoRA"),
    ("dora", "what is rsLoRA"),
    ("master_weights", "why is there an fp32 copy"),
    ("master_weights", "what are master weights"),
    ("fp8_training", "does FP8 training save memory"),
    ("packing", "what is sequence packing"),
    ("packing", "does packing save memory"),
    ("clipping", "does gradient clipping need more memory"),
    ("clipping", "what is optimizer in backward"),
    ("compiling", "does torch.compile reduce memory?"),
    ("compiling", "what does torch.compile change"),
    ("dpo", "why does DPO need a reference model"),
    ("dpo", "what is ORPO"),
    ("grpo", "what is a rollout"),
    ("grpo", "why does PPO need four models"),
    ("fsdp", "what is the difference between FSDP and ZeRO?"),
    ("fsdp", "what does HYBRID_SHARD do"),
    ("tensor_parallel", "what is tensor parallelism"),
    ("tensor_parallel", "what does tp 4 mean"),
    ("pipeline_parallel", "what is pipeline parallelism"),
    ("gqa", "what is the difference between GQA and MHA"),
    ("mla", "what is MLA"),
    ("mla", "how does latent attention work"),
    ("sliding_window", "what is a sliding window"),
    ("sliding_window", "what is SWA?"),
    ("cache_types", "what is a quantized KV cache"),
    ("continuous_batching", "what is continuous batching"),
    ("continuous_batching", "does each user need his own copy of the model?"),
    ("paged_attention", "how does PagedAttention work"),
    ("prefill", "what is prefill"),
    ("prefill", "what's the difference between prefill and decode"),
    ("gguf", "what is a GGUF file"),
    ("gguf", "what does Q5_K_M mean"),
    ("gpu_layers", "what does -ngl do"),
    ("gpu_layers", "what is partial offload"),
]
FOREIGN = [
    ("vllm_share", "warum belegt vLLM 90 % der Karte?"),
    ("vllm_share", "为什么 vllm 占满显存"),
    ("vllm_share", "почему vllm занимает всю память"),
    ("kv_cache", "qu'est-ce que le KV cache ?"),
    ("kv_cache", "¿qué es el KV cache?"),
    ("kv_cache", "KVキャッシュとは"),
    ("reserved", "was ist Fragmentation?"),
    ("qlora", "что такое qlora"),
]
ORDINARY = [
    "train 7B adam lora",
    "train 7B full zero3 offload both 8x3090",
    "infer 8B q4_k_m ctx 8k",
    "infer 8B kv fp8 ctx 32k 4 users vllm",
    "7B lora no checkpointing seq 8192",
    "fit 4090",
    "what can I train on a 4090?",
    "what models can I run on 12GB",
    "what is the largest batch for 7B qlora on a 4090",
    "what is the longest context of 8B q4_k_m on a 3060?",
    "how much vram for 7B qlora?",
    "how much vram does a 70B need in 4 bit",
    "what does a 7B full finetune need",
    "does 13B lora fit on 24GB?",
    "can I train 8B with galore on a 3090",
    "can I run mixtral on 2x 3090",
    "is 24GB enough for 8B fp16?",
    "24GB enough?",
    "which gpu for 70B q4?",
    "compare lora vs qlora 7B",
    "lora or qlora for 13B on 16GB",
    "8B q4_k_m vs q8_0 on a 3090",
    "7B lora adamw vs adamw_8bit",
    "which optimizer for full 7B on an A100 80GB?",
    "do I need 2 gpus for 70B qlora",
    "how many 4090 for 70B fp16",
    "what happens with 7B lora at seq 8192",
    "llama 3.1 8b vllm gpu_memory_utilization 0.8",
    "qwen3-30b-a3b q4 on a 3090",
    "gpt-oss-20b on 16GB",
    "gemma 3 27b 128k ctx",
    "7B full ddp 2x a100",
    "train 7B galore rank 128",
    "deepseek v3 on 8xH200",
    "ollama 8b num_ctx 32768 parallel 4",
    "70B awq 4 users ctx 16k",
    "mac studio 64gb llama 70b q4",
    "does offload help on a 3090?",
    "can a 24GB card hold larger models in bf16?",
    "will qlora save me on 12GB",
    "framework desktop 128 strix halo gpt oss 120b mxfp4 full ctx",
    "tell me about 7B lora on a 3090",
    "does adamw_8bit work on 24GB",
    "what about qlora",
    "what gpu do i need for lora",
    "is lora enough on 24GB",
    "why CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity)",
    "8B fp16 vs bf16",
    "7B galore vs lora",
    "8B full zero3 vs fsdp 8xH100",
    "why not 7B qlora on a 3060?",
    "why is 7B lora so slow on a 3090",
    "what is the price of an H100",
    "which gpu should I buy for $800",
    "7B qlora flash attention liger bs 4",
    "8B lora grad accum 8 bs 1",
    "wieviel VRAM brauche ich für 7B LoRA?",
    "70B 모델 4bit로 돌리려면",
    "combien de VRAM pour 8B en fp16",
]


@pytest.mark.parametrize(("topic", "question"), [*WHY, *FOREIGN])
def test_a_question_that_asks_why_is_explained(topic: str, question: str) -> None:
    found = DESK.ask(question)
    assert isinstance(found, Explained), found.shown
    assert found.topic == topic


@pytest.mark.parametrize("question", ORDINARY)
def test_what_asks_how_much_is_about_no_topic(question: str) -> None:
    assert FINDER.topic_of(question, freely=False) is None
    assert not isinstance(DESK.ask(question), Explained)


@pytest.mark.parametrize("spelling", ["zero3", "ZeRO-3", "zero 3", "Zero_3"])
def test_spellings_are_one(spelling: str) -> None:
    assert words_of(spelling) == " zero 3 "


def test_parts_of_a_phrase_must_all_be_there() -> None:
    phrase = phrase_of("zero 3 & qlora")
    assert phrase.size == 3
    assert phrase.is_in(words_of("QLoRA under ZeRO-3?"))
    assert not phrase.is_in(words_of("ZeRO-3?"))


def test_words_end_where_they_end() -> None:
    assert not phrase_of("lora").is_in(words_of("qlora"))
    assert phrase_of("expert").is_in(words_of("Experts!"))
    assert phrase_of("16 byte").is_in(words_of("16-bytes"))


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("kv_cache", "kv_cache"),
        ("KV cache", "kv_cache"),
        ("The CUDA context", "cuda_context"),
        ("expandable segments", "reserved"),
        ("gqa", "gqa"),
        ("moe", "moe"),
        ("frobnication", None),
        ("", None),
    ],
)
def test_a_topic_has_names(name: str, topic: str | None) -> None:
    assert FINDER.named(name) == topic


def test_each_topic_is_named_by_its_id() -> None:
    topics = load_topics().topics
    assert {key: FINDER.named(key) for key in topics} == {key: key for key in topics}
