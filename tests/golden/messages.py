"""Out-of-memory messages whose whole explanation is kept, with what was said of the run."""

from collections.abc import Mapping

from bot.reading.options import Options

PYTORCH = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {tried}. GPU 0 has a total "
    "capacity of {total} of which {free} is free. {others}Including non-PyTorch memory, this "
    "process has {own} memory in use. Of the allocated memory {allocated} is allocated by PyTorch, "
    "and {idle} is reserved by PyTorch but unallocated. If reserved but unallocated memory is "
    "large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
)
FULL = PYTORCH.format(
    tried="2.32 GiB", total="23.69 GiB", free="1.18 GiB", others="", own="22.50 GiB",
    allocated="21.60 GiB", idle="481.20 MiB",
)  # fmt: skip
SHARED = PYTORCH.format(
    tried="1.16 GiB", total="23.64 GiB", free="402.31 MiB", others="Process 8121 has 9.71 GiB "
    "memory in use. ", own="13.53 GiB", allocated="12.80 GiB", idle="230.12 MiB",
)  # fmt: skip
PIECES = PYTORCH.format(
    tried="3.00 GiB", total="79.33 GiB", free="1.51 GiB", others="", own="77.80 GiB",
    allocated="61.22 GiB", idle="16.02 GiB",
)  # fmt: skip
QUADRATIC = PYTORCH.format(
    tried="256.00 GiB", total="79.33 GiB", free="40.12 GiB", others="", own="39.20 GiB",
    allocated="38.10 GiB", idle="612.00 MiB",
)  # fmt: skip
WINDOW = (
    "ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB "
    "KV cache is needed, which is larger than the available KV cache memory (5.20 GiB). Based on "
    "the available memory, the estimated maximum model length is 42592. Try increasing "
    "`gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine."
)
START = (
    "ValueError: Free memory on device (6.71/23.64 GiB) on startup is less than desired GPU memory "
    "utilization (0.9, 21.28 GiB). Decrease GPU memory utilization or reduce GPU memory used by "
    "other processes."
)
WEIGHTS = (
    "load_tensors: loading model tensors, this can take a while... (mmap = true)\n"
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 18508.35 MiB on device 0: cudaMalloc "
    "failed: out of memory\nalloc_tensor_range: failed to allocate CUDA0 buffer of size "
    "19407411200\nllama_model_load: error loading model: unable to allocate CUDA0 buffer"
)
MAC = (
    "RuntimeError: MPS backend out of memory (MPS allocated: 15.90 GB, other allocations: 1.40 GB, "
    "max allowed: 18.13 GB). Tried to allocate 1.00 GB on private pool. Use "
    "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause "
    "system failure)."
)
LOGITS = (
    'Traceback (most recent call last):\n  File "/srv/train.py", line 88, in <module>\n    '
    'trainer.train()\n  File "/srv/modeling.py", line 1190, in forward\n    logits = '
    "logits.float()\ntorch.AcceleratorError: CUDA error: out of memory"
)
KILLED = (
    "torch.distributed.elastic: exitcode: -9 (pid: 4242) Signal 9 (SIGKILL) received by PID 4242"
)

# Name of the case → the message, and options beside it.
MESSAGES: Mapping[str, tuple[str, Options]] = {
    "full": (FULL, {}),
    "full-with-settings": (FULL, {"settings": "Qwen2.5-7B lora bs 2 seq 2048 no checkpointing"}),
    "others": (SHARED, {}),
    "others-around": (f"llama 3.1 8b qlora bs 2 seq 2048 on a 4090, why? {SHARED}", {}),
    "fragmented": (PIECES, {}),
    "fits-by-the-estimate": (FULL, {"settings": "7B qlora"}),
    "larger-than-the-card": (QUADRATIC, {"settings": "8B lora seq 65536 eager a100 80gb"}),
    "settings-not-understood": (FULL, {"settings": "7B frobnicate"}),
    "vllm-window": (WINDOW, {"settings": "llama 3.1 8b"}),
    "vllm-start": (START, {}),
    "llama-cpp-weights": (WEIGHTS, {"settings": "qwen2.5 32b q4_k_m on a 4060 ti 16gb"}),
    "mac": (MAC, {}),
    "logits": (LOGITS, {}),
    "killed": (KILLED, {}),
    "no-message": ("my run stops after a while", {}),
}
