"""What ends the program, or goes wrong where nobody listens: said without a secret.

Python prints such errors by itself, past the log, and their texts may hold anything. Until the
settings are read, only what looks like a secret can be taken out.
"""

import sys
import threading
from collections.abc import Sequence
from types import TracebackType

_hidden: list[str] = []


def take_over() -> None:
    """From now on nothing is printed of an error before it is clean."""
    sys.excepthook = _ends
    threading.excepthook = _in_a_thread
    sys.unraisablehook = _ignored


def hide(secrets: Sequence[str]) -> None:
    """Take these out too, whatever they look like."""
    _hidden.extend(secrets)


def _ends(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    """Print an error with its traceback; where even that fails, its name alone."""
    try:
        from traceback import format_exception  # noqa: PLC0415  (only where something failed)

        from bot.ops.redaction import redact  # noqa: PLC0415  (likewise)

        said = redact("".join(format_exception(kind, error, trace)), _hidden)
    except Exception:  # noqa: BLE001  (whatever it was: what was to be said may hold a secret)
        said = f"{kind.__name__}, of which no more can be said\n"
    if sys.stderr is not None:
        sys.stderr.write(said)


def _in_a_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_type is not SystemExit:
        _ends(args.exc_type, args.exc_value, args.exc_traceback)


def _ignored(args: "sys.UnraisableHookArgs") -> None:
    _ends(args.exc_type, args.exc_value, args.exc_traceback)
