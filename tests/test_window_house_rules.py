"""The page of house rules in the menu: what can be set, within its bounds, and that the game begins with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from teeter.engine.view.panels import Button, Row, Text
from teeter.games.game import stock_of
from teeter.games.present import menu
from teeter.games.present.pages import Pages
from teeter.games.present.settings import load_settings
from teeter.games.registry import game_named


def buttons(form: menu.Form) -> dict[str, Button]:
    """The buttons of the page that is open, by name."""
    panel = menu.panels(form, Pages(load_settings()), ())[1]
    items = [part for item in panel.items for part in (item.items if isinstance(item, Row) else (item,))]
    return {item.name: item for item in items if isinstance(item, Button)}


def test_house_rules_are_chosen_within_their_bounds_and_the_choice_is_lit() -> None:
    form = menu.clicked(menu.of_game("tower-topple"), "page:options")
    for rounds in (2, 1):
        form = menu.clicked(form, f"option:rounds:{rounds}")
    assert form.options["rounds"] == "1"
    assert not buttons(form)["option:rounds:0"].is_enabled
    assert buttons(form)["option:rounds:2"].is_enabled
    form = menu.clicked(menu.clicked(form, "option:bricks:exact"), "option:teams:no")
    assert buttons(form)["option:bricks:exact"].is_on
    assert not buttons(form)["option:bricks:real"].is_on
    assert buttons(form)["option:teams:no"].is_on
    assert form.plan(load_settings(), None).options["bricks"] == "exact"


def test_challenges_are_chosen_by_their_names() -> None:
    form = menu.clicked(menu.of_game("crazy-tower"), "mode:solo")
    form = menu.clicked(form, "page:options")
    challenges = [button for name, button in buttons(form).items() if name.startswith("option:challenge:")]
    assert len(challenges) == 20
    assert challenges[0].is_on
    assert challenges[6].text == "7. complete the tower within three minutes"
    assert menu.clicked(form, challenges[15].name).options["challenge"] == "16"


def starts(form: menu.Form) -> None:
    """The game can begin as it is filled in."""
    plan = form.plan(load_settings(), None)
    game_named(form.game).rules.start(
        plan.players, plan.seed, dict(plan.options), stock_of(game_named(form.game))
    )


def test_what_does_not_go_with_a_house_rule_is_neither_shown_nor_set() -> None:
    form = menu.clicked(menu.clicked(menu.of_game("tower-topple"), "mode:4"), "page:options")
    form = menu.clicked(form, "option:target:3")
    assert "option:target:4" in buttons(form)
    form = menu.clicked(form, "option:points:none")
    assert not [name for name in buttons(form) if name.startswith("option:target:")]
    starts(form)


def test_a_name_that_would_be_a_computer_players_is_not_typed() -> None:
    form = menu.clicked(menu.of_game("crazy-tower", ("", "Ben")), "name:0")
    for letter in "bot:":
        form = menu.typed(form, letter)
    assert form.players[0] == "bot"
    assert "`bot:` begins no name" in form.fault
    assert not menu.clicked(form, "kind:0").fault


def test_a_fault_is_read_on_the_page_of_house_rules_too() -> None:
    form = menu.clicked(menu.of_game("wonky"), "page:options")
    panel = menu.panels(replace(form, fault="It is so."), Pages(load_settings()), ())[1]
    assert Text("It is so.", "bad") in panel.items


def test_who_starts_who_is_the_saboteur_and_who_has_which_colour_is_chosen() -> None:
    form = menu.clicked(menu.of_game("crazy-tower"), "page:options")
    assert {"option:first:Ana", "option:first:steady"} <= buttons(form).keys()
    form = menu.clicked(form, "option:first:steady")
    assert buttons(form)["option:first:steady"].is_on
    assert [name for name in buttons(form) if name.startswith("share:")] == [
        f"share:colours:{colour}" for colour in ("red", "yellow", "green", "purple")
    ]
    form = menu.clicked(form, "share:colours:yellow")
    assert form.options["colours"] == "red,purple,green,yellow"
    assert buttons(form)["share:colours:purple"].mark.endswith(":P")
    starts(form)
    # another at the table: seats and colours are asked anew
    form = menu.clicked(form, "more")
    assert form.options == {}
    starts(menu.clicked(form, "share:colours:red"))

    form = menu.clicked(menu.clicked(menu.of_game("crazy-tower"), "mode:saboteur"), "page:options")
    assert "option:first:Ana" not in buttons(form), "the player on the saboteur's left starts"
    form = menu.clicked(form, "option:saboteur:Ana")
    assert buttons(form)["option:saboteur:Ana"].is_on
    starts(form)
    form = menu.clicked(menu.clicked(form, "option:saboteur:"), "option:secret:yes")
    starts(menu.clicked(form, "option:first:Ana"))

    form = menu.clicked(menu.clicked(menu.of_game("crazy-tower"), "mode:solo"), "page:options")
    form = menu.clicked(menu.clicked(form, "include:colours:green"), "include:colours:red")
    assert form.options["colours"] == "red,green"
    assert buttons(form)["include:colours:green"].is_on
    assert menu.clicked(form, "include:colours:red").options["colours"] == "green"


def test_a_house_rule_that_is_a_text_is_typed() -> None:
    form = menu.clicked(menu.clicked(menu.of_game("crazy-tower"), "page:options"), "text:colours")
    for letter in "red,greenx":
        form = menu.typed(form, letter)
    assert menu.erased(form).options["colours"] == "red,green"


@pytest.mark.parametrize(
    ("game", "mode", "said"),
    [
        ("bausack", "", ["who starts (the youngest player)"]),
        ("tower-topple", "", ["who goes first"]),
        (
            "crazy-tower",
            "competitive",
            ["who starts", "who has which of the colours: a click gives one to the next"],
        ),
        ("crazy-tower", "saboteur", ["the saboteur"]),
        ("crazy-tower", "solo", ["the colours in play: as the challenge has it"]),
    ],
)
def test_who_clicks_is_not_told_how_to_type(game: str, mode: str, said: list[str]) -> None:
    form = menu.of_game(game)
    form = menu.clicked(menu.clicked(form, f"mode:{mode}") if mode else form, "page:options")
    items = menu.panels(form, Pages(load_settings()), ())[1].items
    texts = [item.text for item in items if isinstance(item, Text)]
    assert set(said) <= set(texts)
    assert not any("seat number" in text or "seat order" in text for text in texts)
    if "option:first:" in buttons(form):
        assert buttons(form)["option:first:"].text == "First in the list"
