"""Messages to the bot → answers below them: mentions, replies and direct messages.

Discord tells the words of a message only where it is to the bot, and that takes no privilege.
A reply to an answer changes what was asked; the answer itself says what that was.
"""

import asyncio
import logging
from dataclasses import dataclass

import discord

from bot.ask import Answered, Desk, Refused
from bot.asking import knowing, known, looked_up
from bot.cooldown import ASKER, Asker, Cooldowns, Kind
from bot.cooling import resting
from bot.courtesy import Courtesy, Spread
from bot.desks import desk_below
from bot.illustrating import Illustrator
from bot.ops.answering import Outcome, counted, incident, mark, refused
from bot.ops.recently import RECENTLY
from bot.posting import Post
from bot.presenting.spoken import spoken
from bot.reading.changing import CHANGES, THANKED
from bot.reading.clean import clean
from bot.reading.thanks import is_thanks
from bot.showing import show_below
from bot.shown import shown, view_below_refusal
from bot.surface.again import asked_before
from bot.surface.message_text import has_files, replied_to, text_of
from bot.surface.private import refusal_text, sentence
from bot.surface.public import in_words, short_refusal
from bot.turns import Turns

log = logging.getLogger(__name__)

INTENTS = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)  # none privileged
WRITTEN = (discord.MessageType.default, discord.MessageType.reply)
AT_ONCE = 16  # messages that are answered at the same time
TURN_S = 10.0  # for a turn; who waits longer has gone on
SHUT_S = 60.0  # for which a channel that cannot be written to is left alone


@dataclass(frozen=True, slots=True)
class Question:
    """`text` of a message to the bot, `lines` of the answer that it replies to.

    `private`: nobody else reads along. `files`: something hangs on it.
    """

    text: str
    lines: tuple[str, ...]
    private: bool
    files: bool


def question_in(message: discord.Message, own: discord.abc.User) -> Question | None:
    """What a message asks of the bot, `own`; None where it is to others.

    Bots and webhooks are not answered, so that no two bots ever talk to each other.
    """
    by_program = message.author.bot or message.webhook_id is not None
    if by_program or message.author.id == own.id or message.type not in WRITTEN:
        return None
    private = message.guild is None and isinstance(message.channel, discord.DMChannel)
    if not private and own.id not in [user.id for user in message.mentions]:
        return None
    before = replied_to(message)
    text = text_of(message)
    if before is not None and not clean(text):  # `@bot` alone, below somebody's question
        text = text_of(before) if before.author.id != own.id else text
    return Question(
        text=text,
        lines=asked_before(before, own),
        private=private,
        files=has_files(message),
    )


class Hearing:
    """Answers messages, some at a time."""

    def __init__(self, desk: Desk, illustrator: Illustrator, cooldowns: Cooldowns) -> None:
        self._desk = desk
        self._cooldowns = cooldowns
        self._illustrator = illustrator
        self._turns = Turns(AT_ONCE, longest_s=TURN_S)
        self._spread = Spread()
        self._shut = Courtesy(at_once=1, every_s=SHUT_S)  # channels, for a while

    async def hear(self, message: discord.Message, own: discord.abc.User) -> None:
        """Answer a message, where it is to the bot; never raises."""
        question = question_in(message, own)
        if question is None or self._shut.rests(message.channel.id):
            return
        with counted("message", "message"):
            await self._answered(message, question)

    async def _answered(self, message: discord.Message, question: Question) -> None:
        guild = message.guild
        asker = Asker(message.author.id, 0 if guild is None else guild.id)
        rest = self._cooldowns.rest(Kind.WRITTEN, asker)
        if rest is not None:
            mark(Outcome.THROTTLED)
        if rest is not None and not rest.told:
            return
        ASKER.set(asker)
        async with self._turns.turn() as in_time:
            if not in_time:
                mark(Outcome.TOO_LATE)
            desk = await desk_below(self._desk, message, question.text)
            said = await self._said(desk, question) if in_time and rest is None else None
            if in_time and rest is not None:
                said = Post(resting(desk.locale, rest))
            if said is None:
                return
            await asyncio.sleep(self._spread.wait_s())
            if (await show_below(message, said, self._illustrator, desk)).closed:
                self._shut.take(message.channel.id)

    async def _said(self, desk: Desk, question: Question) -> Post | None:
        """What to say to it; None to thanks and the like below an answer."""
        locale = desk.locale
        plain = clean(question.text)
        if is_thanks(plain):
            mark(Outcome.ANSWERED)  # by silence
            return None
        if not plain:
            return Post(locale.say_on_discord("no_files" if question.files else "to_mention"))
        try:
            found = await self._answer(desk, question)
        except Exception as error:
            mark(Outcome.FAILED)
            number = incident()
            RECENTLY.incident(number, error)
            log.exception("incident %s", number)
            return Post(sentence(locale, "failed", desk.examples[0], incident=number))
        if isinstance(found, Refused) and found.code == THANKED:
            mark(Outcome.ANSWERED)
            return None
        if isinstance(found, Refused):
            refused(found.code)
        if isinstance(found, Refused) and found.code == "no_model" and not found.understood:
            return Post(locale.say_on_discord("to_mention"))  # `hi`, `how does this work?`
        if not isinstance(found, Refused):
            parts = shown(locale, found, private=question.private)
            return Post(in_words(spoken(found.shown, locale)), found=found, **parts)
        say = refusal_text if question.private else short_refusal
        text = say(spoken(found.refusal, locale))
        return Post(text, view=view_below_refusal(locale, found, text))

    async def _answer(self, desk: Desk, question: Question) -> Answered:
        options = {CHANGES: "\n".join(question.lines)} if question.lines else None
        desk = await knowing(desk, question.lines)
        found, unknown = await known(desk, question.text, options)
        if unknown:
            return await looked_up(desk, found, question.text, options)
        return found
