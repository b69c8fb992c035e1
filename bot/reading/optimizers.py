"""An optimizer from the words for it, in any order: family, bits, paging, kernel."""

from collections.abc import Callable

from bot.reading.facts import Fact, Said

Conflict = Callable[[list[Fact]], None]

BITS = ("8bit", "4bit", "fp8")
WIDTHS = (*BITS, "32bit")
KERNELS = ("fused", "foreach", "loop")
SAYING = (*WIDTHS, "paged")  # words that name Adam's optimizer without its name
PARTS = {  # an id of the table that is Adam's, as the kinds that it is put together from
    "adamw_fused": ("fused",),
    "adamw_foreach": ("foreach",),
    "adamw_loop": ("loop",),
    "adamw_8bit": ("8bit",),
    "paged_adamw_8bit": ("paged", "8bit"),
    "paged_adamw": ("paged",),
    "adamw_4bit": ("4bit",),
    "adamw_fp8": ("fp8",),
}
PROJECTED = ("galore_adamw", "apollo")  # whose packed states are told of elsewhere
WITH_ADAM = ("galore_adamw", "apollo", "muon", "schedule_free")  # Adam beside it is no other


def optimizer_of(said: Said, conflict: Conflict) -> str | None:
    """The table's id; none if no optimizer was named. Reports two families."""
    kinds, families = _kinds(said), _families(said)
    if len(families) > 1:
        conflict(families)
    if families:
        return _with_kinds(families[0], kinds, said, conflict)
    if any(fact.value in SAYING for fact in kinds):
        return _with_kinds(Fact("optimizer", "adamw", kinds[0].text), kinds, said, conflict)
    return None


def _kinds(said: Said) -> list[Fact]:
    """The kinds named, those in an id among them."""
    found = said.all_of("optimizer_kind")
    for identity in said.all_of("optimizer_id"):
        parts = PARTS.get(str(identity.value), ("8bit",) if identity.value == "lion_8bit" else ())
        found += [Fact("optimizer_kind", part, identity.text) for part in parts]
    return list({fact.value: fact for fact in reversed(found)}.values())[::-1]


def _families(said: Said) -> list[Fact]:
    """The families named, one fact each; `fused adamw` and `lion 8bit` name theirs too."""
    named = {str(fact.value): fact for fact in said.all_of("optimizer")}
    for fact in (*said.all_of("optimizer_id"), *_all_kinds(said)):
        family = _family_of(fact)
        if family:
            named.setdefault(family, fact)
    if "sgd_momentum" in named:
        named.pop("sgd", None)
    if any(name in WITH_ADAM for name in named):
        named.pop("adamw", None)
    return [Fact("optimizer", name, fact.text) for name, fact in named.items()]


def _all_kinds(said: Said) -> list[Fact]:
    return [fact for fact in said.facts if fact.field == "optimizer_kind"]


def _family_of(fact: Fact) -> str | None:
    """`adamw` of `paged_adamw_8bit` and of `fused adam`; none of `8bit optimizer`."""
    name, text = str(fact.value), fact.text.casefold()
    if fact.field == "optimizer_id" and name not in PARTS and name != "lion_8bit":
        return name
    if "lion" in text:
        return "lion"
    return "adamw" if "adam" in text else None


def _with_kinds(family: Fact, kinds: list[Fact], said: Said, conflict: Conflict) -> str:
    name, words = str(family.value), {str(fact.value) for fact in kinds}
    for group in (WIDTHS, KERNELS):
        several = [fact for fact in kinds if fact.value in group]
        if len(several) > 1:
            conflict(several)
    if name == "adamw":
        return _adamw(words, kinds, said, conflict)
    apart = [fact for fact in kinds if fact.value in SAYING]
    if name == "lion" and [fact.value for fact in apart] == ["8bit"]:
        return "lion_8bit"
    if apart and name not in PROJECTED:
        conflict([family, *apart])
    return name


def _adamw(words: set[str], kinds: list[Fact], said: Said, conflict: Conflict) -> str:
    if "paged" in words:
        unknown = [fact for fact in kinds if fact.value in ("4bit", "fp8")]
        if unknown:
            conflict([*(fact for fact in kinds if fact.value == "paged"), *unknown])
        return "paged_adamw_8bit" if "8bit" in words or _eight_bit(said) else "paged_adamw"
    return next((f"adamw_{kind}" for kind in (*BITS, *KERNELS) if kind in words), "adamw")


def _eight_bit(said: Said) -> bool:
    """`paged 8bit adam` reads `8bit adam` as the kind; `paged adam, 8 bit` as a precision."""
    return "optimizer" not in said.settled and any(
        fact.value == "8bit" for fact in said.all_of("precision")
    )
