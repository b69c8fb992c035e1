"""A short file as text; what has no end, or waits for somebody to write, is not begun with."""

import stat
from pathlib import Path


class Unreadable(Exception):
    """The text ends a sentence that begins with the file: `is a folder`."""


def read_text(file: Path, largest: int) -> str:
    """The text of a file of at most `largest` bytes.

    Raises FileNotFoundError where there is none, and Unreadable for all else.
    """
    try:
        kind = file.stat().st_mode
        if stat.S_ISDIR(kind):
            raise Unreadable("is a folder")
        if not stat.S_ISREG(kind):  # a pipe could be waited on for ever, a device has no end
            raise Unreadable("is a pipe or a device, not a file that is read from its beginning")
        with file.open("rb") as stream:
            content = stream.read(largest + 1)
        if len(content) > largest:
            raise Unreadable(f"is larger than {largest:,} bytes")
        return content.decode("utf-8-sig")  # Windows' editor begins files with a mark
    except FileNotFoundError:
        raise
    except PermissionError:
        raise Unreadable("may not be read by the user that runs this") from None
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8. Save it again as UTF-8") from None
    except (OSError, ValueError):  # ValueError: a path that no file can have
        raise Unreadable("cannot be read") from None
