"""Lines of an answer → the parts that a picture tells apart."""

from collections.abc import Iterable, Sequence

from bot.compiled import compiled
from bot.locale import Locale
from bot.pictures.picture import Bar, Label, Part, Piece
from estimator import Line, show_gib_number

LEAST_NAMED = 0.004  # of the longest bar: less is no pixel wide, and gets no label

# Another model beside the first has parts of its own: a reference, a draft, a teacher.
BESIDE = compiled(r"^(?:reference|draft|teacher|reward|value|serving)_")

# How the keys of a part's lines begin; the first that fits is meant.
BEGIN: tuple[tuple[Part, tuple[str, ...]], ...] = (
    (Part.OTHER, ("cublas", "optimizer_temporaries", "weights_rounding")),
    (Part.CACHE, ("kv_", "cache", "recurrent_state", "unpacked_cache")),
    (Part.OPTIMIZER, ("optimizer", "master_weights")),
    (Part.GRADIENTS, ("ddp_buckets", "reduce_", "reduced_", "flat_gradient")),
    (Part.LOGITS, ("head_", "generation_scores", "fused_")),
    (
        Part.WEIGHTS,
        (
            *("weights", "adapters", "adapter_buffers", "saved_modules", "tower", "served_loras"),
            *("untied_head", "gathered_units", "engine_weights", "joined_projections"),
        ),
    ),
    (
        Part.ACTIVATIONS,
        (
            *("activations", "checkpoints", "recomputed_block", "hidden_states", "stage_"),
            *("pass_activations", "profiled_step", "compute_buffer", "attention_scores"),
            *("plain_attention", "causal_mask", "autocast_copies", "embedded_tokens"),
            *("encoded_images", "earlier_inputs", "adapter_matrices", "gathered_keys"),
            *("offloading_stash", "inputs_on", "fp8_copies"),
        ),
    ),
)
END = (
    (Part.GRADIENTS, ("gradients", "gradient", "gradients_so_far")),
    (Part.LOGITS, ("logits",)),
    (Part.ACTIVATIONS, ("temporaries",)),
)


def part_of(key: str) -> Part:
    """The part that a line's `key` belongs to; what is none of the great ones is other."""
    own = BESIDE.sub("", key)
    began = next((part for part, words in BEGIN if own.startswith(words)), None)
    return began or next((part for part, words in END if own.endswith(words)), Part.OTHER)


def pieces_of(lines: Iterable[Line]) -> tuple[Piece, ...]:
    """The lines' bytes by part, in the order in which parts are always drawn."""
    held = dict.fromkeys(Part, 0)
    for line in lines:
        held[part_of(line.key)] += line.bytes
    return tuple(Piece(part, size) for part, size in held.items() if size)


def labels_of(bars: Sequence[Bar], locale: Locale) -> tuple[Label, ...]:
    """What each colour means that is wide enough to be seen; sizes where one bar is in pieces."""
    least = LEAST_NAMED * max((bar.bytes for bar in bars), default=0)
    seen = {p.part for bar in bars for p in bar.pieces if p.bytes >= least}
    pieced = [bar for bar in bars if bar.pieces]
    chosen = next((bar for bar in pieced if bar.strong), None)
    sizes = {piece.part: piece.bytes for piece in chosen.pieces} if chosen else {}
    names = locale.pictures.parts
    return tuple(
        Label(part, " ".join([names[part], *_size(sizes.get(part))]))
        for part in Part
        if part in seen
    )


def _size(size_bytes: int | None) -> list[str]:
    return [] if size_bytes is None else [show_gib_number(size_bytes)]
