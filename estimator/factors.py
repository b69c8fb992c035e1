"""Shapes of PEFT's factors that are more than two matrices of one rank."""

from collections.abc import Iterator

from estimator.architecture import Architecture
from estimator.tensors import Role, Tensor
from estimator.words import Method

OFT_BLOCK = 32  # PEFT's default size of a rotation's block
BOFT_BLOCK = 4  # likewise
WITHOUT_PROMPT = 2  # LitGPT's prompts begin at the third block


def nearly_square(number: int) -> tuple[int, int]:
    """The two factors of `number` that are closest to each other, the smaller first."""
    small = next(m for m in range(int(number**0.5), 0, -1) if number % m == 0)
    return small, number // small


def kronecker_tensors(linear: Tensor, rank: int) -> Iterator[Tensor]:
    """LoKr: a small matrix ⊗ a larger one, which is two of `rank` where that is smaller."""
    (out_small, out_large), (in_small, in_large) = map(nearly_square, (linear.rows, linear.columns))
    name, copies = linear.module, linear.copies
    yield Tensor(f"{name}.lokr_w1", Role.LINEAR, out_small, in_small, copies)
    if 2 * rank < max(out_large, in_large):
        yield Tensor(f"{name}.lokr_w2_a", Role.LINEAR, out_large, rank, copies)
        yield Tensor(f"{name}.lokr_w2_b", Role.LINEAR, rank, in_large, copies)
    else:
        yield Tensor(f"{name}.lokr_w2", Role.LINEAR, out_large, in_large, copies)


def oft_blocks(inputs: int, blocks: int) -> tuple[int, int]:
    """(how many blocks, their size): PEFT takes the nearest number that divides the inputs."""
    wished = blocks or OFT_BLOCK
    around = (n for far in range(inputs + wished) for n in (wished - far, wished + far))
    nearest = next(n for n in around if 1 <= n <= inputs and inputs % n == 0)
    return (nearest, inputs // nearest) if blocks else (inputs // nearest, nearest)


def oft_tensors(linear: Tensor, blocks: int) -> Tensor:
    """OFT: a rotation of the inputs, block by block; its numbers above the diagonal."""
    number, size = oft_blocks(linear.columns, blocks)
    above = size * (size - 1) // 2
    return Tensor(f"{linear.module}.oft_R", Role.LINEAR, number, above, linear.copies)


def boft_tensors(linear: Tensor) -> Iterator[Tensor]:
    """BOFT: whole blocks of a rotation of the inputs, and a scale of each output."""
    name, copies = linear.module, linear.copies
    yield Tensor(f"{name}.boft_R", Role.LINEAR, linear.columns, BOFT_BLOCK, copies)
    yield Tensor(f"{name}.boft_s", Role.NORM, 1, linear.rows, copies)


def prompt_tensors(architecture: Architecture, method: Method, tokens: int) -> Iterator[Tensor]:
    """Prompts, prefixes and adaption prompts of `tokens` virtual tokens.

    P-tuning's encoder is an MLP of three linears as wide as the model.
    """
    hidden, depth = architecture.hidden, architecture.depth
    match method:
        case Method.PROMPT:
            yield Tensor("prompt", Role.EMBEDDING, tokens, hidden, 1)
        case Method.PTUNING:
            yield Tensor("prompt", Role.EMBEDDING, tokens, hidden, 1)
            yield Tensor("prompt.mlp_head", Role.LINEAR, hidden, hidden, 3)
            yield Tensor("prompt.mlp_head", Role.BIAS, 1, hidden, 3)
        case Method.PREFIX:
            widths = sum(n * 2 * _key_width(block.attention) for n, block in architecture.stack)
            yield Tensor("prefix", Role.EMBEDDING, tokens, widths, 1)
        case Method.LLAMA_ADAPTER:
            yield Tensor("adaption_prompt", Role.EMBEDDING, tokens, hidden, depth)
            yield Tensor("adaption_gate", Role.NORM, 1, 1, depth)


def _key_width(attention: object) -> int:
    width: int = getattr(attention, "kv_width", 0)
    return width


def late_prompts(architecture: Architecture, tokens: int) -> Iterator[Tensor]:
    """LitGPT's adaption prompts: from the third block on, with a gate for each head."""
    blocks = architecture.depth - WITHOUT_PROMPT
    heads = architecture.first.attention.query_heads
    yield Tensor("adapter_wte", Role.EMBEDDING, tokens, architecture.hidden, blocks)
    yield Tensor("gating_factor", Role.NORM, 1, heads, blocks)


def scaled_linears(architecture: Architecture) -> Iterator[Tensor]:
    """Adapter V2: a bias and a scale of every linear's outputs, the head's too, and all norms."""
    for tensor in architecture.tensors:
        norm_bias = tensor.role is Role.BIAS and tensor.module == "norm"
        if tensor.role in (Role.LINEAR, Role.HEAD):
            for name in ("adapter_bias", "adapter_scale"):
                yield Tensor(f"{tensor.module}.{name}", Role.NORM, 1, tensor.rows, tensor.copies)
        elif tensor.role is Role.NORM or norm_bias:
            yield tensor._replace(module=f"{tensor.module}.trained")
