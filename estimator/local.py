"""What an engine that splits a model between card and host is told."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Local:
    """What llama.cpp and Ollama are told, and what of their graph their release has.

    `layers`: blocks on the card, the last ones; `head`: whether what comes behind them is, too.
    `experts_on_host`: so many first blocks have their experts in the host's memory. `slots`:
    sequences at once, each a stream of its own or all in one. `mixed`: only some layers slide;
    `windows`: those keep their window, behind `ubatch` new tokens. `projector`: images are read,
    so the file of the tower for them is loaded as well. `changes`: ids of the engine's row;
    `dated`: of a release that was named.
    """

    layers: int
    head: bool
    experts_on_host: int
    ubatch: int
    slots: int
    streams: int
    mixed: bool
    windows: bool
    latents: bool
    projector: bool
    changes: frozenset[str]
    dated: bool
