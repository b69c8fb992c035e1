"""Threads that know what is being answered: their lines of the log carry its id too."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Threads(ThreadPoolExecutor):
    """A pool whose work runs in the context of who asked for it."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:  # noqa: ANN401
        """As any pool does."""
        context = copy_context()
        return super().submit(partial(context.run, fn, *args, **kwargs))
