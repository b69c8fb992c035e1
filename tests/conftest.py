"""No test asks the real Hub, and what many tests need alike is worked out once in a session."""

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest

NOBODY = "http://127.0.0.1:9"  # the port where nothing that is sent is ever answered
NETWORK = find_spec("aiohttp") is not None  # the estimator's tests run without it too


def pytest_configure(config: pytest.Config) -> None:
    """Where nothing may be written beside the code, what it compiles to is kept with pytest's own.

    Else each worker, and each process that a test starts, would compile all of it again.
    """
    if sys.dont_write_bytecode and config.cache is not None:
        sys.dont_write_bytecode = False
        sys.pycache_prefix = str(config.cache.mkdir("compiled"))
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # of workers, and of what tests start
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Whoever asks without saying whom finds nobody: the host is another one here."""
    with pytest.MonkeyPatch.context() as patch:
        if NETWORK:
            patch.setattr("bot.hub.hub.BASE", NOBODY)
        yield


@pytest.fixture(autouse=True, scope="session")
def worked_out_once() -> Iterator[None]:
    """The bot's plans and advice, by request, and its languages, by file: each follows from those.

    The estimator's own tests call what works them out, and not what is remembered of it.
    """
    with pytest.MonkeyPatch.context() as patch:
        if NETWORK:
            from bot.locale import document_of  # noqa: PLC0415  (where it can be imported)
            from estimator import advise_on, plans  # noqa: PLC0415  (likewise)

            remembered = _remembering(advise_on, lambda found: found.request)
            patch.setattr("bot.advised.advise_on", remembered)
            patch.setattr("bot.planned.plans", _remembering(plans, lambda request: request))
            patch.setattr("bot.locale.document_of", cache(document_of))
        yield


def _remembering(
    work_out: Callable[[Any, Any], Any], request_of: Callable[[Any], Any]
) -> Callable[[Any, Any], Any]:
    """The same, once for each request and catalogue."""
    known: dict[tuple[str, str, int], tuple[Any, Any]] = {}

    def remembered(found: Any, catalog: Any) -> Any:  # noqa: ANN401  (whatever it takes and gives)
        request = request_of(found)
        key = (type(request).__name__, request.model_dump_json(), id(catalog))
        if key not in known:
            known[key] = (catalog, work_out(found, catalog))  # held: no other one gets its id
        return known[key][1]

    return remembered
