"""A block on a tape: what it keeps is what the formulas say, and nothing is lost on the way."""

from itertools import product

import pytest

from estimator import Request, load_catalog, parse_request
from estimator.block_kinds import kind_of
from estimator.block_tape import block_program, block_sizes
from estimator.graph import Graph
from estimator.judging import resolve
from estimator.kept import kept_by_block
from estimator.program import Program, sum_of
from estimator.setup import TrainSetup
from estimator.step import graph_of
from estimator.tape import Tape, Way
from tests.estimator.questions import Document

CATALOG = load_catalog()
SEQ = 512
SMALL = ("heads", "tokenwise", "kv_heads")  # one number a head or token: left out of tapes
MODELS = ("meta-llama/Llama-3.1-8B", "Qwen/Qwen3-8B", "google/gemma-2-2b", "Qwen/Qwen2.5-0.5B")
GRAPHS: tuple[Document, ...] = (
    {"method": "full", "weights": "bf16", "master": "none"},
    {"method": "full", "weights": "fp32", "autocast": False},
    {"method": "full", "weights": "fp32", "autocast": True},
    {"method": "lora", "autocast": True},
    {"method": "lora", "autocast": False},
    {"method": "lora", "autocast": False, "adapter": "bf16"},
    {"method": "lora", "autocast": True, "lora_dropout": 0.1},
    {"method": "lora", "autocast": True, "targets": ["q_proj", "v_proj"]},
    {"method": "qlora", "autocast": True, "kbit_prepare": True},
    {"method": "qlora", "autocast": True, "kbit_prepare": False},
    {"method": "lora", "weights": "int8", "autocast": True, "kbit_prepare": True},
)
CASES = list(product(MODELS, GRAPHS))


def _setup(model: str, wish: Document) -> TrainSetup:
    request: Request = parse_request({"task": "train", "model": model, "seq": SEQ} | wish)
    setup = resolve(request, CATALOG)
    assert isinstance(setup, TrainSetup)
    return setup


def _program(setup: TrainSetup, graph: Graph) -> Program:
    _, block = setup.shape.architecture.stack[0]
    return block_program(kind_of(block), graph.kind)


@pytest.mark.parametrize(("model", "wish"), CASES, ids=str)
def test_a_tape_keeps_what_the_formulas_say(model: str, wish: Document) -> None:
    setup = _setup(model, wish)
    graph, architecture = graph_of(setup), setup.shape.architecture
    _, block = architecture.stack[0]
    formula = kept_by_block(block, architecture.hidden, seq=SEQ, graph=graph)
    sizes = block_sizes(block, architecture.hidden, seq=SEQ, graph=graph)
    kept = _program(setup, graph).kept
    taped = sum(width * sizes[name] for name, width in kept.items() if name not in SMALL)
    said = sum(
        factor * formula.sizes[name]
        for name, factor in formula.coefficients.items()
        if name not in SMALL
    )
    assert taped == said


@pytest.mark.parametrize(("model", "wish"), CASES, ids=str)
def test_passes_rise_above_what_is_kept_and_end_with_the_input_s_gradient(
    model: str, wish: Document
) -> None:
    setup = _setup(model, wish)
    graph, architecture = graph_of(setup), setup.shape.architecture
    _, block = architecture.stack[0]
    sizes = block_sizes(block, architecture.hidden, seq=SEQ, graph=graph)
    program = _program(setup, graph)

    def total(widths: object) -> int:
        assert isinstance(widths, dict)
        return sum(width * sizes[name] for name, width in widths.items())

    assert total(program.forward_peak(sizes)) > total(program.kept)
    assert total(program.backward_peak(sizes, 1, {})[0]) > total(program.kept)
    assert total(program.plain_peak(sizes)) <= total(program.forward_peak(sizes))
    left = sum_of((*program.kept.items(), *program.backward.events))
    assert left == {"hidden": graph.stream}


def test_a_shared_tensor_lives_until_its_last_reader_is_done() -> None:
    tape = Tape()
    x = tape.new("hidden", 2)
    first = tape.record(tape.new("hidden", 2), Way(x, width=2), saves=(x,))
    second = tape.record(tape.new("hidden", 2), Way(first, width=2), Way(x, width=2), saves=(x,))
    tape.drop(x, first, second)
    program = tape.program(x, second, 2)
    assert program.kept == {"hidden": 2}
    assert program.input_kept == 2
    # the gradient that came in, one for each input, and x itself
    assert program.backward_peak({"hidden": 1}, 1, {})[0] == {"hidden": 8}
    assert sum_of((*program.kept.items(), *program.backward.events)) == {"hidden": 2}


def test_what_needs_no_gradient_gets_none() -> None:
    tape = Tape()
    x = tape.new("hidden", 2, differentiable=False)
    out = tape.record(tape.new("hidden", 2), Way(x, width=2))
    tape.drop(x, out)
    program = tape.program(x, out, 2)
    assert program.backward_peak({"hidden": 1}, 1, {})[0] == {}
    assert program.backward.events == ()
