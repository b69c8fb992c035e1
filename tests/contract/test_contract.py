"""The judge, by a document of its own: what passes, what fails and how, what is unmatched."""

import pytest

from tests.contract.judging import Outcome, Verdict, judge
from tests.contract.sample import (
    CALLBACK,
    COMMANDS,
    DOCUMENT,
    ORIGINAL,
    answer,
    button,
    request,
    row,
)


def judged(method: str, route: str | None, sent: object = None, **query: str) -> Verdict:
    one = request(method, route, sent, **query)
    return judge(DOCUMENT, {**vars(one), "files": [], "test": "t"})


@pytest.mark.parametrize(
    ("method", "route", "sent", "kind"),
    [
        ("POST", CALLBACK, answer(content="x"), "Answer"),
        ("POST", CALLBACK, {"type": 5}, "Answer"),
        ("POST", CALLBACK, {"type": 6, "data": None}, "Update"),
        ("POST", CALLBACK, {"type": 8, "data": {"choices": []}}, "Suggestions"),
        ("POST", CALLBACK, row(button()), "Answer"),
        ("POST", CALLBACK, answer(attachments=[{"id": 0}]), "Answer"),
        ("PATCH", ORIGINAL, {"content": "x"}, "Message"),
        ("PATCH", "/api/v10/webhooks/1/abc/messages/@original", {"content": "x"}, "Message"),
        ("PUT", COMMANDS, [{"name": "vram", "description": "d"}], "list of Command"),
        (
            *("PUT", COMMANDS),
            [{"name": "vram", "description": "d", "default_member_permissions": "8"}],
            "list of Command",
        ),
    ],
)
def test_a_good_payload_passes(method: str, route: str, sent: object, kind: str) -> None:
    verdict = judged(method, route, sent)
    assert (verdict.outcome, verdict.kind, verdict.complaints) == (Outcome.VALID, kind, ())


@pytest.mark.parametrize(
    ("method", "route", "sent", "complaint"),
    [
        ("POST", CALLBACK, answer(content="x" * 6), "data.content: 'xxxxxx' is too long"),
        (
            *("POST", CALLBACK, row(button(label="long"))),
            "data.components.0.components.0.label: 'long' is too long",
        ),
        (
            *("POST", CALLBACK, row(button(style=9))),
            "data.components.0.components.0.style: 9 is none of 1, 2",
        ),
        ("PATCH", ORIGINAL, {"content": 5}, "content: 5 is not of type 'string', 'null'"),
        ("PUT", COMMANDS, [{"description": "d"}], "0: 'name' is a required property"),
    ],
)
def test_a_bad_payload_fails_at_its_path(
    method: str, route: str, sent: object, complaint: str
) -> None:
    verdict = judged(method, route, sent)
    assert (verdict.outcome, verdict.complaints) == (Outcome.FAILED, (complaint,))


@pytest.mark.parametrize(
    ("method", "route", "sent", "start"),
    [
        (
            *("POST", CALLBACK, row(button(), button())),
            "data.components.0.components.1.custom_id: COMPONENT_CUSTOM_ID_DUPLICATED",
        ),
        ("POST", CALLBACK, answer(content=" "), "data: 50006"),
        (
            *("POST", CALLBACK, answer(embeds=[{"description": "x" * 3001}] * 2)),
            "data.embeds: MAX_EMBED_SIZE_EXCEEDED",
        ),
        ("PATCH", ORIGINAL, {"flags": 128}, "flags: FLAGS_REFUSED"),
        ("PUT", COMMANDS, [{"name": "Vram", "description": "d"}], "0.name: APPLICATION_COMMAND_"),
    ],
)
def test_rules_that_the_document_lacks_hold_too(
    method: str, route: str, sent: object, start: str
) -> None:
    verdict = judged(method, route, sent)
    assert verdict.outcome is Outcome.FAILED
    assert verdict.complaints[0].startswith(start)


@pytest.mark.parametrize(
    ("method", "route", "sent"),
    [
        ("POST", None, {}),
        ("POST", "/nowhere", {}),
        ("DELETE", ORIGINAL, None),
        ("GET", "/users/@me", {"odd": 1}),
        ("POST", CALLBACK, {"type": 99}),
    ],
)
def test_what_the_document_does_not_know_is_unmatched(
    method: str, route: str | None, sent: object
) -> None:
    assert judged(method, route, sent).outcome is Outcome.UNMATCHED


def test_a_body_that_is_due_is_missed() -> None:
    assert judged("PATCH", ORIGINAL).outcome is Outcome.FAILED


def test_a_key_of_the_query_is_known() -> None:
    assert judged("POST", CALLBACK, {"type": 5}, with_response="1").outcome is Outcome.VALID
    verdict = judged("POST", CALLBACK, {"type": 5}, wait="1")
    assert verdict.complaints == ("query wait: the document knows no such key",)
