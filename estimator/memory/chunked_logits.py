"""Losses taken chunk by chunk on logits that are there all at once: LitGPT's and torchtune's.

A chunk's loss is its own piece of the graph, and autograd goes back through every loss before
it goes back through the first head. So what one chunk holds is small, and what all keep is not:
the chunks' gradients come to stand where their log-softmax was.

LitGPT (bytes a logit; N tokens in chunks of n for each sequence):
  Fabric hands the head's 16-bit output back in fp32     2 + 4
  kept: the logits, which the loop names, log-softmax    4 + 4
  backward: and a chunk's gradients, in and out          8, of a chunk 8
  then: logits, all gradients in 16 bits, a packed head  4 + 2
  until the next logits are there                        4
torchtune: the loop lets its logits go; a chunk is upcast by itself.
"""

from dataclasses import dataclass

from estimator.breakdown import Basis, Line

FP32 = 4
LITGPT_CHUNK = 128  # tokens of each sequence
TORCHTUNE_CHUNKS = 8


@dataclass(frozen=True, slots=True)
class Logits:
    """`tokens` rows over a `vocabulary`, in `sequences` sequences; the head's output is so wide.

    `unpacked`: elements of a packed head, 0 of one that is none. `scaled`: by a trained factor.
    """

    sequences: int
    tokens: int
    vocabulary: int
    head_bytes: int
    unpacked: int = 0
    scaled: bool = False

    @property
    def kept(self) -> int:
        """Bytes of a logit that the head itself keeps: those in front of a trained scale."""
        return self.head_bytes if self.scaled else 0

    @property
    def in_head(self) -> int:
        """Bytes of a logit when the head is done."""
        return self.head_bytes + self.kept

    @property
    def chunk(self) -> int:
        """Tokens of LitGPT's largest chunk."""
        return min(self.tokens, self.sequences * LITGPT_CHUNK)

    @property
    def eighth(self) -> int:
        """Tokens of torchtune's largest chunk."""
        return self.sequences * -(-self.tokens // self.sequences // TORCHTUNE_CHUNKS)


def litgpt_forward(logits: Logits, *, chunked: bool, alone: bool) -> Line:
    """The most that is there until the loss is known.

    The earlier step's logits go when these are in fp32, unless they were never there (`alone`).
    Whole logits are cut by one token, which copies those of several sequences.
    """
    earlier = 0 if alone else FP32
    cut = 0 if chunked or logits.sequences == 1 else FP32
    found = (
        _line(logits, logits.in_head + FP32 + earlier),
        _line(logits, logits.kept + 2 * FP32 + cut),
        _line(logits, logits.in_head + earlier, unpacked=True),
    )
    return max(found, key=lambda line: line.bytes)


def litgpt_kept(logits: Logits) -> Line:
    """What stays for backward: logits in fp32, and their log-softmax."""
    return _line(logits, logits.kept + 2 * FP32)


def litgpt_backward(logits: Logits, *, chunked: bool) -> Line:
    """The highest instant of the loss's backward, and of the head's where that is packed."""
    if not chunked:
        return _line(logits, 3 * FP32)
    first = _line(logits, logits.kept + 2 * FP32, chunk=logits.chunk, chunk_bytes=2 * FP32)
    head = _line(logits, logits.kept + FP32 + logits.head_bytes, unpacked=True)
    return max(first, head, key=lambda line: line.bytes)


def litgpt_held(logits: Logits, key: str = "logits") -> Line:
    """The logits that the loop still names."""
    line = _line(logits, FP32)
    return Line(
        key=key,
        bytes=line.bytes,
        formula=line.formula,
        terms=line.terms,
        source=line.source,
        basis=line.basis,
    )


def torchtune_forward(logits: Logits, *, compiled: bool) -> Line:
    """The head's output, and what all chunks keep; plain, also the last one's upcast."""
    source = "torchtune-loss"
    if compiled:
        return _line(logits, logits.head_bytes, source=source)
    width = logits.head_bytes + FP32
    return _line(logits, width, chunk=logits.eighth, chunk_bytes=FP32, source=source)


def torchtune_kept(logits: Logits, *, compiled: bool) -> Line:
    """Log-softmax of every chunk; compiled, the head's output, of which it is made anew."""
    return _line(logits, logits.head_bytes if compiled else FP32, source="torchtune-loss")


def torchtune_backward(logits: Logits, *, compiled: bool) -> Line:
    """Compiled, a chunk's gradient is written where its logits were; plain, beside two in fp32."""
    source = "torchtune-loss"
    if compiled:
        return _line(logits, logits.head_bytes, source=source)
    return _line(logits, FP32, chunk=logits.eighth, chunk_bytes=2 * FP32, source=source)


def torchtune_head(logits: Logits, hidden: int) -> Line:
    """The head's backward, chunk by chunk: the second gradient of its weight beside the first."""
    left = logits.tokens - logits.eighth
    terms = {
        "left": left,
        "vocabulary": logits.vocabulary,
        "head_bytes": logits.head_bytes,
        "hidden": hidden,
    }
    return Line(
        key="logits",
        bytes=left * logits.vocabulary * logits.head_bytes
        + 2 * logits.vocabulary * hidden * logits.head_bytes,
        formula="left × vocabulary × head_bytes + 2 × vocabulary × hidden × head_bytes",
        terms=terms,
        source="torchtune-loss",
        basis=Basis.DERIVED,
    )


def _line(
    logits: Logits,
    width: int,
    *,
    chunk: int = 0,
    chunk_bytes: int = 0,
    unpacked: bool = False,
    source: str = "litgpt-finetune",
) -> Line:
    size = logits.tokens * logits.vocabulary * width
    text = "tokens × vocabulary × bytes_a_logit"
    terms = {
        "tokens": logits.tokens,
        "vocabulary": logits.vocabulary,
        "bytes_a_logit": width,
    }
    if chunk:
        size += chunk * logits.vocabulary * chunk_bytes
        text += " + chunk × vocabulary × chunk_bytes"
        terms |= {"chunk": chunk, "chunk_bytes": chunk_bytes}
    if unpacked and logits.unpacked:
        size += 2 * logits.unpacked * logits.head_bytes
        text += " + 2 × head_parameters × half_bytes"
        terms |= {"head_parameters": logits.unpacked, "half_bytes": logits.head_bytes}
    return Line(
        key="logits", bytes=size, formula=text, terms=terms, source=source, basis=Basis.DERIVED
    )
