"""What people do, asked over HTTP: the same questions as through the gateway, the same answers.

Each flow is a test of its own elsewhere, and is run here with a bot that Discord calls.
"""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire import (
    keeping,
    test_bot_answers,
    test_bot_faults,
    test_bot_fit,
    test_bot_forms,
    test_bot_learn,
    test_bot_pictures,
    test_bot_presses,
    test_bot_presses_faults,
    test_bot_strange,
    test_bot_team,
)
from tests.wire import test_bot_message_commands as test_bot_menus
from tests.wire.over_http import called, heard
from tests.wire.standin import StandIn, Where
from tests.wire.under import HOW

pytestmark = pytest.mark.usefixtures("unhurried")

MODULES = (
    *(keeping, test_bot_answers, test_bot_faults, test_bot_fit, test_bot_forms, test_bot_learn),
    *(test_bot_menus, test_bot_pictures, test_bot_presses, test_bot_presses_faults),
    test_bot_strange,
)
Flow = Callable[..., Awaitable[None]]

FLOWS: list[tuple[Flow, dict[str, Any]]] = [
    # commands, wherever they are typed
    (test_bot_answers.test_the_command_is_answered_with_the_whole_embed, {}),
    *((test_bot_answers.test_it_answers_in_every_context, {"where": where}) for where in Where),
    (test_bot_answers.test_options_win_over_the_text, {}),
    (test_bot_answers.test_bad_input_is_answered_in_private, {"kind": "pings"}),
    (test_bot_answers.test_help_says_what_to_ask_and_how_sure_it_is, {}),
    (test_bot_answers.test_what_is_compared_is_one_embed_for_everyone, {}),
    (test_bot_fit.test_a_table_is_answered_in_every_context, {"where": Where.GUILD}),
    (
        test_bot_presses.test_private_answers_are_given_on_request,
        {"command": "vram infer", "query": "8B q4_k_m"},
    ),
    # lists while one types
    (test_bot_answers.test_what_was_understood_is_listed_while_one_types, {}),
    (test_bot_strange.test_a_list_that_cannot_be_parsed_is_empty, {}),
    # presses
    (
        test_bot_presses.test_one_press_changes_any_assumption_of_training,
        {"select": HOW, "value": "qlora", "line": "train 7B qlora adamw"},
    ),
    (test_bot_presses.test_a_press_of_another_person_gives_them_a_copy_of_their_own, {}),
    (test_bot_presses.test_the_maths_are_a_private_reply_in_pages, {}),
    (test_bot_presses_faults.test_nothing_is_kept_between_an_answer_and_a_press, {}),
    (test_bot_strange.test_an_unknown_button_is_answered, {"custom_id": "v0:gone:1"}),
    (test_bot_learn.test_it_is_walked_from_the_first_step_to_the_last, {}),
    # forms
    (
        test_bot_forms.test_what_is_typed_changes_the_answer,
        {"typed": {"batch": "3"}, "line": "train 7B lora adamw bs 3"},
    ),
    (
        test_bot_forms.test_nonsense_is_answered_with_what_is_wrong_and_kept,
        {"typed": {"batch": "foo"}, "words": "**Batch on each card**"},
    ),
    (test_bot_strange.test_an_unknown_form_is_answered, {}),
    # commands in the menu of a message
    (
        test_bot_menus.test_a_message_is_estimated_for_everyone_wherever_it_is,
        {"where": Where.GUILD},
    ),
    (test_bot_menus.test_a_pasted_message_is_explained, {"where": Where.BOT_DM}),
    # what went wrong
    (
        test_bot_strange.test_a_malformed_interaction_is_answered_all_the_same,
        {"missing": "data", "kind": 2},
    ),
    (test_bot_strange.test_a_command_that_is_gone_is_answered, {"path": "forgotten"}),
    (test_bot_faults.test_a_callback_is_sent_again_once, {"after": True}),
    (test_bot_faults.test_a_bad_gateway_under_a_callback_is_waited_out, {}),
]


@pytest.fixture
def over_http(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever starts the bot starts one that Discord calls; and Discord did."""
    for module in MODULES:
        monkeypatch.setattr(module, "ready", called)
    yield
    assert set(standin.caller.statuses) == {202}
    assert standin.identifies == []


@pytest.mark.parametrize(("flow", "how"), FLOWS, ids=lambda it: getattr(it, "__name__", "-"))
@pytest.mark.usefixtures("over_http")
async def test_what_people_do_is_answered(
    standin: StandIn, flow: Flow, how: dict[str, Any]
) -> None:
    await flow(standin, **how)


@pytest.mark.usefixtures("over_http", "in_no_time")
async def test_late_pictures_come_by_an_edit(standin: StandIn) -> None:
    await test_bot_pictures.test_a_late_picture_comes_by_one_edit(standin)


@pytest.mark.usefixtures("over_http")
@pytest.mark.parametrize("late", [False, True])
async def test_what_was_announced_is_answered_later(
    standin: StandIn, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await test_bot_pictures.test_an_announced_answer_gets_its_picture(standin, late, monkeypatch)


@pytest.mark.usefixtures("over_http")
async def test_a_fault_of_our_own_is_answered_with_its_number(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    flow = test_bot_strange.test_a_fault_of_our_own_is_answered_with_its_number
    await flow(standin, monkeypatch, caplog)


@pytest.mark.usefixtures("over_http")
async def test_cards_of_a_team_are_kept(standin: StandIn, tmp_path: Path) -> None:
    flow = test_bot_team.test_who_manages_the_server_keeps_cards_and_all_see_them
    await flow(standin, tmp_path)


@pytest.mark.usefixtures("in_any_time")
async def test_messages_come_by_the_gateway_and_the_rest_over_http(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture under both, from one process that draws."""
    monkeypatch.setattr(test_bot_pictures, "ready", heard)
    await test_bot_pictures.test_a_picture_in_time_comes_with_the_answer(standin)
    assert standin.caller.statuses == [202]
    assert len(standin.identifies) == 1
