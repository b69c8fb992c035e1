"""The fixed words of requests, written out: the tests hold the code to them."""

TASKS = ("train", "infer")

METHODS = (
    *("full", "lora", "rslora", "dora", "qlora"),
    *("vera", "adalora", "ia3", "loha", "lokr", "oft", "boft", "lora_fa", "prompt", "prefix"),
    *("ptuning", "ln_tuning", "llama_adapter", "freeze", "galore", "apollo", "lomo", "badam"),
    "lisa",
)
ADAPTERS = ("lora", "rslora", "dora", "qlora")  # LoRA's own
OTHERS = (  # PEFT's other methods
    *("vera", "adalora", "ia3", "loha", "lokr", "oft", "boft", "lora_fa", "prompt", "prefix"),
    *("ptuning", "ln_tuning", "llama_adapter"),
)
TRAIN_ALL = ("full", "galore", "apollo", "lomo")  # every weight
TRAIN_BLOCKS = ("badam", "lisa", "freeze")  # some of them

PLAIN_WEIGHTS = ("fp32", "bf16", "fp16")
PACKED_WEIGHTS = (
    *("fp8", "int8", "nf4", "nf4_dq", "fp4", "gptq8", "gptq4", "gptq3", "awq4", "int4", "hqq4"),
    *("mxfp4", "nvfp4"),
)
GGUF_WEIGHTS = ("gguf:Q4_K_M", "gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_M", "gguf:IQ4_XS", "gguf:F16")

OPTIMIZERS = (
    *("adamw", "adamw_foreach", "adamw_fused", "adamw_loop", "adamw_8bit", "paged_adamw_8bit"),
    *("paged_adamw", "adamw_4bit", "adamw_fp8", "sgd", "sgd_momentum", "adafactor", "lion"),
    *("lion_8bit", "muon", "galore_adamw", "apollo", "adam_mini", "sophia", "lamb", "shampoo"),
    *("soap", "schedule_free", "rmsprop", "adagrad", "lomo"),
)

CHECKPOINTING = ("none", "full", "every_2", "selective", "unsloth", "offloaded")
ATTENTION = ("flash", "sdpa", "eager", "flex")
LOSSES = ("stock", "stock_4", "fused_ce", "liger", "chunked", "cce")
OBJECTIVES = ("sft", "dpo", "reward", "ppo", "grpo", "distill", "pretrain")
REFERENCES = ("model", "adapters_off", "none")
STRATEGIES = (
    *("single", "ddp", "fsdp", "fsdp2", "zero1", "zero2", "zero3", "tp", "pp", "device_map"),
    "3d",
)
SHARDING = ("ddp", "fsdp", "fsdp2", "zero1", "zero2", "zero3")
WHOLLY_SHARDED = ("fsdp", "fsdp2", "zero3")
OFFLOAD = ("none", "params", "optimizer", "both", "activations")
MASTERS = ("fp32", "none")
ENGINES = (
    *("transformers", "vllm", "sglang", "tensorrt_llm", "llama.cpp", "ollama", "exllamav2"),
    "mlx",
)
GGUF_ENGINES = ("llama.cpp", "ollama")
KV_TYPES = ("fp32", "bf16", "fp16", "fp8", "int8", "Q8_0", "Q5_1", "Q4_0")

TRAIN_FIELDS = {
    "method": METHODS,
    "weights": (*PLAIN_WEIGHTS, *PACKED_WEIGHTS, "exl2", *GGUF_WEIGHTS),
    "group_size": (32, 64, 128),
    "bpw": (2.4, 4, 8.0),
    "rank": (1, 16, 256),
    "alpha": (16, 0.5),
    "targets": ("all-linear", "attention", ["q_proj", "v_proj"]),
    "adapter": ("fp32", "bf16"),
    "lora_dropout": (0, 0.05),
    "modules_to_save": ([], ["lm_head"]),
    "virtual_tokens": (1, 100),
    "compute": PLAIN_WEIGHTS,
    "autocast": (True, False),
    "grads": PLAIN_WEIGHTS,
    "states": PLAIN_WEIGHTS,
    "master": MASTERS,
    "main_grads": PLAIN_WEIGHTS,
    "embedding_states": ("fp32",),
    "active_blocks": (1, 2),
    "kbit_prepare": (True, False),
    "optimizer": OPTIMIZERS,
    "optimizer_in_backward": (True, False),
    "batch": (1, 512),
    "seq": (1, 2048, 1_000_000),
    "accumulation": (1, 64),
    "packing": (True, False),
    "checkpointing": CHECKPOINTING,
    "attention": ATTENTION,
    "loss": LOSSES,
    "outputs_kept": (True, False),
    "objective": OBJECTIVES,
    "reference": REFERENCES,
    "teacher": ("70B", "mistralai/Mistral-7B-v0.3"),
    "reward_model": ("1B",),
    "value_model": ("meta-llama/Llama-3.1-8B",),
    "prompt": (1, 512),
    "new_tokens": (1, 512, 4096),
    "generations": (2, 8),
    "engine": ENGINES,
    "engine_share": (0.3, 1),
    "engine_asleep": (True, False),
    "world": (1, 8, 4096),
    "strategy": STRATEGIES,
    "tp": (1, 8),
    "pp": (1, 8),
    "cp": (1, 8),
    "ep": (1, 8),
    "dp": (1, 8),
    "offload": OFFLOAD,
    "mp_policy": ({"param": "bf16", "reduce": "fp32"}, {"param": "bf16"}, {}),
    "reshard": (True, False),
    "gpus": ([], [{"id": "h100", "count": 8}], [{"id": "rtx-3090", "count": 1}]),
}
SERVE_FIELDS = {
    "weights": TRAIN_FIELDS["weights"],
    "compute": PLAIN_WEIGHTS,
    "attention": ATTENTION,
    "engine": ENGINES,
    "engine_version": ("0.11.0",),
    "prompt": (1, 8192),
    "new_tokens": (1, 512),
    "context": (1, 131_072),
    "users": (1, 256),
    "kv": KV_TYPES,
    "kv_k": KV_TYPES,
    "kv_v": KV_TYPES,
    "gpu_layers": (0, 20, "all"),
    "cpu_moe_layers": (0, 10),
    "experts_on_cpu": (True, False),
    "ubatch": (256, 2048),
    "slots": (1, 4),
    "swa_full": (True, False),
    "kv_layout": ("mla", "heads"),
    "world": (1, 8),
    "strategy": STRATEGIES,
    "tp": (1, 8),
    "gpus": TRAIN_FIELDS["gpus"],
}
