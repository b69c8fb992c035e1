"""The picture in the repository is of today's reply, and its page shows all of it safely."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from PIL import Image

from bot.surface.embed import COLUMNS
from tests.bot.message_html import WIDTH, UndrawnError, page
from tests.bot.picture import (
    COMMAND,
    HASH,
    PICTURE,
    SCALE,
    BrowserError,
    Message,
    find_browser,
    hash_of,
    main,
    message,
)

MOST_BYTES = 200_000
MARGIN = 20 * SCALE  # pixels below the embed
BACKGROUND = ((0x31, 0x31), (0x33, 0x33), (0x38, 0x38))  # least and most of red, green, blue


@pytest.fixture(scope="module")
def sent() -> Message:
    return message()


def embed(**parts: object) -> Message:
    """A message of one embed."""
    return {"embeds": [{"title": "t", "description": "d", "color": 0, "fields": [], **parts}]}


def texts(sent: Message) -> Iterator[str]:
    """Every text of a message that people see, line by line."""
    for one in sent["embeds"]:
        fields = [text for field in one["fields"] for text in (field["name"], field["value"])]
        for text in (one["title"], one["description"], *fields):
            yield from text.splitlines()


def plain(line: str) -> str:
    """A line without its marks."""
    return re.sub(r"\*|`|\\", "", line.removeprefix("- "))


def visible(html: str) -> str:
    body = html.partition("<body>")[2].partition("<script>")[0]
    return unescape(re.sub(r"<[^>]*>", "", body))


def test_picture_is_of_todays_reply(sent: Message) -> None:
    with Image.open(PICTURE) as kept:
        said = kept.info[HASH]
    assert said == hash_of(sent), "run python -m tests.bot.picture, and look at the picture"


def test_picture_is_small_and_as_wide_as_a_phone() -> None:
    with Image.open(PICTURE) as kept:
        assert kept.width == WIDTH * SCALE
    assert PICTURE.stat().st_size < MOST_BYTES


def test_picture_is_whole() -> None:
    with Image.open(PICTURE) as kept:
        below = kept.convert("RGB").crop((0, kept.height - MARGIN, kept.width, kept.height))
    assert below.getextrema() == BACKGROUND, "the picture is cut off, or there is room below it"


def test_page_holds_every_text(sent: Message) -> None:
    shown = visible(page(sent, COMMAND))
    lines = [plain(line) for line in (COMMAND, *texts(sent))]
    assert len(lines) > 20
    assert [line for line in lines if line not in shown] == []


def test_lines_of_code_fit_a_phone(sent: Message) -> None:
    blocks = re.findall(r"<pre><code>(.*?)</code></pre>", page(sent, COMMAND), re.DOTALL)
    lines = unescape("".join(blocks)).splitlines()
    assert lines
    assert [line for line in lines if len(line) > COLUMNS] == []


def test_page_fetches_nothing(sent: Message) -> None:
    html = page(sent, COMMAND)
    assert re.findall(r"https?:|@import|href", html) == []
    assert set(re.findall(r"(?:src|url)\W+(\w+:)", html)) == {"file:"}


@pytest.mark.parametrize(
    "text", ["<img src=x>", "`<img src=x>`", "```\n<img src=x>\n```", "- <img src=x>", "</a><img>"]
)
def test_text_is_no_markup(text: str) -> None:
    sent = embed(title=text, description=text, fields=[{"name": text, "value": text}])
    html = page(sent, text)
    assert "<img" not in html
    assert visible(html).count("<img") >= 5


@pytest.mark.parametrize("text", ["[a](b)", "![a](b)", "# a", "~~a~~", "$sans", "a_b_c", "&amp;"])
def test_what_we_do_not_use_stays_text(text: str) -> None:
    assert text in visible(page(embed(description=text), COMMAND))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**a** `b*c*`", "<p><strong>a</strong> <code>b*c*</code></p>"),
        ("a\nb", "<p>a<br>\nb</p>"),
        ("```\na  b\n```\nc", "<pre><code>a  b\n</code></pre>\n<p>c</p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        (r"Q4\_K\_M", "<p>Q4_K_M</p>"),
        ("</vram train:12>", '<p><span class="mention">/vram train</span></p>'),
    ],
)
def test_marks_are_drawn(text: str, html: str) -> None:
    assert html in page(embed(description=text), COMMAND)


@pytest.mark.parametrize(
    "sent",
    [
        {**embed(), "content": "a"},
        embed(footer={"text": "a"}),
        embed(fields=[{"name": "a", "value": "b", "emoji": "c"}]),
    ],
)
def test_nothing_is_left_out(sent: Message) -> None:
    with pytest.raises(UndrawnError, match=r"does not draw (content|footer|emoji) yet"):
        page(sent, COMMAND)


def test_without_a_browser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BrowserError, match=r"^No browser found\. Install Chromium"):
        find_browser()
    with pytest.raises(SystemExit, match=r"nowhere/chromium is no program\. No browser found"):
        main("nowhere/chromium")
