"""An optimizer from the words for it, in any order: family, bits, paging, kernel."""

from collections.abc import Callable

from bot.reading.facts import Fact, NotUnderstoodError, Said

EIGHT_BIT = {"adamw": "adamw_8bit", "lion": "lion_8bit"}


def optimizer_of(said: Said, conflict: Callable[[list[Fact]], NotUnderstoodError]) -> str | None:
    """The table's id; none if no optimizer was named. Raises for two families."""
    ids = said.all_of("optimizer_id")
    families = said.all_of("optimizer")
    kinds = {str(fact.value) for fact in said.all_of("optimizer_kind")}
    names = {str(fact.value) for fact in families}
    if {"sgd", "sgd_momentum"} == names:
        names = {"sgd_momentum"}
    if len(names) > 1:
        raise conflict(families)
    if len(ids) > 1:
        raise conflict(ids)
    if ids and not names:
        return str(ids[0].value)
    if not names and not kinds & {"8bit", "4bit", "fp8", "paged"}:
        return None
    family = names.pop() if names else "adamw"
    return _with_kinds(family, kinds, said)


def _with_kinds(family: str, kinds: set[str], said: Said) -> str:
    lion = family == "lion" or any("lion" in f.text for f in said.all_of("optimizer_kind"))
    if lion:
        return "lion_8bit" if "8bit" in kinds else "lion"
    if family != "adamw":
        return family
    if "paged" in kinds:
        return "paged_adamw_8bit" if "8bit" in kinds or _eight_bit(said) else "paged_adamw"
    for kind in ("8bit", "4bit", "fp8", "fused", "foreach", "loop"):
        if kind in kinds:
            return f"adamw_{kind}"
    return "adamw"


def _eight_bit(said: Said) -> bool:
    """`paged 8bit adam` reads `8bit adam` as the kind; `paged adam, 8 bit` as a precision."""
    return any(fact.value == "8bit" for fact in said.all_of("precision"))
