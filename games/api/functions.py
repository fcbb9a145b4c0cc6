"""The functions of `teeter`: what the commands do, for scripts. Lengths in mm, masses in g, angles in degrees, forces
in N. Everything heavy is imported when it is called, so that `import teeter` is quick."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, Unpack

from teeter.games.api.arguments import (
    ArgumentError,
    checked,
    fault,
    list_of,
    names_in,
    piece_named,
    refuse_unknown,
    require_in_range,
    size_of,
    whole_of,
)
from teeter.games.api.checker import Axis, Checker, Conditions, Progress, unheard
from teeter.games.api.one_thread import one_thread
from teeter.games.api.results import (
    CheckResult,
    ExplainResult,
    ExportResult,
    FilmResult,
    NoiseResult,
    Played,
    PoseResult,
    ProbeResult,
    StepsResult,
)
from teeter.games.api.scene import AnyScene, PublicScene, loaded_of
from teeter.models.files import check_output

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import trimesh

    from teeter.engine.topple.laboratory.sweep import SweepRow
    from teeter.games.api.design import DesignResult
    from teeter.games.api.many import ManyResult, ManyScenes, Method
    from teeter.games.api.mend import MendResult
    from teeter.games.play.playback import Verified


def _under(function: Callable[..., object], under: Conditions) -> Checker:
    """Returns what asks under these conditions. Raises ArgumentError for a name that the function does not take."""
    refuse_unknown(under, Conditions.__annotations__, {*signature(function).parameters} - {"under"})
    return Checker(**under)


@checked
def load(
    path_or_name: str | Path | trimesh.Scene | trimesh.Trimesh | tuple[Any, Any],
    *,
    settle_mm: float = 0.0,
    table: str | float | tuple[float, float] | None = None,
    fixed: Iterable[str] = (),
    material: str | None = None,
    unit: str | None = None,
    fit_mm: float = 0.0,
    up: Literal["x", "y", "z"] | None = None,
    drop: bool = False,
    without: Iterable[str] = (),
    unite: Iterable[str] = (),
    split: bool = False,
) -> PublicScene:
    """Load a scene or mesh file, or a shipped scene by name; or take meshes: a `trimesh.Scene`, a `trimesh.Trimesh`, or
    corners (n, 3) and triangles (f, 3), as of a file that says no unit. Raises TeeterError with all that is wrong.

    settle_mm: gaps and overlaps to allow. table: `none`, `lowest` to put it under everything, or its size. fixed:
    names, with wildcards, of pieces that are supports. material: of pieces that name none. unit: of a mesh file: mm,
    cm, m or in. fit_mm: of scanned meshes, within which faces that are flat or round become exactly so; 0: they stay.
    up: the axis that points up in a mesh file but 3MF; by default z, in glTF y. drop: take pieces that nothing carries,
    for `check(scene, drop=True)`. without: pieces to take out, and whose faults are none. unite: names of nodes of a
    mesh file that are one piece. split: cut what is not convex in it into convex blocks.
    """
    from teeter.scenes.load import load
    from teeter.scenes.scene import without as rest_of

    gone = names_in(without)
    loaded = load(
        path_or_name,
        settle_mm=settle_mm,
        table=table,
        fixed=names_in(fixed),
        material=material,
        unit=unit,
        fit_mm=fit_mm,
        up=up,
        drop=drop,
        excused=gone,
        unite=names_in(unite),
        split=split,
    )
    return PublicScene(rest_of(loaded, gone) if gone else loaded)


@checked
def build(
    pieces: Iterable[Mapping[str, Any]],
    *,
    name: str = "built",
    has_table: bool = True,
    settle_mm: float = 0.0,
    drop: bool = False,
    loads: Iterable[Mapping[str, Any]] = (),
    pairs: Iterable[Mapping[str, Any]] = (),
) -> PublicScene:
    """Build a scene from pieces, each with the keys of a `[[piece]]` of a scene file (scenes/README.md): `id`, `model`
    or `shape`, `position`, ...; or with a `mesh`, a `trimesh.Trimesh` or corners and triangles in mm, and a `pose`, a
    (4, 4) matrix in mm. Raises TeeterError with everything that is wrong.

    has_table: on the usual table. settle_mm: gaps and overlaps to allow. drop: take pieces that nothing carries.
    loads: with the keys of a `[[load]]`: `piece`, `at`, and `force` or `mass`. pairs: of a `[[pair]]`: `between`,
    `friction` and `rolling_mm`. Mesh paths start at the current folder.
    """
    from teeter.scenes.load import build

    return PublicScene(
        build(
            pieces, name=name, has_table=has_table, settle_mm=settle_mm, drop=drop, loads=loads, pairs=pairs
        )
    )


def check(
    scene: AnyScene,
    *,
    settle_mm: float = 0.0,
    drop: bool = False,
    time: float | None = None,
    witness: bool = False,
    **under: Unpack[Conditions],
) -> CheckResult:
    """Would it topple?

    settle_mm: gaps and overlaps to close first, at least those that the scene was loaded with. drop: let fall first
    what nothing carries, which otherwise topples. time: seconds to simulate, None until it is decided. witness: ask
    another engine too. under: what a `Checker` holds: tilt_deg, tilt_direction_deg, friction, engine, seed, workers,
    accelerate_g, wind_pa, direction_deg; the functions below take it too. Raises TeeterError.
    """
    return _under(check, under).check(scene, settle_mm=settle_mm, drop=drop, time=time, witness=witness)


def check_many(
    scenes: ManyScenes,
    *,
    method: Method = "full",
    executor: Executor | None = None,
    progress: Progress = unheard,
    **under: Unpack[Conditions],
) -> ManyResult:
    """Would they topple? As `Checker.check_many`. Raises TeeterError."""
    return _under(check_many, under).check_many(scenes, method=method, executor=executor, progress=progress)


def steps(
    scene: AnyScene,
    order: Iterable[str] | None = None,
    *,
    settle_mm: float = 0.0,
    drop: bool = False,
    progress: Progress = unheard,
    **under: Unpack[Conditions],
) -> StepsResult:
    """Does it stand after every step of putting it together? As `Checker.steps`. Raises TeeterError."""
    return _under(steps, under).steps(scene, order, settle_mm=settle_mm, drop=drop, progress=progress)


@checked
def poses(scene: AnyScene, piece: str | None = None) -> tuple[PoseResult, ...]:
    """The poses in which one piece lies stably on a level table, the likeliest first. piece: its name; None: the only
    one. Raises TeeterError."""
    from teeter.engine.geometry.rotation import quaternion_of, rpy_of
    from teeter.models.stable_poses import stable_poses

    loaded = loaded_of(scene, drop=True)
    free = [body.name for body in loaded.assembly.free]
    if piece is None and len(free) != 1:
        raise ArgumentError(f"{loaded.name} has {len(free)} pieces: name one")
    results = []
    for pose in stable_poses(piece_named(loaded, piece or free[0]).piece):
        roll, pitch, yaw = (math.degrees(angle) for angle in rpy_of(pose.rotation))
        results.append(
            PoseResult(
                None if pose.margin is None else math.degrees(pose.margin),
                pose.share,
                None if pose.height is None else 1e3 * pose.height,
                (roll, pitch, yaw),
                quaternion_of(pose.rotation),
                1e6 * pose.area,
            )
        )
    return tuple(results)


def explain(scene: AnyScene | CheckResult, **under: Unpack[Conditions]) -> ExplainResult:
    """Why it stands or topples: which piece goes over which edge, and how much is missing or to spare.

    scene: also the answer of `check`, which is not asked again, under no other conditions. Raises TeeterError.
    """
    if under and isinstance(scene, CheckResult):
        raise ArgumentError(f"{', '.join(under)}: the verdict was asked already: give the scene")
    return _under(explain, under).explain(scene)


def noise(
    scene: AnyScene,
    *,
    position_mm: float = 0.0,
    tilt_noise_deg: float = 0.0,
    friction_range: tuple[float, float] | None = None,
    samples: int = 200,
    until: float | None = None,
    executor: Executor | None = None,
    progress: Progress = unheard,
    **under: Unpack[Conditions],
) -> NoiseResult:
    """How surely does it stand, built by hand? As `Checker.noise`. Raises TeeterError."""
    return _under(noise, under).noise(
        scene,
        position_mm=position_mm,
        tilt_noise_deg=tilt_noise_deg,
        friction_range=friction_range,
        samples=samples,
        until=until,
        executor=executor,
        progress=progress,
    )


def mend(
    scene: AnyScene,
    *,
    margin_deg: float | None = None,
    kinds: Iterable[str] = (),
    pieces: Iterable[str] = (),
    keep: Iterable[str] = (),
    best: int | None = None,
    push_n: float | None = None,
    push_direction_deg: float = 0.0,
    **under: Unpack[Conditions],
) -> MendResult:
    """What must be changed so that it stands? As `Checker.mend`. Raises TeeterError."""
    return _under(mend, under).mend(
        scene,
        margin_deg=margin_deg,
        kinds=kinds,
        pieces=pieces,
        keep=keep,
        best=best,
        push_n=push_n,
        push_direction_deg=push_direction_deg,
    )


def design(
    goal: str,
    pieces: str | PublicScene | Iterable[str | PublicScene],
    *,
    margin_deg: float = 0.1,
    gap_mm: float | None = None,
    single: bool = False,
    **under: Unpack[Conditions],
) -> DesignResult:
    """What can be built of boxes? As `Checker.design`. Raises TeeterError."""
    return _under(design, under).design(goal, pieces, margin_deg=margin_deg, gap_mm=gap_mm, single=single)


def probe(
    scene: AnyScene,
    pieces: Iterable[str] | None = None,
    *,
    progress: Progress = unheard,
    **under: Unpack[Conditions],
) -> dict[str, ProbeResult]:
    """Which piece can come out? As `Checker.probe`. Raises TeeterError."""
    return _under(probe, under).probe(scene, pieces, progress=progress)


def sweep(
    scene: AnyScene,
    piece: str,
    *,
    x: Axis,
    y: Axis,
    yaw: Axis = 0.0,
    samples: int | None = None,
    keep_height: bool = False,
    margins: bool = True,
    noise_mm: float | None = None,
    copies: int = 200,
    executor: Executor | None = None,
    progress: Progress = unheard,
    **under: Unpack[Conditions],
) -> list[SweepRow]:
    """Where could this piece go? As `Checker.sweep`. Raises TeeterError."""
    return _under(sweep, under).sweep(
        scene,
        piece,
        x=x,
        y=y,
        yaw=yaw,
        samples=samples,
        keep_height=keep_height,
        margins=margins,
        noise_mm=noise_mm,
        copies=copies,
        executor=executor,
        progress=progress,
    )


@checked
@one_thread()
def play(
    game: str,
    players: Iterable[str] = ("bot:steady", "bot:steady"),
    *,
    seed: SupportsIndex = 0,
    turns: SupportsIndex = 2000,
    tremor_mm: float = 0.0,
    record: str | Path | None = None,
    force: bool = False,
    **options: object,
) -> Played:
    """Play a game by bots (`bot:expert`, `bot:steady`, `bot:bold`, `bot:clumsy`).

    game: as `teeter games` lists it. turns: choices after which it is broken off. tremor_mm: how much hands shake.
    record: a file to keep it in. force: replace what is there. options: the mode and the house rules of the game.
    Raises TeeterError.
    """
    from teeter.games.core.errors import SetupError
    from teeter.games.play.held_piece import MAX_TREMOR
    from teeter.games.play.recording import begin
    from teeter.games.players.bots import play_out
    from teeter.games.registry import game_named

    seed, turns = whole_of("seed", seed), whole_of("turns", turns)
    require_in_range(turns=turns)
    if wrong := fault("tremor_mm", (0.0, MAX_TREMOR * 1e3), tremor_mm):
        raise ArgumentError(wrong)
    seats = tuple(list_of("players", players, "a list of names"))
    people = [name for team in seats for name in team.split("+") if not name.strip().startswith("bot:")]
    if people:
        raise SetupError(f"{people[0]!r} is a person; only bots play here: write bot:steady")
    path = None if record is None else Path(record)
    if path is not None:
        check_output(path, force=force)
    session, recorder = begin(
        game_named(game), seats, seed, options, tremor=tremor_mm / 1e3, path=path, replaces=force
    )
    outcome = play_out(session, recorder, seed, turns)
    where = recorder.path if recorder else None
    names, winners = tuple(outcome["players"]), tuple(outcome["winners"])
    return Played(names, winners, outcome["reason"], outcome["scores"], outcome["turns"], where)


@checked
@one_thread()
def verify(record: str | Path) -> Verified:
    """Play a replay again in a fresh world: whether it agrees, and the first difference. Raises TeeterError."""
    from teeter.games.play.playback import verify

    return verify(Path(record))


@checked
@one_thread()
def video(
    record: str | Path,
    out: str | Path,
    *,
    preset: str | None = None,
    size: Iterable[SupportsIndex] | None = None,
    fps: int | None = None,
    quality: str | None = None,
    camera: str | None = None,
    pace: str | None = None,
    speed: float = 1.0,
    slow_fall: bool = False,
    begin_s: float | None = None,
    end_s: float | None = None,
    captions: bool = True,
    cards: bool | None = None,
    hand: bool = True,
    sound: bool = True,
    anonymous: bool = False,
    table: str | None = None,
    strip: int = 1,
    workers: int | None = None,
    force: bool = False,
    progress: Progress = unheard,
) -> FilmResult:
    """Draw a replay as a video (.mp4, .webm), a loop (.gif, .webp), a picture (.png), or as numbered pictures with
    sound in a folder of their own (frames/%05d.png), transparent but for shadows unless a table is named.

    The options are those of `teeter video`; begin_s and end_s cut a part out. progress: told how many frames are
    drawn, of how many. force: replace a file that is there. Raises TeeterError with everything that is wrong.
    """
    from teeter.engine.record.reader import load
    from teeter.engine.view.video.film import is_sequence, recipe_for
    from teeter.engine.view.video.make import check_file, make
    from teeter.games.play.causes import with_causes
    from teeter.games.play.replays import bodies_of, telling_of

    file, path = Path(record), Path(out)
    # before the recording is read: what cannot be written is said at once
    check_file(path, workers, force=force)
    if not is_sequence(path):
        check_output(path, force=force, inputs=[file])
    recipe = recipe_for(
        path,
        preset,
        size=None if size is None else size_of("size", size),
        fps=fps,
        quality=quality,
        camera=camera,
        pace=pace,
        speed=speed,
        slow_fall=slow_fall,
        begin=begin_s,
        end=end_s,
        captions=captions,
        cards=cards if captions else False,
        hand=hand,
        sound=sound,
        table=table,
        strip=strip,
    )
    replay = load(file)
    telling = telling_of(replay, anonymous=anonymous)
    if captions:
        span = (begin_s or 0.0, math.inf if end_s is None else end_s)
        telling = with_causes(telling, replay, span=span)
    made = make(
        replay, bodies_of(replay), telling, recipe, path, progress=progress, workers=workers, force=force
    )
    return FilmResult(path, made.seconds, made.pictures, made.size)


@checked
@one_thread()
def export(
    record: str | Path, out: str | Path, *, fps: int | None = None, force: bool = False
) -> ExportResult:
    """Write a replay as an animated glTF model (.glb), or as a page that any browser replays (.html).

    fps: of a model that is rendered elsewhere: a key for every frame, the camera of the film and its sun. force:
    replace a file that is there. Raises TeeterError.
    """
    from teeter.games.api.pages import animated_model, recording_page

    file, path = Path(record), Path(out)
    check_output(path, force=force, inputs=[file])
    if path.suffix.lower() != ".html":
        return animated_model(file, path, fps=fps, force=force)
    if fps is not None:
        raise ArgumentError(
            f"fps = {fps}: is that of a model, .glb; a page goes as fast as its browser draws"
        )
    return recording_page(file, path, force=force)
