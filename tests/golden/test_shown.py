"""README's pictures are of today's replies; of each kind of reply there is one that is kept.

No test here needs a browser: each picture carries the hash of the message that it shows.
"""

import re
from collections.abc import Iterator, Mapping

import pytest
from PIL import Image

from bot.surface.embed import COLUMNS
from tests.golden.kinds import KINDS
from tests.golden.photo import SCALE, WIDTH, Scheme
from tests.golden.pictures import main
from tests.golden.replies import REPLIES
from tests.golden.shown import HASH, SHOWN, Message, hash_of, messages, path_of
from tests.repo.product import ROOT

MOST_BYTES = 200_000  # of one picture
LEAST_KINDS = 20
README = (ROOT / "README.md").read_text(encoding="utf-8")
ALL = [(shown, scheme) for shown in SHOWN for scheme in Scheme]
GROUND = {Scheme.DARK: (0x32, 0x33, 0x39), Scheme.LIGHT: (0xFF, 0xFF, 0xFF)}  # the page's colour


@pytest.fixture(scope="module")
def sent() -> Iterator[Mapping[str, Message]]:
    """However slow this machine is, no answer is announced first."""
    with pytest.MonkeyPatch.context() as patient:
        patient.setattr("bot.slash.ANNOUNCED_S", 60)
        yield messages()


def texts(message: Message) -> Iterator[str]:
    """Every text of a message's embeds."""
    for one in message["embeds"]:
        yield from (one["title"], one["description"])
        yield from (text for part in one["fields"] for text in (part["name"], part["value"]))


@pytest.mark.parametrize(("shown", "scheme"), ALL)
def test_picture_is_of_todays_reply(
    shown: str, scheme: Scheme, sent: Mapping[str, Message]
) -> None:
    with Image.open(path_of(shown, scheme)) as kept:
        said = kept.info[HASH]
    make = "run python -m tests.golden.pictures --readme, and look at the pictures"
    assert said == hash_of(sent[shown]), make


@pytest.mark.parametrize(("shown", "scheme"), ALL)
def test_picture_is_small_and_as_wide_as_a_phone(shown: str, scheme: Scheme) -> None:
    path = path_of(shown, scheme)
    with Image.open(path) as kept:
        assert kept.width == WIDTH * SCALE
    assert path.stat().st_size < MOST_BYTES


@pytest.mark.parametrize(("shown", "scheme"), ALL)
def test_picture_is_in_its_scheme_and_whole(shown: str, scheme: Scheme) -> None:
    with Image.open(path_of(shown, scheme)) as kept:
        plain = kept.convert("RGB")
    for x in range(plain.width):  # the last row of pixels
        seen = plain.getpixel((x, plain.height - 1))
        assert isinstance(seen, tuple)
        apart = max(abs(one - other) for one, other in zip(seen, GROUND[scheme], strict=True))
        assert apart <= 4, "it is cut off, or in other colours"


@pytest.mark.parametrize("shown", SHOWN)
def test_readme_shows_it_in_both_schemes_and_says_what_it_says(
    shown: str, sent: Mapping[str, Message]
) -> None:
    light, dark = (
        f"tests/golden/{path_of(shown, one).name}" for one in (Scheme.LIGHT, Scheme.DARK)
    )
    found = re.search(
        rf'<picture><source media="\(prefers-color-scheme: light\)" srcset="{light}">'
        rf'<img src="{dark}" width="\d+" alt="([^"]+)"></picture>',
        README,
    )
    assert found
    assert sent[shown]["embeds"][0]["title"] in found[1]


def test_readme_has_no_other_picture() -> None:
    assert README.count("<img") == README.count("<source") == len(SHOWN)


@pytest.mark.parametrize("shown", SHOWN)
def test_lines_of_code_fit_a_phone(shown: str, sent: Mapping[str, Message]) -> None:
    blocks = re.findall(r"```\w*\n(.*?)```", "\n".join(texts(sent[shown])), re.DOTALL)
    assert [line for line in "".join(blocks).splitlines() if len(line) > COLUMNS] == []


def test_each_kind_has_a_kept_reply_of_its_own() -> None:
    assert len(KINDS) >= LEAST_KINDS
    assert len(set(KINDS.values())) == len(KINDS)
    assert set(KINDS.values()) <= set(REPLIES)


def test_an_unknown_name_is_answered() -> None:
    with pytest.raises(SystemExit, match="No kept reply has the name frob"):
        main(["frob"])


def test_without_a_browser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match=r"^No browser found\. Install Chromium"):
        main(["wrong-word"])
