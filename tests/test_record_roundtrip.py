"""What is recorded is what is read: entries, frames, checkpoints, meta data, and the same bytes for the same game."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from teeter.engine.record.format import BAND, ENTRIES, GRID, line_of, on_grid, state_digest
from teeter.engine.record.lines import EntryLines
from teeter.engine.record.meta import BodyMeta, Meta, Versions, fingerprint
from teeter.engine.record.reader import Replay, load
from teeter.engine.record.writer import Recorder

README = Path(__file__).resolve().parent.parent / "engine" / "record" / "README.md"
RATE = 240
NAMES = ("lower", "slab", "table")
HERE = Versions.installed()


def meta(bodies: tuple[str, ...] = NAMES, **more: Any) -> Meta:
    listed = tuple(BodyMeta(id=name, model="tower_topple/brick") for name in bodies)
    settled = {"game": "sandbox", "seed": 7, "rate": RATE, "bodies": listed, "platform": fingerprint()}
    return Meta(**{**settled, "versions": HERE, **more})


def upright(x: float, y: float, z: float) -> NDArray[np.float64]:
    return np.array([x, y, z, 0.0, 0.0, 0.0, 1.0])


def poses(step: int = 0) -> dict[str, NDArray[np.float64]]:
    """The lower brick lies, the slab moves along x at 1 m/s, the table is absent."""
    return {"lower": upright(0.1, 0.2, 0.3), "slab": upright(step / RATE, 0.0, 1 / 3)}


def digest(step: int) -> str:
    return state_digest(("lower", "slab"), np.array([*poses(step).values()]))


def play(path: Path, steps: int = 120, every: int = 40, outcome: dict[str, Any] | None = None) -> None:
    """A short game: 60 frames a second, a checkpoint every so many steps."""
    with Recorder(path, meta()) as recorder:
        for step in range(0, steps + 1, 4):
            recorder.journal(step, {"type": "hand", "pose": [step, 2, 3, 0, 0, 0, 1000000]})
            recorder.frame(step, poses(step))
            if step % every == 0:
                recorder.event(step, {"type": "rested", "pieces": ["lower", "slab"]})
                recorder.checkpoint(step, poses(step), digest(step))
        recorder.close(outcome)


def test_all_comes_back(tmp_path: Path) -> None:
    play(tmp_path / "a.teeter", outcome={"winners": ["Ana"], "reason": "tower_fell"})
    assert [path.name for path in tmp_path.iterdir()] == ["a.teeter"]
    replay = load(tmp_path / "a.teeter")
    assert replay.meta == meta(outcome={"winners": ["Ana"], "reason": "tower_fell"})
    assert replay.is_complete
    assert len(replay.journal) == 31
    assert replay.journal[1] == (4, {"type": "hand", "pose": [4, 2, 3, 0, 0, 0, 1000000]})
    assert [step for step, _ in replay.events] == [0, 40, 80, 120]
    assert replay.steps.tolist() == list(range(0, 121, 4))
    assert replay.poses.dtype == np.float32
    assert replay.poses.shape == (31, 3, 7)
    assert np.isnan(replay.poses[:, 2]).all()
    assert np.abs(replay.poses[:, 1, 0] - replay.steps / RATE).max() <= GRID[0]
    assert replay.seconds == 0.5


def test_boundaries_come_back_bit_for_bit(tmp_path: Path) -> None:
    play(tmp_path / "a.teeter")
    replay = load(tmp_path / "a.teeter")
    assert replay.hashes == tuple((step, digest(step)) for step in (0, 40, 80, 120))
    for checkpoint in replay.checkpoints:
        named = replay.named(checkpoint.poses)
        assert list(named) == ["lower", "slab"]
        assert all(np.array_equal(named[name], row) for name, row in poses(checkpoint.step).items())
        assert state_digest([*named], np.array([*named.values()])) == checkpoint.digest


def test_the_same_game_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        play(tmp_path / f"{name}.teeter", outcome={"b": 1, "a": [2, None]})
    assert (tmp_path / "a.teeter").read_bytes() == (tmp_path / "b.teeter").read_bytes()


def test_the_order_of_keys_changes_no_byte(tmp_path: Path) -> None:
    for name, turn in (("a", 1), ("b", -1)):
        with Recorder(
            tmp_path / name, meta(options={"x": 1, "y": 2} if turn > 0 else {"y": 2, "x": 1})
        ) as one:
            one.journal(0, dict([("type", "action"), ("input", {"piece": "slab"})][::turn]))
            one.checkpoint(0, dict([*poses().items()][::turn]), digest(0))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_recording_is_a_zip_that_numpy_reads(tmp_path: Path) -> None:
    play(tmp_path / "a.teeter")
    with zipfile.ZipFile(tmp_path / "a.teeter") as archive:
        assert tuple(archive.namelist()) == ENTRIES
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        for name, kind in (("track.npz", np.float32), ("states.npz", np.float64)):
            with archive.open(name) as stream, np.load(stream, allow_pickle=False) as arrays:
                assert arrays["steps"].dtype == np.int64
                assert arrays["poses"].dtype == kind
                assert arrays["poses"].shape == (len(arrays["steps"]), 3, 7)


def test_an_empty_recording(tmp_path: Path) -> None:
    Recorder(tmp_path / "a.teeter", meta(())).close()
    replay = load(tmp_path / "a.teeter")
    assert (replay.journal, replay.events, replay.checkpoints, replay.seconds) == ((), (), (), 0.0)
    assert replay.poses.shape == (0, 0, 7)


def test_what_is_read_cannot_be_written_to(tmp_path: Path) -> None:
    play(tmp_path / "a.teeter")
    replay = load(tmp_path / "a.teeter")
    for array in (replay.steps, replay.poses, replay.checkpoints[0].poses):
        assert not array.flags.writeable


def frames(tmp_path: Path, rows: list[tuple[int, dict[str, NDArray[np.float64]]]]) -> Replay:
    with Recorder(tmp_path / "a.teeter", meta()) as recorder:
        for step, row in rows:
            recorder.frame(step, row)
    return load(tmp_path / "a.teeter")


def test_rest_takes_one_frame_a_second_and_the_last_one_before_motion(tmp_path: Path) -> None:
    rest = [(step, poses(0)) for step in range(0, 601, 4)]
    assert frames(tmp_path, [*rest, (604, poses(4))]).steps.tolist() == [0, 240, 480, 600, 604]


def test_the_end_of_a_rest_is_kept(tmp_path: Path) -> None:
    assert frames(tmp_path, [(step, poses(0)) for step in range(0, 101, 4)]).steps.tolist() == [0, 100]


def test_trembling_by_a_few_micrometres_is_rest(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    tremble = random.uniform(-6e-6, 6e-6, size=(60, 3))
    rows = [(4 * n, {"slab": upright(*(0.25 + row))}) for n, row in enumerate(tremble)]
    assert len(frames(tmp_path, rows).steps) == 2


def test_a_slow_creep_is_followed(tmp_path: Path) -> None:
    rows = [(4 * n, {"slab": upright(n * 1e-6, 0, 0)}) for n in range(1000)]
    replay = frames(tmp_path, rows)
    seen = np.array([replay.pose_at(step)[1, 0] for step, _ in rows])
    assert np.abs(seen - np.arange(1000) * 1e-6).max() < BAND[0] + GRID[0]


def test_the_track_is_within_a_twentieth_of_a_millimetre_and_of_a_degree() -> None:
    """A random walk of positions and turns, as slow as a creep and as quick as a fall."""
    random = np.random.default_rng(5)
    bodies = 200
    position = random.uniform(-0.3, 0.3, (bodies, 3))
    turn = Rotation.random(bodies, rng=6)
    pace = np.logspace(-7, -3, bodies)[:, None]
    held = np.full((bodies, 7), np.nan, dtype=np.float32)
    stayed = 0
    for _ in range(300):
        position += pace * random.normal(size=(bodies, 3))
        turn = Rotation.from_rotvec(20 * pace * random.normal(size=(bodies, 3))) * turn
        seen = on_grid(np.hstack([position, turn.as_quat()]), held)
        stayed += int((seen == held).all(axis=1).sum())
        held = seen
        away = np.linalg.norm(seen[:, :3] - position, axis=1)
        assert away.max() * 1e3 < 0.05
        apart = (Rotation.from_quat(seen[:, 3:]) * turn.inv()).magnitude()
        # q and -q are the same turn, and scipy may change over from one to the other
        assert np.degrees(apart.max()) < 0.05
    assert 0.3 < stayed / (300 * bodies) < 0.9


def test_two_frames_at_one_step_are_a_jump(tmp_path: Path) -> None:
    replay = frames(tmp_path, [(0, poses(0)), (40, poses(0)), (40, poses(240)), (80, poses(240))])
    assert [replay.pose_at(step)[1, 0] for step in (0, 39.9, 40, 60)] == [0, 0, 1, 1]


def test_a_long_track_is_thinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("teeter.engine.record.part.MAX_TRACK_BYTES", 40 * (8 + 3 * 7 * 4))
    replay = frames(tmp_path, [(4 * n, poses(4 * n)) for n in range(100)])
    assert replay.steps.tolist() == [*range(0, 396, 12), 396]


def test_five_minutes_of_a_tower_pack_small(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    names = tuple(f"brick.{number:02}" for number in range(57))
    turned = random.normal(size=(57, 4))
    rest = np.hstack([random.uniform(-0.3, 0.3, (57, 3)), turned / np.linalg.norm(turned, axis=1)[:, None]])
    recorder = Recorder(tmp_path / "a.teeter", meta(names))
    noise = random.normal(scale=2e-5, size=(18000, 3, 3))
    for number in range(18000):
        time, rows = number / 60, rest.copy()
        for body in range(3):
            angle = 0.5 * np.sin(time + body)
            swing = [0.1 * np.sin(time * (1 + body)), 0.1 * np.cos(1.3 * time), 0.05 * np.sin(2.1 * time)]
            rows[body, :3] += swing + noise[number, body]
            rows[body, 3:] = [0, 0, np.sin(angle / 2), np.cos(angle / 2)]
        recorder.frame(4 * number, dict(zip(names, rows, strict=True)))
    recorder.close()
    assert len(load(tmp_path / "a.teeter").steps) == 18000
    assert (tmp_path / "a.teeter").stat().st_size < 2e6


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
ENTRY = st.fixed_dictionaries({"type": st.text()}, optional={"input": JSON}).flatmap(
    lambda entry: st.dictionaries(st.text().filter(lambda key: key not in ("step", "type")), JSON).map(
        lambda more: {**more, **entry}
    )
)
STEPS = st.integers(0, 2**53)


@settings(max_examples=40, deadline=None)
@given(STEPS, ENTRY)
def test_any_entry_is_a_line(step: int, entry: dict[str, Any]) -> None:
    line = line_of(step, entry)
    assert line.count(b"\n") == 1
    assert EntryLines(line, "file", "place") == ((step, entry),)
    assert line_of(step, dict([*entry.items()][::-1])) == line


@settings(deadline=None, max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(STEPS, ENTRY), max_size=8))
def test_any_entries_come_back(tmp_path: Path, entries: list[tuple[int, dict[str, Any]]]) -> None:
    entries = sorted(entries, key=lambda pair: pair[0])
    path = tmp_path / "a.teeter"
    path.unlink(missing_ok=True)
    with Recorder(path, meta()) as recorder:
        for step, entry in entries:
            recorder.journal(step, entry)
            recorder.event(step, entry)
    replay = load(path)
    assert replay.journal == tuple(entries)
    assert replay.events == tuple(entries)


def test_a_lone_half_of_a_surrogate_comes_back(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.teeter", meta()) as recorder:
        recorder.journal(0, {"type": "say", "words": "\ud800"})
    assert load(tmp_path / "a.teeter").journal == ((0, {"type": "say", "words": "\ud800"}),)


def test_the_digest_knows_names_and_bits_and_no_order() -> None:
    rows = np.random.default_rng(2).normal(size=(3, 7))
    first = state_digest(NAMES, rows)
    assert first == state_digest(NAMES[::-1], rows[::-1])
    assert first == state_digest(NAMES, rows.astype(">f8"))
    assert first != state_digest(NAMES[::-1], rows)
    assert first != state_digest(("lower", "slab", "tables"), rows)
    assert first != state_digest(NAMES, np.nextafter(rows, 10))
    with pytest.raises(ValueError, match="stands twice"):
        state_digest(("a", "a", "b"), rows)
    with pytest.raises(ValueError, match=r"need \(3, 7\)"):
        state_digest(NAMES, rows[:2])


def test_the_digest_of_one_body_is_a_known_one() -> None:
    # sha256 of 04000000, "slab" and the seven numbers, put together by hand: it must never change
    row = [0.1, 0.2, 0.3, 0.0, 0.0, 0.6, 0.8]
    by_hand = hashlib.sha256(struct.pack("<I4s7d", 4, b"slab", *row)).hexdigest()
    assert state_digest(("slab",), np.array([row])) == by_hand


def test_the_platform_names_what_decides_the_bits() -> None:
    assert fingerprint() == fingerprint()
    for word in (HERE.python, HERE.numpy, HERE.pybullet):
        assert word in fingerprint()


def test_what_an_engine_alone_simulates_otherwise_is_another_platform() -> None:
    assert f"pybullet {HERE.pybullet} as used since revision 3" in fingerprint("bullet")
    assert f"rapier3d {HERE.rapier3d} as used since revision 4" in fingerprint("rapier")


def test_the_examples_of_the_readme_are_entries() -> None:
    blocks = [block.split("```")[0] for block in README.read_text("utf-8").split("```json\n")[1:]]
    lines = [EntryLines(block.encode(), "README.md", "example") for block in blocks]
    kinds = {entry["type"] for block in lines for _, entry in block}
    assert kinds == {"action", "hand", "release", "settle", "answer", "input", "wait"}


def test_recording_loads_no_simulator() -> None:
    code = "import teeter.engine.record.reader, teeter.engine.record.writer, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"pybullet", "panda3d", "trimesh", "scipy", "shapely"}
