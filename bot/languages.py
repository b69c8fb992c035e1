"""The languages that replies are in, and which of them is somebody's."""

from bot.locale import ENGLISH

SPOKEN = (ENGLISH, "ru", "ja", "zh-CN", "de")  # Discord's codes; `en` is both of English
NEAREST = {"es-419": "es-ES", "zh-TW": "zh-CN"}  # Discord's locales that have no words of their own


def spoken_in(locale: str) -> str:
    """The language for one of Discord's locales: English where there is no nearer one."""
    code = NEAREST.get(locale, locale)
    return code if code in SPOKEN else ENGLISH
