"""What can be changed of a model that serves, from free of cost to fewer users."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from estimator.catalog import Catalog
from estimator.changes import Change, Update, among, counted, halved, once
from estimator.errors import EstimatorError
from estimator.inverse import Rung, ladder
from estimator.local import Local
from estimator.mlps import ExpertsMlp
from estimator.request import ServeRequest
from estimator.resolve_experts import MXFP4_FILE
from estimator.rows import Dtype
from estimator.setup import ServeSetup
from estimator.units import KIB
from estimator.words import AttentionKernel

STEP = 256  # tokens that a context is shortened by, which any engine's pages divide
SHORTEST = KIB  # tokens of context; with fewer, no conversation goes in
SMALLEST_STEP = 512  # tokens of a server's step
SMALLEST_PASS = 64  # tokens of llama.cpp's
LEAST_ON_CARD = 4  # at least a quarter of the blocks; with fewer, the card hardly helps
USUAL_FILE = "gguf:Q4_K_M"
FEWEST_BITS = 4  # of a cache; with fewer, answers suffer


def changes_of_serving(
    request: ServeRequest, setup: ServeSetup, catalog: Catalog
) -> Iterator[Change]:
    """All that may be tried; whether it goes together the estimator says."""
    if request.prefill_logits == "all":
        yield once("last_logits", "logits", prefill_logits=None)
    if setup.attention is AttentionKernel.EAGER:
        yield once("flash", "attention", attention=AttentionKernel.FLASH)
    yield from _of_server(setup)
    if setup.local is not None:
        yield from _of_local(request, setup, setup.local)
    yield from _of_formats(request, setup, catalog)
    yield from _of_room(request, setup)


def _of_server(setup: ServeSetup) -> Iterator[Change]:
    paging = setup.paging
    if paging is None:
        return
    counts = halved(paging.sequences, setup.users + 1)
    if paging.sequences > setup.users:
        updates = [{"max_num_seqs": count} for count in (*counts, setup.users)]
        yield among("fewer_sequences", "sequences", updates)
    steps = halved(paging.step_tokens, SMALLEST_STEP)
    if steps:
        sizes = [{"max_batched_tokens": tokens} for tokens in steps]
        yield among("smaller_steps", "step", sizes)
    if paging.graphs:
        yield once("without_graphs", "graphs", enforce_eager=True)


def _of_local(request: ServeRequest, setup: ServeSetup, local: Local) -> Iterator[Change]:
    if request.swa_full:
        yield once("windows", "windows", swa_full=None)
    passes = halved(local.ubatch, SMALLEST_PASS)
    if passes:
        yield among("smaller_pass", "pass", [{"ubatch": size} for size in passes])
    depth = setup.shape.architecture.depth
    if _routed(setup) and local.experts_on_host < depth:
        beside: Update = {"experts_on_cpu": None} if request.experts_on_cpu is not None else {}
        blocks = range(local.experts_on_host + 1, depth + 1)
        yield counted("experts_on_host", "experts", "cpu_moe_layers", blocks, **beside)
    layers = range(local.layers + local.head - 1, _fewest(depth) - 1, -1)
    yield counted("layers_on_host", "layers", "gpu_layers", layers)


def _packed_and_split(
    request: ServeRequest, setup: ServeSetup, rungs: Sequence[Rung]
) -> Iterator[Change]:
    """What llama.cpp would do, where no engine was named: its usual file, a part on the host."""
    if request.engine is not None or setup.local is not None:
        return
    name = next((one for one, _ in rungs if one in (MXFP4_FILE, USUAL_FILE)), None)
    if name is None:
        return
    depth = setup.shape.architecture.depth
    told = _told(request) | {"weights": name, "bpw": None}
    if _routed(setup):
        key, blocks = "packed_experts_on_host", range(1, depth + 1)
        yield replace(counted(key, "weights", "cpu_moe_layers", blocks, **told), parts=2)
    key, layers = "packed_layers_on_host", range(depth, _fewest(depth) - 1, -1)
    yield replace(counted(key, "weights", "gpu_layers", layers, **told), parts=2)


def _routed(setup: ServeSetup) -> bool:
    stack = setup.shape.architecture.stack
    return any(isinstance(block.mlp, ExpertsMlp) for _, block in stack)


def _fewest(depth: int) -> int:
    return -(-depth // LEAST_ON_CARD)


def _told(request: ServeRequest) -> dict[str, Any]:
    """What was said of the weights' bytes, which another format has not."""
    names = ("weight_bytes", "group_size")
    return {name: None for name in names if getattr(request, name) is not None}


def _of_formats(request: ServeRequest, setup: ServeSetup, catalog: Catalog) -> Iterator[Change]:
    apart: Update = {name: None for name in ("kv_k", "kv_v") if getattr(request, name) is not None}
    caches = [{**apart, "kv": name} for name in _smaller_caches(setup, catalog)]
    if caches:
        yield among("cache_format", "cache", caches)
    try:
        rungs = ladder(request, catalog)
    except EstimatorError:
        return
    told = _told(request)
    updates = [{**told, "weights": name, "bpw": bits} for name, bits in rungs]
    yield among("weights_format", "weights", updates)
    yield from _packed_and_split(request, setup, rungs)


def _smaller_caches(setup: ServeSetup, catalog: Catalog) -> list[str]:
    """Types that the engine keeps a cache in, with fewer bits than now; the most bits first."""
    now = max(map(_bits, (setup.kv_k, setup.kv_v)))
    types = [catalog.dtypes.find(name) for name in setup.engine.caches]
    smaller = [one for one in types if FEWEST_BITS <= _bits(one) < now]
    return [one.id for one in sorted(smaller, key=lambda one: -_bits(one))]


def _bits(dtype: Dtype) -> float:
    return 8 * dtype.bytes_per_block / dtype.elements_per_block


def _of_room(request: ServeRequest, setup: ServeSetup) -> Iterator[Change]:
    """No shorter than the prompt, the new tokens and the shared prefix that are named."""
    if setup.users > 1:
        slots: Update = {"slots": None} if request.slots is not None else {}
        yield counted("fewer_users", "users", "users", range(setup.users - 1, 0, -1), **slots)
    named = max((request.prompt or 0) + (request.new_tokens or 0), request.shared_prefix or 0)
    least = max(SHORTEST, -(-named // STEP) * STEP)
    longest = (setup.context - 1) // STEP * STEP
    length: Update = {"max_model_len": None} if request.max_model_len is not None else {}
    lengths = range(longest, least - 1, -STEP)
    yield counted("shorter_context", "context", "context", lengths, **length)
