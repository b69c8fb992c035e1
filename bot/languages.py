"""The languages that replies are in, and which of them is somebody's."""

from bot.locale import ENGLISH

SPOKEN = (
    ENGLISH,
    "pt-BR",
    "ru",
    "es-ES",
    "zh-CN",
    "de",
    "fr",
    "ja",
    "ko",
    "hi",
)  # as Discord has them
NEAREST = {"es-419": "es-ES", "zh-TW": "zh-CN"}  # Discord's locales that have no words of their own


def spoken_in(locale: object) -> str:
    """The language for one of Discord's locales: English where there is no nearer one.

    Whatever was sent in its place is none.
    """
    code = NEAREST.get(locale, locale) if isinstance(locale, str) else ENGLISH
    return code if code in SPOKEN else ENGLISH
