"""Bytes from the Hub → JSON values, read more strictly than they were written.

UTF-8 without doubt, one object, no key that says two things, not nested deeply. Numbers
that are none (NaN, Infinity) are absent: published configs have them in places that shape
nothing. What is left is checked by whoever reads it.
"""

import json
from collections.abc import Mapping
from typing import Any

from bot.hub.repository import MissedError, Reason
from estimator import KIB

DEEPEST = 12  # levels; a config.json has five
LARGEST_KEPT = 128 * KIB  # characters of one value; a kind for each of 4,096 layers goes in
LONGEST_TEXT = 200  # characters of a value that is a text
DROPPED = ("id2label", "label2id", "auto_map", "task_specific_params", "torchscript")


def decoded(body: bytes, what: str) -> dict[str, Any]:
    """The JSON object in `body`; raises MissedError where there is none."""
    try:
        value = json.loads(
            body.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_absent
        )
    except UnicodeDecodeError:
        raise MissedError(Reason.MALFORMED, f"{what} is not UTF-8") from None
    except RecursionError:
        raise MissedError(Reason.MALFORMED, f"{what} is nested too deeply") from None
    except _TwiceError as error:
        raise MissedError(Reason.MALFORMED, f"{what} says two things of one key") from error
    except ValueError:
        raise MissedError(Reason.MALFORMED, f"{what} is not JSON") from None
    if not isinstance(value, dict):
        raise MissedError(Reason.MALFORMED, f"{what} is no JSON object")
    if not _shallow(value):
        raise MissedError(Reason.MALFORMED, f"{what} is nested too deeply")
    if b"\\u" in body and not _encodes(value):
        raise MissedError(Reason.MALFORMED, f"{what} holds half a character")
    return value


def shortened(config: Mapping[str, Any], what: str) -> dict[str, Any]:
    """A config without what shapes no memory: labels, names of code, long texts.

    Raises MissedError where what is left is still too much to keep.
    """
    kept = {key: value for key, value in config.items() if _may_shape(key, value)}
    if len(json.dumps(kept)) > 2 * LARGEST_KEPT:
        raise MissedError(Reason.TOO_LARGE, what)
    return kept


class _TwiceError(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise _TwiceError
        found[key] = value
    return found


def _absent(_word: str) -> None:
    return None


def _shallow(value: object) -> bool:
    """Whether nothing is deeper than `DEEPEST`; without recursion, for it may be deep."""
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        level = [
            part
            for one in level
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, dict | list)
        ]
        if not level:
            return True
    return False


def _encodes(value: object) -> bool:
    """Whether all of its texts are texts: an escape may be half of a character."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _may_shape(key: str, value: object) -> bool:
    if key in DROPPED or len(key) > LONGEST_TEXT:
        return False
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT
    return not isinstance(value, dict | list) or len(json.dumps(value)) <= LARGEST_KEPT
