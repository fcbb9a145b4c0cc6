"""How many prims a USD stage comes to, counted in its layers: references multiply, and a stage makes all of them."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from teeter.models.mesh_node import MAX_BYTES
from teeter.scenes.formats.description import FormatError

MAX_PRIMS = 50_000
"""Groups, materials and meshes of 5000 bodies."""
MAX_DEPTH = 200
OPEN, CLOSE = list(b"{[("), list(b"}])")


def check_size(path: Path, file: str) -> None:
    """Raises FormatError for a stage of too many prims, before it is made; pxr.Tf.ErrorException when it is no USD."""
    from pxr import Sdf

    _check_nesting(path, file)
    layer = Sdf.Layer.FindOrOpen(str(path))
    if layer is not None:
        _Counter(file).layer(layer)


def _check_nesting(path: Path, file: str) -> None:
    """Raises FormatError for text whose brackets go deeper than USD's parser can: it would end the process."""
    if path.suffix.lower() == ".usdz" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            texts = [archive.read(entry) for entry in archive.infolist() if entry.file_size <= MAX_BYTES]
    else:
        texts = [path.read_bytes()]
    for text in texts:
        letters = np.frombuffer(text if text.startswith(b"#") else b"", dtype=np.uint8)
        brackets = np.isin(letters, OPEN).astype(np.int32) - np.isin(letters, CLOSE)
        if np.cumsum(brackets).max(initial=0) > MAX_DEPTH:
            raise FormatError.of(file, f"has more than {MAX_DEPTH} brackets within each other")


class _Counter:
    """Counts the prims below each prim, with all that its arcs bring in: at least as many as the stage has."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._known: dict[tuple[str, str], int] = {}
        self._depth = 0

    def layer(self, layer: Any) -> int:
        """All prims of a layer and its sublayers."""
        key = (layer.identifier, "")
        if key not in self._known:
            self._known[key] = 0  # a circle, which USD refuses
            count = sum(self.prim(layer, prim) for prim in layer.rootPrims)
            others = [self._opened(layer, name) for name in layer.subLayerPaths]
            self._known[key] = self._checked(
                count + sum(self.layer(other) for other in others if other is not None)
            )
        return self._known[key]

    def prim(self, layer: Any, prim: Any) -> int:
        """A prim and all below it."""
        key = (layer.identifier, str(prim.path))
        if key not in self._known:
            self._known[key] = 0
            self._checked(len(self._known))
            self._depth += 1
            if self._depth > MAX_DEPTH:
                problem = f"has more than {MAX_DEPTH} prims within each other"
                raise FormatError.of(self._file, problem, str(prim.path)[:60])
            count = 1 + sum(self.prim(layer, child) for child in prim.nameChildren)
            for arcs in (prim.referenceList, prim.payloadList):
                count += sum(
                    self._arc(layer, arc.assetPath, arc.primPath) for arc in arcs.GetAddedOrExplicitItems()
                )
            for paths in (prim.inheritPathList, prim.specializesList):
                count += sum(self._arc(layer, "", path) for path in paths.GetAddedOrExplicitItems())
            for choices in prim.variantSets.values():
                count += sum(self.prim(layer, variant.primSpec) for variant in choices.variants.values())
            self._depth -= 1
            self._known[key] = self._checked(count)
        return self._known[key]

    def _arc(self, layer: Any, asset: str, path: Any) -> int:
        """What a reference brings in; of a prim that stands elsewhere, what is around it."""
        other = self._opened(layer, asset) if asset else layer
        if other is None:
            return 0
        name = str(path) or (f"/{other.defaultPrim}" if other.defaultPrim else "/")
        while name.strip("/"):
            if (prim := other.GetPrimAtPath(name)) is not None:
                return self.prim(other, prim)
            name = name.rpartition("/")[0]
        return self.layer(other)

    def _opened(self, layer: Any, asset: str) -> Any:
        from pxr import Sdf

        path = layer.ComputeAbsolutePath(asset)
        if Path(path).is_file():
            _check_nesting(Path(path), self._file)
        return Sdf.Layer.FindOrOpen(path)

    def _checked(self, count: int) -> int:
        if count > MAX_PRIMS:
            problem = f"comes to {count} prims or more; at most {MAX_PRIMS} are allowed"
            raise FormatError.of(self._file, problem)
        return count
