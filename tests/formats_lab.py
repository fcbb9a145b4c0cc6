"""Small files of other programs' formats, as text."""

from __future__ import annotations

from pathlib import Path

from teeter.scenes.load import load
from teeter.scenes.scene import Scene

Triple = tuple[float, float, float]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, name: str, text: str) -> Scene:
    return load(write(folder, name, text))


def words(values: Triple) -> str:
    return " ".join(map(repr, values))


# -- URDF --------------------------------------------------------------------------------------------------------


def urdf(name: str, content: str) -> str:
    return f'<?xml version="1.0"?>\n<robot name="{name}">{content}</robot>'


def inertial(mass: float, moment: float, at: Triple = (0, 0, 0)) -> str:
    tensor = " ".join(
        f'{key}="{moment if key[1] == key[2] else 0}"' for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    return f'<inertial><origin xyz="{words(at)}"/><mass value="{mass}"/><inertia {tensor}/></inertial>'


def link(name: str, size: Triple, mass: str, at: Triple = (0, 0, 0), mu: float | None = None) -> str:
    friction = "" if mu is None else f'<contact><lateral_friction value="{mu!r}"/></contact>'
    solid = (
        f'<collision><origin xyz="{words(at)}"/><geometry><box size="{words(size)}"/></geometry></collision>'
    )
    return f'<link name="{name}">{friction}{mass}{solid}</link>'


def joint(name: str, kind: str, parent: str, child: str, at: Triple, rpy: Triple = (0, 0, 0)) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{words(at)}" rpy="{words(rpy)}"/></joint>'
    )


# -- SDF ---------------------------------------------------------------------------------------------------------


def sdf_box(size: Triple, at: Triple = (0, 0, 0)) -> str:
    name = "c" + "".join(letter for letter in words(at) if letter.isdigit())
    solid = f"<geometry><box><size>{words(size)}</size></box></geometry>"
    return f'<collision name="{name}"><pose>{words(at)} 0 0 0</pose>{solid}</collision>'


def block(name: str, at: Triple, size: Triple, mass: float = 1.0, moment: float = 0.01) -> str:
    tensor = "".join(f"<{key}>{moment}</{key}>" for key in ("ixx", "iyy", "izz"))
    inertia = f"<inertial><mass>{mass}</mass><inertia>{tensor}</inertia></inertial>"
    solid = f'<link name="link">{inertia}{sdf_box(size)}</link>'
    return f'<model name="{name}"><pose>{words(at)} 0 0 0</pose>{solid}</model>'
