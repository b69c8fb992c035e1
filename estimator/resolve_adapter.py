"""What is trained beside a frozen model: the method's own settings, with PEFT's defaults."""

from collections.abc import Mapping, Sequence

from estimator.architecture import Architecture
from estimator.catalog import Catalog
from estimator.errors import BadRequest
from estimator.memory.adapters import targeted
from estimator.mixers import Attention
from estimator.refusals_of_adapters import (
    ON_LINEARS,
    RANKED,
    VIRTUAL,
    refuse_foreign,
    refuse_model,
    unknown_format,
)
from estimator.request import TrainRequest
from estimator.resolve import FLOATING, Ledger, find_dtype
from estimator.resolve_precision import ADAPTERS
from estimator.rows import Dtype
from estimator.setup import Adapter, Numbers, Shape
from estimator.tensors import Role
from estimator.words import Library, Method, Objective

QUERIES_AND_VALUES = "qv"
PROMPTS = (Method.PROMPT, Method.PREFIX, Method.PTUNING)
RANKS: Mapping[Method, int] = {  # PEFT's, where TRL has no default of its own
    Method.VERA: 256,
    Method.ADALORA: 12,
    Method.LOHA: 8,
    Method.LOKR: 8,
    Method.OFT: 0,
}
VIRTUAL_TOKENS: Mapping[Method, tuple[int, str, str]] = {
    Method.PROMPT: (20, "as in PEFT's examples: it has no default", "peft-prompt"),
    Method.PTUNING: (20, "as in PEFT's examples: it has no default", "peft-ptuning"),
    Method.PREFIX: (20, "as in PEFT's examples: it has no default", "peft-prefix"),
    Method.LLAMA_ADAPTER: (10, "as its paper, on every block", "llama-adapter-2023"),
}
INTEGERS = ("int8", "gptq8", "gptq4", "gptq3", "awq4")  # what `weight` or `qweight` holds
EMBEDDINGS = ("embed_tokens", "wte", "embed_in", "word_embeddings", "embeddings")
HEADS = ("lm_head", "embed_out", "output")
SECOND_NORMS = ("qwen",)  # families whose first norm PEFT's LN tuning leaves as it is
QUERIES_SCALED = ("qwen", "gemma")  # families whose queries IA3 scales, not the keys


def resolve_adapter(
    request: TrainRequest,
    method: Method,
    shape: Shape,
    *,
    numbers: Numbers,
    library: Library,
    catalog: Catalog,
    ledger: Ledger,
) -> Adapter | None:
    """The adapter that is asked for; none where the whole model is trained."""
    if method not in ADAPTERS:
        return None
    refuse_foreign(request, method)
    if library in (Library.TRANSFORMERS, Library.UNSLOTH):
        refuse_model(method, shape, numbers.format)
    unknown = unknown_format(method, numbers.format)
    if unknown is not None:
        ledger.warn(unknown)
    architecture = shape.architecture
    rank = _rank(request, method, architecture, ledger)
    targets = _targets(request, method, shape, library, ledger) if method in ON_LINEARS else ()
    second_norms = method is Method.LN_TUNING and shape.family in SECOND_NORMS
    if method is Method.LN_TUNING:
        norms = "each block's second norm" if second_norms else "every norm"
        ledger.note("targets", norms, "PEFT's default for the family", "peft-ln-tuning")
    dtype = _dtype(request, method, numbers, catalog, ledger)
    dropout = request.lora_dropout or 0.0
    if method in RANKED and method not in (Method.LOHA, Method.LOKR, Method.OFT):
        dropout = ledger.take(
            "lora_dropout", request.lora_dropout, 0.0, "PEFT's default", "peft-lora-config"
        )
    adapter = Adapter(
        method=method,
        rank=rank,
        targets=targets,
        dtype=dtype,
        dropout=dropout,
        saved=_saved(request.modules_to_save or (), architecture, request.objective),
        virtual_tokens=ledger.take(
            "virtual_tokens", request.virtual_tokens, *VIRTUAL_TOKENS[method]
        )
        if method in VIRTUAL
        else 0,
        second_norms=second_norms,
        scales=request.variant == "v2",
    )
    _check_rank(request, adapter, architecture, ledger)
    if method is Method.BOFT:
        ledger.warn(
            "BOFT holds a permutation of each target's inputs as a matrix in fp32. The Trainer "
            "moves it to the card; a model loaded by `device_map` leaves it in host memory."
        )
    return adapter


def _rank(request: TrainRequest, method: Method, architecture: Architecture, ledger: Ledger) -> int:
    if method not in RANKED:
        return 0
    if method not in RANKS:
        rank = ledger.take("rank", request.rank, 16, "TRL's default", "trl-model-config")
    elif method is Method.OFT and request.rank is None:
        ledger.note("rank", "blocks of 32", "PEFT's default: oft_block_size", "peft-oft")
        return 0
    else:
        source = f"peft-{method.value}"
        rank = ledger.take("rank", request.rank, RANKS[method], "PEFT's default", source)
    if rank > architecture.hidden:
        raise BadRequest(
            "rank",
            f"{rank:,} is wider than the model itself ({architecture.hidden:,})",
            suggestions=("r=16", "r=64"),
        )
    return rank


def _check_rank(
    request: TrainRequest, adapter: Adapter, architecture: Architecture, ledger: Ledger
) -> None:
    """A rank above a layer's width adds parameters and no freedom; above all, it is a mistake."""
    if request.rank is None or adapter.method is Method.OFT:
        return
    widths = {t.module: min(t.rows, t.columns) for t in targeted(architecture, adapter)}
    narrow = {name: width for name, width in widths.items() if width < adapter.rank}
    if narrow and len(narrow) == len(widths):
        widest = max(narrow, key=lambda name: narrow[name])
        raise BadRequest(
            "rank",
            f"{adapter.rank:,} is above the width of every target; the widest, `{widest}`, has "
            f"{narrow[widest]:,}",
            suggestions=("r=16", "r=64"),
        )
    if narrow:
        said = ", ".join(f"`{name}` ({width:,})" for name, width in narrow.items())
        ledger.warn(f"Rank {adapter.rank:,} is above the width of {said}.")


def _targets(
    request: TrainRequest, method: Method, shape: Shape, library: Library, ledger: Ledger
) -> tuple[str, ...]:
    if method is Method.IA3 and request.targets is None:
        targets, why = _ia3_targets(shape)
        ledger.note("targets", targets, why, "peft-ia3")
        return targets
    wish = ledger.take(
        "targets",
        request.targets,
        "all-linear",
        "every linear but the head, as QLoRA does",
        "peft-all-linear",
    )
    heads = HEADS[:1] if library is Library.LITGPT else ()
    return named_targets(wish, shape.architecture, heads)


def _ia3_targets(shape: Shape) -> tuple[tuple[str, ...], str]:
    """Keys, values and the MLP's last linear, by PEFT's list; a fused projection as it is."""
    _, block = shape.architecture.stack[0]
    last = [t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR][-1:]
    inputs = block.attention.input_modules
    if isinstance(block.attention, Attention) and not block.attention.fused:
        first = inputs[0] if shape.family in QUERIES_SCALED else inputs[1]
        inputs = (first, inputs[2])
    return (*inputs, *last), "PEFT's default for the family, or its like"


def _queries_and_values(architecture: Architecture) -> tuple[str, ...]:
    """The linears of queries and of values, where they are linears of their own."""
    mixers = [block.attention for _, block in architecture.stack]
    apart = [m for m in mixers if isinstance(m, Attention) and not m.fused]
    if len(apart) < len(mixers):
        raise BadRequest(
            "targets",
            "queries and values have no linears of their own in this model; name its modules",
            suggestions=("all-linear", "attention", *architecture.linear_modules),
        )
    return tuple(dict.fromkeys(name for m in apart for name in m.input_modules[::2]))


def named_targets(
    wish: str | Sequence[str], architecture: Architecture, heads: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Module names; `all-linear`, `attention` and `qv` stand for several.

    `heads`: names of a head that may be adapted too.
    """
    known = (*architecture.linear_modules, *heads)
    if wish == QUERIES_AND_VALUES:
        return _queries_and_values(architecture)
    if wish == "all-linear":
        return architecture.linear_modules
    if wish == "attention":
        return tuple(
            dict.fromkeys(name for _, block in architecture.stack for name in block.modules)
        )
    names = (wish,) if isinstance(wish, str) else wish
    for name in names:
        if name in (*EMBEDDINGS, *HEADS) and name not in known:
            raise BadRequest(
                "targets",
                f"there is no estimate here for an adapter on `{name}`; trained whole beside the "
                f"adapters it has one: `modules_to_save {name}`",
                suggestions=("all-linear", "attention", *known),
            )
        if name not in known:
            raise BadRequest(
                "targets",
                f"the model has no module `{name}`; it has {', '.join(known)}",
                suggestions=("all-linear", "attention", *known),
            )
    return tuple(dict.fromkeys(names))


def _dtype(
    request: TrainRequest, method: Method, numbers: Numbers, catalog: Catalog, ledger: Ledger
) -> Dtype:
    """The type of what is trained: cast to fp32, drawn in fp32, or a copy of the model's."""
    if method in PROMPTS:
        return catalog.dtypes.find("fp32")
    if method is Method.LN_TUNING:
        return numbers.other
    if method is Method.LLAMA_ADAPTER:
        return numbers.linear if numbers.linear.id in FLOATING else catalog.dtypes.find("fp32")
    dtype = ledger.take(
        "adapter", request.adapter, "fp32", "PEFT casts adapters to fp32", "peft-autocast-adapter"
    )
    found = find_dtype(dtype, "adapter", catalog)
    drawn = catalog.dtypes.find("fp32")
    if numbers.linear.id in INTEGERS and found.id != drawn.id:
        ledger.warn(
            f"Adapters are counted in fp32: PEFT draws them so, and casts them to the type of the "
            f"weights only where that is a floating one, which `{numbers.linear.id}` is not."
        )
        return drawn
    return found


def _saved(
    names: Sequence[str], architecture: Architecture, objective: Objective | None
) -> tuple[Role, ...]:
    """Embedding and head, by any name that a family has for them."""
    roles = dict.fromkeys(EMBEDDINGS, Role.EMBEDDING) | dict.fromkeys(HEADS, Role.HEAD)
    for name in names:
        if name not in roles:
            raise BadRequest(
                "modules_to_save",
                f"I have an estimate for `embed_tokens` and `lm_head` trained whole, "
                f"not for `{name}`",
                suggestions=("embed_tokens", "lm_head"),
            )
    found = tuple(dict.fromkeys(roles[name] for name in names))
    if Role.HEAD in found and (not architecture.head or objective is Objective.REWARD):
        raise BadRequest(
            "modules_to_save",
            "there is no head over the vocabulary here to be trained whole",
            suggestions=("embed_tokens",),
        )
    return found
