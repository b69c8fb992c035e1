"""What goes wrong: in a test's own use of the stand-in, in a bot, and as Discord says it."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.wire.shapes import Violation


class SetupError(Exception):
    """A test asks for what no person could do at Discord."""


class Unanswered(Exception):
    """A bot gave no valid answer in time: the person sees "did not respond"."""


class ApiError(Exception):
    """A refusal of the REST API: HTTP status, code, message, and the tree of form errors."""

    def __init__(
        self, status: int, code: int, message: str, errors: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(f"{status} ({code}): {message}")
        self.status = status
        self.code = code
        self.message = message
        self.errors = errors

    def document(self) -> dict[str, Any]:
        """The body of the reply."""
        body: dict[str, Any] = {"message": self.message, "code": self.code}
        return body if self.errors is None else {**body, "errors": self.errors}


class GatewayRefusal(Exception):
    """The gateway closes the connection: close code and reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


def unknown_interaction() -> ApiError:
    return ApiError(404, 10062, "Unknown interaction")


def unknown_webhook() -> ApiError:
    return ApiError(404, 10015, "Unknown Webhook")


def unknown_message() -> ApiError:
    return ApiError(404, 10008, "Unknown Message")


def already_acknowledged() -> ApiError:
    return ApiError(400, 40060, "Interaction has already been acknowledged.")


def invalid_form(violations: Iterable[Violation]) -> ApiError:
    """Everything wrong with a form, as one tree keyed by the parts of each path."""
    tree: dict[str, Any] = {}
    for violation in violations:
        branch = tree
        for key in filter(None, violation.path.split(".")):
            branch = branch.setdefault(key, {})
        branch.setdefault("_errors", []).append(
            {"code": violation.code, "message": violation.message}
        )
    return ApiError(400, 50035, "Invalid Form Body", tree)
