"""A modal as it comes back: the parts that were shown, with what was filled in."""

from collections.abc import Mapping, Sequence

from tests.wire.errors import SetupError
from tests.wire.files import Attached
from tests.wire.invocation import resolved
from tests.wire.messages import numbered, walk
from tests.wire.people import Json

ROW, TEXT_INPUT, SELECT, TEXT, LABEL, UPLOAD, CHECKBOX = 1, 4, 3, 10, 18, 19, 23
ONE_VALUE = (TEXT_INPUT, 21, CHECKBOX)


def submitted(
    custom_id: str, modal: Json | None, values: Mapping[str, object], *, check: bool
) -> Json:
    """The `data` of a modal submit. Of a modal that is not known, each value makes a label."""
    shown = numbered((modal or guessed(values))["components"])
    asked = {part["custom_id"]: part for part in walk(shown) if "custom_id" in part}
    if check:
        for name in values:
            if name not in asked:
                raise SetupError(f"modal {custom_id} has no field {name}")
        for name, part in asked.items():
            _fits(part, values.get(name))
    files = [each for each in values.values() if isinstance(each, Sequence)]
    found = resolved((each for some in files for each in some), in_guild=False)
    data: Json = {
        "custom_id": custom_id,
        "components": [_filled(part, values) for part in shown],
    }
    return {**data, "resolved": found} if found else data


def guessed(values: Mapping[str, object]) -> Json:
    """A modal of one label for each value."""
    kinds = {
        name: TEXT_INPUT if isinstance(value, str) else SELECT for name, value in values.items()
    }
    return {
        "components": [
            {"type": LABEL, "component": {"type": kind, "custom_id": name}}
            for name, kind in kinds.items()
        ]
    }


def _filled(part: Json, values: Mapping[str, object]) -> Json:
    kind = part["type"]
    filled: Json = {"type": kind, "id": part["id"]}
    if kind == ROW:
        return {**filled, "components": [_filled(each, values) for each in part["components"]]}
    if kind == LABEL:
        return {**filled, "component": _filled(part["component"], values)}
    if "custom_id" not in part:
        return filled
    value = values.get(part["custom_id"], part.get("value"))
    filled["custom_id"] = part["custom_id"]
    if kind in ONE_VALUE:
        empty: object = False if kind == CHECKBOX else ""
        return {**filled, "value": empty if value is None else value}
    chosen = value if isinstance(value, Sequence) else ()
    ids = [each.document["id"] if isinstance(each, Attached) else each for each in chosen]
    return {**filled, "values": ids}


def _fits(part: Json, value: object) -> None:
    name, kind = part["custom_id"], part["type"]
    if value is None or value in ("", ()):
        if part.get("required", True) and part.get("value") is None and kind != CHECKBOX:
            raise SetupError(f"field {name} must be filled")
        return
    if kind == TEXT_INPUT:
        least, most = part.get("min_length") or 0, part.get("max_length") or 4000
        if not isinstance(value, str) or not least <= len(value) <= most:
            raise SetupError(f"field {name} takes {least} to {most} characters")
    offered = [each["value"] for each in part.get("options") or ()]
    chosen = [value] if isinstance(value, str) else value
    if offered and isinstance(chosen, Sequence) and not set(chosen) <= set(offered):
        raise SetupError(f"field {name} offers {offered}")
