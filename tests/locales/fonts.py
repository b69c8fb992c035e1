"""`python -m tests.locales.fonts`: make the fonts of pictures, of Noto's, with few letters each.

It wants Debian's package fonts-noto-cjk.
"""

import subprocess
import sys
from pathlib import Path

from bot.pictures.fonts import FOLDER
from tests.locales.documents import texts_of

NOTO = Path("/usr/share/fonts")
CJK = {"zh-CN": 2, "ja": 0, "ko": 1}  # its place in Noto's collection
STYLES = ("Regular", "Bold")
ASCII = range(0x20, 0x7F)  # of names
SHOWN = (("pictures",), ("reply", "verdicts"), ("reply", "moments"), ("reply", "objectives"),
         ("reply", "ways"), ("reply", "headings"), ("reply", "sentences"))  # fmt: skip


def letters_of(code: str) -> str:
    """Every letter that a picture in a language may show."""
    texts = (text for place, text in texts_of(code).items() if _is_shown(place))
    return "".join(sorted({*map(chr, ASCII), *(letter for text in texts for letter in text)}))


def _is_shown(place: tuple[str, ...]) -> bool:
    return any(place[: len(one)] == one for one in SHOWN)


def main() -> None:
    """Write a file for each language and style."""
    FOLDER.mkdir(exist_ok=True)
    for code, number in CJK.items():
        for style in STYLES:
            (source,) = NOTO.rglob(f"NotoSansCJK-{style}.ttc")
            target = FOLDER / f"{code}-{style.lower()}.otf"
            subprocess.run(
                [sys.executable, "-m", "fontTools.subset", source, f"--output-file={target}",
                 f"--text={letters_of(code)}", "--no-hinting", "--drop-tables+=vhea,vmtx,VORG",
                 f"--font-number={number}"],
                check=True,
            )  # fmt: skip
            print(f"{target.name}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
