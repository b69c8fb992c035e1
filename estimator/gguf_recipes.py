"""Which type each tensor of a GGUF recipe gets, by llama.cpp's rules (llama-quant.cpp).

`Q4_K_M` is a recipe, not a type: its base is Q4_K, and which tensors are held wider depends
on the tensor, on its layer, and on the model. What a recipe does with the embedding and the
head stands in its row of `formats.toml`; everything else is here.

Fused query-key-value projections follow the rule that held until 2026, by which the published
files of such models were made; it gives half a bit more or less than today's. Left out:
tensors that a maker chose by hand.
"""

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple


class Part(StrEnum):
    """What the rules tell apart in a block."""

    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    FUSED = "fused"  # query, key and value in one
    OUTPUT = "attention_output"
    GATE = "gate"
    UP = "up"
    DOWN = "down"
    OTHER = "other"


class Recipe(NamedTuple):
    """A recipe by its name; the type that it gives unless a rule says otherwise.

    `imatrix`: the file is made with an importance matrix, which changes a few rules.
    """

    name: str
    base: str
    imatrix: bool = False


class Facts(NamedTuple):
    """What the rules ask of a model: query heads a value head, experts, and two names.

    `seventy`: llama.cpp calls it a 70B (80 layers, of the Llama or Qwen2 kind).
    """

    shared: int
    experts: int
    seventy: bool
    falcon: bool


FEWEST = frozenset({"IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M"})
WIDER_OF_FEWEST = {"IQ2_S": "IQ3_S", "IQ2_M": "IQ3_S"}  # the others get Q2_K
BY_IMATRIX = frozenset({"Q4_0", "Q5_0", "IQ4_NL", "IQ4_XS"})  # recipes that it changes

# Of a row that a type's block does not divide: another type, of blocks of 32.
FALLBACKS = {
    **dict.fromkeys(("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S"), "IQ4_NL"),
    **dict.fromkeys(("IQ3_XXS", "IQ3_S", "IQ4_XS"), "IQ4_NL"),
    **dict.fromkeys(("Q2_0", "Q2_K", "Q3_K", "TQ1_0", "TQ2_0"), "Q4_0"),
    "Q4_K": "Q5_0",
    "Q5_K": "Q5_1",
    "Q6_K": "Q8_0",
}
LAST_RESORT = "fp16"  # where 32 does not divide a row either

GROUPED_VALUES = {  # four or more query heads a value head
    **dict.fromkeys(("Q2_K", "Q2_K_S", "IQ3_XXS", "IQ3_XS", "IQ3_S"), "Q4_K"),
    **dict.fromkeys(("IQ4_NL", "IQ4_XS"), "Q5_K"),
}
VALUES = {"Q2_K": "Q3_K", "IQ3_M": "Q4_K", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K"}
FIRST_VALUES = {"Q3_K_M": (2, "Q5_K"), "Q4_K_S": (4, "Q5_K")}  # of so many layers
FUSED = {
    **dict.fromkeys(("Q3_K_M", "Q3_K_L", "IQ3_M"), "Q4_K"),
    "Q4_K_M": "Q5_K",
    "Q5_K_M": "Q6_K",
}
QUERIES = {"IQ3_XS": "IQ3_XXS", "IQ3_XXS": "IQ2_S"}
OUTPUTS = {"Q2_K": "Q3_K", "IQ3_XXS": "IQ3_S", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K", "IQ3_M": "Q4_K"}
OUTPUTS_OF_FEWEST = {"IQ1_S": "IQ2_XXS", "IQ1_M": "IQ2_XXS", "IQ2_S": "IQ3_S", "IQ2_M": "IQ3_S"}
OUTPUTS_OF_EIGHT = frozenset(  # recipes that give it Q5_K beside eight experts
    {"Q2_K", "Q3_K_S", "Q3_K_M", "Q4_K_S", "Q4_K_M"}
    | {"IQ3_XXS", "IQ3_XS", "IQ3_S", "IQ3_M", "IQ4_NL", "IQ4_XS"}
)
DOWNS = {"Q2_K": "Q3_K", "Q3_K_L": "Q5_K"}
FIRST_DOWNS = {"Q2_K_S": "Q4_K", "IQ3_M": "Q4_K", "Q4_K_S": "Q5_K"}  # of the first eighth
FIRST_DOWNS_PLAIN = {"IQ4_NL": "Q5_K", "IQ4_XS": "Q5_K"}  # the same, without a matrix
FIRST_DOWNS_BY_IMATRIX = {"Q4_0": "Q4_1", "Q5_0": "Q5_1"}  # and with one
FALCON_DOWNS = {  # of the first sixteenth, of layers that get more bits, of the rest
    "Q3_K_M": ("Q5_K", "Q4_K", "Q3_K"),
    "Q3_K_L": ("Q4_K", "Q4_K", "Q4_K"),
    "Q4_K_S": ("Q4_K", "Q4_K", "Q4_K"),
    "Q4_K_M": ("Q6_K", "Q5_K", "Q4_K"),
}
MIXED = {"Q4_K_M": "Q6_K", "Q5_K_M": "Q6_K"}  # in the layers that get more bits
MANY_SHARED = 4
SMALL_BLOCK = 32
EIGHT_EXPERTS = 8  # Mixtral's number, for which there are rules of its own


@lru_cache(maxsize=4096)
def types_of(
    recipe: Recipe, part: Part, layers: tuple[int, ...], of: int, facts: Facts
) -> tuple[tuple[str, int], ...]:
    """How many of `layers` (counted from 0, `of` in all) hold `part` in which type."""
    counts: dict[str, int] = {}
    for layer in layers:
        name = type_of(recipe, part, layer, of, facts)
        counts[name] = counts.get(name, 0) + 1
    return tuple(counts.items())


def type_of(recipe: Recipe, part: Part, layer: int, of: int, facts: Facts) -> str:
    """The type of `part` in `layer`, before its shape is looked at."""
    if recipe.name in FEWEST:
        return _of_fewest(recipe, part, facts, first=_is_first(layer, of, 8))
    match part:
        case Part.VALUE:
            return _value(recipe, layer, of, facts)
        case Part.FUSED:
            return FUSED.get(recipe.name, recipe.base)
        case Part.KEY if facts.experts == EIGHT_EXPERTS:
            return "Q8_0"
        case Part.QUERY | Part.KEY:
            return QUERIES.get(recipe.name, recipe.base)
        case Part.OUTPUT:
            return _output(recipe, facts)
        case Part.DOWN:
            return _down(recipe, layer, of, facts)
        case Part.GATE | Part.UP if recipe.name == "IQ3_XS" and of // 8 <= layer < 7 * of // 8:
            return "IQ3_XXS"
        case _:
            return recipe.base


def fitting(name: str, columns: int, block: int) -> str:
    """`name`, or what stands in for it where its `block` does not divide a row."""
    if columns % block == 0:
        return name
    other = FALLBACKS.get(name, LAST_RESORT)
    return LAST_RESORT if columns % SMALL_BLOCK else other


def gets_more_bits(layer: int, of: int) -> bool:
    """The first and the last eighth of the layers, and of those between the third of three."""
    between = layer - of // 8
    return between < 0 or layer >= 7 * of // 8 or (between + 1) % 3 == 0


def _is_first(layer: int, of: int, part: int) -> bool:
    """Whether it is in the first eighth, or sixteenth, of the layers."""
    return layer < of // part


def _of_fewest(recipe: Recipe, part: Part, facts: Facts, *, first: bool) -> str:
    """Recipes of one and two bits; `first`: in the first eighth."""
    wider = WIDER_OF_FEWEST.get(recipe.name, "Q2_K")
    many = facts.shared >= MANY_SHARED or facts.experts >= MANY_SHARED
    match part:
        case Part.VALUE:
            return "Q4_K" if many else wider
        case Part.KEY if facts.experts == EIGHT_EXPERTS:
            return "Q4_K"
        case Part.DOWN if first:
            return wider
        case Part.OUTPUT if facts.experts == EIGHT_EXPERTS:
            return "Q5_K"
        case Part.OUTPUT:
            return OUTPUTS_OF_FEWEST.get(recipe.name, recipe.base)
        case _:
            return recipe.base


def _value(recipe: Recipe, layer: int, of: int, facts: Facts) -> str:
    if facts.experts == EIGHT_EXPERTS:
        return "Q8_0"
    found = VALUES.get(recipe.name, recipe.base)
    if facts.shared >= MANY_SHARED:
        found = GROUPED_VALUES.get(recipe.name, found)
    first, wide = FIRST_VALUES.get(recipe.name, (0, recipe.base))
    if layer < first:
        found = wide
    elif recipe.name in MIXED and gets_more_bits(layer, of):
        found = MIXED[recipe.name]
    return "Q5_K" if facts.seventy and found in ("Q3_K", "Q4_K") else found


def _output(recipe: Recipe, facts: Facts) -> str:
    if facts.falcon:
        return "Q4_K" if recipe.name == "Q3_K_L" else recipe.base
    if facts.experts == EIGHT_EXPERTS:
        return "Q5_K" if recipe.name in OUTPUTS_OF_EIGHT else recipe.base
    return OUTPUTS.get(recipe.name, recipe.base)


def _down(recipe: Recipe, layer: int, of: int, facts: Facts) -> str:
    more = gets_more_bits(layer, of)
    if facts.falcon and recipe.name in FALCON_DOWNS:
        very_first, between, plain = FALCON_DOWNS[recipe.name]
        return very_first if _is_first(layer, of, 16) else between if more else plain
    if recipe.name == "Q3_K_M":
        return "Q5_K" if _is_first(layer, of, 16) else "Q4_K"
    if recipe.name in MIXED:
        return MIXED[recipe.name] if more else recipe.base
    if recipe.name == "IQ3_M" and facts.experts == EIGHT_EXPERTS and more:
        return "Q4_K"
    first = FIRST_DOWNS | (FIRST_DOWNS_BY_IMATRIX if recipe.imatrix else FIRST_DOWNS_PLAIN)
    if _is_first(layer, of, 8) and recipe.name in first:
        return first[recipe.name]
    return DOWNS.get(recipe.name, recipe.base)
