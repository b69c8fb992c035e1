"""Replies on Discord whose whole text is kept, one file a question in `replies/`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from bot.ask import Desk, Refused, open_desk
from bot.asking import completed
from bot.commands.help import NAME as HELP
from bot.commands.help import help_embed
from bot.commands.learn import NAME as LEARN
from bot.diagnosing import OOM
from bot.explaining.guide import EXPLAIN
from bot.languages import SPOKEN
from bot.locale import ENGLISH
from bot.measuring.measuring import NAME as MEASURED
from bot.measuring.measuring import Recorder, measured
from bot.presenting.presentation import Refusal
from bot.presenting.sheet import Sheet
from bot.presenting.spoken import spoken
from bot.reading.number_lists import COMPARE
from bot.reading.options import COMMAND, Options
from bot.reading.whatfits import FIT
from bot.store.owner import Owner, OwnerKind
from bot.surface.embed import embed_of
from bot.surface.private import refusal_text
from bot.surface.sheet import sheet_embed
from tests.golden.embeds import text_of
from tests.golden.messages import MESSAGES
from tests.golden.walk import current_walk

FOLDER = Path(__file__).parent / "replies"


@dataclass(frozen=True, slots=True)
class Typed:
    """What is typed after `/vram`: the subcommand, the query, and options; in which language."""

    task: str
    query: str
    options: Options = field(default_factory=dict)
    language: str = ENGLISH

    @property
    def option(self) -> str:
        """The name of the option that the query is typed into."""
        return "topic" if self.task == EXPLAIN else "query"


IN_LANGUAGES: Mapping[str, Typed] = {
    "train": Typed("train", "7B full bs 2 on a 3090"),
    "infer": Typed("infer", "llama 3.1 8b vllm ctx 32k 4 users"),
    "compare": Typed("compare", "lora vs qlora 13B"),
    "refused": Typed("train", "70B lora bs"),
}

REPLIES: Mapping[str, Typed] = {
    "train-7b-adam-lora": Typed("train", "7B adam lora"),
    "train-qwen-on-a-3090": Typed("train", "Qwen2.5-7B qlora bs 2 seq 4096 on a 3090"),
    "train-70b-zero3-64xh100": Typed("train", "70B full zero3 64xH100"),
    "train-mixtral-4x24gb": Typed("train", "mixtral qlora fsdp 4x24gb"),
    "train-405b-tp8-pp16": Typed(
        "train",
        "llama 3.1 405B megatron tp8 pp16 dp128 fsdp2 no reshard seq 8192 accum 16 16384xH100 80GB",
    ),
    "train-13-cards": Typed("train", "7B tp 8 13x a100 80gb"),
    "train-8b-dpo-lora": Typed("train", "8B dpo lora"),
    "train-7b-grpo-lora": Typed("train", "7B grpo lora"),
    "train-with-options": Typed(
        "train", "7B lora bs 2", {"batch": 4, "gpus": "24GB", "optimizer": "adamw_8bit"}
    ),
    "train-in-a-sentence": Typed("train", "how much vram do i need for a 7B lora, zorkmids aside?"),
    "train-70b-full": Typed("train", "70B full"),
    "train-70b-qlora": Typed("train", "70B qlora"),
    "train-13b-on-2x4090": Typed("train", "13B full on 2x4090"),
    "infer-405b": Typed("infer", "405B"),
    "infer-deepseek-v3-8xh100": Typed("infer", "deepseek v3 on 8xH100"),
    "infer-8b-q4-k-m": Typed("infer", "8B q4_k_m ctx 8k"),
    "infer-70b-on-2x4090": Typed("infer", "70b q4_k_m 32k 4 users on 2x4090"),
    "infer-70b-on-unequal-cards": Typed("infer", "70b q4_k_m on 2x 3090 and a 3060"),
    "infer-13-cards-tp-8": Typed("infer", "70B vllm tp 8 on 13x h100"),
    "infer-nothing-holds-it": Typed("infer", "405B fp32"),
    "compare-methods": Typed("train", "compare lora qlora full 7B bs 4"),
    "compare-formats-on-a-card": Typed("infer", "AWQ, GPTQ-Int4 or FP8 Qwen2.5-32B 24k 5090"),
    "compare-open-card": Typed("train", "mixtral full adamw_8bit zero3 8xA100"),
    "advice-7b-full-on-a-4090": Typed("train", "7B full 4090"),
    "advice-13b-lora-on-24gb": Typed("train", "13B lora bs 8 24GB"),
    "advice-70b-qlora-on-2x3090": Typed("train", "70B qlora 2x3090"),
    "advice-8b-dpo-on-a-3090": Typed("train", "8B lora dpo bs 4 on a 3090"),
    "advice-70b-on-a-4090": Typed("infer", "70B on a 4090"),
    "advice-8b-128k-on-16gb": Typed("infer", "llama 3.1 8b ctx 128k rtx 4080"),
    "advice-nothing-on-a-t4": Typed("train", "405B full t4"),
    "compare-one-thing": Typed("compare", "7B lora"),
    "compare-batches": Typed("compare", "7B lora bs 1 vs 2 vs 4 on a 4090"),
    "compare-crossed": Typed("compare", "lora vs qlora 7B or 13B", {"gpus": "24GB"}),
    "compare-a-copy": Typed("compare", "Qwen/Qwen2.5-7B-Instruct vs Qwen/Qwen2.5-7B-Instruct-AWQ"),
    "compare-longest-context": Typed("compare", "longest context 8B q4_k_m on 3060 or 4090"),
    "compare-too-many": Typed(
        "compare", "8B Q2_K Q3_K_S Q3_K_M Q4_0 Q4_K_S Q4_K_M Q5_K_M Q6_K Q8_0"
    ),
    "disk-of-a-checkpoint": Typed("train", "7B full checkpoint size, keep last 2, 1B tokens"),
    "disk-of-a-gguf": Typed("infer", "8b q4_k_m how much disk"),
    "in-use-by-a-desktop": Typed("infer", "8B fp16 vllm 3090, my desktop uses 1.2 GB"),
    "in-use-of-a-mac": Typed("infer", "8b q4 m2 max 32gb, chrome uses 14GB"),
    "in-use-beyond-all": Typed("infer", "8b q4 3090, 30GB in use"),
    "wrong-word": Typed("train", "7B lora r=64 frobadam"),
    "wrong-family": Typed("train", "mistrol 7b lora"),
    "wrong-option": Typed("train", "7B", {"gpus": "frob 4099"}),
    "no-model": Typed("infer", "4bit on a 3090"),
    "not-estimated": Typed("train", "70B full dpo tp 8"),
    "nothing-typed": Typed("infer", " "),
    "train-largest-batch": Typed("train", "largest batch for 7B qlora on a 4090"),
    "explain-sharded-qlora": Typed("train", "why did zero3 not shard my qlora base model?"),
    "explain-gib": Typed("infer", "is 24GB on the box GB or GiB?"),
    "explain-kv-cache": Typed("infer", "what is the KV cache?"),
    "explain-lora": Typed(EXPLAIN, "lora"),
    "explain-gqa": Typed(EXPLAIN, "what is GQA?"),
    "explain-in-words": Typed(EXPLAIN, "why is fsdp not half on two cards?"),
    "explain-topics": Typed(EXPLAIN, "topics"),
    "explain-no-topic": Typed(EXPLAIN, "frobnication"),
    "explain-in-a-note": Typed("train", "why does a 4bit 7b qlora take 8gb and not 3.5?"),
    "infer-70b-for-100-users": Typed("infer", "70B fp8 100 users 8k on h100"),
    "infer-longest-context": Typed("infer", "longest context 8B q4_k_m on a 4090"),
    "infer-no-gpu-alone": Typed("infer", "70B on a 3090 with 64 GB ram"),
    "which-version": Typed("train", "llama lora"),
    "which-3080": Typed("train", "8B lora on a 3080"),
    "other-task": Typed("infer", "7B lora"),
    "makes-images": Typed("train", "stable diffusion lora"),
    "help": Typed(HELP, ""),
    "learn": Typed(LEARN, ""),
    "fit-a-4090": Typed("fit", "4090"),
    "fit-2x3090-train": Typed("fit", "2x 3090", {"task": "train"}),
    "fit-8b-on-a-3060": Typed("fit", "llama 3.1 8b on a 3060"),
    "fit-optimizers": Typed("train", "which optimizer for full 7B on an A100 80GB?"),
    "fit-nothing": Typed("fit", "405B h100"),
    "fit-no-card": Typed("fit", "train"),
    **{f"oom-{name}": Typed("oom", text, said) for name, (text, said) in MESSAGES.items()},
    **{
        f"in-{code}-{name}": replace(typed, language=code)
        for code in SPOKEN
        for name, typed in IN_LANGUAGES.items()
        if code != ENGLISH
    },
    "measured-how": Typed(MEASURED, "7B adam lora bs 4, rtx-4090"),
    "measured-how-vllm": Typed(MEASURED, "8B vllm, rtx-4090"),
    "measured-peaks": Typed(
        MEASURED,
        "7B adam lora",
        {"peak": "allocated 15.21 GiB, reserved 15.90 GiB, device 16.71 GiB"},
    ),
    "measured-above": Typed(MEASURED, "8B q4_k_m ctx 8k, rtx-3090", {"peak": "9.1 GB"}),
    "measured-beyond": Typed(MEASURED, "7B adam lora, rtx-4090", {"peak": "40 GiB"}),
    "fit-either-card": Typed("infer", "what can I run on 12GB or 16GB with vllm"),
}


def reply_path(name: str) -> Path:
    """The file of one reply."""
    return FOLDER / f"{name}.txt"


def current_reply(name: str) -> str:
    """What is typed, and all that is read."""
    typed = REPLIES[name]
    if typed.task == HELP:
        page = help_embed(_desk(), "0")
        return f"> /vram {HELP}\n\n(for the asker alone)\n{text_of(page)}\n{page.footer.text}\n"
    if typed.task == LEARN:
        return f"> /vram {LEARN}\n\n(for the asker alone)\n{current_walk(_desk())}"
    if typed.task == MEASURED:
        return _measured(typed)
    own = {COMMAND if typed.task in (FIT, OOM, EXPLAIN) else "task": typed.task}
    own = {COMPARE: COMPARE} if typed.task == COMPARE else own
    desk = _desk().speaking(typed.language)
    found = completed(desk, desk.ask(typed.query, {**own, **typed.options}))
    options = "".join(f" {key}:{value}" for key, value in typed.options.items())
    head = f"> /vram {typed.task} {typed.query}{options}\n\n"
    if isinstance(found, Refused):
        return f"{head}(for the asker alone)\n{refusal_text(spoken(found.refusal, desk.locale))}\n"
    return head + text_of(embed_of(spoken(found.shown, desk.locale)))


def _measured(typed: Typed) -> str:
    """Where nothing is kept."""
    peak, recorder = typed.options.get("peak"), Recorder(Owner(OwnerKind.USER, 1), 1)
    given = None if peak is None else str(peak)
    said = asyncio.run(measured(_desk(), typed.query, given, "", recorder))
    options = "" if given is None else f" peak:{given}"
    head = f"> /vram {MEASURED} {typed.query}{options}\n\n"
    if isinstance(said, Sheet):
        return head + text_of(sheet_embed(said))
    assert isinstance(said, Refusal)
    return f"{head}(for the asker alone)\n{refusal_text(said)}\n"


def kept_replies() -> set[str]:
    """The questions that have a file."""
    return {path.stem for path in FOLDER.glob("*.txt")}


@cache
def _desk() -> Desk:
    return open_desk()
