"""Bits that are said in plain words: `5 bit`, `8bit gguf`, `2.5 bits exl2`.

`4bit` and `8bit` have usual meanings; other widths are of GGUF, EXL2 or GPTQ, and which
of them is asked back.
"""

from collections.abc import Sequence

from bot.compiled import compiled
from bot.reading.facts import Fact, Said

BITS = {"4bit": "int4", "8bit": "int8"}
GGUF = "gguf:Q4_K_M"  # the usual file, where `gguf` alone is said
OF_GGUF = {  # a plain word beside `gguf`
    "fp32": "gguf:F32",
    "bf16": "gguf:BF16",
    "fp16": "gguf:F16",
    "8bit": "gguf:Q8_0",
    "4bit": GGUF,
    "int8": "gguf:Q8_0",
    "int4": GGUF,
    "mxfp4": "gguf:MXFP4_MOE",
}
USUAL_GGUF = {2: "Q2_K", 3: "Q3_K_M", 4: "Q4_K_M", 5: "Q5_K_M", 6: "Q6_K", 8: "Q8_0"}
FEWEST_EXL2, MOST_EXL2 = 2, 8  # bits a weight
ANY_BITS = ("exl2", "exl3")  # formats of as many as one likes
OF_MLX = (2, 3, 4, 5, 6, 8)
OF_BNB = {"4bit": "nf4", "8bit": "int8"}  # bitsandbytes' own
BNB = "bitsandbytes"
CACHES_OF_BITS = {  # a cache's type from bits alone: `q8`, `8bit`
    "gguf:Q4_K_M": "Q4_0",
    "gguf:Q5_K_M": "Q5_1",
    "gguf:Q6_K": "Q6_0",
    "gguf:Q8_0": "Q8_0",
    "4bit": "Q4_0",
    "8bit": "Q8_0",
}

_EXACT = compiled(
    r"\d[\s_\-]*(?:k(?!v|ey| cache)|[01](?!\d))"
)  # `q8_0`, `q4_k`: a type, not just its bits
_VARIANT = compiled(r"(?<=_K)_(?:S|M|L|XL)$")
_BITS = compiled(r"(\d+(?:\.\d+)?)bit")


def bits_of(fact: Fact) -> float | None:
    """5 of `5bit`; none for a word that is no width."""
    found = _BITS.fullmatch(str(fact.value))
    return None if found is None else float(found[1])


def widths(said: Said) -> list[Fact]:
    """All that was said of bits."""
    return [fact for fact in said.all_of("precision") if bits_of(fact) is not None]


def odd_widths(said: Said) -> list[Fact]:
    """Bits that name no format by themselves: `5bit`, but not `4bit`."""
    return [fact for fact in widths(said) if fact.value not in BITS]


def of_mlx(said: Said) -> list[Fact]:
    """`4 bit mlx`: MLX's own format of so many bits; none if it has none such."""
    return [
        Fact("weights", f"mlx{bits:g}", fact.text)
        for fact in widths(said)
        if (bits := bits_of(fact)) in OF_MLX
    ]


def names_for(bits: float, *, gguf: bool) -> Sequence[str]:
    """What to type for so many bits: EXL2 of just that, the nearest GGUF types."""
    near = sorted(USUAL_GGUF, key=lambda known: (abs(known - bits), known))
    files = [USUAL_GGUF[n] for n in near if abs(n - bits) < 1] or [USUAL_GGUF[near[0]]]
    exact = FEWEST_EXL2 <= bits <= MOST_EXL2 and not gguf
    return [*([f"exl2 bpw {bits:g}"] if exact else []), *files[:2]]


def says_bnb(said: Said) -> bool:
    """`bnb 4bit`, `load_in_4bit`: packed by bitsandbytes."""
    texts = [fact.text.casefold() for fact in said.all_of("precision")]
    named = any(fact.value == BNB for fact in said.all_of("precision"))
    return named or any("bnb" in text or text.startswith("load") for text in texts)


def packs_8bit(said: Said) -> bool:
    """`bnb 8bit`, of serving: the weights; in training an optimizer's states, named or not."""
    kinds = said.all_of("optimizer_kind")
    return any("bnb" in one.text.casefold() for one in kinds) and not said.all_of("optimizer")


def cache_type(kind: str, facts: Sequence[Fact]) -> str:
    """The element type that `kv q8` or `kv q8_0` means; `kv q4_k` stays what it says."""
    text = next((fact.text.casefold() for fact in facts if fact.value == kind), "")
    if kind in CACHES_OF_BITS and not _EXACT.search(text):
        return CACHES_OF_BITS[kind]
    return _VARIANT.sub("", kind.removeprefix("gguf:"))
