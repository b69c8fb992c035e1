"""What is over is let go of, where a stand-in runs for hours and nobody looks back."""

from collections.abc import Iterable

from tests.wire.callbacks import Exchange
from tests.wire.messages import Message
from tests.wire.standin import StandIn

KEPT = 1_500  # calls, and events that a session could ask for again: of some seconds


def forget(standin: StandIn, exchanges: Iterable[Exchange] = ()) -> None:
    """Let go of these interactions with all that they made, and of all but the last calls."""
    world = standin.world
    for exchange in exchanges:
        world.exchanges.by_id.pop(exchange.id, None)
        world.exchanges.by_token.pop(exchange.token, None)
        modal = exchange.callback_data.get("custom_id")
        if modal is not None:
            world.exchanges.modals.pop(modal, None)
        for message in (exchange.original, exchange.source, *exchange.followups):
            if message is not None:
                forget_message(standin, message)
    del world.requests[:-KEPT]
    for connection in standin.connections:
        if connection.session is not None:
            del connection.session.log[:-KEPT]


def forget_message(standin: StandIn, message: Message) -> None:
    """Nobody asks for it any more, nor for its files."""
    standin.world.messages.by_id.pop(message.id, None)
    for file in message.stored["attachments"]:
        path = file["url"].removeprefix(standin.world.origin)
        standin.world.files.by_path.pop(path, None)
