"""What is told at a glance: phrases that only fill a sentence, letters with a number glued on.

Most atoms of a question are the former and nearly none the latter, so both are asked about
before anything else.
"""

from bot.reading.aside import take_code_name
from bot.reading.devices import UNKNOWN_CARD, is_chip, take_device
from bot.reading.keys import ADAPTERS
from bot.reading.line import Line
from bot.reading.listing import ONE_MORE
from bot.reading.names import is_r1, number_glued, take_half_name
from bot.reading.vocabulary import Kind

COUNTING_ON = ("each", *ONE_MORE)  # fillers that count what stands beside them
R1 = 2  # atoms of it


def take_filler(line: Line, at: int) -> int:
    """Atoms of a phrase at `at` that only fills a sentence; 0 for any other."""
    match = line.vocabulary.longest(line.atoms, at)
    if match is None or not match.says_nothing:
        return 0
    if number_glued(line, at) or line.atoms[at].text in COUNTING_ON or line.match(at) is not match:
        return 0
    line.said.fillers += 1
    return match.length


def take_code(line: Line, at: int) -> int:
    """Atoms of letters with a number glued to them that are a name: `r1`, `h800`, `t5`; else 0."""
    if not number_glued(line, at):
        return 0
    if _is_model_r1(line, at):
        return take_half_name(line, at)
    if is_chip(line, at):
        return take_device(line, at, 2, UNKNOWN_CARD)
    return take_code_name(line, at)


def _is_model_r1(line: Line, at: int) -> bool:
    """`r1 32b` names DeepSeek's model; `lora r1` a rank, and so does `r=1`."""
    if not is_r1(line, at):
        return False
    match = line.match(at)
    longer = match is not None and match.length > R1 and match.of(Kind.MODEL) is not None
    after_lora = at > 0 and line.atoms[at - 1].text in ADAPTERS
    return not (after_lora or longer)
