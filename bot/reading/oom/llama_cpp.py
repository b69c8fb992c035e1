"""llama.cpp and what is built on it: which of weights, cache and graph did not fit."""

from dataclasses import replace

from bot.reading.oom.figures import bytes_of, phrase
from bot.reading.oom.message import OomKind, OomMessage
from bot.reading.oom.wording import Wording, first_of, read_wording
from estimator import MIB

# Where an allocation failed, with its size.
FAILED = (
    phrase(r"allocating {size} on device {n}: \w{2,9}alloc\w{0,5} failed"),
    phrase(r"failed to allocate [A-Za-z_]{2,20}\d{0,2} buffer of size {n}"),
    phrase(r"Device memory allocation of size {n} failed"),
    phrase(r"can'?t m?alloc(?:ate)? {n} Bytes? (?:of )?memory on"),
    phrase(r"failed to allocate (?:'[^']{1,30}' )?buffer, size = {size}"),
    phrase(r"failed to allocate buffer of size {n}"),
)
SIZE_OF = phrase(r"{size}|(?:size|alloc(?:ate)?) (\d{1,20})")
DEVICE = (r"on device {n}:", r"\b(?:CUDA|ROCm|Vulkan|SYCL|MUSA|CANN|HIP)(\d{1,2})\b")
BACKEND = (
    r"allocate ([A-Za-z]{2,12}?)_?(?:Split|Host|Mapped)?\d{0,2} buffer of",
    r"\bggml_(vulkan|metal|sycl|cann|musa|opencl|hip)\b",
    r"ggml_backend_(metal|sycl|vulkan|cann|cpu)_",
    r"\b(cuda|hip|musa)Malloc",
)
# What was to be allocated, in the words that follow a failure; the first to come counts.
FOLLOWS = {
    OomKind.LLAMA_CPP_COMPUTE: phrase(
        r"gallocr|graph_reserve|failed to allocate compute|compute buffer allocation failed"
        r"|failed to reserve (?:worst-case )?(?:compute )?(?:graph|buffers)"
    ),
    OomKind.LLAMA_CPP_KV: phrase(
        r"for (?:the )?(?:kv|rs|self-attention) cache|kv_cache_init\(?\)? failed"
        r"|llama_kv_cache\w{0,20}: failed"
        r"|failed to (?:create|allocate) (?:the )?kv cache"
    ),
    OomKind.LLAMA_CPP_WEIGHTS: phrase(
        r"unable to allocate (?:backend|[A-Za-z_]{2,20}\d{0,2}) buffer|error loading model"
        r"|failed to load model|unable to load model|llama_model_load"
    ),
}
# Where nothing follows: what was already there says how far it had come.
CAME = (
    (OomKind.LLAMA_CPP_COMPUTE, phrase(r"KV buffer size|KV self size|kv_cache\w{0,20}: size =")),
    (OomKind.LLAMA_CPP_KV, phrase(r"model buffer size|KV cache|kv_size|kv_cache_init")),
)
UNSIZED = (
    (OomKind.LLAMA_CPP_COMPUTE, phrase(r"failed to allocate compute (?:pp |tg )?buffers")),
    (
        OomKind.LLAMA_CPP_KV,
        phrase(r"failed to allocate buffer for kv cache|llama_kv_cache_init\(\) failed"),
    ),
    (
        OomKind.LLAMA_CPP_WEIGHTS,
        phrase(
            r"unable to allocate (?:backend|[A-Za-z_]{2,20}\d{0,2}) buffer"
            r"|memory layout cannot be allocated|insufficient memory - required allocations"
        ),
    ),
)
LAYERS = phrase(r"allocated with num_gpu = {n}")
PINNED = Wording(
    OomKind.LLAMA_CPP_PINNED,
    ("failed to allocate {size} of pinned memory", "failed to allocate pinned memory"),
    figures={"tried": "failed to allocate {size} of pinned memory"},
    words={"backend": BACKEND},
    before=True,
)
TOO_LARGE = Wording(
    OomKind.BLOCK_SIZE,
    (
        r"Requested buffer size(?: \(\d{1,20}\))? exceeds device",
        "exceeds device (?:memory allocation|buffer size|max_buffer_size) limit",
    ),
    figures={"tried": (r"Requested buffer size \({n}\)", r"buffer of size {n}")},
    before=True,
)
POOL = Wording(
    OomKind.LLAMA_CPP_COMPUTE,
    ("not enough space in the (?:context's memory pool|buffer)",),
    figures={"needed": r"\(needed {n}", "available": "available {n}"},
)
FIT = Wording(
    OomKind.LLAMA_CPP_FIT,
    (
        "cannot (?:meet|fulfill) (?:the )?(?:free memory target|margin)",
        "failed to fit params to free (?:device )?memory",
        r"\d deficit\b",
        r"params_fit[\s\S]{0,60}?need to (?:reduce|use)",
    ),
    figures={
        "needed": "projected to use {size} of (?:device|host|total)? ?memory",
        "free": r"vs\. {size} of (?:total )?free",
        "total": r"vs\. a total of {size}",
        "deficit": (
            "need to reduce (?:device |host )?memory by {size}",
            "need to use {size} less",
            "deficit (?:of|:)? {size}",
        ),
        "desired": (
            r"(?:target|margin)s? of {size}",
            r"free memory target ?[=:] ?{size}",
        ),
    },
    before=True,
)
CARD = phrase(r"- [A-Za-z]{2,10}\d{0,2} \([^)\n]{0,60}\) ?: {n} total, {n} used, {n} (\w{4,8})")


def read_llama_cpp(text: str) -> OomMessage | None:
    """What llama.cpp could not allocate, or found would not fit."""
    return (
        read_wording(TOO_LARGE, text)
        or _failed(text)
        or read_wording(PINNED, text)
        or read_wording(POOL, text)
        or _unsized(text)
        or _unfit(text)
    )


def _failed(text: str) -> OomMessage | None:
    found = [match for one in FAILED if (match := one.search(text))]
    if not found:
        return None
    first = min(found, key=lambda match: match.start())
    size = SIZE_OF.search(first[0])
    tried = size and bytes_of(size[1] or size[2])
    at = first.start()
    start = text.rfind("\n", 0, at) + 1  # who says it stands before it
    backend = first_of(BACKEND, text[start:])
    name = backend[1].casefold() if backend else ""
    kind = OomKind.HOST_RAM if name == "cpu" else _what(text, start, at)
    device = first_of(DEVICE, text[first.start() :])
    return OomMessage(
        kind,
        {} if tried is None else {"tried": tried},
        {} if device is None else {"device": int(device[1])},
        {"backend": name} if name else {},
        incomplete=tried is None,
    )


def _what(text: str, start: int, at: int) -> OomKind:
    """What the allocation was for that failed at `at`, in the line from `start`."""
    follows = {
        kind: found.start() for kind, one in FOLLOWS.items() if (found := one.search(text, start))
    }
    if follows:
        return min(follows, key=follows.__getitem__)
    came = (kind for kind, one in CAME if one.search(text, 0, at))
    return next(came, OomKind.LLAMA_CPP_WEIGHTS)


def _unsized(text: str) -> OomMessage | None:
    kinds = (kind for kind, one in UNSIZED if one.search(text))
    kind = next(kinds, None)
    if kind is None:
        return None
    layers = LAYERS.search(text)
    counts = {} if layers is None else {"layers_offload": int(layers[1])}
    return OomMessage(kind, counts=counts, incomplete=True)


def _unfit(text: str) -> OomMessage | None:
    """A plan that does not fit, with the cards that it lists in MiB without the unit."""
    message = read_wording(FIT, text)
    if message is None:
        return None
    cards = [match for match in CARD.finditer(text) if match[4] in ("deficit", "free", "surplus")]
    figures = dict(message.figures)
    short = [int(match[3]) for match in cards if match[4] == "deficit"]
    if short and "deficit" not in figures:
        figures["deficit"] = short[0] * MIB
    if cards:
        figures.setdefault("total", int(cards[0][1]) * MIB)
    counts = {**message.counts, "devices": len({match[0] for match in cards})} if cards else {}
    return replace(message, figures=figures, counts=counts, incomplete=not figures)
