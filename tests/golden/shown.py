"""The pictures in README.md, which are kept: of which replies, and whether of today's."""

import asyncio
import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.golden.photo import Scheme
from tests.golden.replies import REPLIES
from tests.wire.our_bot import ready
from tests.wire.standin import StandIn

FOLDER = Path(__file__).parent
HASH = "message-sha256"  # the keyword in a PNG of the hash of what was sent

# Name of a picture → the reply in it.
SHOWN: Mapping[str, str] = {"reply": "train-7b-adam-lora", "comparison": "compare-methods"}

Message = dict[str, Any]


def path_of(shown: str, scheme: Scheme) -> Path:
    """The file of one picture."""
    return FOLDER / f"{shown}-{scheme}.png"


def messages() -> Mapping[str, Message]:
    """What the client sends now for each picture, over its socket."""
    return asyncio.run(_sent())


def hash_of(message: Message) -> str:
    """The same for the same message, however its keys are ordered."""
    return sha256(json.dumps(message, sort_keys=True).encode()).hexdigest()


async def _sent() -> Mapping[str, Message]:
    async with StandIn(answer_within_s=60) as discord, ready(discord):
        sent = {}
        for shown, name in SHOWN.items():
            typed = REPLIES[name]
            answer = await discord.slash(f"vram {typed.task}", {typed.option: typed.query})
            sent[shown] = answer.data
        return sent
