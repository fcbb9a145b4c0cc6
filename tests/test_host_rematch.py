"""After the end at a hosted table: the recording is kept by browsers, and the same people play again."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from host_client import Seat
from host_thread import HostThread, answer, at_table, begun, closed, hosted, played

from teeter.engine.record.latest import latest
from teeter.engine.record.reader import load
from teeter.games.host.connection import DEALT_ANEW
from teeter.games.play.playback import verify
from teeter.games.server.setup import folder, next_file


async def over(seat: Seat) -> None:
    while not seat.panels.get("over", {}).get("items"):
        await seat.hear()


def buttons(value: Any) -> dict[str, bool]:
    """The buttons of a panel by name, and whether they can be pressed."""
    if isinstance(value, list):
        return {name: is_on for item in value for name, is_on in buttons(item).items()}
    if not isinstance(value, dict):
        return {}
    own = {value["name"]: value.get("is_enabled", True)} if value.get("kind") == "button" else {}
    return own | buttons(list(value.values()))


@pytest.mark.slow
def test_a_game_is_kept_by_browsers_and_dealt_anew_for_the_same_people(tmp_path: Path) -> None:
    async def try_it(host: HostThread) -> None:
        owner, ada = await at_table(host, secret=host.links.host), await at_table(host, "Ada")
        for name in ("again", "keep"):
            assert (await answer(owner, type="press", name=name))["type"] == "refused"
        for name in ("Ada", "Ben"):
            await owner.say(type="to_bot", seat=name, style="steady")
        await over(owner)
        await over(ada)
        while not buttons(ada.panels["over"])["keep"]:
            await ada.hear()
        assert "again" in buttons(owner.panels["over"])
        assert "again" not in buttons(ada.panels["over"])
        # nobody is on turn any more: no bot is given a seat
        assert not [name for name in buttons(owner.panels["scores"]) if "to_" in name]
        for wish in ({"type": "to_person", "seat": "Ada"}, {"type": "pause", "is_paused": True}):
            assert (await answer(owner, **wish))["sentence"] == "The game is over"
        await ada.say(type="press", name="keep")
        saved = await ada.wait_for("saved")
        assert saved["name"] == "game.teeter"
        (tmp_path / "copy.teeter").write_bytes(b64decode(saved["base64"]))
        assert verify(tmp_path / "copy.teeter").agrees
        assert (await answer(ada, type="press", name="again"))["type"] == "refused"
        before = host.state()
        await owner.say(type="press", name="again")
        assert await closed(ada) == DEALT_ANEW == await closed(owner)
        back = await at_table(host, token=ada.token)
        assert back.last["welcome"]["seat"] == "Ada"
        assert host.state().seats == before.seats
        plan = host.ask(lambda server: server.plan)
        assert plan.file == tmp_path / "game-2.teeter"
        assert plan.is_drawn

    with hosted("bausack", seed=5, record=tmp_path / "game.teeter", options={"pieces": 3}) as host:
        played(begun(host))
        played(try_it(host))
        played(begun(host))  # nothing is written of a game that is left before it begins
    # on a busy machine the second game is left before it is packed: its folder is the record then
    again = load(latest(tmp_path / "game-2.teeter"))
    assert again.meta.seed != load(tmp_path / "game.teeter").meta.seed


def test_a_rematch_is_kept_where_the_game_was(tmp_path: Path) -> None:
    (tmp_path / "ours-2.teeter").touch()
    assert next_file(tmp_path / "ours.teeter", "wonky", 3) == tmp_path / "ours-3.teeter"
    found = next_file(folder() / "wonky-3-1.teeter", "wonky", 4)
    assert found is not None
    assert found.parent == folder()
    assert found.name.startswith("wonky-4-")
