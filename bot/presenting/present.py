"""Answer + locale → Presentation: words and numbers, the verdict first."""

from collections.abc import Mapping, Sequence

from bot.locale import Locale
from bot.presenting.names import card_name, card_names, line_name, rule_name
from bot.presenting.presentation import CardRow, Entry, Presentation, Refusal, Row, Tone
from estimator import Answer, CardFit, Catalog, TrainSetup, Verdict, show_count, show_gb, show_gib

MOST_EXAMPLES = 3
MOST_SHORT, MOST_ROOMY = 2, 4  # classes shown below and above the point where it fits
TONES: Mapping[Verdict, Tone] = {
    Verdict.FITS: Tone.GOOD,
    Verdict.TIGHT: Tone.CLOSE,
    Verdict.NO: Tone.BAD,
}


def present(
    answer: Answer, *, line: str, notes: Sequence[str], catalog: Catalog, locale: Locale
) -> Presentation:
    """The whole answer to the question that `line` says; `notes` of how it was read."""
    peak = answer.estimate.peak
    moment = locale.reply.moments[peak.name]
    headings = locale.reply.headings
    tone, verdict = _verdict(answer, catalog, locale)
    return Presentation(
        tone=tone,
        title=_title(answer, locale),
        verdict=verdict,
        details=tuple(_details(answer, moment, locale)),
        lines_heading=headings["lines"].format(moment=moment),
        lines=tuple(
            Row(line_name(part.key, locale), show_gib(part.bytes), part.bytes / peak.bytes)
            for part in sorted(peak.lines, key=lambda part: -part.bytes)
        ),
        cards_heading=headings["cards"],
        cards=tuple(_card(card, catalog, locale) for card in _shown(answer.cards)),
        assumed_heading=headings["assumed"],
        assumed=tuple(Entry(a.field, a.value, a.why) for a in answer.assumed),
        opinions_heading=headings["opinions"],
        opinions=tuple(
            Entry(
                rule_name(opinion.rule, locale),
                locale.say("no_bytes") if opinion.bytes is None else show_gb(opinion.bytes),
                opinion.note,
            )
            for opinion in answer.opinions
        ),
        warnings_heading=headings["warnings"],
        warnings=(*notes, *answer.warnings),
        line_heading=headings["again"],
        line=line,
    )


def refuse(understood: str, wrong: str, lines: Sequence[str], locale: Locale) -> Refusal:
    """The three parts of an error."""
    headings = locale.reply.headings
    return Refusal(
        understood_heading=headings["understood"],
        understood=understood or headings["nothing"],
        wrong_heading=headings["wrong"],
        wrong=wrong,
        type_heading=headings["type"],
        lines=tuple(lines),
    )


def _title(answer: Answer, locale: Locale) -> str:
    name = answer.request.model or answer.setup.shape.name
    if isinstance(answer.setup, TrainSetup):
        return locale.say("title_train", model=name, method=answer.setup.method)
    return locale.say("title_infer", model=name, weights=answer.setup.numbers.format.id)


def _verdict(answer: Answer, catalog: Catalog, locale: Locale) -> tuple[Tone, str]:
    """For the cards asked about, yes or no; else the smallest class that holds it."""
    peak = answer.estimate.peak.bytes
    sizes = {"peak": show_gib(peak), "peak_gb": show_gb(peak)}
    asked = [card for card in answer.cards if card.asked]
    if asked:
        card = max(asked, key=lambda card: card.gap_bytes)
        name = card.name
        if card.count > 1:
            name = locale.say("each", count=card.count, card=card.name)
        sentence = locale.say(
            f"asked_{card.verdict}",
            card=name,
            usable=show_gib(card.usable_bytes),
            gap=show_gib(max(0, card.gap_bytes)),
            **sizes,
        )
        return TONES[card.verdict], sentence
    count = answer.cards[0].count
    kind = "verdict" if count == 1 else "each"
    best = next((card for card in answer.cards if card.verdict is not Verdict.NO), None)
    if best is None:
        return Tone.BAD, locale.say(f"{kind}_none", count=count, **sizes)
    sentence = locale.say(
        f"{kind}_{best.verdict}",
        card=best.name,
        count=count,
        examples=_examples(best, catalog),
        **sizes,
    )
    roomy = next((card for card in answer.cards if card.verdict is Verdict.FITS), None)
    if best.verdict is Verdict.TIGHT and roomy is not None:
        examples = _examples(roomy, catalog)
        sentence += " " + locale.say("verdict_next", card=roomy.name, examples=examples)
    return TONES[best.verdict], sentence


def _details(answer: Answer, moment: str, locale: Locale) -> list[str]:
    estimate, shape = answer.estimate, answer.setup.shape
    counts = estimate.parameters
    total = show_count(counts.total)
    details = [
        locale.say(
            "range",
            low=show_gib(estimate.low_bytes),
            high=show_gib(estimate.high_bytes),
            moment=moment,
        )
    ]
    if counts.trainable:
        trainable = show_count(counts.trainable)
        share = f"{counts.trainable / counts.total:.2%}"
        details.append(
            locale.say("parameters_trained", total=total, trainable=trainable, share=share)
        )
    elif counts.active == counts.total:
        details.append(locale.say("parameters", total=total))
    if counts.active != counts.total:
        active = show_count(counts.active)
        details.append(locale.say("parameters_active", total=total, active=active))
    if shape.typed is not None:
        details.append(
            locale.say(
                "typed_size",
                typed=show_count(shape.typed),
                counted=show_count(shape.architecture.parameters),
                model=shape.name,
            )
        )
    return details


def _shown(cards: Sequence[CardFit]) -> list[CardFit]:
    """The cards asked about, and the classes around the point where it begins to fit."""
    asked = [card for card in cards if card.asked]
    classes = [card for card in cards if not card.asked]
    short = [card for card in classes if card.verdict is Verdict.NO]
    tight = [card for card in classes if card.verdict is Verdict.TIGHT]
    roomy = [card for card in classes if card.verdict is Verdict.FITS]
    return [*asked, *short[-MOST_SHORT:], *tight, *roomy[:MOST_ROOMY]]


def _card(card: CardFit, catalog: Catalog, locale: Locale) -> CardRow:
    usable = show_gib(card.usable_bytes)
    if card.members:
        detail = locale.say(
            "members",
            yes=_members(card, Verdict.FITS, locale),
            tight=_members(card, Verdict.TIGHT, locale),
            no=_members(card, Verdict.NO, locale),
        )
    elif card.verdict is Verdict.NO:
        detail = locale.say("card_short", usable=usable, gap=show_gib(card.gap_bytes))
    else:
        detail = locale.say("card_room", usable=usable)
    return CardRow(
        name=f"{card.count}× {card.name}" if card.count > 1 else card.name,
        verdict=locale.reply.verdicts[card.verdict],
        tone=TONES[card.verdict],
        examples=_examples(card, catalog),
        detail=detail,
        asked=card.asked,
    )


def _members(card: CardFit, verdict: Verdict, locale: Locale) -> str:
    names = [card_name(name) for name, found in card.members.items() if found is verdict]
    return ", ".join(names) or locale.say("member_none")


def _examples(card: CardFit, catalog: Catalog) -> str:
    card_class = catalog.classes.get(card.id)
    if card_class is None:
        return ""
    return ", ".join(card_names(catalog.class_members(card_class))[:MOST_EXAMPLES])
