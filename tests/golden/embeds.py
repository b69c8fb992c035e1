"""An embed as text: its title, its description, its fields."""

from discord import Embed


def text_of(embed: Embed) -> str:
    """All of it, as it is read from above."""
    parts = [f"# {embed.title}", f"{embed.description}"]
    parts += [f"## {part.name}\n{part.value}" for part in embed.fields]
    return "\n\n".join(parts) + "\n"
