"""How fast pictures are made, and a whole video."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from teeter.engine.bench.rigs import tower
from teeter.engine.record.format import state_digest
from teeter.engine.record.meta import BodyMeta, Meta, Versions, fingerprint
from teeter.engine.record.writer import Recorder
from teeter.engine.view.camera import framing
from teeter.engine.view.frame import frame_of
from teeter.engine.view.opengl import ViewError
from teeter.engine.view.render.shading import Quality
from teeter.engine.view.render.stage import Stage
from teeter.engine.world.body import TABLE

SIZE = (1280, 720)
ALONE = {"LP_NUM_THREADS": "0"}
"""Software GL without threads of its own: on a busy machine too, processor time then tells what a picture costs."""
PROCESS_TIMEOUT_S = 300.0
"""Seconds for a film, whose process may find no OpenGL and hang."""
_FILM = """
import sys
from pathlib import Path
from teeter.engine.bench.drawing import SIZE, tower
from teeter.engine.record.reader import load
from teeter.engine.view.video.film import Telling
from teeter.engine.view.video.make import make
from teeter.engine.view.video.film import Recipe
path, quality, out = sys.argv[1:]
recipe = Recipe(size=SIZE, quality=quality, camera="orbit", pace="true", cards=False)
make(load(Path(path)), tower(), Telling("bench"), recipe, Path(out))
"""


def drawing(quality: Quality, rounds: int = 4) -> float:
    """Pictures a second of processor time, without threads, the best of the rounds: 54 bricks with a shadow, the camera
    going round, read back each time."""
    os.environ.update(ALONE)
    bodies = tower()
    stage, frame, best = Stage(bodies, size=SIZE, quality=quality), frame_of(bodies), 0.0
    try:
        for _ in range(rounds):
            started = time.process_time()
            for turn in range(4):
                stage.aim(framing(stage.sphere, (-60.0 + 3 * turn, 20.0)))
                stage.show(frame)
                stage.pixels()
            best = max(best, 4 / (time.process_time() - started))
    finally:
        stage.close()
    return best


def falling(path: Path, seconds: float) -> None:
    """Record a tower whose bricks never rest, written down without simulating: the dearest thing to film."""
    bodies = tower()
    free = [body for body in bodies if body.name != TABLE]
    meta = Meta(
        game="bench",
        seed=0,
        rate=240,
        bodies=tuple(
            BodyMeta(id=body.name, model=body.piece.model or TABLE, fixed=body.fixed) for body in bodies
        ),
        versions=Versions.installed(),
        platform=fingerprint(),
    )
    start = np.array([(*body.pose.position, *body.pose.orientation) for body in bodies])
    names = tuple(body.name for body in bodies)
    with Recorder(path, meta) as recorder:
        recorder.checkpoint(0, dict(zip(names, start, strict=True)), state_digest(names, start))
        for step in range(0, round(seconds * 240), 4):
            rows = dict(zip(names, start, strict=True))
            for number, body in enumerate(free):
                sway = 0.002 * np.sin(step / 40.0 + number)
                rows[body.name] = rows[body.name] + np.array([sway, sway, 0, 0, 0, 0, 0])
            recorder.frame(step, rows)


def video(quality: Quality, seconds: float = 30.0) -> float:
    """Seconds of video a second: 1280 x 720 at 30 pictures a second, sound and encoding included, and a process that
    begins from nothing. Raises ViewError when it fails or takes longer than `PROCESS_TIMEOUT_S`."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        path = Path(folder) / "tower.teeter"
        falling(path, seconds)
        command = [sys.executable, "-c", _FILM, str(path), quality, str(Path(folder) / "tower.mp4")]
        started = time.perf_counter()
        try:
            subprocess.run(command, capture_output=True, timeout=PROCESS_TIMEOUT_S, check=True, text=True)
        except subprocess.CalledProcessError as failed:
            last = (failed.stderr.strip().splitlines() or ["its process ended by itself"])[-1]
            raise ViewError(f"no film could be made: {last}") from None
        except subprocess.TimeoutExpired:
            raise ViewError(f"no film of {seconds:g} s within {PROCESS_TIMEOUT_S:g} s") from None
        return seconds / (time.perf_counter() - started)
