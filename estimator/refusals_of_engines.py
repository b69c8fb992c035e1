"""What an engine does not run: formats, cards, models.

All is understood; where the engine was named, Contradiction says what goes instead.
"""

from collections.abc import Sequence

from estimator.architecture import Architecture
from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.engine_rows import Engine, EngineKind
from estimator.engine_versions import release
from estimator.errors import Contradiction
from estimator.gpu_rows import Gpu
from estimator.held_as import Capability, held_as
from estimator.resolve import Ledger
from estimator.rows import Format

LOCAL = ("llama.cpp", "ollama")
FILES = (  # GGUF types that people choose among
    *("gguf:Q2_K", "gguf:Q3_K_M", "gguf:Q4_K_M", "gguf:Q5_K_M", "gguf:Q6_K", "gguf:Q8_0"),
    "gguf:F16",
)
CHECKPOINTS = (  # formats of Safetensors that people choose among
    *("bf16", "fp16", "fp8", "int8", "mlx8", "mlx6", "awq4", "gptq4", "int4", "nf4", "hqq4"),
    *("mlx4", "mlx3", "mlx2"),
)
STATES = {
    "mamba": "states of Mamba",
    "mamba2": "states of Mamba",
    "rwkv": "RWKV's states",
    "latent": "latent attention (MLA)",
}


def refuse_format(
    number_format: Format, engine: Engine, version: str | None, catalog: Catalog, ledger: Ledger
) -> None:
    """Raise Contradiction for weights that the engine does not run, in that version of it."""
    name = number_format.id
    if not engine.runs_format(name):
        others = [row.id for row in catalog.engines.rows if row.runs_format(name)]
        others.sort(key=lambda other: other != number_format.engine)
        near = nearest(number_format, engine, catalog)
        file, said = name.startswith("gguf:"), listed(others)
        who = f"{said} does" if len(others) == 1 else f"{said} do"
        raise Contradiction(
            ("engine", "weights"),
            f"`{name}` is counted on llama.cpp and Ollama, not on {engine.id}."
            if file
            else f"{engine.id} does not run `{name}`: {who}.",
            suggestions=(*others, near) if file else (near, *others),
        )
    dropped = engine.dropped(name)
    if dropped is None:
        return
    if version is None:
        ledger.warn(
            f"{engine.id} {dropped} and later do not run `{name}`: the last version before "
            f"{dropped} is counted."
        )
    elif release(version) >= release(dropped):
        raise Contradiction(
            ("engine_version", "weights"),
            f"{engine.id} {version} does not run `{name}`, which went in {dropped}.",
            suggestions=(nearest(number_format, engine, catalog),),
        )


def nearest(
    number_format: Format,
    engine: Engine,
    catalog: Catalog,
    capability: Capability | None = None,
) -> str:
    """The format of about as many bits a weight that the engine runs, on such a card."""
    names = FILES if engine.kind is EngineKind.GGML else CHECKPOINTS
    runs = [name for name in names if engine.runs_format(name) and not engine.dropped(name)]
    found = [catalog.formats.find(name) for name in runs]
    rows = [row for row in found if held_as(row, engine, capability).needs is None]
    wanted = _bits(number_format, catalog)
    return min(rows, key=lambda row: abs(_bits(row, catalog) - wanted)).id.removeprefix("gguf:")


def _bits(number_format: Format, catalog: Catalog) -> float:
    """Bits a weight, of what is packed."""
    dtypes = [catalog.dtypes.find(n) for n in (number_format.linear, number_format.expert)]
    return min(8 * one.bytes_per_block / one.elements_per_block for one in dtypes)


def refuse_model(architecture: Architecture, engine: Engine) -> None:
    """Raise Contradiction for encoders, and for states that the engine has no code for."""
    usual = ("transformers",)
    if engine.decoders and not all(block.caches for _, block in architecture.stack):
        raise Contradiction(
            ("engine", "model"),
            f"{engine.id} runs decoders; this model has an encoder.",
            suggestions=usual,
        )
    kinds = {mixer.kind for _, block in architecture.stack for mixer in block.mixers}
    own = {"none"} if kinds & set(engine.mixers) else set()
    unknown = sorted(kinds - {*engine.mixers, *own})
    if engine.mixers and unknown:
        what = STATES.get(unknown[0], f"layers of the kind `{unknown[0]}`")
        raise Contradiction(
            ("engine", "model"),
            f"{engine.id} has no code for {what}, which this model has.",
            suggestions=usual,
        )


def refuse_cards(engine: Engine, cards: Sequence[Cards], ledger: Ledger) -> None:
    """Raise Contradiction for cards of a vendor whose chips the engine does not run on."""
    for entry in cards:
        gpu = entry.card
        if not isinstance(gpu, Gpu) or not engine.vendors:
            continue
        if gpu.vendor not in engine.vendors:
            local = ("mlx", "llama.cpp") if gpu.vendor == "apple" else ("vllm", "llama.cpp")
            raise Contradiction(
                ("engine", "gpus"), f"{engine.id} does not run on {gpu.name}.", suggestions=local
            )
        if gpu.vendor != engine.vendors[0] and engine.vendors[0] == "apple":
            ledger.warn(
                f"{engine.id} is made for Apple's chips: on {gpu.name} it needs its CUDA "
                "backend, whose buffers are counted as Apple's."
            )


def listed(names: Sequence[str]) -> str:
    """`a`, `b` and `c`."""
    shown = [f"`{name}`" for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and `{names[-1]}`"
