"""Who sits at the page, and types as in Discord's own client.

The page sends a line as plain words, unless its command was picked from the list. Discord's
client takes what is typed behind a command into the command's first option, and makes `@name`
a mention. So does this member of the server.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import discord
from discord import app_commands
from simcord import ChannelHandle, Env, GuildHandle, MemberActor, ResponseMessage, UserHandle

from bot.compiled import compiled

COMMAND = compiled(r"/(?P<name>vram +[\w-]+)(?P<rest>\s.*)?", re.DOTALL)


def first_options(tree: app_commands.CommandTree[Any]) -> Mapping[str, str | None]:
    """Of each slash command, as `vram train`, the option that what is typed behind it becomes."""
    return {
        command.qualified_name: next((o.name for o in command.parameters if o.required), None)
        for command in tree.walk_commands()
        if isinstance(command, app_commands.Command)
    }


class Typist(MemberActor):
    """A member of the server whose lines do what they do at Discord."""

    def __init__(
        self,
        env: Env,
        guild: GuildHandle,
        user: UserHandle,
        *,
        firsts: Mapping[str, str | None],
        bot: str,
    ) -> None:
        """`firsts`: see `first_options`; `bot`: the name that it is mentioned by."""
        super().__init__(env, guild, user)
        self._firsts = firsts
        self._mentioned = re.compile(rf"@{re.escape(bot)}\b", re.IGNORECASE)

    async def send(
        self,
        channel: ChannelHandle,
        content: str = "",
        *,
        reply_to: discord.Message | ResponseMessage | None = None,
        attachments: Sequence[tuple[str, bytes]] = (),
    ) -> discord.Message:
        """The message, or the answer where the line is a command. Of it the page reads the id."""
        name, words = self._command_in(content)
        if name is None or reply_to is not None:
            said = self._mentioned.sub(f"<@{self._env.backend.bot_user.id}>", content)
            return await super().send(channel, said, reply_to=reply_to, attachments=attachments)
        option = self._firsts[name]
        result = await self.slash(channel, name, **({option: words} if option else {}))
        answers = [one for one in (result.response, *result.followups) if one is not None]
        return cast("discord.Message", answers[0])

    def _command_in(self, line: str) -> tuple[str | None, str]:
        """The command that a line can be sent as, and what is behind it.

        Discord sends no command without what it requires.
        """
        found = COMMAND.fullmatch(line.strip())
        name = " ".join(found["name"].split()) if found else ""
        words = (found["rest"] or "").strip() if found else ""
        if name not in self._firsts or (self._firsts[name] and not words):
            return None, line
        return name, words
