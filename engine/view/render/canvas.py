"""What pictures of one size are made in: buffers, occlusion, smooth edges, and what is written over them."""

from collections.abc import Iterable
from typing import Any

from panda3d import core

from teeter.engine.view.panels import Panel
from teeter.engine.view.render.device import Device
from teeter.engine.view.render.edge_antialiasing import EdgePass
from teeter.engine.view.render.overlays import Labels
from teeter.engine.view.render.passes import DepthClearer, OcclusionPass
from teeter.engine.view.render.shading import QualityLevel
from teeter.engine.view.window.hud import Hud


class Canvas:
    """One size of pictures.

    root, eye, lens: the scene, the camera that looks at it, and its lens. size: pixels. texture: the colours of the
    finished picture.
    """

    def __init__(
        self,
        device: Device,
        root: Any,
        eye: Any,
        lens: Any,
        size: tuple[int, int],
        level: QualityLevel,
        *,
        to_ram: bool,
    ) -> None:
        self.size = size
        self._device, self._root = device, root
        smooth = level.smooth_edges
        below, self.texture = device.colours(
            "picture", size, sort=10, samples=level.samples, has_depth=True, to_ram=to_ram and not smooth
        )
        self.clearer = DepthClearer(below)
        below.make_display_region().set_camera(eye)
        self.edges, self._top = None, below
        if smooth:
            self.edges = EdgePass(device, size, below, self.texture, to_ram=to_ram)
            self._top, self.texture = self.edges.buffer, self.edges.texture
        self.labels = Labels(self._top, size)
        self._hud: Hud | None = None
        self.occlusion = None
        if level.occlusion:
            self.occlusion = OcclusionPass(device, eye, lens, size, level)
        ahead = () if self.occlusion is None else self.occlusion.buffers
        self._buffers = (*ahead, below, *(() if self.edges is None else (self.edges.buffer,)))

    @property
    def is_plain(self) -> bool:
        """Returns whether nothing was ever written over the picture."""
        return self._hud is None and self.labels.is_empty

    def use(self) -> None:
        """Lets the scene be drawn for this size."""
        self._root.set_shader_input("u_pixel", core.LVecBase2(1 / self.size[0], 1 / self.size[1]))
        if self.occlusion is not None:
            self._root.set_shader_input("u_occlusion", self.occlusion.texture)

    def set_active(self, is_active: bool) -> None:
        """Has pictures drawn, or not."""
        for buffer in self._buffers:
            buffer.set_active(is_active)

    def write(self, panels: Iterable[Panel]) -> None:
        """Shows these panels over the picture and no others."""
        if self._hud is None:
            self._hud = Hud(self._top, self.size)
        self._hud.show(panels)

    def close(self) -> None:
        """Frees the buffers."""
        if self.occlusion is not None:
            self.occlusion.close()
        for buffer in self._buffers:
            self._device.engine.remove_window(buffer)
