"""Answer + locale → Presentation: words and numbers, the verdict first."""

from collections.abc import Iterator, Mapping, Sequence

from bot.locale import Locale
from bot.presenting.card_rows import card_rows, cards_note, is_by_processor
from bot.presenting.column import HUNDREDTHS, in_gib
from bot.presenting.decoding import decoding
from bot.presenting.disk import on_disk
from bot.presenting.in_use import in_use
from bot.presenting.names import formats_named, line_name, rule_name
from bot.presenting.presentation import Entry, Presentation, Refusal, Row
from bot.presenting.reserved import reserved
from bot.presenting.sentences import ended
from bot.presenting.shares import shares
from bot.presenting.verdict import headline
from estimator import (
    GIB,
    Answer,
    Basis,
    Catalog,
    Line,
    Objective,
    SecondOpinion,
    ServeRequest,
    ServeSetup,
    Strategy,
    TrainSetup,
    Verdict,
    show_count,
    show_gb,
    show_gib,
    show_gib_number,
)

LEAST_SHOWN = 0.005  # a share below it would round to 0 %
LONGEST_TEACHER = 32  # characters of a name in a title
WEIGHTY = ("method", "checkpointing")  # defaults that move the total most


def present(
    answer: Answer, *, line: str, notes: Sequence[str], catalog: Catalog, locale: Locale
) -> Presentation:
    """The whole answer to the question that `line` says; `notes` of how it was read."""
    peak = answer.estimate.peak
    moment = locale.reply.moments[peak.name]
    headings = locale.reply.headings
    said = headline(answer, catalog, locale)
    parts = sorted(_worth_a_row(peak.lines, peak.bytes), key=lambda part: -part.bytes)
    serving = isinstance(answer.setup, ServeSetup)
    names = {part.key: line_name(part.key, locale, serving=serving) for part in peak.lines}
    return Presentation(
        tone=said.tone,
        title=title_of(answer, locale),
        total=locale.say("total", peak=show_gib(peak.bytes), peak_gb=show_gb(peak.bytes)),
        headline=said.short,
        verdict=said.whole,
        details=tuple(_details(answer, moment, locale)),
        lines_heading=headings["lines"].format(moment=moment),
        whole=_whole(peak.bytes, locale, several=_several(answer)),
        lines=tuple(
            _row(names[part.key], part, number, peak.bytes, locale)
            for part, number in zip(parts, in_gib([p.bytes for p in parts]), strict=True)
        ),
        kinds=_kinds(names, peak.lines, locale),
        cards_heading=headings["cards_each" if _several(answer) else "cards"].format(
            count=answer.setup.world
        ),
        cards=card_rows(answer, catalog, locale),
        cards_note=cards_note(answer, locale),
        assumed_heading=headings["assumed"],
        assumed=tuple(
            Entry(a.field, formats_named(a.value), locale.phrased(a.why), a.field in WEIGHTY)
            for a in answer.assumed
        ),
        opinions_heading=headings["opinions_each" if _several(answer) else "opinions"],
        opinions=tuple(_opinion(opinion, locale) for opinion in answer.opinions),
        warnings_heading=headings["warnings"],
        warnings=(*notes, *map(locale.phrased, answer.warnings)),
        line_heading=headings["again"],
        line=line,
    )


def refuse(
    understood: str, wrong: str, lines: Sequence[str], locale: Locale, *, asks: bool = False
) -> Refusal:
    """The three parts of an error; `asks`: it is a question back, and nothing is wrong."""
    headings = locale.reply.headings
    said = formats_named(locale.phrased(wrong))
    return Refusal(
        understood_heading=headings["understood"],
        understood=understood or headings["nothing"],
        wrong_heading=headings["question" if asks else "wrong"],
        wrong=ended(said, locale),
        type_heading=headings["type"],
        lines=tuple(lines),
    )


def title_of(answer: Answer, locale: Locale) -> str:
    """What is done, with which model, and how."""
    name = answer.request.model or answer.setup.shape.name
    if isinstance(answer.setup, TrainSetup):
        aim = _aim(answer.setup, locale)
        key = "title_train_aim" if aim else "title_train"
        return locale.say(key, model=name, method=answer.setup.method, aim=aim)
    return locale.say(
        "title_infer", model=name, weights=answer.setup.numbers.format.id.removeprefix("gguf:")
    )


def _aim(setup: TrainSetup, locale: Locale) -> str:
    """What is optimised, in a word; a teacher by its name where that is short."""
    objective = setup.goal.objective
    teacher = setup.request.teacher
    if objective is Objective.DISTILL and teacher and len(teacher) <= LONGEST_TEACHER:
        return locale.say("distilled", teacher=teacher)
    return locale.reply.objectives.get(objective, "")


def _several(answer: Answer) -> bool:
    """Whether several cards share the work; the estimate is of one of them."""
    return answer.setup.world > 1


def _row(name: str, part: Line, number: str, whole_bytes: int, locale: Locale) -> Row:
    return Row(
        label=name,
        amount=show_gib(part.bytes),
        number=number,
        share=part.bytes / whole_bytes,
        percent=_percent(part.bytes / whole_bytes),
        basis=locale.reply.bases[part.basis],
    )


def _percent(share: float) -> str:
    """A share as people read it: what is there is never 0 %."""
    return f"{share:.0%}" if share >= LEAST_SHOWN else "<1%"


def _worth_a_row(lines: Sequence[Line], whole_bytes: int) -> list[Line]:
    """Without lines that would read as nothing, in GiB and in percent; the document has them."""
    return [
        part
        for part in lines
        if part.bytes * 2 * HUNDREDTHS >= GIB or part.bytes >= LEAST_SHOWN * whole_bytes
    ]


def _whole(amount_bytes: int, locale: Locale, *, several: bool) -> Row:
    """The sum of all lines; its label says the unit."""
    return Row(
        label=locale.say("in_all_each" if several else "in_all"),
        amount=show_gib(amount_bytes),
        number=show_gib_number(amount_bytes),
        share=1,
        percent=_percent(1),
        basis="",
    )


def _kinds(names: Mapping[str, str], lines: Sequence[Line], locale: Locale) -> str:
    """Which lines are not of the commonest kind of number, and which kind the rest is."""
    found: dict[Basis, list[str]] = {}
    for part in lines:
        found.setdefault(part.basis, []).append(names[part.key])
    most = max(found, key=lambda basis: len(found[basis]))
    bases = locale.reply.bases
    others = [
        locale.say("kind", basis=bases[basis], lines=", ".join(found[basis]))
        for basis in Basis
        if basis in found and basis is not most
    ]
    key = "kind_most" if others else "kind_all"
    return locale.say(key, basis=bases[most], others="; ".join(others))


def _opinion(opinion: SecondOpinion, locale: Locale) -> Entry:
    """A rule's bytes and what it counts; where it names cards only, those."""
    name = rule_name(opinion.rule, opinion.about, locale)
    if opinion.bytes is None:
        cards, _, rest = opinion.note.partition(". ")
        return Entry(name, locale.phrased(cards), locale.phrased(rest))
    return Entry(name, show_gb(opinion.bytes), locale.phrased(opinion.note))


def _details(answer: Answer, moment: str, locale: Locale) -> Iterator[str]:
    estimate, shape = answer.estimate, answer.setup.shape
    low, high = show_gib(estimate.low_bytes), show_gib(estimate.high_bytes)
    key = "range_each" if _several(answer) else "range"
    key = "range_beside" if is_by_processor(answer) else key
    yield locale.say(key, low=low, high=high, moment=moment)
    yield from shares(answer, locale)
    yield from in_use(answer, locale)
    yield from reserved(answer, locale)
    yield from decoding(answer, locale)
    yield _parameters(answer, locale)
    if answer.solved is not None and answer.solved.aside:
        yield locale.say("sought_aside", words=formats_named(answer.solved.aside))
    if shape.typed is not None:
        key = "typed_size_spans" if shape.span else "typed_size"
        models = ", ".join(shape.span)
        yield locale.say(key, typed=answer.request.model, model=shape.name, models=models)
    yield from on_disk(answer, locale)
    if any(one.field == "method" for one in answer.assumed):
        yield locale.say("method_assumed")
    if _whole_on_each(answer):
        yield locale.say("whole_on_each")


def _apart(answer: Answer) -> bool:
    """Whether some of the model is left to the host."""
    request = answer.request
    if not isinstance(request, ServeRequest):
        return False
    left = (request.experts_on_cpu, request.cpu_moe_layers, request.gpu_layers not in (None, "all"))
    return any(left)


def _parameters(answer: Answer, locale: Locale) -> str:
    """How many there are, and how many are trained: all, some of them, or adapters beside."""
    counts = answer.estimate.parameters
    part = answer.setup.part if isinstance(answer.setup, TrainSetup) else None
    partly = part is not None
    last = part is not None and part.last  # always the same blocks
    added = counts.trainable if counts.trainable < counts.total and not partly else 0
    parts = [locale.say("parameters", total=show_count(counts.total - added))]
    if counts.active != counts.total:
        key = "parameters_active_apart" if _apart(answer) else "parameters_active"
        parts.append(locale.say(key, active=show_count(counts.active)))
    if counts.trainable == counts.total:
        parts.append(locale.say("parameters_all_trained"))
    elif partly:
        share = f"{counts.trainable / counts.total:.2%}"
        trained = show_count(counts.trainable)
        key = "parameters_last" if last else "parameters_partly"
        parts.append(locale.say(key, trainable=trained, share=share))
    elif added:
        share = f"{added / counts.total:.2%}"
        parts.append(locale.say("parameters_added", trainable=show_count(added), share=share))
    return ended(", ".join(parts), locale)


def _whole_on_each(answer: Answer) -> bool:
    """Whether several cards fail only because each was taken to hold the whole model."""
    setup = answer.setup
    if not isinstance(setup, TrainSetup) or setup.strategy is not Strategy.DDP:
        return False
    assumed = any(a.field == "strategy" for a in answer.assumed)
    return assumed and any(card.asked and card.verdict is not Verdict.FITS for card in answer.cards)
