"""Pictures of replies, dark and light: `python -m tests.golden.pictures [NAME…]`.

It makes README's anew, and one of each kind of reply. Those of kinds are to be looked at and
not kept: their words are, in `replies/`, and seven megabytes with each change would make the
history of this folder heavy. `--readme` makes README's alone; a name is one in `replies/`.
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.browser.chromium import BrowserError
from tests.golden.kinds import KINDS
from tests.golden.photo import Scheme, album
from tests.golden.replies import REPLIES
from tests.golden.shown import HASH, SHOWN, hash_of, messages, path_of

FOLDER = Path(__file__).parent / "pictures"
README = "--readme"

Notes = Mapping[str, str]


async def pictures(wanted: Mapping[Path, tuple[str, Scheme, Notes]]) -> dict[Path, bytes]:
    """What is in each file: the picture of a reply in a scheme, and its notes."""
    names = dict.fromkeys(name for name, _, _ in wanted.values())
    async with album({name: REPLIES[name] for name in names}) as opened:
        return {path: await opened.picture(*one) for path, one in wanted.items()}


def kept() -> dict[Path, tuple[str, Scheme, Notes]]:
    """README's pictures; each says of which message it is."""
    now = {shown: {HASH: hash_of(message)} for shown, message in messages().items()}
    return {
        path_of(shown, scheme): (name, scheme, now[shown])
        for shown, name in SHOWN.items()
        for scheme in Scheme
    }


def unkept(names: Sequence[str]) -> dict[Path, tuple[str, Scheme, Notes]]:
    """The pictures of these replies."""
    return {
        FOLDER / f"{name}-{scheme}.png": (name, scheme, {}) for name in names for scheme in Scheme
    }


def main(words: Sequence[str]) -> None:
    """Those that are named, README's alone, or README's and one of each kind."""
    named = [word for word in words if word != README]
    if unknown := set(named) - set(REPLIES):
        sys.exit(f"No kept reply has the name {min(unknown)}: see tests/golden/replies.")
    wanted = unkept(named) if named else kept()
    if not words:
        wanted |= unkept(list(KINDS.values()))
    try:
        made = asyncio.run(pictures(wanted))
    except BrowserError as error:
        sys.exit(str(error))
    FOLDER.mkdir(exist_ok=True)
    for path, picture in made.items():
        path.write_bytes(picture)
    print(f"{len(made)} pictures, in {', '.join(sorted({str(path.parent) for path in made}))}")


if __name__ == "__main__":
    main(sys.argv[1:])
