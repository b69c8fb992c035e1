"""An optimizer from the words for it, in any order: family, bits, paging, kernel."""

from collections.abc import Callable

from bot.reading.facts import Fact, Said

Conflict = Callable[[list[Fact]], None]

BITS = ("8bit", "4bit", "fp8")
KERNELS = ("fused", "foreach", "loop")
SAYING = (*BITS, "paged", "32bit")  # words that name Adam's optimizer without its name


def optimizer_of(said: Said, conflict: Conflict) -> str | None:
    """The table's id; none if no optimizer was named. Reports two families."""
    ids, families = said.all_of("optimizer_id"), _families(said)
    kinds = said.all_of("optimizer_kind")
    others = [fact for fact in families if not any(_of_family(i, fact) for i in ids)]
    if len(ids) + len(others) > 1:
        conflict([*ids, *others])
    if ids:
        return str(ids[0].value)
    if families:
        return _with_kinds(families[0], kinds, said, conflict)
    if any(fact.value in SAYING or "adam" in fact.text.casefold() for fact in kinds):
        lion = any("lion" in fact.text.casefold() for fact in kinds)
        family = Fact("optimizer", "lion" if lion else "adamw", kinds[0].text)
        return _with_kinds(family, kinds, said, conflict)
    return None


def _families(said: Said) -> list[Fact]:
    """The families named; `sgd` beside `momentum` is one, and `lion 8bit` says lion."""
    families = said.all_of("optimizer")
    if {fact.value for fact in families} == {"sgd", "sgd_momentum"}:
        return [fact for fact in families if fact.value == "sgd_momentum"]
    return families


def _of_family(identity: Fact, family: Fact) -> bool:
    return str(family.value) in str(identity.value)


def _with_kinds(family: Fact, kinds: list[Fact], said: Said, conflict: Conflict) -> str:
    name, words = str(family.value), {str(fact.value) for fact in kinds}
    bits = [fact for fact in kinds if fact.value in BITS]
    if len(bits) > 1:
        conflict(bits)
    if name == "adamw":
        return _adamw(words, said)
    if name == "lion" and "8bit" in words:
        return "lion_8bit"
    apart = [fact for fact in kinds if fact.value in SAYING]
    if apart:
        conflict([family, *apart])
    return name


def _adamw(words: set[str], said: Said) -> str:
    if "paged" in words:
        return "paged_adamw_8bit" if "8bit" in words or _eight_bit(said) else "paged_adamw"
    return next((f"adamw_{kind}" for kind in (*BITS, *KERNELS) if kind in words), "adamw")


def _eight_bit(said: Said) -> bool:
    """`paged 8bit adam` reads `8bit adam` as the kind; `paged adam, 8 bit` as a precision."""
    return any(fact.value == "8bit" for fact in said.all_of("precision"))
