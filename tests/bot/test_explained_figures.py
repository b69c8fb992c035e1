"""Every figure of every explanation, worked out again from the estimator's own document."""

import re
from collections.abc import Mapping
from string import Formatter

import pytest

from bot.ask import Replied, open_desk
from bot.explaining.explainer import Explainer
from bot.explaining.topics import ExampleWords, load_topics
from bot.presenting.difference import PARTS
from bot.reading.read import Reader
from estimator import host_lines, load_catalog, show_count, show_gb, show_gib

DESK = open_desk()
CATALOG = load_catalog()
TOPICS = load_topics().topics
EXPLAINER = Explainer(Reader(DESK.locale, CATALOG), CATALOG, DESK.locale)
EXAMPLES = [(key, one) for key, topic in TOPICS.items() for one in topic.examples]


def fields_of(template: str) -> set[str]:
    """The names of a template's figures."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def rebuilt(line: str) -> Mapping[str, str]:
    """The figures of the answer to `line`, from its JSON document; the host's from its lines."""
    found = DESK.ask(line)
    assert isinstance(found, Replied), line
    document = found.document()
    lines = {
        line["key"]: line["bytes"]
        for moment in document["moments"]
        if moment["name"] == document["peak"]["moment"]
        for line in moment["lines"]
    }
    parts = {
        part: sum(size for key, size in lines.items() if key.startswith(PARTS[part]))
        for part in PARTS
    }
    parts["logits"] -= sum(size for key, size in lines.items() if key.startswith("head_"))
    parts["gradients"] = max(  # when all of them are there
        sum(line["bytes"] for line in one["lines"] if line["key"].startswith(PARTS["gradients"]))
        for one in document["moments"]
    )
    counts = document["parameters"]
    sizes = {"peak": document["peak"]["bytes"], **lines, **parts}
    figures = {name: show_gib(size) for name, size in sizes.items()}
    figures |= {
        "peak_gb": show_gb(document["peak"]["bytes"]),
        "low": show_gib(document["peak"]["low_bytes"]),
        "high": show_gib(document["peak"]["high_bytes"]),
        "counted": show_gib(document["counted_bytes"]),
        "weights_gb": show_gb(parts["weights"]),
        "params": show_count(counts["total"]),
        "active": show_count(counts["active"]),
        "trainable": show_count(counts["trainable"]),
        "whole_16bit": show_gib(2 * counts["total"]),
        **{f"in_{one['name']}": show_gib(one["bytes"]) for one in document["moments"]},
        "at": DESK.locale.reply.moments[document["peak"]["moment"]],
    }
    if card := document["cards"][:1]:
        held = {f"held_{one['key']}": one["bytes"] for one in card[0]["held_back"]}
        usable = card[0]["usable_bytes"]
        figures |= {name: show_gib(size) for name, size in held.items()}
        figures |= {"usable": show_gib(usable)}
        figures |= {"card_total": show_gib(usable + sum(held.values()))}
    kept = {one["key"]: one["bytes"] for one in document["storage"]}
    for name in ("download", "checkpoint"):
        figures[name] = show_gb(sum(size for key, size in kept.items() if key.startswith(name)))
    figures["host"] = show_gib(sum(one.bytes for one in host_lines(found.answer.setup)))
    if share := document["reservations"][:1]:
        figures |= {
            "reserved": show_gib(share[0]["bytes"]),
            "pool": show_gib(share[0]["pool_bytes"]),
        }
    return figures


@pytest.mark.parametrize(("topic", "example"), EXAMPLES)
def test_figures_are_the_estimators(topic: str, example: ExampleWords) -> None:
    shown = EXPLAINER.explained(topic).explanation
    place = TOPICS[topic].examples.index(example)
    names = fields_of(example.says)
    assert names
    assert not re.search(r"\d\s*[GM]iB", example.says)
    figures = rebuilt(shown.examples[place].line)
    assert shown.examples[place].says == example.says.format_map(figures)


def test_gradients_and_logits_are_what_their_formulas_come_to() -> None:
    full = EXPLAINER.explained("gradients").explanation.examples[0]
    found = DESK.ask(full.line)
    assert isinstance(found, Replied)
    trained = found.answer.estimate.parameters.trainable
    assert show_gib(2 * trained) in full.says
    first = EXPLAINER.explained("logits").explanation.examples[0]
    found = DESK.ask(first.line)
    assert isinstance(found, Replied)
    words = found.answer.setup.shape.architecture.vocabulary
    assert show_gib(4 * 8192 * words * 12) in first.says


def test_differences_go_the_way_that_the_sentences_say() -> None:
    def peaks(topic: str) -> list[int]:
        return [one.estimate.peak.bytes for one in EXPLAINER.explained(topic).answers]

    lora_8bit, lora, full_8bit, full = peaks("adam_8bit")
    assert (lora - lora_8bit) * 50 < lora
    assert (full - full_8bit) * 3 > full
    qlora, lora, plain = peaks("kbit")
    assert qlora > lora > plain
    alone, copied, divided = peaks("several_cards")
    assert copied > alone > divided > alone / 2
    whole, kept = peaks("checkpointing")
    assert whole > kept
    foreach, fused = peaks("optimizer_step")
    assert foreach > fused
    published, trained = peaks("mxfp4")
    assert trained > 2 * published
    galore, lora, full = peaks("galore")
    assert lora < galore < full


FALLING = (  # topics whose examples each take less than the one before
    "activations",
    "accumulation",
    "logits",
    "flash_attention",
    "methods",
    "zero_stages",
    "optimizers",
    "lora",
    "packing",
    "clipping",
    "cache_types",
    "paged_attention",
    "gguf",
    "gpu_layers",
    "gqa",
    "tensor_parallel",
)
RISING = ("rank", "context_length", "slots", "speculative", "grpo", "dpo", "vocabulary")
ALIKE = 0.03  # of a peak


def peaks_of(topic: str) -> list[int]:
    return [one.estimate.peak.bytes for one in EXPLAINER.explained(topic).answers]


@pytest.mark.parametrize("topic", FALLING)
def test_each_example_takes_less(topic: str) -> None:
    peaks = peaks_of(topic)
    assert len(peaks) > 1
    assert peaks == sorted(set(peaks), reverse=True)


@pytest.mark.parametrize("topic", RISING)
def test_each_example_takes_more(topic: str) -> None:
    peaks = peaks_of(topic)
    assert len(peaks) > 1
    assert peaks == sorted(set(peaks))


def test_what_costs_nothing_costs_nothing() -> None:
    lora, rslora, dora, vera = peaks_of("dora")
    assert lora == rslora < dora
    assert abs(vera - lora) < lora * 2 * ALIKE
    mixed, pure, single = peaks_of("master_weights")
    assert pure * 1.9 < mixed
    assert abs(mixed - single) < mixed * ALIKE
    copied, fsdp, zero3 = peaks_of("fsdp")
    assert abs(fsdp - zero3) < fsdp * ALIKE < copied
