"""Words for number formats → weights, compute and method, once the task is known.

`4bit` is QLoRA in training and a 4-bit checkpoint in serving; `bf16` beside a packed
format is what it is computed in; `pure` leaves out the fp32 master.
"""

import re
from collections.abc import Callable
from typing import Any

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.bits import (
    ANY_BITS,
    BITS,
    GGUF,
    OF_BNB,
    OF_GGUF,
    bits_of,
    cache_type,
    names_for,
    odd_widths,
    of_mlx,
    packs_8bit,
    says_bnb,
    widths,
)
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said

Fields = dict[str, Any]
Conflict = Callable[[list[Fact]], None]
Wrong = Callable[..., None]  # code, sentence, and what it says

ADAPTERS = ("lora", "rslora", "dora", "qlora")
FULL_LIKE = ("galore", "apollo", "lomo", "badam", "lisa", "freeze")
PLAIN = ("fp32", "bf16", "fp16")
LOCAL = ("llama.cpp", "ollama")
PROJECTED = ("galore", "galore_adamw", "apollo")
BARE_WIDTH = compiled(r"[48][\s_-]?bits?", re.IGNORECASE)  # and no optimizer's name
BIT_FIELDS = ("precision", "optimizer_kind")
LOCAL_BITS = {"4bit": "gguf:Q4_K_M", "8bit": "gguf:Q8_0"}
CACHES = ("kv", "kv_k", "kv_v")
OF_GPTQ = {"8bit": "gptq8", "3bit": "gptq3", "2bit": "gptq2"}


def settle_precision(
    fields: Fields, said: Said, locale: Locale, conflict: Conflict, wrong: Wrong
) -> None:
    """Fill in `weights`, `compute`, `master`, `kv`, and a method that they imply."""
    words = [str(fact.value) for fact in said.all_of("precision")]
    packed = _packed(said, words)
    plain = [fact for fact in said.all_of("precision") if fact.value in PLAIN]
    if len(packed) > 1:
        conflict(packed)
    if len(plain) > 1 and not (fields.get("autocast") or "mixed" in words):
        conflict(plain)
    if "gguf" in words:
        packed = _file(packed, plain, said, conflict, wrong)
        plain = [fact for fact in plain if fact.text not in {file.text for file in packed}]
    _bits_of_exl(fields, said, packed)
    if not packed and fields.get("engine") == "mlx":
        packed = of_mlx(said)
    if packed:
        fields["weights"] = str(packed[0].value)
        if fields.get("method") == "qlora" and packed[0].value in PLAIN:  # by an option alone
            wrong("contradiction", "twice", field="method", names=("lora",),
                  first="qlora", second=echo(packed[0].text))  # fmt: skip
            fields.pop("method")
    elif "bpw" in fields:
        fields["weights"] = "exl2"
    _refuse_other_bits(fields, said, packed, plain, conflict)
    words = _of_one_width(fields, words, packed)
    if _of_projected(fields, said, locale, wrong):
        words = [word for word in words if word not in BITS]
    if "weights" not in fields and "gguf" not in words:
        _ask_which(fields, odd_widths(said), wrong)
    if fields.get("task") == "train":
        _bits_in_training(fields, words)
        _plain_in_training(fields, plain, words, said, conflict)
    else:
        _in_serving(fields, plain, said, packed, conflict)


def _file(
    packed: list[Fact], plain: list[Fact], said: Said, conflict: Conflict, wrong: Wrong
) -> list[Fact]:
    """The GGUF type that is meant: `f16 gguf`, `8bit gguf`; the usual one if none is said."""
    word = next(fact for fact in said.all_of("precision") if fact.value == "gguf")
    if any(str(fact.value).startswith("gguf:") for fact in packed):
        return packed
    named = [fact for fact in (*packed, *plain, *widths(said)) if fact.value in OF_GGUF]
    other = [fact for fact in packed if fact not in named]
    if other:
        conflict([other[0], word])
        return other
    if len(named) > 1:
        conflict(named)
    if named:
        return [Fact("weights", OF_GGUF[str(named[0].value)], named[0].text)]
    odd = odd_widths(said)
    if odd:
        names = names_for(bits_of(odd[0]) or 0, gguf=True)
        wrong("ambiguous", "which_gguf", names=names, bits=odd[0].text)
        return []
    return [Fact("weights", GGUF, word.text)]


def _bits_of_exl(fields: Fields, said: Said, packed: list[Fact]) -> None:
    """`4 bit exl2`: EXL2 and EXL3 have any bits a weight."""
    bits = widths(said)
    if len(bits) == 1 and len(packed) == 1 and packed[0].value in ANY_BITS:
        fields.setdefault("bpw", bits_of(bits[0]))


def _of_projected(fields: Fields, said: Said, locale: Locale, wrong: Wrong) -> bool:
    """`GaLore 8-bit`: packed states of such optimizers are not estimated yet, and that is said."""
    projected = [f for f in said.facts if f.value in PROJECTED]
    bits = [f for f in said.facts if f.field in BIT_FIELDS and f.value in BITS]
    if not projected or not bits:
        return False
    words = {"optimizer": echo(projected[0].text), "bits": echo(bits[0].text)}
    if BARE_WIDTH.fullmatch(bits[0].text):
        said.remarks.append(locale.say("states_whole", **words))
        return True
    own = {"galore": "galore_adamw"}.get(str(projected[0].value), projected[0].value)
    names = [own, f"adamw_{bits[0].value}"]
    wrong("unsupported", "no_packed_states", field="optimizer", names=names, **words)
    fields.pop("method" if fields.get("method") in PROJECTED else "optimizer", None)
    return True


def _ask_which(fields: Fields, odd: list[Fact], wrong: Wrong) -> None:
    """`5 bit`: of which format? In training there is none of such bits."""
    if odd and fields.get("task") == "train":
        wrong("unknown_name", "bits_trained", names=tuple(BITS), bits=odd[0].text)
    elif odd:
        names = names_for(bits_of(odd[0]) or 0, gguf=fields.get("engine") in LOCAL)
        wrong("ambiguous", "which_bits", names=names, bits=odd[0].text)


def _refuse_other_bits(
    fields: Fields, said: Said, packed: list[Fact], plain: list[Fact], conflict: Conflict
) -> None:
    """`8bit q4_k_m`, `8 bit 4 bit`, `4.65 bpw bf16`: two widths of the same weights."""
    bits = widths(said)
    if _is_paged_adam(fields):
        bits = [fact for fact in bits if fact.value != "8bit"]
    if len(bits) > 1:
        conflict(bits)
    width = _width(str(packed[0].value)) if packed else None
    if bits and width is not None and width != bits_of(bits[0]):
        conflict([packed[0], bits[0]])
    others = [f for f in packed or plain if f.value not in ANY_BITS]
    if "bpw" in fields and others:
        number = said.all_of("bpw")[0]
        conflict([others[0], Fact("weights", f"exl2 bpw {number.value}", number.text)])
        fields["weights"] = str(others[0].value)
        del fields["bpw"]


def _of_one_width(fields: Fields, words: list[str], packed: list[Fact]) -> list[str]:
    """`words` with one width only: the first, and none beside a packed format."""
    bits = [w for w in words if w in BITS and not (w == "8bit" and _is_paged_adam(fields))]
    kept = [] if packed else bits[:1]
    return [word for word in words if word not in bits or word in kept]


def _width(weights: str) -> int | None:
    """Bits of a format, from its name; none for EXL2 and EXL3, which have any."""
    found = None if weights in ANY_BITS else re.search(r"\d+", weights)
    return None if found is None else int(found[0])


def _packed(said: Said, words: list[str]) -> list[Fact]:
    """The formats named; `nf4 double quant` is one, and so is `gptq 4bit`."""
    packed = said.all_of("weights")
    if {str(fact.value) for fact in packed} == {"nf4", "nf4_dq"}:
        return [fact for fact in packed if fact.value == "nf4_dq"]
    if {str(fact.value) for fact in packed} == {"gptq4", "gptq8"} and "8bit" in words:
        return [fact for fact in packed if fact.value == "gptq8"]
    if len(packed) == 1 and packed[0].text.casefold() == "gptq":
        width = next((OF_GPTQ[word] for word in words if word in OF_GPTQ), "gptq4")
        return [Fact("weights", width, packed[0].text)]
    return packed


def _bits_in_training(fields: Fields, words: list[str]) -> None:
    method = fields.get("method")
    if "4bit" in words and "weights" not in fields:
        if method in (None, "lora"):
            fields["method"] = "qlora"
        elif method != "qlora":
            fields["weights"] = "nf4"
    if "8bit" in words and "weights" not in fields and not _is_paged_adam(fields):
        fields["weights"] = "int8"
        fields.setdefault("method", "lora")
    if fields.get("weights") in ("nf4", "nf4_dq") and fields.get("method") in (None, "lora"):
        fields["method"] = "qlora"


def _is_paged_adam(fields: Fields) -> bool:
    """`paged adam, 8 bit`: the bits are the optimizer's."""
    return fields.get("optimizer") == "paged_adamw_8bit"


def _plain_in_training(
    fields: Fields, plain: list[Fact], words: list[str], said: Said, conflict: Conflict
) -> None:
    method, names = fields.get("method"), [str(fact.value) for fact in plain]
    if plain and ("weights" in fields or method == "qlora"):
        _computed_in(fields, plain[0], said, conflict)
    elif plain:
        fields["weights"] = "fp32" if len(plain) > 1 and "fp32" in names else names[0]
    if "pure" in words:
        if fields.get("master") == "fp32":
            conflict([*said.all_of("master"), _said_pure(said)])
        fields["master"] = "none"
        if method not in ADAPTERS:
            fields.setdefault("weights", "bf16")
    elif "mixed" in words and fields.get("method") not in ADAPTERS:
        if fields.get("weights") == "fp32":
            fields["autocast"] = True
        else:
            fields["master"] = "fp32"


def _computed_in(fields: Fields, plain: Fact, said: Said, conflict: Conflict) -> None:
    """A plain format beside a packed one is what is computed in, unless that was said."""
    if fields.setdefault("compute", str(plain.value)) != plain.value:
        conflict([*said.all_of("compute"), plain])


def _said_pure(said: Said) -> Fact:
    typed = next(fact.text for fact in said.all_of("precision") if fact.value == "pure")
    return Fact("master", "none", typed)


def _in_serving(
    fields: Fields, plain: list[Fact], said: Said, packed: list[Fact], conflict: Conflict
) -> None:
    words = [str(fact.value) for fact in said.all_of("precision")]
    bits = next((word for word in words if word in BITS), None)
    if packs_8bit(said):
        fields.pop("optimizer", None)
        fields.setdefault("weights", OF_BNB["8bit"])
    if packed and str(packed[0].value).startswith("gguf:") and plain:
        conflict([packed[0], plain[0]])
    elif packed and plain:
        _computed_in(fields, plain[0], said, conflict)
    elif "weights" not in fields and bits is not None:
        local = fields.get("engine") in LOCAL
        usual = OF_BNB if says_bnb(said) else LOCAL_BITS if local else BITS
        fields["weights"] = usual[bits]
        if plain and local:
            conflict([next(f for f in said.all_of("precision") if f.value == bits), plain[0]])
        elif plain:
            _computed_in(fields, plain[0], said, conflict)
    elif "weights" not in fields and plain:
        fields["weights"] = str(plain[0].value)
    elif "weights" not in fields and says_bnb(said):
        fields["weights"] = OF_BNB["4bit"]
    for name in CACHES:
        if isinstance(fields.get(name), str):
            fields[name] = cache_type(str(fields[name]), said.all_of(name))
