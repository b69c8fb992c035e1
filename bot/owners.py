"""Whose what is kept is: the server's that the bot is in, else the person's who asks."""

import discord

from bot.store.owner import Owner, OwnerKind

Interaction = discord.Interaction[discord.Client]


def owner_of(interaction: Interaction) -> Owner:
    """Of a server where only a person brought the bot along, it is that person."""
    brought = interaction.is_user_integration() and not interaction.is_guild_integration()
    if interaction.guild_id is None or brought:
        return Owner(OwnerKind.USER, interaction.user.id)
    return Owner(OwnerKind.GUILD, interaction.guild_id)


def owner_of_message(message: discord.Message) -> Owner:
    """The bot hears messages only where it is a member, and direct ones."""
    if message.guild is not None:
        return Owner(OwnerKind.GUILD, message.guild.id)
    return Owner(OwnerKind.USER, message.author.id)


def may_manage(interaction: Interaction) -> bool:
    """Whether who asks may change what is kept there: a server's only who may manage it."""
    if owner_of(interaction).kind is OwnerKind.USER:
        return True
    may = interaction.permissions
    return may.administrator or may.manage_guild
