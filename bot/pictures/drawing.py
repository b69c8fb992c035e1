"""A Vega specification → a PNG file; the only place that knows the library that draws."""

import json
from functools import cache

from bot.pictures.fonts import FOLDER

SCALE = 2.5  # pixels a point: phones have 2 to 3, and a third costs a third of the time
BYTES_FROM = ()  # of addresses: nothing is fetched, whatever a specification says


@cache
def _register_fonts() -> None:
    import vl_convert  # noqa: PLC0415  (as below)

    vl_convert.register_font_directory(str(FOLDER))


def draw(specification: str) -> bytes:
    """The picture as a PNG file; raises ValueError for what is no specification."""
    import vl_convert  # noqa: PLC0415  (a third of a second, and 100 MB: only where it draws)

    _register_fonts()
    return vl_convert.vega_to_png(
        json.loads(specification), scale=SCALE, allowed_base_urls=list(BYTES_FROM)
    )
