"""Each line of an answer with its arithmetic and its source, and the rules of thumb beside it."""

from collections.abc import Callable, Sequence

from bot.compiled import compiled
from bot.locale import Locale
from bot.presenting.difference import PARTS
from bot.presenting.explanation import Cited
from bot.presenting.names import line_name, rule_name
from bot.presenting.sentences import capital, ended
from bot.presenting.worked import Maths, Worked
from estimator import Answer, Catalog, Line, SecondOpinion, ServeSetup, show_gb, show_gib

PER_PARAMETER = ("weights", "gradients", "optimizer")  # parts that rules count by the parameter
LARGEST = 3  # lines that are named
ABOUT_THE_SAME = 100  # a difference of less than this part of the estimate
WORD = compiled(r"[A-Za-z_]\w*")


def maths_of(answer: Answer, line: str, catalog: Catalog, locale: Locale) -> Maths:
    """The arithmetic of the answer that `line` asks for."""
    sentences = locale.press.sentences
    peak = answer.estimate.peak
    named = _names(answer, locale)
    opening = sentences["maths_of"].format(
        model=answer.request.model or answer.setup.shape.name,
        peak=show_gib(peak.bytes),
        moment=locale.reply.moments[peak.name],
    )
    return Maths(
        opening=opening,
        lines=tuple(
            _line(one, named(one), catalog, locale)
            for one in sorted(peak.lines, key=lambda one: -one.bytes)
        ),
        moments_heading=sentences["moments"],
        moments=tuple(
            sentences["moment"].format(
                name=capital(locale.reply.moments[one.name]), amount=show_gib(one.bytes)
            )
            for one in answer.estimate.moments
        ),
        rules_heading=sentences["rules"],
        rules=tuple(_rule(one, answer, catalog, locale) for one in answer.opinions),
        line=line,
    )


def in_numbers(formula: str, terms: Sequence[tuple[str, int]]) -> str:
    """The formula with the numbers of its terms in their place."""
    known = dict(terms)
    return WORD.sub(lambda word: f"{known[word[0]]:,}" if word[0] in known else word[0], formula)


def cited(source: str, catalog: Catalog) -> Cited | None:
    """A source as it is shown; none where the id is of none."""
    row = catalog.sources.get(source)
    if row is None:
        return None
    return Cited(row.id, row.title, row.where if row.where.startswith("https://") else "")


def _names(answer: Answer, locale: Locale) -> Callable[[Line], str]:
    serving = isinstance(answer.setup, ServeSetup)
    return lambda one: line_name(one.key, locale, serving=serving)


def _line(one: Line, name: str, catalog: Catalog, locale: Locale) -> Worked:
    said = locale.press.sentences["line"].format(
        amount=show_gib(one.bytes), basis=locale.reply.bases[one.basis]
    )
    numbers = _equals(in_numbers(one.formula, [*one.terms.items()]), one.bytes)
    return Worked(name, said, one.formula, numbers, "", cited(one.source, catalog))


def _equals(numbers: str, amount_bytes: int) -> str:
    """What the numbers come to; a number alone is that already."""
    return numbers if numbers == f"{amount_bytes:,}" else f"{numbers} = {amount_bytes:,}"


def _rule(one: SecondOpinion, answer: Answer, catalog: Catalog, locale: Locale) -> Worked:
    name = rule_name(one.rule, one.about, locale)
    why = _why(one, answer, locale)
    source = cited(one.source, catalog)
    if one.bytes is None:
        cards, rest = (locale.phrased(part) for part in one.note.partition(". ")[::2])
        return Worked(name, cards, "", "", " ".join(part for part in (why, rest) if part), source)
    numbers = in_numbers(one.formula, [*one.terms.items()]) if one.formula else ""
    gap = _gap(one.bytes, answer, locale)
    note = ended(capital(locale.phrased(one.note)), locale)
    said = " ".join(part for part in (ended(capital(gap), locale), note, why) if part)
    worked = _equals(numbers, one.bytes) if numbers else ""
    return Worked(name, show_gb(one.bytes), one.formula, worked, said, source)


def _gap(rule_bytes: int, answer: Answer, locale: Locale) -> str:
    """By how much it differs; a rule is of all cards together, the estimate of each."""
    sentences, world = locale.press.sentences, answer.setup.world
    whole = answer.estimate.peak.bytes * world
    gap = rule_bytes - whole
    each = "_all" if world > 1 else ""
    if abs(gap) * ABOUT_THE_SAME < whole:
        return sentences[f"rule_same{each}"]
    key = "rule_more" if gap > 0 else "rule_less"
    return sentences[f"{key}{each}"].format(gap=show_gib(abs(gap)), world=world)


def _why(one: SecondOpinion, answer: Answer, locale: Locale) -> str:
    """What the rule counts, and what this answer has of that and beside it."""
    sentences = locale.press.sentences
    if one.bytes is None:
        return sentences["why_guide"]
    if one.rule == "lora_parameters":
        return sentences["why_adapters"]
    of_weights = one.rule == "inference_2_bytes"
    parts = PER_PARAMETER[:1] if of_weights else PER_PARAMETER
    lines = answer.estimate.peak.lines
    rest = [line for line in lines if not _is_of(line, parts)]
    key = {"inference_2_bytes": "why_run", "lora_rule": "why_lora"}.get(one.rule, "why_all")
    largest = sorted(rest, key=lambda line: -line.bytes)[:LARGEST]
    named = _names(answer, locale)
    key_here = "here_each" if answer.setup.world > 1 else "here"
    here = sentences[key_here].format(
        parts=", ".join(filter(None, (_part(part, lines, locale) for part in parts))),
        rest=show_gib(sum(line.bytes for line in rest)),
        lines=", ".join(f"{named(line)} {show_gib(line.bytes)}" for line in largest),
    )
    return f"{sentences[key]} {here}" if rest else sentences[key]


def _part(part: str, lines: Sequence[Line], locale: Locale) -> str:
    held = sum(line.bytes for line in lines if _is_of(line, (part,)))
    if not held:
        return ""
    return f"{locale.reply.sentences[f'part_{part}']} {show_gib(held)}"


def _is_of(line: Line, parts: Sequence[str]) -> bool:
    return any(line.key.startswith(PARTS[part]) for part in parts)
