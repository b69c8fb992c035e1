"""What a GGUF file has beside its tensors."""

from estimator.breakdown import Basis, Line

# Bytes a word, from files of known size less their tensors: its text, score and kind, and the
# merges of a byte-pair vocabulary.
WORD = 40  # Qwen 2.5
PLAIN_WORD = 22  # Llama 2: no merges
LONG_WORD = 62  # Llama 3, Mistral Nemo


def gguf_metadata(vocabulary: int) -> Line:
    """The tokenizer, which the file carries and no card holds: a few megabytes.

    Left out: names and shapes of tensors, chat templates (tens of kilobytes).
    """
    return Line(
        key="file_metadata",
        bytes=vocabulary * WORD,
        formula="vocabulary × word_bytes",
        terms={"vocabulary": vocabulary, "word_bytes": WORD},
        source="gguf-file-sizes",
        basis=Basis.ASSUMED,
        low_bytes=vocabulary * PLAIN_WORD,
        high_bytes=vocabulary * LONG_WORD,
    )
