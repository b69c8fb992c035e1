"""Whatever a message may say, it is explained: every figure that can be, in every mixture."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import open_desk
from bot.diagnosis.diagnose import diagnose
from bot.diagnosis.document import diagnosis_document
from bot.presenting.oom import explain, key_of_finding
from bot.reading.oom.message import OomKind, OomMessage, Process
from bot.reading.oom.places import Place
from bot.surface.embed import embed_of
from estimator import GIB, KIB
from tests.examples import examples

LOCALE = open_desk().locale
FIGURES = (
    *("tried", "total", "free", "allocated_by_pytorch", "reserved_unallocated", "reserved_total"),
    *("private_pools", "this_process", "other", "limit", "allowed", "desired", "cached", "peak"),
    *("needed", "available", "weights", "kv_cache", "kv_cache_bytes", "activation_peak", "graph"),
    *("non_torch", "deficit", "temp", "total_allocation", "cpu_used", "something_new"),
)
COUNTS = (
    *("device", "rank", "max_seq_len", "max_model_len", "estimated_max_len", "kv_tokens"),
    *("total_tokens", "prefill_tokens", "requested_tokens", "profiled_tokens", "concurrency"),
    *("dummy_requests", "layers_model", "layers_offload", "utilization", "params_m", "exit_code"),
)
SIZES = st.one_of(
    st.sampled_from([-1, 0, 1, KIB, GIB, 24 * GIB, 80 * GIB, GIB**2, 2**64 * GIB, 10**400]),
    st.integers(0, 200 * GIB),
)
NUMBERS = st.one_of(
    st.sampled_from([-9.0, 0.0, 0.9, 1e30, float("inf"), float("nan")]),
    st.floats(allow_nan=True),
    st.integers(-(10**400), 10**400),
    st.integers(0, 2**20),
)
MESSAGES = st.builds(
    OomMessage,
    kind=st.sampled_from(OomKind),
    figures=st.dictionaries(st.sampled_from(FIGURES), SIZES, max_size=8),
    counts=st.dictionaries(st.sampled_from(COUNTS), NUMBERS, max_size=5),
    words=st.dictionaries(st.sampled_from(["component", "backend", "pool"]), st.text(max_size=90)),
    shape=st.lists(st.integers(-1, 10**40), max_size=12).map(tuple),
    processes=st.lists(
        st.builds(Process, pid=st.integers(-1, 10**30), used_bytes=SIZES), max_size=12
    ).map(tuple),
    incomplete=st.booleans(),
    ignored=st.sampled_from([(), ("this_process",)]),
)


@settings(max_examples=examples(600), deadline=None, derandomize=True)
@given(MESSAGES, st.sampled_from([None, *Place]))
def test_every_message_is_explained_within_discords_limits(
    message: OomMessage, place: Place | None
) -> None:
    found = diagnose(message, place=place)
    shown = explain(found, LOCALE)
    embed = embed_of(shown)
    assert shown.headline
    assert len(embed) <= 6000
    assert len(found.steps) <= 5
    assert json.loads(json.dumps(diagnosis_document(found), allow_nan=False))["causes"]
    said = "\n".join((shown.headline, *shown.details, *shown.steps))
    assert not re.search(r"\{\w*\}|<@|@everyone|inf\b|nan\b", said)


@settings(max_examples=examples(200), deadline=None, derandomize=True)
@given(MESSAGES)
def test_parts_are_the_card_or_it_is_said_that_they_are_more(message: OomMessage) -> None:
    found = diagnose(message)
    shown = explain(found, LOCALE)
    together, total = sum(p.bytes for p in found.account.parts), found.account.total_bytes
    if shown.whole is None:
        assert len(found.account.parts) < 2
    elif total and together <= total * 1.01:
        assert shown.whole.label in ("The card", "The limit")
        assert together >= total * 0.97
    else:
        assert shown.whole.label == "Total"


def test_sentences_are_all_said_somewhere() -> None:
    """Every cause has its sentence, and every sentence its cause."""
    from bot.diagnosis.diagnosis import Cause, Holder, Program  # noqa: PLC0415

    words = LOCALE.oom
    causes = {key.split("_")[0] for key in words.headlines}
    assert {cause.split("_")[0] for cause in Cause} == causes
    assert set(words.whys) <= set(words.headlines)
    assert {*Program} == set(words.programs)
    assert {*Holder} <= set(words.parts)
    assert key_of_finding(diagnose(OomMessage(OomKind.CUDA)).verdict) in words.headlines
