"""Each optimizer's states and scratch, gradients that do not stay, and wishes that do not fit."""

import pytest

from estimator import Book, Contradiction, Line, answer, load_catalog, parse_request
from estimator.answering import Answer
from tests.estimator.questions import MODELS, Document, train
from tests.estimator.words import OPTIMIZERS, TRAIN_BLOCKS

CATALOG = load_catalog()
TINY = CATALOG.models.find("TinyLlama/TinyLlama-1.1B-Chat-v1.0").architecture
QWEN = "Qwen/Qwen2.5-0.5B"
PURE = {"method": "full", "master": "none", "batch": 1, "seq": 64}
PARAMETERS = TINY.parameters
MATRICES = 22 * (2 * 2048**2 + 2 * 256 * 2048 + 3 * 2048 * 5632)
OTHERS = PARAMETERS - MATRICES


def answered(request: Document) -> Answer:
    return answer(parse_request(request), CATALOG)


def moment_lines(request: Document, moment: str) -> tuple[Line, ...]:
    return next(m.lines for m in answered(request).estimate.moments if m.name == moment)


def held(request: Document, prefix: str, moment: str = "optimizer_step") -> int:
    """Bytes of the lines of `moment` whose key begins so."""
    lines = moment_lines(request, moment)
    return sum(line.bytes for line in lines if line.key.startswith(prefix))


def states(request: Document) -> int:
    return held(request, "optimizer_") - held(request, "optimizer_temporaries")


@pytest.mark.parametrize(
    ("optimizer", "amount"),
    [
        ("muon", 2 * (MATRICES + 2 * OTHERS)),
        ("lion", 2 * PARAMETERS),
        ("paged_adamw", 8 * PARAMETERS),
        ("sgd", 0),
        ("lomo", 0),
        ("schedule_free", 4 * PARAMETERS),
    ],
)
def test_states_of_16_bit_weights(optimizer: str, amount: int) -> None:
    assert states(train(**PURE, optimizer=optimizer)) == amount


@pytest.mark.parametrize(
    ("optimizer", "amount"),
    [
        ("adamw_fused", 0),
        ("adamw_8bit", 0),
        ("rmsprop", 2 * PARAMETERS),
        ("adagrad", 4 * PARAMETERS),
        ("lamb", 2 * PARAMETERS),
        ("lion", 2 * 2 * 32_000 * 2048),
        ("sophia", 3 * 2 * 32_000 * 2048),
        ("adafactor", 4 * 4 * 32_000 * 2048 + 4 * (32_000 + 2048)),
        ("muon", 2 * OTHERS),
    ],
)
def test_the_steps_scratch(optimizer: str, amount: int) -> None:
    assert held(train(**PURE, optimizer=optimizer), "optimizer_temporaries") == amount


def test_adafactor_copies_no_fp32_weight() -> None:
    request = train(**PURE, optimizer="adafactor", weights="fp32")
    widest, sides = 32_000 * 2048, 32_000 + 2048
    assert held(request, "optimizer_temporaries") == 2 * 4 * widest + 4 * sides


def test_newton_schulz_is_muons_scratch_where_all_is_a_matrix() -> None:
    request = train(method="lora", rank=64, optimizer="muon", adapter="fp32")
    widest = 64 * 5632
    square = 64**2
    assert held(request, "optimizer_temporaries") == 4 * widest + 4 * widest + 4 * square


@pytest.mark.parametrize("model", MODELS[:6])
@pytest.mark.parametrize(("packed", "plain"), [("adamw_8bit", "paged_adamw"), ("adamw_4bit", "")])
def test_packed_states_are_never_larger(model: str, packed: str, plain: str) -> None:
    request = PURE | {"model": model}
    assert states(train(**request, optimizer=packed)) <= states(
        train(**request, optimizer=plain or "adamw_8bit")
    )


@pytest.mark.parametrize("optimizer", [one for one in OPTIMIZERS if one != "lomo"])
@pytest.mark.parametrize("model", ["TinyLlama/TinyLlama-1.1B-Chat-v1.0", QWEN])
def test_a_step_in_backward_never_holds_more(model: str, optimizer: str) -> None:
    request = PURE | {"model": model, "optimizer": optimizer}
    within = answered(train(**request, optimizer_in_backward=True)).estimate
    after = answered(train(**request)).estimate
    assert within.counted_peak_bytes <= after.counted_peak_bytes
    assert within.resting is not None
    assert within.resting.after_backward == within.resting.before_step


@pytest.mark.parametrize(
    ("fields", "each"),
    [
        ({}, 16),
        ({"grads": "bf16"}, 16),
        ({"grads": "fp32"}, 18),
        ({"main_grads": "fp32"}, 20),
        ({"master": "none"}, 8),
        ({"master": "none", "states": "fp32"}, 12),
        ({"states": "bf16"}, 12),
    ],
)
def test_bytes_a_parameter(fields: Document, each: int) -> None:
    """ZeRO's 16, Megatron's 18, and fp32 gradients beside 16-bit ones."""
    estimate = answered(train(method="full", **fields)).estimate
    assert estimate.resting is not None
    assert estimate.resting.after_backward == each * PARAMETERS
    step = next(m for m in estimate.moments if m.name == "optimizer_step")
    assert step.counted_bytes == each * PARAMETERS


def test_paged_states_are_on_the_card_but_not_pytorchs() -> None:
    request = train(**PURE, optimizer="paged_adamw")
    paged = [line for line in moment_lines(request, "optimizer_step") if "paged" in line.key]
    assert [line.book for line in paged] == [Book.DEVICE, Book.DEVICE]
    assert [line.low_bytes for line in paged] == [0, 0]
    small = states(request) - sum(line.bytes for line in paged)
    assert small == 8 * 45 * 2048  # only the norms are below 100,000 elements


def test_the_trainer_leaves_an_embeddings_states_unpacked() -> None:
    packed = states(train(**PURE, optimizer="adamw_8bit"))
    wide = states(train(**PURE, optimizer="adamw_8bit", embedding_states="fp32"))
    embedding = 32_000 * 2048
    assert wide - packed == 2 * (4 * embedding - embedding // 256 * 260)


@pytest.mark.parametrize(("method", "blocks"), [("badam", 1), ("lisa", 2)])
def test_what_is_trained_at_a_time(method: str, blocks: int) -> None:
    block = (PARAMETERS - 2 * 32_000 * 2048 - 2048) // 22
    ends = 2 * 32_000 * 2048 + 2048 if method == "lisa" else 0
    found = answered(train(method=method))
    assert found.estimate.parameters.trainable == blocks * block + ends
    taken = {one.field: one for one in found.setup.assumed}
    assert taken["active_blocks"].value == str(blocks)
    assert answered(train(method=method, active_blocks=22)).estimate.parameters.trainable > (
        found.estimate.parameters.trainable
    )


def test_badam_updates_an_fp32_copy() -> None:
    block = (PARAMETERS - 2 * 32_000 * 2048 - 2048) // 22
    assert held(train(method="badam"), "master_weights") == 4 * block
    assert held(train(method="badam"), "gradients") == 4 * block
    assert held(train(method="badam"), "optimizer_temporaries") == 2 * 2048 * 5632


@pytest.mark.parametrize("method", TRAIN_BLOCKS)
@pytest.mark.parametrize("model", MODELS)
def test_some_blocks_are_never_more_than_all(model: str, method: str) -> None:
    request = {"model": model, "checkpointing": "none", "seq": 512, "master": "fp32"}
    some = answered(train(method=method, **request)).estimate
    every = answered(train(method="full", **request)).estimate
    assert some.counted_peak_bytes <= every.counted_peak_bytes


@pytest.mark.parametrize(
    ("request_", "fields"),
    [
        (train(method="lora", optimizer="galore_adamw"), ("method", "optimizer")),
        (train(method="galore", optimizer="lion"), ("method", "optimizer")),
        (train(method="badam", optimizer="lomo"), ("method", "optimizer")),
        (train(method="lisa", optimizer="apollo"), ("method", "optimizer")),
        (train(method="badam", optimizer_in_backward=True), ("method", "optimizer_in_backward")),
        (train(method="badam", master="none"), ("method", "master")),
        (train(method="full", active_blocks=2), ("method", "active_blocks")),
        (train(method="full", master="none", main_grads="fp32"), ("main_grads", "master")),
        (train(method="lora", main_grads="fp32"), ("main_grads", "method")),
        (train(method="lisa", main_grads="fp32"), ("main_grads", "method", "master")),
        (train(method="galore", main_grads="fp32"), ("main_grads", "method", "master")),
        (
            train(method="full", main_grads="fp32", optimizer_in_backward=True),
            ("main_grads", "optimizer_in_backward"),
        ),
        (
            train(optimizer="lomo", accumulation=2),
            ("optimizer_in_backward", "optimizer", "method", "accumulation"),
        ),
    ],
)
def test_what_cannot_be_is_said(request_: Document, fields: tuple[str, ...]) -> None:
    with pytest.raises(Contradiction) as caught:
        answered(request_)
    assert caught.value.fields == fields
    assert caught.value.suggestions


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"method": "lora", "optimizer": "adam_mini"}, "heads"),
        ({"method": "full", "optimizer": "lomo", "master": "fp32"}, "master"),
        ({"method": "full", "optimizer": "lion", "embedding_states": "fp32"}, "changes nothing"),
    ],
)
def test_what_is_done_all_the_same_is_said(fields: Document, words: str) -> None:
    assert any(words in warning for warning in answered(train(**fields)).setup.warnings)


@pytest.mark.parametrize("optimizer", ["muon", "galore_adamw", "apollo", "soap", "shampoo"])
def test_what_an_optimizer_does_not_take_itself_is_said(optimizer: str) -> None:
    taken = answered(train(method="full", optimizer=optimizer)).setup.assumed
    assert any(one.field == "optimizer" and one.why for one in taken)


@pytest.mark.parametrize("optimizer", ["muon", "galore_adamw", "soap"])
def test_experts_in_one_tensor_are_spoken_of(optimizer: str) -> None:
    warned = answered(
        train(model="mistralai/Mixtral-8x7B-v0.1", method="full", optimizer=optimizer)
    ).setup.warnings
    assert any("experts" in warning for warning in warned)


def test_only_what_was_counted_is_called_so() -> None:
    derived = [row.id for row in CATALOG.optimizers.rows if row.basis == "derived"]
    assert derived == ["shampoo"]


@pytest.mark.parametrize("wish", ["int8", "bf16"])
def test_a_type_of_states_that_have_their_own_changes_nothing_and_is_said(wish: str) -> None:
    plain = answered(train(optimizer="adamw_8bit"))
    asked = answered(train(optimizer="adamw_8bit", states=wish))
    assert asked.estimate == plain.estimate
    assert any("`states`" in sentence for sentence in asked.warnings)
