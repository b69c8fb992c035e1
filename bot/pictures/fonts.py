"""Letters in pictures: the library's own font, and for three languages one that comes with this.

Those hold the letters that pictures can show and no others; `python -m tests.locales.fonts` makes
them, of Noto (see fonts/OFL.txt).
"""

from pathlib import Path

FOLDER = Path(__file__).parent / "fonts"
PLAIN = "Liberation Sans"  # comes with the library, so it is the same everywhere
BESIDE = {
    "zh-CN": "Noto Sans CJK SC",
    "ja": "Noto Sans CJK JP",
    "ko": "Noto Sans CJK KR",
}


def fonts_of(code: str) -> str:
    """The fonts of a language's pictures: the first is used for all letters that it has."""
    own = BESIDE.get(code)
    return PLAIN if own is None else f"{own}, {PLAIN}"
