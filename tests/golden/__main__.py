"""`python -m tests.golden [--pictures]`: write every kept answer anew, and drop those of no case.

`--pictures`: and a picture of each kind of reply, for which Chromium is needed.
"""

import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from tests.golden.cases import GOLDEN
from tests.golden.panels import PANELS, current_panel, kept_panels, panel_path
from tests.golden.replies import REPLIES, current_reply, kept_replies, reply_path
from tests.golden.store import current, kept, path_of

WITH_PICTURES = "--pictures"


def main(words: Sequence[str]) -> None:
    """Write the files; name those that changed."""
    renew(GOLDEN, kept(), path_of, current)
    renew(REPLIES, kept_replies(), reply_path, current_reply)
    renew(PANELS, kept_panels(), panel_path, current_panel)
    if WITH_PICTURES in words:
        from tests.golden import pictures  # noqa: PLC0415  (texts need no browser)

        pictures.main([])


def renew(
    cases: Collection[str],
    files: set[str],
    path_of_case: Callable[[str], Path],
    now_of: Callable[[str], str],
) -> None:
    """Write the files of `cases`, and drop those of `files` that are of none."""
    for case in sorted(files - set(cases)):
        path_of_case(case).unlink()
        print(f"dropped {case}")
    for case in cases:
        path, now = path_of_case(case), now_of(case)
        if not path.exists() or path.read_text(encoding="utf-8") != now:
            path.write_text(now, encoding="utf-8")
            print(f"wrote {case}")


if __name__ == "__main__":
    main(sys.argv[1:])
