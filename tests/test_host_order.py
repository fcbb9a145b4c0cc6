"""The host keeps order by the buttons of the page: the real command, and pages of Chromium."""

from __future__ import annotations

import pytest
from host_driver import at_table, hosted
from playwright.sync_api import Browser

SMALL = (1000, 600)


@pytest.mark.slow
def test_a_stopped_clock_is_seen_by_who_comes_later_and_takes_no_choices_away(browser: Browser) -> None:
    with (
        hosted("wonky", "--players", "Ada,Ben", "--seed", "3", "--house", "first=Ada") as host,
        at_table(browser, host.links["You, the host"], SMALL, pause_ms=150) as owner,
        at_table(browser, host.links["Seats"], SMALL, pause_ms=150) as ada,
    ):
        ada.page.click("[data-sit='Ada']")
        ada.page.wait_for_selector(".fan [data-choice]:enabled")
        owner.run("() => document.querySelector('.desk').classList.add('reads')")
        owner.page.click("[data-act=pause]")
        ada.page.wait_for_selector(".paused:has-text('The host has stopped the clock.')")
        ada.page.reload()
        ada.page.wait_for_selector(".paused:visible")
        offered = ada.page.locator(".fan [data-choice]:enabled")
        offered.first.wait_for()
        count = offered.count()
        offered.first.click()
        ada.page.wait_for_selector(".refusal:has-text('The host has stopped the clock')")
        assert (offered.count(), ada.run("() => teeter.view.busy")) == (count, "")
        owner.page.click("[data-act=pause]")
        ada.page.wait_for_selector(".paused", state="hidden")
        turn = ada.run("() => teeter.view.turn.turn")
        offered.first.click()
        ada.page.wait_for_function("turn => teeter.view.turn.turn !== turn", arg=turn)
        assert ada.faults == owner.faults == []


@pytest.mark.slow
def test_the_host_mutes_and_sends_away_by_buttons(browser: Browser) -> None:
    with (
        hosted("wonky", "--players", "Ada,Ben", "--seed", "3") as host,
        at_table(browser, host.links["You, the host"], SMALL, pause_ms=150) as owner,
        at_table(browser, host.links["Seats"], SMALL, pause_ms=150) as ben,
        at_table(browser, host.links["Looking on"], SMALL, pause_ms=150) as guest,
    ):
        seat = str(ben.page.get_attribute("[data-sit]", "data-sit"))
        ben.page.click(f"[data-sit='{seat}']")
        mute = f"[data-mute='{seat}']"
        for tab in (owner, ben):
            # a small page has it behind a button
            tab.run("() => document.querySelector('.desk').classList.add('reads')")
        owner.page.click(f"{mute}:has(:text-is('Mute'))")
        owner.page.wait_for_selector(f"{mute}:has(:text-is('Unmute'))")
        ben.page.fill(".say input", "hear me")
        ben.page.press(".say input", "Enter")
        ben.page.wait_for_function(
            "() => document.querySelector('.refusal').textContent.includes('muted you')"
        )
        owner.page.click(f"{mute}:has(:text-is('Unmute'))")
        owner.page.wait_for_selector(f"{mute}:has(:text-is('Mute'))")
        assert not ben.page.locator("[data-mute], [data-send_away]").count()
        assert not guest.page.locator("[data-mute], [data-send_away]").count()
        owner.page.click("[data-send_away^=guest]")
        owner.page.click(f"[data-send_away='{seat}']")
        for tab in (guest, ben):
            tab.page.wait_for_function(
                "() => document.querySelector('.lost').textContent.includes('has sent you away')"
            )
        owner.page.wait_for_function("() => !document.querySelector('[data-send_away^=guest]')")
        owner.page.wait_for_function(
            "() => document.querySelector('.lines').textContent.split('New link for').length === 3"
        )
        assert owner.faults == []
