"""The languages that replies are in, and which of them is somebody's."""

from bot.reading.languages import ENGLISH, told_language

SPOKEN = (ENGLISH, "ru", "ja", "zh-CN", "de")  # Discord's codes; `en` is both of English
NEAREST = {"es-419": "es-ES", "zh-TW": "zh-CN"}  # Discord's locales that have no words of their own


def spoken_in(locale: str) -> str:
    """The language for one of Discord's locales: English where there is no nearer one."""
    code = NEAREST.get(locale, locale)
    return code if code in SPOKEN else ENGLISH


def written_in(text: str, otherwise: str | None = None) -> str:
    """The language of a text; the one of the locale `otherwise` where its words tell none."""
    return told_language(text) or spoken_in(otherwise or ENGLISH)
