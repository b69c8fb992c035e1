"""Discord's token: where it is looked for, and what cannot be one.

The first place that names one is taken, and the others are not looked at:

1. the environment variable DISCORD_TOKEN
2. the file that the environment variable DISCORD_TOKEN_FILE names
3. the file that `[discord] token_file` names, as Docker lays secrets in /run/secrets
4. `[discord] token`

Blank counts as absent. A file that is named has to hold a token: there is no falling through
to the next place. No message ever holds a token, nor a text that could be one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from bot.ops.text_file import Unreadable, read_text

VARIABLE = "DISCORD_TOKEN"
FILE_VARIABLE = "DISCORD_TOKEN_FILE"
HUB_VARIABLE = "HF_TOKEN"
LARGEST_FILE = 4096  # bytes; a token has some seventy
PARTS = 3  # who, when, and the signature, with dots between them
TOKEN_LIKE = re.compile(r"(?<![\w-])[\w-]{17,}\.[\w-]{4,12}\.[\w-]{20,}", re.ASCII)


class TokenRefused(Exception):
    """What was found is no token; the text says where, why, and what to do."""


@dataclass(frozen=True, slots=True)
class FoundToken:
    """A token, and in words where it was found."""

    token: SecretStr
    source: str


def find_token(
    environment: Mapping[str, str], *, token: str, token_file: str, file: str
) -> FoundToken | None:
    """The token that wins; `token` and `token_file` are what the settings `file` says."""
    if text := environment.get(VARIABLE, "").strip():
        return FoundToken(_checked(text, VARIABLE), f"the environment variable {VARIABLE}")
    if path := environment.get(FILE_VARIABLE, "").strip():
        return _from_file(path, FILE_VARIABLE)
    if path := token_file.strip():
        return _from_file(path, f"{file}: `[discord] token_file`")
    if text := token.strip():
        return FoundToken(_checked(text, f"{file}: `[discord] token`"), f"discord.token in {file}")
    return None


def find_hub_token(environment: Mapping[str, str]) -> SecretStr | None:
    """The Hugging Face Hub's token, from the environment alone; blank counts as absent."""
    text = environment.get(HUB_VARIABLE, "").strip()
    if not text:
        return None
    if len(text) > LARGEST_FILE or not text.isascii() or not text.isprintable() or " " in text:
        raise TokenRefused(
            f"{HUB_VARIABLE}: this is no token of the Hugging Face Hub. One is a single word that "
            "begins with hf_. Copy it again, or unset the variable: it is not needed."
        )
    return SecretStr(text)


def plain(text: str) -> str:
    """A path as it may stand in a message: on one line, and no token pasted in its place."""
    if TOKEN_LIKE.search(text):
        return "(a text that looks like a token)"
    return "".join(c if c.isprintable() else "?" for c in text)


def _from_file(path: str, where: str) -> FoundToken:
    if TOKEN_LIKE.search(path):
        raise TokenRefused(
            f"{where} holds what looks like a token. It takes the path of a file; "
            f"a token itself goes in {VARIABLE}."
        )
    source = f"the file {plain(path)}"
    return FoundToken(_checked(_read(path, where), f"{where}: {source}"), source)


def _read(path: str, where: str) -> str:
    """The text of a file; raises TokenRefused where there is none."""
    try:
        if text := read_text(Path(path).expanduser(), LARGEST_FILE).strip():
            return text
        problem = "is empty"
    except FileNotFoundError:
        problem = "does not exist"
    except Unreadable as error:
        problem = str(error)
    except RuntimeError:  # a ~ that nobody has
        problem = "cannot be read"
    raise TokenRefused(
        f"{where}: the file {plain(path)} {problem}. It has to hold the token and nothing else."
    )


def _checked(text: str, where: str) -> SecretStr:
    """`text` as a secret, if it can be a token at all. Only Discord knows whether it is one."""
    if re.match(r"bot\s", text, re.IGNORECASE):
        raise TokenRefused(
            f'{where}: the token begins with "Bot ". Leave that word out; it is added for you.'
        )
    if text[0] in "\"'" or text[-1] in "\"'":
        raise TokenRefused(f"{where}: the token stands in quotes. Write it without them.")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise TokenRefused(
            f"{where}: the token has white space or other characters in it that no token has. "
            "Copy it again."
        )
    parts = text.split(".")
    if len(text) > LARGEST_FILE or len(parts) != PARTS or not all(parts):
        raise TokenRefused(
            f"{where}: this is no token of a bot. One has three parts with dots between them, and "
            "is shown once, under Bot, Reset Token, in Discord's developer portal."
        )
    return SecretStr(text)
