"""Cutting concave meshes: a mesh that CoACD chokes on is given up, and says so."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from models import convex
from models.errors import MeshError


def test_a_mesh_that_takes_too_long_is_refused_with_advice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(convex, "TIMEOUT_S", 0.01)
    with pytest.raises(MeshError, match="2 triangles could not be cut into convex parts in 0.01 s: repair"):
        convex.decompose(np.eye(4, 3), np.array([[0, 1, 2], [0, 2, 3]]))


def test_a_mesh_that_breaks_the_cutting_is_refused_with_advice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(MeshError, match="failed .exit code 1.: repair"):
        convex.decompose(np.eye(4, 3), np.array([[0, 1, 2], [0, 2, 3]]))
