"""Messages: the largest that Discord takes, and the smallest that it refuses."""

from collections.abc import Sequence

import pytest

from tests.wire.limits import check_callback, check_message
from tests.wire.payloads import PLAIN, Build, Payload, embed, field, file, found, full, ids, picture

MESSAGE_LIMITS: Sequence[tuple[Build, int, str, str]] = [
    (lambda n: {"content": "x" * n}, 2000, "content", "BASE_TYPE_MAX_LENGTH"),
    (lambda n: {"content": "\N{ROCKET}" * n}, 2000, "content", "BASE_TYPE_MAX_LENGTH"),
    (lambda n: {"embeds": [{"title": "t"}] * n}, 10, "embeds", "BASE_TYPE_MAX_LENGTH"),
    (lambda n: embed(title="x" * n), 256, "embeds.0.title", "BASE_TYPE_MAX_LENGTH"),
    (lambda n: embed(description="x" * n), 4096, "embeds.0.description", "BASE_TYPE_MAX_LENGTH"),
    (lambda n: embed(fields=[field()] * n), 25, "embeds.0.fields", "BASE_TYPE_MAX_LENGTH"),
    (
        lambda n: embed(fields=[field(name="x" * n)]),
        *(256, "embeds.0.fields.0.name", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: embed(fields=[field(), field(value="x" * n)]),
        *(1024, "embeds.0.fields.1.value", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: embed(footer={"text": "x" * n}),
        *(2048, "embeds.0.footer.text", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: embed(author={"name": "x" * n}),
        *(256, "embeds.0.author.name", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: embed(url="https://" + "x" * (n - 8)),
        *(2048, "embeds.0.url", "BASE_TYPE_BAD_LENGTH"),
    ),
    (lambda n: embed(color=n), 0xFFFFFF, "embeds.0.color", "NUMBER_TYPE_MAX"),
    (full, 6000, "embeds", "MAX_EMBED_SIZE_EXCEEDED"),
    (
        lambda n: {**PLAIN, "attachments": [file(i) for i in range(n)]},
        *(10, "attachments", "BASE_TYPE_MAX_LENGTH"),
    ),
    (
        lambda n: {"attachments": [file(0, description="x" * n)]},
        *(1024, "attachments.0.description", "BASE_TYPE_MAX_LENGTH"),
    ),
    (
        lambda n: {**PLAIN, "allowed_mentions": {"users": ids(n)}},
        *(100, "allowed_mentions.users", "BASE_TYPE_MAX_LENGTH"),
    ),
    (
        lambda n: {**PLAIN, "allowed_mentions": {"roles": ids(n)}},
        *(100, "allowed_mentions.roles", "BASE_TYPE_MAX_LENGTH"),
    ),
]


@pytest.mark.parametrize(("build", "largest", "path", "code"), MESSAGE_LIMITS)
def test_a_message_may_be_so_large(build: Build, largest: int, path: str, code: str) -> None:
    assert found(check_message(build(largest))) == []
    assert found(check_message(build(largest + 1))) == [(path, code)]


@pytest.mark.parametrize(
    ("good", "bad", "path", "code"),
    [
        (embed(title=f"  {'x' * 256}  "), embed(title=5), "embeds.0.title", "STRING_TYPE_CONVERT"),
        (
            embed(fields=[]),
            embed(fields=[field("")]),
            "embeds.0.fields.0.name",
            "BASE_TYPE_REQUIRED",
        ),
        (
            *(
                embed(fields=[field(value="\N{ZERO WIDTH SPACE}")]),
                embed(fields=[field(value=" ")]),
            ),
            *("embeds.0.fields.0.value", "BASE_TYPE_REQUIRED"),
        ),
        (embed(url="https://x"), embed(url="ftp://x"), "embeds.0.url", "URL_TYPE_INVALID_URL"),
        (
            *(embed(timestamp="2026-01-02T03:04:05+00:00"), embed(timestamp="today")),
            *("embeds.0.timestamp", "DATE_TIME_TYPE_PARSE"),
        ),
        (embed(color=0), embed(color=-1), "embeds.0.color", "NUMBER_TYPE_MIN"),
        (embed(), {"embeds": [{}]}, "embeds.0.description", "BASE_TYPE_REQUIRED"),
        (embed(), embed(titel="x"), "embeds.0.titel", "UNKNOWN_KEY_REFUSED"),
        (embed(), {"embeds": {}}, "embeds", "LIST_TYPE_CONVERT"),
        (embed(), {"embeds": ["x"]}, "embeds.0", "DICT_TYPE_CONVERT"),
        (
            *(picture("a.png"), picture("a.svg")),
            *("embeds.0.image.url", "ATTACHMENT_NOT_A_PICTURE_REFUSED"),
        ),
        (
            *(picture("a.png"), {**picture("a.png"), "attachments": [file(0)]}),
            *("embeds.0.image.url", "ATTACHMENT_ABSENT_REFUSED"),
        ),
        (
            *({"attachments": [file(0), file(1)]}, {"attachments": [file(0), file(0)]}),
            *("attachments.1.id", "SET_TYPE_ALREADY_CONTAINS_VALUE"),
        ),
        ({**PLAIN, "flags": 64 | 4}, {**PLAIN, "flags": 128}, "flags", "FLAGS_REFUSED"),
        ({**PLAIN, "tts": False}, {**PLAIN, "tts": 0}, "tts", "BOOLEAN_TYPE_CONVERT"),
        (
            *({**PLAIN, "allowed_mentions": {"parse": ["users"], "roles": ["1"]}},),
            *({**PLAIN, "allowed_mentions": {"parse": ["users"], "users": ["1"]}},),
            *("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"),
        ),
        (
            *({**PLAIN, "allowed_mentions": {"parse": []}},),
            *({**PLAIN, "allowed_mentions": {"parse": ["all"]}},),
            *("allowed_mentions.parse.0", "BASE_TYPE_CHOICES"),
        ),
        (PLAIN, {"content": " \n"}, "", "50006"),
        (embed(), {"content": None, "embeds": []}, "", "50006"),
    ],
)
def test_a_message_may_be_the_one_not_the_other(
    good: Payload, bad: Payload, path: str, code: str
) -> None:
    assert found(check_message(good)) == []
    assert found(check_message(bad)) == [(path, code)]


def test_white_space_at_the_ends_does_not_count_towards_the_total() -> None:
    padded = {"embeds": [{"description": f"  {'x' * 3000}\n"}] * 2}
    assert check_message(padded) == []


def test_an_edit_may_leave_out_what_it_keeps() -> None:
    assert check_message({"components": []}, partial=True) == []
    gone: Payload = {"content": None, "embeds": [], "components": []}
    assert found(check_message(gone, partial=True)) == [("", "50006")]


def test_paths_in_a_callback_start_with_data() -> None:
    violations = check_callback(4, embed(title="x" * 257), interaction_type=2)
    assert found(violations) == [("data.embeds.0.title", "BASE_TYPE_MAX_LENGTH")]
    assert str(violations[0]).startswith("data.embeds.0.title: BASE_TYPE_MAX_LENGTH: Must be 256")
