"""What can be pressed under an answer, as the asker's language writes it."""

import re

from bot.ask import Replied, open_desk
from bot.asking import completed
from bot.presses.offering import offered
from bot.presses.panels import panel_of


def test_what_can_be_chosen_is_written_as_the_language_writes_it() -> None:
    desk = open_desk("ru")
    found = offered(desk, completed(desk, desk.ask("train Qwen2.5-7B qlora bs 2 seq 4096 3090")))
    assert isinstance(found, Replied)
    panel = panel_of(found, desk.locale, [found.presentation.line], private=False)
    options = [one for select in panel.selects for one in select.options]
    labels = {one.value: one.label for one in options}
    assert labels["seq 2304"] == "последовательности по 2\u00a0304 токена"
    assert labels["seq 4096"].endswith("4\u00a0096")
    assert not [one for one in options if "(|" in one.label + one.detail]
    assert not [one for one in options if re.search(r"\d\.\d GiB", one.detail)]
