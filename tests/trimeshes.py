"""What is drawn of a piece as a mesh of trimesh's, for all that it can measure."""

from __future__ import annotations

import trimesh

from teeter.models.piece import Piece


def trimesh_of(piece: Piece) -> trimesh.Trimesh:
    """Returns a copy, its corners as they are."""
    return trimesh.Trimesh(piece.visual.vertices, piece.visual.faces, process=False)
