"""The snippet that measures a peak, by what runs: `snippets.toml`."""

from collections.abc import Mapping
from functools import cache
from importlib import resources

import tomli
from pydantic import BaseModel, ConfigDict, TypeAdapter

from estimator import Answer, ServeSetup, Statistic, statistics_of

COLUMNS = 30  # of a line of code
PYTORCH, RANKS, SERVER = "pytorch", "pytorch_ranks", "server"
BY_ENGINE = {"vllm": "vllm", "llama.cpp": "llama_cpp", "mlx": "mlx"}


class Snippet(BaseModel):
    """`language`: as code blocks name it. `sources`: of what each figure is."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    language: str
    sources: Mapping[Statistic, str]
    code: str


def name_of(found: Answer) -> str:
    """Which of them measures what was asked."""
    setup = found.setup
    if isinstance(setup, ServeSetup):
        if setup.engine.id in BY_ENGINE:
            return BY_ENGINE[setup.engine.id]
        if statistics_of(setup)[0] is Statistic.DEVICE:
            return SERVER
        return PYTORCH  # a loop of one process, also over several cards
    return RANKS if setup.world > 1 else PYTORCH


def snippet_of(found: Answer) -> Snippet:
    """What to run beside what was asked."""
    return load_snippets()[name_of(found)]


@cache
def load_snippets() -> Mapping[str, Snippet]:
    """All of them, by their names."""
    file = resources.files("bot").joinpath("measuring", "snippets.toml")
    table = TypeAdapter(dict[str, Snippet])
    return table.validate_python(tomli.loads(file.read_text(encoding="utf-8")))
