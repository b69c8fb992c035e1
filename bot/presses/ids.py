"""The names of what can be pressed: `v1:<action>`, or `v1:<action>:<value>`.

The version is that of this scheme. No name holds what was asked: that stands in the message. Only
of the walk each name says all, since there is so little of it.
"""

from enum import StrEnum

VERSION = "v1"
TEMPLATE = rf"{VERSION}:(?P<action>[a-z]+)(?::(?P<value>[a-z0-9-]{{1,80}}))?"


class Action(StrEnum):
    """What a press does; what only looks at an answer leaves it as it is."""

    SET = "set"  # another value of something that was asked; the value names the select
    FIT = "fit"  # a piece of advice
    OPEN = "open"  # one of the lines that a message offers
    MATHS = "maths"  # the value: a page
    COMPARE = "compare"
    EXACT = "exact"  # opens the form
    FORM = "form"  # the form that comes back
    COPY = "copy"
    LEARN = "learn"  # a place in the walk; the value says which
    TOPIC = "topic"  # the one that is chosen; the value names the list, or all of them
    FORGET = "forget"  # confirms that all that is kept of a server or a person is erased
    MEASURED = "measured"  # what to measure for an answer
    PEAK = "peak"  # opens the form for what was measured
    PEAKED = "peaked"  # that form, when it comes back


def id_of(action: Action, value: str = "") -> str:
    """The name of a button, a select or a form."""
    return f"{VERSION}:{action}:{value}" if value else f"{VERSION}:{action}"
