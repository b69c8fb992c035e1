"""Copies on the Hub: `owner/base-format`, read for base and format without asking anybody.

Who copies or packs a model keeps its name and adds endings: `-bnb-4bit`, `-GPTQ-Int4`,
`-GGUF`. A name that is left over when they are taken off, and that the table knows, is
the base, whoever the owner is. Anything else in a name makes it another model.
"""

import re
from dataclasses import dataclass

from bot.compiled import compiled
from estimator import Model, Models, key_of

MLX = ("mlx-community", "lmstudio-community")  # who pack by bits alone for MLX
MOST_ENDINGS = 4
TUNED = (  # what says in a name that it was trained on, in the same shape
    *("abliterated", "uncensored", "dpo", "sft", "orpo", "simpo", "kto", "grpo"),
    *("finetuned", "finetune", "fine-tuned", "ft", "merged"),
)
TUNERS = (  # and series of such, which are named before their base
    *("dolphin", "nous-hermes", "openhermes", "hermes", "wizardlm", "airoboros", "samantha"),
    *("magnum", "tulu", "smaug", "huihui"),
)
_VERSION = r"(?:[-_.]?v?\d+(?:\.\d+)*[a-z]?)?"
_PART = compiled(r"[^-_:/]+")
_SIZED = compiled(r"(?<![a-z\d.])\d+(?:\.\d+)?[bm](?![a-z\d])", re.IGNORECASE)
_TUNED = compiled(rf"[-_.](?:{'|'.join(TUNED)}){_VERSION}(?=[-_.:]|$)", re.IGNORECASE)
_TUNER = compiled(rf"(?<=/)(?:{'|'.join(TUNERS)}){_VERSION}[-_]", re.IGNORECASE)
_CHATTING = compiled(r"[-_](?:instruct|chat|it|hf)(?=[-_.:]|$)", re.IGNORECASE)

_GGUF_TYPE = r"(?:ud-)?(?:i?q\d(?:_(?:[01]|k(?:_(?:s|m|l|xl))?|xxs|xs|s|m|nl))?|tq[12]_0)"
_ENDINGS = tuple(
    (compiled(rf"(?:^|[-_.:])(?:{pattern})$", re.IGNORECASE), words)
    for pattern, words in (
        (r"(?:unsloth[-_])?bnb(?:[-_](?P<bits>[48])bit)?", "bnb {bits}bit"),
        (
            r"gptq(?:[-_]?(?:int|w)?(?P<bits>[2348])(?:[-_]?bits?|a16)?)?(?:[-_]?g?\d{2,4}g?)?",
            "gptq{bits}",
        ),
        (r"(?P<bits>[48])[-_]?bit[-_]gptq|int(?P<more>[48])[-_]gptq", "gptq{bits}"),
        (
            r"awq(?:[-_]?(?:int4|4[-_]?bit|w4a16|g?\d{2,3}g?)){0,3}|(?:int4|4[-_]?bit)[-_]awq",
            "awq4",
        ),
        (r"fp8(?:[-_](?:dynamic|static|kv|block|tensorwise|torchao))*", "fp8"),
        (r"nvfp4(?:[-_](?:preview|v\d|fp8kv|a16))?|fp4", "nvfp4"),
        (r"mxfp4(?:[-_](?:preview|moe))?", "mxfp4"),
        (r"(?:quantized\.)?w8a(?:8|16)(?:[-_](?:int8|dynamic))?|int8", "int8"),
        (r"(?:quantized\.)?w4a16(?:[-_](?:g|gs)?\d{2,3})?|int4", "int4"),
        (rf"(?P<type>{_GGUF_TYPE})(?:[-_]gguf)?", "{type}"),
        (r"(?:i1[-_]|imat(?:rix)?[-_]|qat[-_])?gguf", "gguf"),
        (r"(?P<bpw>\d(?:\.\d+)?)bpw(?:[-_]h\d)?[-_]exl(?P<exl>[23])", "exl{exl} {bpw}"),
        (r"exl(?P<exl>[23])(?:[-_:](?P<bpw>\d(?:\.\d+)?)bpw)?(?:[-_]h\d)?", "exl{exl} {bpw}"),
        (r"(?:(?P<bits>[1-8])bit[-_])?hqq|hqq[-_](?P<more>[1-8])bit", "hqq{bits}"),
        (r"(?:mlx[-_])?(?P<mlx>[234568])[-_]?bit(?:[-_](?:mlx|dwq))*(?:[-_]gs\d+)?", "{mlx}bit"),
        (r"(?:mlx[-_])?(?P<type>bf16|fp16)|f(?P<f>16|32)", "{type}"),
        (r"mlx", "mlx"),
    )
)


@dataclass(frozen=True, slots=True)
class Copy:
    """A repository that holds `row` in another form. `words`: the format, as a line says it."""

    row: Model
    words: str


def copy_of(name: str, models: Models) -> Copy | None:
    """What `owner/name` is a copy of; none where its name says more than a base and formats."""
    owner, _, rest = name.partition("/")
    rest, _, tag = rest.partition(":")
    words: list[str] = []
    for _ in range(MOST_ENDINGS + 1):
        row = models.get(rest)
        if row is not None and (words or tag or _tells(rest, row)):
            packed = owner.casefold() in MLX and words[-1:] and words[-1].endswith("bit")
            return Copy(row, " ".join([*(["mlx"] if packed else []), *_once(words, tag)]))
        ending = _ending(rest)
        if ending is None:
            return None
        rest, said = ending
        words = [said, *words]
    return None


def tuned_from(name: str, models: Models) -> Copy | None:
    """The base of a model that says it was trained on: `…-8B-Instruct-abliterated`."""
    left = _TUNED.sub("", _TUNER.sub("", name))
    found = None if left == name else copy_of(left, models)
    return found or (copy_of(bare, models) if (bare := _CHATTING.sub("", left)) != left else None)


def formats_of(name: str) -> str:
    """What the endings of any repository's name say of its format."""
    return split_formats(name)[1]


def split_formats(name: str) -> tuple[str, str]:
    """(A repository's name without its endings, what these say of its format)."""
    rest, _, tag = name.partition(":")
    words: list[str] = []
    while (ending := _ending(rest)) is not None and len(words) < MOST_ENDINGS:
        rest, said = ending
        words = [said, *words]
    return rest, " ".join(_once(words, tag))


def contained_in(name: str, models: Models) -> tuple[str, ...]:
    """Ids of the longest names of the table, with a size, that stand in a repository's name."""
    parts = _PART.findall(name.rpartition("/")[2])
    for length in range(len(parts), 1, -1):
        runs = ("-".join(parts[at : at + length]) for at in range(len(parts) - length + 1))
        found = [row.id for run in runs if _SIZED.search(run) and (row := models.get(run))]
        if found:
            return tuple(dict.fromkeys(found))
    return ()


def _tells(name: str, row: Model) -> bool:
    """Whether a bare name is one that an owner would not use for something else: `nemo`."""
    own = key_of(row.id.rsplit("/", 1)[-1])
    return key_of(name) == own or (any(c.isdigit() for c in name) and "-" in name)


def _ending(name: str) -> tuple[str, str] | None:
    """`name` without its last ending, and what that says."""
    for pattern, template in _ENDINGS:
        found = pattern.search(name)
        if found is not None and found.start():
            said = {key: value for key, value in found.groupdict().items() if value}
            return name[: found.start()], _filled(template, said)
    return None


def _filled(template: str, said: dict[str, str]) -> str:
    if "f" in said:
        said["type"] = f"fp{said['f']}"
    bits = said.get("bits") or said.get("more") or "4"
    bpw = f"bpw {said['bpw']}" if "bpw" in said else ""
    return template.format(**said | {"bits": bits, "bpw": bpw}).strip()


def _once(words: list[str], tag: str) -> list[str]:
    """A type that is named beside `gguf` says it all."""
    said = list(dict.fromkeys([*words, *([tag] if tag else [])]))
    return [word for word in said if word != "gguf" or len(said) == 1]
