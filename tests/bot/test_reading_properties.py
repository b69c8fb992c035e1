"""Properties of reading: order and separators change nothing, and nothing ever breaks it.

A grammar of real questions, whose fields are known; the same lines damaged; and plain noise.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import Desk, Explained, Refused, Replied, Tabled, Weighed
from bot.locale import load_locale
from bot.reading.clean import MOST_CHARACTERS
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from bot.reading.reading import Reading
from estimator import load_catalog
from tests.examples import examples

READER = Reader(load_locale(), load_catalog())
DESK = Desk(load_locale(), load_catalog())

ORDERED, DAMAGED, NOISE, ASKED = map(examples, (3000, 4000, 2500, 600))

Fields = dict[str, Any]
Said = tuple[str, Fields]  # words, and the fields they say

MODELS: tuple[Said, ...] = (
    ("7B", {"model": "7B"}),
    ("7 billion", {"model": "7B"}),
    ("0.5b", {"model": "0.5B"}),
    ("350M", {"model": "350M"}),
    ("8x7b", {"model": "8x7B"}),
    ("70B params", {"model": "70B"}),
    ("llama-3.1-8b", {"model": "meta-llama/Llama-3.1-8B"}),
    ("Llama 3.1 8B Instruct", {"model": "meta-llama/Llama-3.1-8B"}),
    ("Qwen/Qwen2.5-7B", {"model": "Qwen/Qwen2.5-7B"}),
    ("qwen2.5:7b", {"model": "Qwen/Qwen2.5-7B"}),
    ("mixtral 8x7b", {"model": "mistralai/Mixtral-8x7B-v0.1"}),
    ("gpt2-xl", {"model": "openai-community/gpt2-xl"}),
    ("TinyLlama 1.1B", {"model": "TinyLlama/TinyLlama-1.1B-Chat-v1.0"}),
)
METHODS: tuple[Said, ...] = (
    ("full", {"method": "full"}),
    ("full fine-tune", {"task": "train", "method": "full"}),
    ("lora", {"method": "lora"}),
    ("LoRA", {"method": "lora"}),
    ("qlora", {"method": "qlora"}),
    ("dora", {"method": "dora"}),
    ("rsLoRA", {"method": "rslora"}),
    ("ia3", {"method": "ia3"}),
    ("prefix tuning", {"method": "prefix"}),
    ("badam", {"method": "badam"}),
)
OPTIMIZERS: tuple[Said, ...] = (
    ("adam", {"optimizer": "adamw"}),
    ("AdamW", {"optimizer": "adamw"}),
    ("8-bit adam", {"optimizer": "adamw_8bit"}),
    ("adamw_8bit", {"optimizer": "adamw_8bit"}),
    ("adam8bit", {"optimizer": "adamw_8bit"}),
    ("paged adamw 8bit", {"optimizer": "paged_adamw_8bit"}),
    ("paged_adamw_32bit", {"optimizer": "paged_adamw"}),
    ("sgd", {"optimizer": "sgd"}),
    ("sgd with momentum 0.9", {"optimizer": "sgd_momentum"}),
    ("adafactor", {"optimizer": "adafactor"}),
    ("lion", {"optimizer": "lion"}),
    ("lion 8bit", {"optimizer": "lion_8bit"}),
    ("muon", {"optimizer": "muon"}),
    ("adam-mini", {"optimizer": "adam_mini"}),
    ("schedule-free", {"optimizer": "schedule_free"}),
    ("galore_adamw", {"optimizer": "galore_adamw"}),
    ("adamw_torch_fused", {"optimizer": "adamw_fused"}),
)
CARDS: tuple[Said, ...] = (
    ("2x3090", {"gpus": [{"id": "rtx-3090", "count": 2}]}),
    ("2 x RTX 3090", {"gpus": [{"id": "rtx-3090", "count": 2}]}),
    ("3090 x2", {"gpus": [{"id": "rtx-3090", "count": 2}]}),
    ("two 3090s", {"gpus": [{"id": "rtx-3090", "count": 2}]}),
    ("4xA100 80g", {"gpus": [{"id": "a100-sxm4-80gb", "count": 4}]}),
    ("80GB", {"gpus": [{"id": "class-80gb", "count": 1}]}),
    ("24 gb", {"gpus": [{"id": "class-24gb", "count": 1}]}),
    ("4090", {"gpus": [{"id": "rtx-4090", "count": 1}]}),
    ("8 gpus", {"world": 8}),
)
CHOICES: tuple[tuple[Said, ...], ...] = (
    (("grad ckpt", {"checkpointing": "full"}), ("no checkpointing", {"checkpointing": "none"})),
    (("flash", {"attention": "flash"}), ("eager", {"attention": "eager"})),
    (("liger", {"loss": "liger"}), ("fused ce", {"loss": "fused_ce"})),
    (("zero3", {"strategy": "zero3"}), ("fsdp", {"strategy": "fsdp"})),
    (("sft", {"objective": "sft"}), ("dpo", {"objective": "dpo"})),
    (("offload optimizer", {"offload": "optimizer"}), ("no offload", {"offload": "none"})),
    (("packing", {"packing": True}), ("no packing", {"packing": False})),
)
FILE_FORMATS: tuple[Said, ...] = (
    ("q4_k_m", {"weights": "gguf:Q4_K_M"}),
    ("Q8_0", {"weights": "gguf:Q8_0"}),
    ("iq3 xxs", {"weights": "gguf:IQ3_XXS"}),
    ("awq", {"weights": "awq4"}),
    ("gptq-int4", {"weights": "gptq4"}),
    ("fp8", {"weights": "fp8"}),
    ("bf16", {"weights": "bf16"}),
    ("nvfp4", {"weights": "nvfp4"}),
)
SERVING: tuple[tuple[Said, ...], ...] = (
    (("vllm", {"engine": "vllm"}), ("TensorRT-LLM", {"engine": "tensorrt_llm"})),
    (("kv=q8", {"kv": "Q8_0"}), ("kv cache: fp8", {"kv": "fp8"}), ("kv=bf16", {"kv": "bf16"})),
)


def keyed(name: str, *keys: str, least: int = 1, most: int = 64) -> st.SearchStrategy[Said]:
    """A whole number with its key, in any spelling: `bs 4`, `bs=4`, `BS: 4`, `4 bs`."""
    shapes = ("{key} {n}", "{key}={n}", "{key}: {n}", "{n} {key}")
    return st.builds(
        lambda key, shape, n: (shape.format(key=key, n=n), {name: n}),
        st.sampled_from(keys),
        st.sampled_from(shapes),
        st.integers(least, most),
    )


def thousands(name: str, *keys: str) -> st.SearchStrategy[Said]:
    """A length in k: `ctx 8k`, `8k ctx`."""
    return st.builds(
        lambda key, shape, n: (shape.format(key=key, n=n), {name: n * 1024}),
        st.sampled_from(keys),
        st.sampled_from(("{key} {n}k", "{key}={n}K", "{n}k {key}")),
        st.sampled_from((1, 2, 4, 8, 16, 32, 128)),
    )


TRAIN_NUMBERS = (
    keyed("rank", "r", "rank", "lora_r"),
    keyed("batch", "bs", "batch size", "micro_batch_size"),
    st.one_of(keyed("seq", "seq", "max_seq_length", most=8192), thousands("seq", "seq", "ctx")),
    keyed("accumulation", "ga", "grad accum", "gradient_accumulation_steps"),
)
SERVE_NUMBERS = (
    keyed("users", "users", "concurrent users"),
    st.one_of(
        keyed("context", "ctx", "num_ctx", most=8192), thousands("context", "ctx", "context")
    ),
)


def some(choices: tuple[tuple[Said, ...], ...]) -> list[st.SearchStrategy[list[Said]]]:
    return [st.lists(st.sampled_from(choice), max_size=1) for choice in choices]


def joined(parts: list[st.SearchStrategy[list[Said]]]) -> st.SearchStrategy[list[Said]]:
    return st.tuples(*parts).map(lambda lists: [said for part in lists for said in part])


def one(*choice: Said) -> st.SearchStrategy[list[Said]]:
    return st.sampled_from(choice).map(lambda said: [said])


def maybe(strategy: st.SearchStrategy[Said]) -> st.SearchStrategy[list[Said]]:
    return st.lists(strategy, max_size=1)


TRAINING = joined(
    [
        one(("train", {"task": "train"}), ("finetune", {"task": "train"})),
        one(*MODELS),
        one(*METHODS),
        maybe(st.sampled_from(OPTIMIZERS)),
        maybe(st.sampled_from(CARDS)),
        *some(CHOICES),
        *(maybe(numbers) for numbers in TRAIN_NUMBERS),
    ]
)
SERVED = joined(
    [
        one(("infer", {"task": "infer"}), ("serve", {"task": "infer"})),
        one(*MODELS),
        one(*FILE_FORMATS),
        maybe(st.sampled_from(CARDS)),
        *some(SERVING),
        *(maybe(numbers) for numbers in SERVE_NUMBERS),
    ]
)
QUESTIONS = st.one_of(TRAINING, SERVED).flatmap(st.permutations)
SEPARATORS = st.sampled_from((" ", "  ", ", ", ",\n", " | ", "; ", " / ", "\t", " - ", " · "))
CASES = st.sampled_from((str, str.lower, str.upper, str.swapcase))
STARTS = st.sampled_from(("", "/vram ", "vram ", "**", "`", "(", "> ", "\u200b", "<@123456789> "))


@settings(max_examples=ORDERED, deadline=None, derandomize=True)
@given(QUESTIONS, SEPARATORS, CASES, STARTS)
def test_any_order_case_and_separators_give_the_same_fields(
    question: list[Said], separator: str, case: Callable[[str], str], start: str
) -> None:
    expected: Fields = {}
    for _, fields in question:
        expected |= fields
    line = start + case(separator.join(words for words, _ in question))
    assert dict(READER.read(line).fields) == expected


def damage(line: str, places: list[tuple[int, str, str]]) -> str:
    """`line` with characters dropped, doubled, swapped or inserted."""
    for place, what, extra in places:
        at = place % (len(line) + 1)
        match what:
            case "drop":
                line = line[:at] + line[at + 1 :]
            case "double":
                line = line[:at] + line[at : at + 1] * 2 + line[at + 1 :]
            case "swap":
                line = line[:at] + line[at : at + 2][::-1] + line[at + 2 :]
            case _:
                line = line[:at] + extra + line[at:]
    return line


EXTRAS = (
    *"\u200b\u200d\u2060\ufeff\u202e\u200f\u0000\u001b\u00ad\u0301",
    *"٣७３²½×−–—_*`~|<>@#:;,.()[]{}\\/'\"$%^&+=",
    *("<@1>", "@everyone", "**", "```", "||", "[a](b)", "-1", "0B", "1e309", "nan", "13B"),
    *("https://x.invalid/a", "0x10", " no ", "999999999999999999", "-", "1,000", "a/b-1"),
)
DAMAGE = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.sampled_from(("drop", "double", "swap", "insert", "insert")),
        st.sampled_from(EXTRAS),
    ),
    min_size=1,
    max_size=6,
)
DAMAGED_LINES = st.builds(
    lambda question, separator, places: damage(
        separator.join(words for words, _ in question), places
    ),
    QUESTIONS,
    st.one_of(SEPARATORS, st.sampled_from(("", "-", "_", "/", "+"))),
    DAMAGE,
)
WORDS = st.sampled_from(sorted(READER.words))
NOISE_LINES = st.one_of(
    st.text(max_size=300),
    st.lists(st.one_of(WORDS, st.sampled_from(EXTRAS), st.text(max_size=6)), max_size=40).map(
        " ".join
    ),
    st.lists(st.one_of(WORDS, st.integers(-5, 10**6).map(str)), max_size=40).map(" ".join),
    st.lists(st.sampled_from(("7B", "x", "4", "gb", "-", "llama", "3", "k")), max_size=60).map(
        "".join
    ),
)


def assert_answered(line: str) -> None:
    """A reading, or an error that says something and offers lines that can be read."""
    outcome = read(line)
    if isinstance(outcome, NotUnderstoodError):
        assert outcome.message or outcome.choices  # sides of a comparison say it all
        assert outcome.lines
        offered = map(read, outcome.lines)  # a comparison is answered by its sides
        assert all(isinstance(one, Reading) or one.choices for one in offered)
    else:
        assert READER.read(outcome.line).request == outcome.request


def read(line: str) -> Reading | NotUnderstoodError:
    """What reading `line` gives; any other exception is a failure."""
    try:
        return READER.read(line)
    except NotUnderstoodError as error:
        return error


@settings(max_examples=DAMAGED, deadline=None, derandomize=True)
@given(DAMAGED_LINES)
def test_a_damaged_line_is_read_or_refused_with_lines_that_can_be_read(line: str) -> None:
    assert_answered(line)


@settings(max_examples=NOISE, deadline=None, derandomize=True)
@given(NOISE_LINES)
def test_noise_is_read_or_refused_with_lines_that_can_be_read(line: str) -> None:
    assert_answered(line[:MOST_CHARACTERS])


@settings(max_examples=ASKED, deadline=None, derandomize=True)
@given(st.one_of(DAMAGED_LINES, NOISE_LINES))
def test_every_line_that_a_refusal_offers_is_answered(line: str) -> None:
    replied = DESK.ask(line)
    if isinstance(replied, Refused):
        assert replied.refusal.wrong
        assert replied.refusal.lines
        answers = [DESK.ask(offered) for offered in replied.refusal.lines]
        assert all(isinstance(one, Replied | Weighed | Tabled) for one in answers)
    elif isinstance(replied, Weighed | Explained):
        assert all(isinstance(DESK.ask(offered), Replied) for offered in replied.shown.lines)
    elif isinstance(replied, Tabled):
        answers = [DESK.ask(offered) for offered in replied.overview.lines]
        assert all(isinstance(one, Replied | Tabled) for one in answers)
    elif isinstance(replied, Replied):
        assert isinstance(DESK.ask(replied.presentation.line), Replied)
