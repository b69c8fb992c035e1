"""Names and descriptions of commands in all languages, as Discord asks for them."""

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Place

from bot.languages import spoken_in
from bot.locale import ENGLISH, ListedWords, listed_in


class Translator(app_commands.Translator):
    """Looks up what a command is called; `private` and other options keep their names."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """The same in a language; None where Discord shall show it in English."""
        code = spoken_in(locale.value)
        if code == ENGLISH:
            return None
        english, own = listed_in(ENGLISH), listed_in(code)
        match context.location:
            case Place.command_name | Place.command_description | Place.group_description:
                return _of_command(string.message, english, own)
            case Place.parameter_description:
                return _of_option(string.message, english, own)
            case _:
                return None


def _of_command(text: str, english: ListedWords, own: ListedWords) -> str | None:
    for key, name in english.menus.items():
        if text == name:
            return own.menus[key]
    for key, words in english.commands.items():
        if text == key:
            return own.commands[key].name
        if text == words.description:
            return own.commands[key].description
    return None


def _of_option(text: str, english: ListedWords, own: ListedWords) -> str | None:
    for key, words in english.commands.items():
        for name, said in words.options.items():
            if said == text:
                return own.commands[key].options.get(name)
    return None
