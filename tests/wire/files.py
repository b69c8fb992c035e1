"""Uploads: what the bot sends and what people attach, kept and served."""

import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.wire.clock import snowflake
from tests.wire.people import Json
from tests.wire.shapes import Violation, at


@dataclass(frozen=True)
class Upload:
    """A file that came with a call: the number of its part, its name and its bytes."""

    part: int
    filename: str
    content: bytes


@dataclass(frozen=True)
class Attached:
    """A file that a person attached, as an option of a command or in a modal."""

    document: Json


@dataclass
class Files:
    """Every file by its path."""

    by_path: dict[str, tuple[bytes, str]] = field(default_factory=dict)

    def keep(self, origin: str, filename: str, content: bytes, **more: object) -> Json:
        """Store a file; returns the attachment that stands for it."""
        file_id = snowflake()
        kind = mimetypes.guess_type(filename)[0] or "application/octet-stream"
        path = f"/attachments/{file_id}/{filename}"
        self.by_path[path] = (content, kind)
        return {
            "id": file_id,
            "filename": filename,
            "size": len(content),
            "url": f"{origin}{path}",
            "proxy_url": f"{origin}{path}",
            "content_type": kind,
            **more,
        }


def not_found(
    body: Mapping[str, Any], uploads: Sequence[Upload], kept: Sequence[Json], path: str = ""
) -> Iterator[Violation]:
    """Attachments that are listed and neither come along nor were there before."""
    there = {*(each["id"] for each in kept), *(str(each.part) for each in uploads)}
    for index, each in enumerate(body.get("attachments") or ()):
        if str(each["id"]) not in there:
            where = at(at(path, "attachments"), index)
            message = f"Attachment data for {each['id']} not found"
            yield Violation(where, "ATTACHMENT_NOT_FOUND", message)
