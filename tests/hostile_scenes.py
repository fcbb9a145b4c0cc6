"""Scene files of every kind that are small on disk and ask for much: more bodies, triangles, copies or depth than any
scene has. Each is written into a folder, with what it names beside it."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable

import numpy as np

MANY = 300_000
PARTS = 20_000
"""Separate tetrahedra in one mesh."""
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])

Files = dict[str, bytes]
"""By name; the first is the scene."""


def tetrahedra(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3) and faces (f, 3) of a sheet of them."""
    number = np.arange(count)
    place = 2.0 * np.stack([number % 200, number // 200, 0 * number], axis=1)
    corners = (CORNERS + place[:, None]).reshape(-1, 3)
    return corners, (FACES + 4 * number[:, None, None]).reshape(-1, 3)


def stl(count: int) -> bytes:
    corners, faces = tetrahedra(count)
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attributes", "<u2")])
    rows = np.zeros(len(faces), dtype=kind)
    rows["corners"] = corners[faces]
    return bytes(80) + struct.pack("<I", len(faces)) + rows.tobytes()


def ply(count: int) -> bytes:
    corners, faces = tetrahedra(count)
    rows = np.zeros(len(faces), dtype=[("n", "u1"), ("corners", "<i4", 3)])
    rows["n"], rows["corners"] = 3, faces
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(corners)}\nproperty float x\nproperty float y\n"
    head += (
        f"property float z\nelement face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    return head.encode() + corners.astype("<f4").tobytes() + rows.tobytes()


def lines(count: int, corner: str, face: str, first: int) -> str:
    corners, faces = tetrahedra(count)
    text = (corner * len(corners)) % tuple(corners.ravel().astype(int).tolist())
    return text + (face * len(faces)) % tuple((faces + first).ravel().tolist())


MODEL = '<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>'


def threemf(model: str, **others: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in ({"3D/3dmodel.model": model} | others).items():
            archive.writestr(name, text)
    return out.getvalue()


def mesh_3mf(count: int) -> str:
    corner, face = '<vertex x="%d" y="%d" z="%d"/>', '<triangle v1="%d" v2="%d" v3="%d"/>'
    text = lines(count, corner, face, 0).replace("/><triangle", "/></vertices><triangles><triangle", 1)
    return f"<mesh><vertices>{text}</triangles></mesh>"


def built(objects: str, items: str) -> bytes:
    return threemf(f"{MODEL}{objects}</resources><build>{items}</build></model>")


def doubling(levels: int, copies: int) -> bytes:
    """Objects made of ten of the one before."""
    rows = [f'<object id="0">{mesh_3mf(1)}</object>']
    for level in range(1, levels + 1):
        part = f'<component objectid="{level - 1}"/>'
        rows.append(f'<object id="{level}"><components>{copies * part}</components></object>')
    return built("".join(rows), f'<item objectid="{levels}"/>')


def glb(nodes: int, count: int) -> bytes:
    corners, faces = tetrahedra(count)
    points, indices = (corners / 100).astype("<f4").tobytes(), faces.astype("<u4").tobytes()
    head = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}] * nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(corners), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": faces.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(indices)},
        ],
        "buffers": [{"byteLength": len(points) + len(indices)}],
    }
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 4)
    data = points + indices
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def entities(root: str) -> bytes:
    """A billion letters."""
    rows = "".join(f'<!ENTITY a{level} "' + 10 * f"&a{level - 1};" + '">' for level in range(1, 10))
    return f'<!DOCTYPE m [<!ENTITY a0 "aaaaaaaaaa">{rows}]><{root}>&a9;</{root}>'.encode()


def mjcf(world: str, before: str = "") -> bytes:
    return f"<mujoco>{before}<worldbody>{world}</worldbody></mujoco>".encode()


BODY = '<body><freejoint/><geom size="1"/></body>'
SPHERE = '<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision>'
USDA = '#usda 1.0\n(\n  metersPerUnit = 1\n  upAxis = "Z"\n)\n'


def includes(levels: int, copies: int) -> Files:
    """SDF files, each of which includes the next ten times."""
    last = f'<sdf version="1.9"><model name="m"><link name="l">{SPHERE}</link></model></sdf>'
    files = {f"m{levels}.sdf": last.encode()}
    for level in range(levels):
        rows = "".join(
            f"<include><name>n{at}</name><uri>m{level + 1}.sdf</uri></include>" for at in range(copies)
        )
        files[f"m{level}.sdf"] = f'<sdf version="1.9"><model name="m">{rows}</model></sdf>'.encode()
    world = f'<sdf version="1.9"><world name="w">{"<include><uri>m0.sdf</uri></include>"}</world></sdf>'
    return {"x.sdf": world.encode()} | files


def references(levels: int, copies: int, more: str = "") -> bytes:
    """Prims that refer to the one before ten times."""
    text = USDA + 'def Xform "p0" {\n  def Cube "c" {\n  }\n}\n'
    for level in range(1, levels + 1):
        rows = "".join(
            f'  def Xform "x{at}" (\n{more}    prepend references = </p{level - 1}>\n  ) {{\n  }}\n'
            for at in range(copies)
        )
        text += f'def Xform "p{level}" {{\n{rows}}}\n'
    return text.encode()


def compas(count: int) -> bytes:
    nodes: dict[str, object] = {str(at): {"block": {}} for at in range(count)}
    return json.dumps({"dtype": "x", "data": {"graph": {"dtype": "g", "data": {"node": nodes}}}}).encode()


def links(count: int) -> str:
    return "".join(f'<link name="l{at}"/>' for at in range(count))


def toml(rows: str) -> bytes:
    return f"teeter = 1\n{rows}".encode()


PIECE = '[[piece]]\nid = "p%d"\nshape = { box = [1, 1, 1] }\nposition = [0, 0]\n'
HOSTILE: dict[str, tuple[str, Callable[[], bytes | Files], str]] = {
    "ply: objects": ("ply", lambda: ply(MANY), "its head, element face: there are 1200000 triangles"),
    "ply: parts": ("ply", lambda: ply(PARTS), "there are 20000 parts"),
    "ply: promises": (
        "ply",
        lambda: b"ply\nformat ascii 1.0\nelement vertex 99999999999999999999\nend_header\n",
        "its head, element vertex: there are",
    ),
    "off: objects": ("off", lambda: b"OFF\n1200000 1200000 0\n" + b"0 0 0\n" * 100, "its head: there are 12"),
    "off: parts": ("off", lambda: _off(PARTS), "there are 20000 parts"),
    "stl: objects": ("stl", lambda: stl(MANY), "its head: there are 1200000 triangles"),
    "stl: parts": ("stl", lambda: stl(PARTS), "there are 20000 parts"),
    "stl: in words": ("stl", lambda: b"solid x\n" + b"endloop\n" * MANY * 4, "there are 1200000 triangles"),
    "obj: objects": (
        "obj",
        lambda: b"o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -3\n" * MANY,
        "line 25001: there are",
    ),
    "obj: parts": (
        "obj",
        lambda: lines(PARTS, "v %d %d %d\n", "f %d %d %d\n", 1).encode(),
        "there are 20000 parts",
    ),
    "obj: triangles": ("obj", lambda: b"f 1 2 3\n" * 4 * MANY, "there are 1200000 triangles"),
    "3mf: items": (
        "3mf",
        lambda: built(f'<object id="1">{mesh_3mf(1)}</object>', '<item objectid="1"/>' * MANY),
        "there are 5001 items",
    ),
    "3mf: objects": (
        "3mf",
        lambda: built("".join(f'<object id="{at}"></object>' for at in range(MANY)), ""),
        "there are 5001 objects",
    ),
    "3mf: parts": (
        "3mf",
        lambda: built(f'<object id="1">{mesh_3mf(PARTS)}</object>', '<item objectid="1"/>'),
        "there are 20000 parts",
    ),
    "3mf: copies of copies": ("3mf", lambda: doubling(30, 10), "objects are used 1111111"),
    "3mf: made of itself": (
        "3mf",
        lambda: built('<object id="1"><component objectid="1"/></object>', '<item objectid="1"/>'),
        "object '1' is made of itself",
    ),
    "3mf: entities": ("3mf", lambda: threemf(entities("model").decode()), "has a DOCTYPE"),
    "3mf: depth": ("3mf", lambda: threemf("<a>" * MANY), "elements within each other"),
    "3mf: entries": ("3mf", lambda: b"PK\x01\x02" * MANY, "its archive has 300000 entries"),
    "3mf: bomb": ("3mf", lambda: threemf("", x="\0" * 110_000_000), "has 110 MB; at most 100 MB are read"),
    "glb: nodes": ("glb", lambda: glb(MANY, 1), "there are 300000 meshes"),
    "glb: parts of copies": ("glb", lambda: glb(1000, 20), "parts or more; at most 5000"),
    "glb: depth": ("gltf", lambda: _chain(MANY), "at most 100000 nodes"),
    "mjcf: bodies": ("xml", lambda: mjcf(BODY * 60_000), "there are 5001 bodies"),
    "mjcf: geoms": ("xml", lambda: mjcf('<geom size="1"/>' * 60_000), "there are 5001 geoms"),
    "mjcf: replicated": (
        "xml",
        lambda: mjcf(f'<replicate count="4000">{BODY}</replicate>' * 10),
        "there are 8000 bodies",
    ),
    "mjcf: includes": (
        "xml",
        lambda: {
            "x.xml": b'<mujoco><include file="a.xml"/></mujoco>',
            "a.xml": b'<mujoco><include file="a.xml"/></mujoco>',
        },
        "includes a.xml twice",
    ),
    "mjcf: texture": (
        "xml",
        lambda: mjcf(BODY, '<asset><texture name="t" builtin="flat" width="50000" height="50000"/></asset>'),
        "has <texture> with ",
    ),
    "mjcf: sensor": (
        "xml",
        lambda: b'<mujoco><sensor><user dim="900000000"/></sensor></mujoco>',
        "has <user> with ",
    ),
    "mjcf: user data": ("xml", lambda: mjcf(BODY, '<size nuser_geom="900000"/>'), "has <size> with "),
    "mjcf: keyframes": (
        "xml",
        lambda: mjcf(BODY * 1000, f"<keyframe>{'<key/>' * 9000}</keyframe>"),
        "keyframes",
    ),
    "mjcf: builtin mesh": (
        "xml",
        lambda: mjcf(BODY, '<asset><mesh name="m" builtin="supersphere" params="9000 1 1"/></asset>'),
        "has <mesh> with ",
    ),
    "mjcf: mesh": (
        "xml",
        lambda: {
            "x.xml": mjcf(
                '<body><freejoint/><geom type="mesh" mesh="m"/></body>',
                '<asset><mesh name="m" file="m.stl"/></asset>',
            ),
            "m.stl": stl(MANY),
        },
        "m.stl its head: there are 1200000 triangles",
    ),
    "mjcf: entities": ("xml", lambda: entities("mujoco"), "has a DOCTYPE"),
    "mjcf: depth": ("xml", lambda: b"<mujoco>" + b"<body>" * MANY, "within each other"),
    "urdf: links": (
        "urdf",
        lambda: f'<robot name="r">{links(60_000)}</robot>'.encode(),
        "there are 60000 <link>",
    ),
    "urdf: solids": (
        "urdf",
        lambda: f'<robot name="r"><link name="l">{SPHERE * 20_000}</link></robot>'.encode(),
        "there are 20000 <collision>",
    ),
    "urdf: entities": ("urdf", lambda: entities("robot"), "has a DOCTYPE"),
    "sdf: links": (
        "sdf",
        lambda: f'<sdf version="1.9"><model name="m">{links(60_000)}</model></sdf>'.encode(),
        "there are 5001 links",
    ),
    "sdf: solids": (
        "sdf",
        lambda: (
            f'<sdf version="1.9"><model name="m"><link name="l">{SPHERE * 20_000}</link></model></sdf>'.encode()
        ),
        "there are 5001 <collision>",
    ),
    "sdf: includes": ("sdf", lambda: includes(8, 10), "there are 5001 links"),
    "sdf: frames": ("sdf", lambda: _frames(30_000), "hangs on more than 200 others"),
    "sdf: entities": ("sdf", lambda: entities("sdf"), "has a DOCTYPE"),
    "usd: prims": (
        "usda",
        lambda: (USDA + "".join(f'def Cube "c{at}" {{\n}}\n' for at in range(MANY // 3))).encode(),
        "prims or more; at most 50000",
    ),
    "usd: references": ("usda", lambda: references(9, 10), "prims or more; at most 50000"),
    "usd: instances": ("usda", lambda: references(9, 10, "    instanceable = true\n"), "prims or more"),
    "usd: depth": (
        "usda",
        lambda: (USDA + 'def Xform "a" {\n' * MANY).encode(),
        "brackets within each other",
    ),
    "compas: blocks": ("json", lambda: compas(MANY), "there are 300000 blocks"),
    "compas: depth": ("json", lambda: b"[" * MANY, "is not valid JSON"),
    "toml: pieces": (
        "toml",
        lambda: toml("".join(PIECE % at for at in range(MANY // 2))),
        "there are 150000 pieces",
    ),
    "toml: depth": ("toml", lambda: toml("x = " + "[" * MANY), "nested too deeply"),
    "toml: digits": ("toml", lambda: toml("x = " + "9" * MANY), "a number too long"),
    "toml: a long key": ("toml", lambda: toml("a." * MANY + "a = 1"), "a key of a hundred parts"),
    "toml: a mesh of parts": (
        "toml",
        lambda: {
            "x.toml": toml(
                "".join(
                    f'[[piece]]\nid = "p{at}"\nshape = {{ mesh = "m.stl" }}\nposition = [0, 0]\n'
                    for at in range(3000)
                )
            ),
            "m.stl": stl(PARTS),
        },
        "there are 20000 parts",
    ),
}
"""By what they ask for: the ending of the file, what is in it, and words of the refusal."""


def _off(count: int) -> bytes:
    rows = lines(count, "%d %d %d\n", "3 %d %d %d\n", 0)
    return f"OFF\n{4 * count} {4 * count} 0\n{rows}".encode()


def _chain(count: int) -> bytes:
    nodes = ",".join(f'{{"children":[{at + 1}]}}' for at in range(count))
    return f'{{"asset":{{"version":"2.0"}},"nodes":[{nodes},{{"mesh":0}}]}}'.encode()


def _frames(count: int) -> bytes:
    rows = "".join(f'<frame name="f{at}"><pose relative_to="f{at + 1}"/></frame>' for at in range(count))
    link = f'<link name="l"><pose relative_to="f0"/>{SPHERE}</link>'
    return f'<sdf version="1.9"><model name="m">{rows}{link}</model></sdf>'.encode()


def files_of(name: str) -> tuple[str, Files]:
    """The name of the scene, and all files of this kind."""
    suffix, make, _ = HOSTILE[name]
    made = make()
    files = made if isinstance(made, dict) else {f"x.{suffix}": made}
    return next(iter(files)), files
