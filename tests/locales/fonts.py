"""`python -m tests.locales.fonts`: make the fonts of pictures, of Noto's, with few letters each.

It wants fonttools, and Debian's packages fonts-noto-cjk and fonts-noto-core.
"""

import subprocess
import sys
from pathlib import Path

from bot.locale import load_locale
from bot.pictures.fonts import BESIDE, FOLDER
from tests.locales.documents import texts_of

NOTO = Path("/usr/share/fonts")
CJK = {"zh-CN": 2, "ja": 0, "ko": 1}  # its place in Noto's collection
STYLES = ("Regular", "Bold")
SHOWN = (("pictures",), ("reply", "verdicts"), ("reply", "moments"), ("reply", "objectives"),
         ("reply", "ways"), ("reply", "headings"), ("reply", "sentences"))  # fmt: skip


def letters_of(code: str) -> str:
    """Every letter that a picture in a language may show, beside those of all fonts."""
    texts = (text for place, text in texts_of(code).items() if _is_shown(place))
    return "".join(sorted({letter for text in texts for letter in text if not letter.isascii()}))


def _is_shown(place: tuple[str, ...]) -> bool:
    return any(place[: len(one)] == one for one in SHOWN)


def main() -> None:
    """Write a file for each language and style."""
    FOLDER.mkdir(exist_ok=True)
    for code in BESIDE:
        load_locale(code)
        for style in STYLES:
            cjk = code in CJK
            name = f"NotoSansCJK-{style}.ttc" if cjk else f"NotoSansDevanagari-{style}.ttf"
            (source,) = NOTO.rglob(name)
            target = FOLDER / f"{code}-{style.lower()}.{'otf' if cjk else 'ttf'}"
            number = [f"--font-number={CJK[code]}"] if cjk else []
            subprocess.run(
                [sys.executable, "-m", "fontTools.subset", source, f"--output-file={target}",
                 f"--text={letters_of(code)}", "--layout-features=*", "--no-hinting",
                 "--drop-tables+=vhea,vmtx,VORG", *number],
                check=True,
            )  # fmt: skip
            print(f"{target.name}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
