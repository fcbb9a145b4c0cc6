"""The parts of hosting that need no server: seats, links, addresses, what everybody sees of the table."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from host_client import poses_of

from teeter.engine.pose import Pose
from teeter.games.commands.host import DEFAULT, _links_text, with_address
from teeter.games.core.events import Placed, Released
from teeter.games.core.rules import Bring, TakeBack
from teeter.games.host.links import Address, Links, LinksError, file_of, load, parse_address
from teeter.games.host.scene import SharedScene
from teeter.games.host.seats import AWAY_S, Chairs, WishError
from teeter.games.host.views import SeatView
from teeter.games.server.messages import GameUpdate, Plan, TableView
from teeter.games.server.setup import first_view
from teeter.models.files import OutputError


def chairs(now: list[float], links: Links) -> tuple[Chairs, list[tuple[str, str]]]:
    bots: list[tuple[str, str]] = []
    seats = first_view(Plan("wonky", ("Ada", "Ben", "bot:steady"), 3)).state.seats
    return Chairs(seats, links, True, lambda who, style: bots.append((who, style)), lambda: now[0]), bots


def test_who_sat_before_the_host_was_gone_has_five_minutes_to_come_back() -> None:
    now, links = [100.0], Links(Address(), tokens={"Ada": "t" * 24}, bots={"Ben": "bold", "Gone": "bold"})
    room, bots = chairs(now, links)
    assert [chair.state for chair in room.all.values()] == ["away", "bot", "bot"]
    assert bots == [("Ben", "bold")]
    assert room.seconds_left("Ada") == AWAY_S
    now[0] += AWAY_S - 0.1
    assert room.given_up() == []
    now[0] += 0.1
    assert room.given_up() == ["Ada"]
    assert room.given_up() == []
    assert room.all["Ada"].state == "free"
    with pytest.raises(WishError, match="did you mean 'Ada'"):
        room.of("Adda")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("0.0.0.0", Address("0.0.0.0", 8377)),
        ("192.168.1.5:9000", Address("192.168.1.5", 9000)),
        (":9000", Address("127.0.0.1", 9000)),
        ("localhost", Address("localhost", 8377)),
        ("[::1]:9000", Address("::1", 9000)),
        ("::1", Address("::1", 8377)),
        ("box.local", Address("box.local", 8377)),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert address.url("x").endswith(f":{address.port}/#x")


@pytest.mark.parametrize(
    ("name", "is_told"), [("0.0.0.0", True), ("192.168.1.5", True), ("127.0.0.1", False), ("::1", False)]
)
def test_who_lets_others_in_is_told_that_nothing_is_encrypted(name: str, is_told: bool) -> None:
    assert ("not encrypted" in _links_text(Links(Address(name)), is_kept=True)) == is_told


@pytest.mark.parametrize("text", ["0.0.0.0:http", "1.2.3.4:99999", "a b.c", "<x>.y", "1.2.3.4:-1"])
def test_wrong_addresses(text: str) -> None:
    with pytest.raises(LinksError, match="--host"):
        parse_address(text)


def test_host_may_stand_alone() -> None:
    assert with_address(["play", "wonky", "--host"]) == ["play", "wonky", "--host", DEFAULT]
    assert with_address(["play", "--host", "wonky"]) == ["play", "--host", DEFAULT, "wonky"]
    assert with_address(["play", "--host", "--seed", "3"]) == ["play", "--host", DEFAULT, "--seed", "3"]
    assert with_address(["play", "--host", "0.0.0.0", "wonky"]) == ["play", "--host", "0.0.0.0", "wonky"]
    assert with_address(["play", "--host", ":8000"]) == ["play", "--host", ":8000"]
    assert with_address(["check", "arch.toml"]) == ["check", "arch.toml"]


def test_links_are_kept_for_their_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    record = tmp_path / "game.teeter"
    links = Links(Address("127.0.0.1", 9000), file=file_of(record, 7))
    token = links.new_token("Ada")
    assert links.file is not None
    assert links.file.stat().st_mode & 0o777 == 0o600
    assert len({links.host, links.seats, links.spectators, token}) == 4
    assert load(record, 7) == links
    assert load(tmp_path / "game.teeter.part", 7) == links
    assert load(tmp_path / "other.teeter", 7) is None
    # a game of somebody else that is put in its place
    assert load(record, 8) is None
    assert [links.role(each) for each in (links.host, links.seats, links.spectators, "", "x")] == [
        "host",
        "seat",
        "spectator",
        None,
        None,
    ]
    links.file.write_text("{}", encoding="utf-8")
    with pytest.raises(LinksError, match="delete it"):
        load(record, 7)
    # what lies beside a recording came with it, from whoever made it
    other = tmp_path / "other.teeter"
    asked = Links(Address("0.0.0.0", 9000), file=other.with_name("other.teeter.links"))
    asked.save()
    assert load(other, 7) is None
    other.write_bytes(b"")
    (tmp_path / "link.teeter").symlink_to(other)
    assert file_of(tmp_path / "link.teeter", 7) == file_of(other, 7)


def test_a_data_folder_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with pytest.raises(OutputError, match="no links can be kept"):
        Links(Address(), file=file_of(tmp_path / "game.teeter", 7)).save()


# -- what everybody sees -----------------------------------------------------------------------------------------------


def view_of(
    scene: SharedScene, names: tuple[str, ...], rows: list[list[float]], step: int
) -> dict[int, tuple[float, ...]]:
    """What is sent of a picture of the table; nothing for an empty message."""
    data = scene.moved(TableView(step, 240, names, np.array(rows)))
    if not data:
        return {}
    at, found = poses_of(data)
    assert at == step
    return found


def test_only_what_moved_is_sent_and_everything_to_who_missed_some() -> None:
    bodies = first_view(Plan("wonky", ("Ada", "Ben"), 3)).bodies
    scene = SharedScene(bodies, frozenset())
    names = tuple(body.name for body in bodies)
    rows = [[*body.pose.position, *body.pose.orientation] for body in bodies]
    assert view_of(scene, names, rows, 4) == {}
    rows[2][0] += 0.5e-5
    assert view_of(scene, names, rows, 8) == {}
    # small moves add up, they are not lost
    rows[2][0] += 0.6e-5
    found = view_of(scene, names, rows, 12)
    assert list(found) == [2]
    assert found[2] == pytest.approx(rows[2], abs=1e-6)
    step, everything = poses_of(scene.everything())
    assert (step, sorted(everything)) == (12, list(range(len(bodies))))
    assert everything[2] == pytest.approx(rows[2], abs=1e-6)


def test_a_body_that_comes_again_is_sent_only_if_it_looks_otherwise() -> None:
    bodies = first_view(Plan("wonky", ("Ada", "Ben"), 3)).bodies
    scene = SharedScene(bodies, frozenset())
    body, other = bodies[1], bodies[2]
    assert scene.add(body.at(Pose((0.0, 0.0, 1.0)))) == ""
    message = json.loads(scene.add(replace(other, name=body.name)))
    assert (message["first"], len(message["scene"]["bodies"])) == (len(bodies), 1)
    assert "room" not in message["scene"]
    assert scene.number(body.name) == len(bodies)
    assert scene.numbers((body.name, "nobody", other.name)) == [len(bodies), 2]


def test_a_print_that_nobody_may_see_is_not_sent() -> None:
    """Tower Topple (TT-03): the print of a brick comes when the brick is out, and not before."""
    view = first_view(Plan("tower-topple", ("Ada", "Ben"), 3))
    printed = [body.name for body in view.bodies if body.piece.face is not None and body.piece.colour is None]
    assert len(printed) > 5
    scene = SharedScene(view.bodies, frozenset(printed))
    sent = {row["name"]: row for row in json.loads(scene.texts[0])["scene"]["bodies"]}
    assert not [name for name in printed if "print" in sent[name]]
    open_scene = SharedScene(view.bodies, frozenset())
    assert scene.texts[0] != open_scene.texts[0]
    read = json.loads(scene.read(frozenset(printed[1:])))
    assert [row["name"] for row in read["scene"]["bodies"]] == printed[:1]
    assert "print" in read["scene"]["bodies"][0]
    # it is where it was
    place = next(body.pose for body in view.bodies if body.name == printed[0])
    _, everything = poses_of(scene.everything())
    assert everything[read["first"]][:3] == pytest.approx(place.position, abs=1e-6)
    assert scene.read(frozenset(printed[1:])) == ""


def test_pieces_of_the_sandbox_are_called_as_people_call_them() -> None:
    plan = Plan("sandbox", ("Ada",))
    opening = first_view(plan)
    rules, state = opening.game.rules, opening.state
    view = SeatView(plan, opening.game, state, opening.bodies, "Ada", ())
    need = rules.needs(state)
    lines: list[str] = []
    for action in (
        Bring("Ada", "base_1-1", "bausack/base_1"),
        Released(1, "base_1-1"),
        Placed(2, "base_1-1"),
        Bring("Ada", "base_1-2", "bausack/base_1"),
        TakeBack("Ada"),
        Bring("Ada", "arch-1", "bausack/arch"),
    ):
        state = rules.apply(state, action)
        lines += view.take(GameUpdate(state, "Bring", action), need)
    assert lines[3] == "Ada brings out the base 1 (2)."
    assert "arch" in lines[-1]
    assert not [line for line in lines if "_" in line or "arch-1" in line]


def test_the_size_of_a_pose() -> None:
    """As the README has it."""
    assert struct.calcsize("<H7f") == 30
