"""What people, programs and vandals may type: questions, their parts, markup, noise."""

import json
from pathlib import Path

from hypothesis import strategies as st

from bot.reading.clean import MOST_CHARACTERS
from bot.reading.read import Reader

QUERIES = Path(__file__).parents[1] / "accuracy" / "queries.jsonl"
MOST_PARTS = 40

NUMBERS = (
    *("0", "-1", "1e309", "0x10", "1,000", "1.5", "7", "8k", "2^15", "1,5B", "²", "½", "1/2", "5%"),
    *("9" * 15, "9" * 400, "1" + "0" * 30, "0." + "0" * 50 + "1", "1_000", "131 072", "nan", "inf"),
    *("٣", "७", "３", "𝟕", "Ⅷ", "七", "-0", "+4", "1..2", "1-2", "1–2", "8x7b", "30B-A3B", "1 ^ 2"),
)
MARKUP = (
    *("**", "`", "```", "```yaml\n", "||", "~~", "> ", "# ", "- ", "[a](b)", "[a](http://b.c)"),
    *("<@1>", "<@!12>", "<@&3>", "<#4>", "<:a:5>", "<t:1:R>", "</vram train:6>", "@everyone"),
    *("@here", "@\u200beveryone", "＠everyone", "<\u200b@1>", "\\`", "｀", "ˋ", "<@", "@every"),
)
STEERING = (
    *("\u202e", "\u202d", "\u2066", "\u2069", "\u200f", "\u200b", "\u2060", "\ufeff", "\u00ad"),
    *(
        "\x00",
        "\x07",
        "\x08",
        "\x1b[31m",
        "\x7f",
        "\x85",
        "\r",
        "\n",
        "\t",
        "\v",
        "\u2028",
        "\ud800",
    ),
    *("\u0301" * 9, "\u115f", "\ufe0f", "\U000e0101", "\U000e0041", "\ue000", "\u0489", "ﷺ"),
)
FORMATS = (
    *("{}", "{0}", "{name}", "{word!r}", "{0.__class__}", "%s", "%(a)s", "%n", "%x", "${PATH}"),
    *("$(id)", "`id`", "{{7*7}}", "'; --", "\\u0000", "\\x1b", "&lt;", "<script>", "../..", "C:\\"),
)
FLAGS = (
    *("--model", "-m x.gguf", "-ngl 99", "--tensor-parallel-size 4", "-ts 3,1", "-ot exps=CPU"),
    *("--max-model-len=8k", "--kv-cache-dtype fp8", "vllm serve", "llama-server", "docker run"),
    *("vllm/vllm-openai:v0.6", "CUDA_VISIBLE_DEVICES=0,1", "--speculative-config '{", "--x-y z"),
    *("load_in_4bit: true", "lora_r: 16", "lora_alpha=32", "bf16: auto", '"model": "7B"', "--"),
)
NAMES = (
    *("owner/name", "a/b-1", "x/Llama-3.1-8B-GPTQ-Int4", "unsloth/llama-3-8b-bnb-4bit", "x/y.gguf"),
    *("https://huggingface.co/Qwen/Qwen2.5-7B", "hf.co/a/b:Q4_K_M", "ollama.com/library/qwen3:8b"),
    *("https://x.invalid/?q=7B", "p4d.24xlarge", "colab t4", "llama", "deepseak", "qwen2.5-vl-7b"),
    *("x/y-awq" + "1" * 60 + "z", "Qwen2.5-7B-Instruct-abliterated", "M4 Max", "rtx", "r1"),
)
JOINTS = ("vs", "or", "and", "compare", "both", "no", "not", "without", "with", "of", "x", "=", ":")
SEPARATORS = (" ", " ", " ", "", ", ", "\n", "\n\n", "; ", " / ", "|", "-", "_", "\t", "\u3000")


def questions() -> tuple[str, ...]:
    """What people asked, as they typed it."""
    return tuple(row["text"] for row in _rows(QUERIES))


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]


def messages() -> st.SearchStrategy[str]:
    """Out-of-memory messages as programs print them; parts of them; numbers put in."""
    files = ("oom.jsonl", "own_oom.jsonl", "further_oom.jsonl")
    rows = [row for name in files for row in _rows(QUERIES.with_name(name))]
    printed, places = st.sampled_from([row["text"] for row in rows]), st.integers(0, 400)
    cut = st.builds(lambda text, a, b: text[a : a + b], printed, places, places)
    odd = st.sampled_from((*NUMBERS, *MARKUP, *STEERING, "GiB", " MiB", "[", "]", "tried to "))
    changed = st.builds(damaged, printed, st.lists(st.tuples(st.integers(0), odd), max_size=6))
    again = st.builds(lambda part, times: part * times, st.one_of(odd, cut), st.integers(1, 300))
    parts = st.lists(st.one_of(printed, cut, changed, odd, again), max_size=6)
    return st.builds(lambda joint, some: joint.join(some), st.sampled_from(SEPARATORS), parts)


def texts(reader: Reader) -> st.SearchStrategy[str]:
    """Texts of up to `MOST_CHARACTERS` and a few more, of all kinds at once."""
    asked = st.sampled_from(questions())
    words = st.sampled_from(sorted(reader.words))
    anything = st.text(max_size=12)
    short = st.text("abkmxg0123456789.,:/-_ ()", max_size=10)
    odd = st.sampled_from((*NUMBERS, *MARKUP, *STEERING, *FORMATS))
    known = st.sampled_from((*FLAGS, *NAMES, *JOINTS))
    cut = st.builds(
        lambda text, a, b: text[a % 50 : 50 + b], asked, st.integers(0), st.integers(0, 200)
    )
    atoms = st.one_of(words, known, odd, short, anything, cut)
    separators = st.sampled_from(SEPARATORS)
    lists = st.lists(st.tuples(atoms, separators), max_size=MOST_PARTS)
    mixed = lists.map(lambda parts: "".join(part for pair in parts for part in pair))
    pairs = st.builds(
        lambda one, joint, two: one + joint + two, asked, st.one_of(separators, odd), asked
    )
    changed = st.builds(damaged, asked, st.lists(st.tuples(st.integers(0), atoms), max_size=6))
    again = st.builds(lambda part, times: part * times, atoms, st.integers(1, 200))
    found = st.one_of(asked, mixed, mixed, pairs, changed, again, st.text(max_size=300))
    return found.map(lambda text: text[: MOST_CHARACTERS + 1])


def damaged(text: str, places: list[tuple[int, str]]) -> str:
    """`text` with something put in, here and there, in the place of a character."""
    for place, extra in places:
        at = place % (len(text) + 1)
        text = text[:at] + extra + text[at + 1 :]
    return text
