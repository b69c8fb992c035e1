"""The snippets: they go on a phone, they run, and what they print is read back."""

import io
from contextlib import redirect_stdout
from types import ModuleType
from typing import Any

import pytest

from bot.ask import Replied, open_desk
from bot.measuring.peaks import read_peaks
from bot.measuring.snippet import COLUMNS, Snippet, load_snippets, name_of, snippet_of
from bot.surface.limits import FENCE, MOST_FIELD
from estimator import GIB, Statistic

DESK = open_desk()
SNIPPETS = load_snippets()
ALLOCATED, RESERVED, FREE, TOTAL = 15.25 * GIB, 15.5 * GIB, 6.75 * GIB, 23.5 * GIB


class FakeGpu:
    """The counters of `torch.cuda`, at fixed values; reading before a reset is a mistake."""

    def __init__(self) -> None:
        self.was_reset = False

    def reset_peak_memory_stats(self) -> None:
        self.was_reset = True

    def mem_get_info(self) -> tuple[float, float]:
        return FREE, TOTAL

    def max_memory_allocated(self) -> float:
        assert self.was_reset
        return ALLOCATED

    def max_memory_reserved(self) -> float:
        assert self.was_reset
        return RESERVED


def printed(snippet: Snippet, monkeypatch: pytest.MonkeyPatch) -> str:
    """What it prints with a fake torch, or a fake MLX."""
    modules: dict[str, Any] = {name: ModuleType(name) for name in ("torch", "mlx")}
    modules["torch.cuda"], modules["torch.distributed"] = FakeGpu(), ModuleType("dist")
    modules["torch.distributed"].get_rank = lambda: 3
    modules["mlx.core"] = ModuleType("mlx.core")
    modules["mlx.core"].reset_peak_memory = lambda: None
    modules["mlx.core"].get_peak_memory = lambda: int(ALLOCATED)
    for name, module in modules.items():
        monkeypatch.setitem(__import__("sys").modules, name, module)
    for name in ("cuda", "distributed"):
        setattr(modules["torch"], name, modules[f"torch.{name}"])
    modules["mlx"].core = modules["mlx.core"]
    said = io.StringIO()
    with redirect_stdout(said):
        exec(compile(snippet.code, "snippet", "exec"), {})  # noqa: S102  (our own data)
    return said.getvalue()


@pytest.mark.parametrize("name", SNIPPETS)
def test_it_goes_on_a_phone_and_into_a_field(name: str) -> None:
    code = SNIPPETS[name].code.strip()
    assert max(map(len, code.splitlines())) <= COLUMNS
    assert len(code) + 2 * len(FENCE) + len(DESK.locale.measured.how[name]) < MOST_FIELD - 20


@pytest.mark.parametrize("name", ["pytorch", "pytorch_ranks"])
def test_it_runs_and_is_read_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read_peaks(printed(SNIPPETS[name], monkeypatch))
    assert {one: amount.bytes for one, amount in found.named.items()} == {
        Statistic.ALLOCATED: ALLOCATED,
        Statistic.RESERVED: RESERVED,
        Statistic.DEVICE: TOTAL - FREE,
    }


def test_that_of_mlx_runs_and_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read_peaks(printed(SNIPPETS["mlx"], monkeypatch))
    assert found.named[Statistic.ALLOCATED].bytes == ALLOCATED


@pytest.mark.parametrize("name", SNIPPETS)
def test_each_says_how_and_its_sources_resolve(name: str) -> None:
    assert DESK.locale.measured.how[name]
    for source in SNIPPETS[name].sources.values():
        row = DESK.catalog.sources.get(source)
        assert row is not None
        assert row.where.startswith("https://")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("7B lora", "pytorch"),
        ("7B lora 4x4090 zero3", "pytorch_ranks"),
        ("8B transformers", "pytorch"),
        ("8B vllm 4090", "vllm"),
        ("8B sglang 4090", "server"),
        ("8B q4_k_m 3090", "llama_cpp"),
        ("8B q4_k_m ollama 3090", "server"),
        ("8B mlx", "mlx"),
    ],
)
def test_it_is_chosen_by_what_runs(line: str, name: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert name_of(found.answer) == name
    assert snippet_of(found.answer) is SNIPPETS[name]
