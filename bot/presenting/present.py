"""Answer + locale → Presentation: words and numbers, the verdict first."""

from collections.abc import Iterator, Sequence

from bot.locale import Locale
from bot.presenting.names import line_name, rule_name
from bot.presenting.presentation import Entry, Presentation, Refusal, Row
from bot.presenting.verdict import card_rows, headline
from estimator import (
    Answer,
    Basis,
    Catalog,
    Line,
    SecondOpinion,
    Strategy,
    TrainSetup,
    Verdict,
    show_count,
    show_gb,
    show_gib,
)


def present(
    answer: Answer, *, line: str, notes: Sequence[str], catalog: Catalog, locale: Locale
) -> Presentation:
    """The whole answer to the question that `line` says; `notes` of how it was read."""
    peak = answer.estimate.peak
    moment = locale.reply.moments[peak.name]
    headings = locale.reply.headings
    said = headline(answer, catalog, locale)
    return Presentation(
        tone=said.tone,
        title=_title(answer, locale),
        total=locale.say("total", peak=show_gib(peak.bytes), peak_gb=show_gb(peak.bytes)),
        headline=said.short,
        verdict=said.whole,
        details=tuple(_details(answer, moment, locale)),
        lines_heading=headings["lines"].format(moment=moment),
        lines=tuple(
            _row(part, peak.bytes, locale)
            for part in sorted(peak.lines, key=lambda part: -part.bytes)
        ),
        kinds=tuple(_kinds(peak.lines, locale)),
        cards_heading=headings["cards"],
        cards=card_rows(answer, catalog, locale),
        assumed_heading=headings["assumed"],
        assumed=tuple(Entry(a.field, a.value, a.why) for a in answer.assumed),
        opinions_heading=headings["opinions"],
        opinions=tuple(_opinion(opinion, locale) for opinion in answer.opinions),
        warnings_heading=headings["warnings"],
        warnings=(*notes, *answer.warnings),
        line_heading=headings["again"],
        line=line,
    )


def refuse(
    understood: str, wrong: str, lines: Sequence[str], locale: Locale, *, asks: bool = False
) -> Refusal:
    """The three parts of an error; `asks`: it is a question back, and nothing is wrong."""
    headings = locale.reply.headings
    return Refusal(
        understood_heading=headings["understood"],
        understood=understood or headings["nothing"],
        wrong_heading=headings["question" if asks else "wrong"],
        wrong=wrong,
        type_heading=headings["type"],
        lines=tuple(lines),
    )


def _title(answer: Answer, locale: Locale) -> str:
    name = answer.request.model or answer.setup.shape.name
    if isinstance(answer.setup, TrainSetup):
        return locale.say("title_train", model=name, method=answer.setup.method)
    return locale.say("title_infer", model=name, weights=answer.setup.numbers.format.id)


def _row(part: Line, whole_bytes: int, locale: Locale) -> Row:
    return Row(
        label=line_name(part.key, locale),
        amount=show_gib(part.bytes),
        share=part.bytes / whole_bytes,
        basis=locale.reply.bases[part.basis],
    )


def _kinds(lines: Sequence[Line], locale: Locale) -> Iterator[str]:
    """Which lines are not of the commonest kind of number, and which kind the rest is."""
    names: dict[Basis, list[str]] = {}
    for part in lines:
        names.setdefault(part.basis, []).append(line_name(part.key, locale))
    rest = max(names, key=lambda basis: len(names[basis]))
    bases = locale.reply.bases
    for basis in Basis:
        if basis in names and basis is not rest:
            yield locale.say("kind", basis=bases[basis], lines=", ".join(names[basis]))
    yield locale.say("kind_rest" if len(names) > 1 else "kind_all", basis=bases[rest])


def _opinion(opinion: SecondOpinion, locale: Locale) -> Entry:
    """A rule's bytes and what it counts; where it names cards only, those."""
    name = rule_name(opinion.rule, locale)
    if opinion.bytes is None:
        cards, _, rest = opinion.note.partition(". ")
        return Entry(name, cards, rest)
    return Entry(name, show_gb(opinion.bytes), opinion.note)


def _details(answer: Answer, moment: str, locale: Locale) -> Iterator[str]:
    estimate, shape = answer.estimate, answer.setup.shape
    low, high = show_gib(estimate.low_bytes), show_gib(estimate.high_bytes)
    yield locale.say("range", low=low, high=high, moment=moment)
    yield _parameters(answer, locale)
    if shape.typed is not None:
        counted = show_count(shape.architecture.parameters)
        yield locale.say("typed_size", counted=counted, model=shape.name)
    if shape.span:
        yield locale.say("spans", models=", ".join(shape.span))
    if _whole_on_each(answer):
        yield locale.say("whole_on_each")


def _parameters(answer: Answer, locale: Locale) -> str:
    counts = answer.estimate.parameters
    total = show_count(counts.total)
    parts = [locale.say("parameters", total=total)]
    if counts.active != counts.total:
        parts.append(locale.say("parameters_active", active=show_count(counts.active)))
    if counts.trainable == counts.total:
        parts.append(locale.say("parameters_all_trained"))
    elif counts.trainable:
        share = f"{counts.trainable / counts.total:.2%}"
        trained = show_count(counts.trainable)
        parts.append(locale.say("parameters_trained", trainable=trained, share=share))
    return ", ".join(parts) + "."


def _whole_on_each(answer: Answer) -> bool:
    """Whether several cards fail only because each was taken to hold the whole model."""
    setup = answer.setup
    if not isinstance(setup, TrainSetup) or setup.strategy is not Strategy.DDP:
        return False
    assumed = any(a.field == "strategy" for a in answer.assumed)
    return assumed and any(card.asked and card.verdict is not Verdict.FITS for card in answer.cards)
