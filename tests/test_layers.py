"""The layers of the tree, read from the source: who may import whom, and what never stands in a library."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("models", "engine", "scenes", "games")
"""From the ground up: each may import itself and what stands before it."""
SIMULATORS = {
    "pybullet",
    "rapier3d",
    "mujoco",
    "pydrake",
    "siconos",
    "panda3d",
    "direct",
    "trimesh",
    "scipy",
    "clarabel",
    "shapely",
    "numpy",
}
HOLDERS = {
    "pybullet": ("engine/world/bullet_steps.py",),
    "rapier3d": ("engine/world/rapier.py", "engine/world/rapier_body.py"),
    "panda3d": ("engine/view/",),
    "direct": ("engine/view/",),
    "mujoco": ("scenes/formats/mjcf.py",),
    "pxr": ("scenes/formats/usd.py", "scenes/formats/usd_size.py"),
    "yourdfpy": ("scenes/formats/urdf.py",),
    "pydrake": (),
    "siconos": (),
    "compas_cra": (),
    "gymnasium": ("games/learning/",),
    "pettingzoo": ("games/learning/",),
}
"""Which files may import what; a folder ends in a slash."""
GAME_FOLDERS = {"bausack", "crazy_tower", "sandbox", "tower_topple", "wonky"}
GAME_ROLES = {"House", "Numbers", "Phase", "State", "Stock"}
"""Classes that every game may have: they play the same part in each."""
GAME_NOUNS = {"Block", "Card", "Sort"}
"""Nouns of several rule books."""
ONCE = ("touches", "has_fallen", "is_at_rest", "is_impact")
"""Physical questions with one answer each, in engine.tolerances."""
OUTSIDE_THE_TREE = {"Abandoned", "DiffersError", "Failed", "MisfitError", "RefusedError", "WishError"}
"""Exceptions that no caller of a public function sees; they steer the code that catches them."""
SPEAKERS = ("games/cli.py", "games/commands/", "games/health.py")
"""Files that talk to people on a terminal; the rest is library and returns values."""


@cache
def sources() -> tuple[Path, ...]:
    return tuple(sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imports(path: Path) -> frozenset[str]:
    """The dotted names a file imports anywhere, inside functions and for type checkers too; ours as in the checkout."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{place(path)}:{node.lineno}: a relative import"
            found.add(node.module or "")
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(name.removeprefix("teeter.") for name in found)


def top(names: Iterable[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def is_within(path: Path, places: tuple[str, ...]) -> bool:
    return any(place(path).startswith(one) if one.endswith("/") else place(path) == one for one in places)


def test_there_is_something_to_guard() -> None:
    assert {place(path).split("/")[0] for path in sources()} == set(LAYERS)


def test_imports_go_down_only() -> None:
    for path in sources():
        below = LAYERS[: LAYERS.index(place(path).split("/")[0]) + 1]
        above = top(imports(path)) & set(LAYERS) - set(below)
        assert not above, f"{place(path)} imports {sorted(above)}, which stands above it"
        assert "teeter" not in imports(path), f"{place(path)} asks the public package, which stands above all"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def circles() -> set[frozenset[str]]:
    """The groups of modules that reach each other by imports, also by those inside functions and for type checkers."""
    modules = {module_of(path): path for path in sources()}

    def known(name: str) -> str:
        # `from a.b import c` is about the module a.b.c where there is one, else about a.b
        return name if name in modules else name.rpartition(".")[0]

    below = {name: {known(one) for one in imports(path)} & set(modules) for name, path in modules.items()}

    def reached(name: str) -> set[str]:
        found, ahead = set[str](), [name]
        while ahead:
            fresh = below[ahead.pop()] - found
            found |= fresh
            ahead += fresh
        return found

    far = {name: reached(name) for name in modules}
    return {
        frozenset({one for one in far[name] if name in far[one]}) for name in modules if name in far[name]
    }


def test_no_modules_import_each_other_in_a_circle() -> None:
    found = [sorted(one) for one in circles()]
    assert not found, f"circles of imports: {found}"


def public_classes() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in (*sources(), ROOT / "teeter" / "__init__.py"):
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(path)
    return found


def is_of_a_game(path: Path) -> bool:
    return bool({*path.relative_to(ROOT).with_suffix("").parts} & GAME_FOLDERS)


def test_a_public_class_has_a_name_of_its_own() -> None:
    for name, paths in public_classes().items():
        outside = [path for path in paths if not is_of_a_game(path)]
        if len(paths) == 1:
            continue
        where = f"{name} is a class in {', '.join(map(place, paths))}"
        assert not outside, f"{where}: one name for two things"
        assert name in GAME_ROLES | GAME_NOUNS, f"{where}: only roles and nouns stand in several games"


def test_what_counts_as_touching_falling_resting_and_gravity_is_said_once() -> None:
    for name in ONCE:
        homes = [
            place(path)
            for path in sources()
            for node in nodes(path)
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]
        assert len(homes) <= 1, f"{name} is defined in {homes}"
    numbers = {
        place(path)
        for path in sources()
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and 9.80 <= node.value <= 9.82
    }
    assert numbers == {"engine/settings.py"}, f"gravity is written in {sorted(numbers)}"


def test_every_public_error_is_a_teeter_error() -> None:
    bases: dict[str, set[str]] = {}
    for path in sources():
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(ast.unparse(base) for base in node.bases)

    def ancestors(name: str) -> set[str]:
        return {name}.union(*(ancestors(base) for base in bases.get(name, ())))

    roots = {"Exception", "ValueError", "RuntimeError", "OSError", "KeyError", "LookupError", "TypeError"}
    errors = {name for name in bases if not name.startswith("_") and ancestors(name) & roots}
    astray = {name for name in errors if "TeeterError" not in ancestors(name)} - OUTSIDE_THE_TREE
    assert not astray, f"{sorted(astray)} inherit no TeeterError"


@pytest.mark.parametrize("library", sorted(HOLDERS))
def test_a_simulator_is_imported_where_it_is_hidden_only(library: str) -> None:
    users = [path for path in sources() if library in top(imports(path))]
    astray = [place(path) for path in users if not is_within(path, HOLDERS[library])]
    assert not astray, f"{library} is imported by {astray}; only {HOLDERS[library]} may"


def test_pybullet_is_imported_by_the_real_world() -> None:
    assert "pybullet" in top(imports(ROOT / "engine" / "world" / "bullet_steps.py"))


def test_one_place_says_which_engine_simulates() -> None:
    from teeter.engine.worlds import ENGINES

    for engine in ENGINES:
        hidden = {module_of(path) for path in (ROOT / "engine" / "world").glob(f"{engine}*.py")}
        assert hidden, f"no module of {engine} under engine/world"
        users = {place(path) for path in sources() if hidden & imports(path)}
        astray = {user for user in users if not user.startswith(f"engine/world/{engine}")}
        assert not astray, f"{sorted(astray)} name an engine; engine.worlds makes worlds"


def test_nobody_reaches_through_a_table_for_its_world() -> None:
    for path in sources():
        for node in nodes(path):
            if (
                not isinstance(node, ast.Attribute)
                or node.attr != "world"
                or is_within(path, ("games/play/",))
            ):
                continue
            owner = (
                node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            )
            assert owner != "table", (
                f"{place(path)}:{node.lineno} says table.world; the table has what is needed"
            )


@pytest.mark.parametrize("path", [path for path in sources() if path.name == "__init__.py"], ids=place)
def test_a_package_file_is_a_docstring(path: Path) -> None:
    assert ast.get_docstring(tree(path)), f"{place(path)} has no docstring"
    assert len(tree(path).body) == 1, f"{place(path)} does more than say what the package is for"


def test_tests_are_flat_and_shadow_nothing() -> None:
    assert not list((ROOT / "tests").rglob("__init__.py"))
    assert not [layer for layer in LAYERS if (ROOT / "tests" / layer).exists()]
    assert not [place(path) for path in (ROOT / "tests").rglob("test_*.py") if path.parent.name != "tests"]


def test_libraries_do_not_print() -> None:
    for path in sources():
        if is_within(path, SPEAKERS):
            continue
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                raise AssertionError(f"{place(path)}:{node.lineno} prints; return the words instead")


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    # built in pieces, so that this file does not name one itself
    machine = re.compile(
        "/(" + "|".join(["home/\\w", "Users/\\w", "work/", "root/", "tmp/\\w"]) + ")|[A-Z]:\\\\\\\\?\\w"
    )
    folders = [*LAYERS, "tests"]
    texts = [
        path
        for folder in folders
        for ending in ("py", "md", "toml")
        for path in (ROOT / folder).rglob(f"*.{ending}")
    ]
    for path in [*texts, *ROOT.glob("*.md"), *ROOT.glob("*.toml"), *ROOT.glob("*.py")]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            assert not machine.search(line), (
                f"{place(path)}:{number} names a place on one machine: {line.strip()}"
            )


def loaded(modules: list[str]) -> set[str]:
    """The top-level packages in memory after a fresh interpreter has imported some modules."""
    code = f"import {', '.join(modules)}, sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_events_load_no_simulator() -> None:
    assert not loaded(["teeter.engine.events"]) & SIMULATORS


@pytest.mark.parametrize("module", ["teeter.engine.world.world", "teeter.engine.event_detector"])
def test_what_stands_on_a_world_loads_no_simulator(module: str) -> None:
    assert not loaded([module]) & (SIMULATORS - {"numpy"})


def test_what_people_see_as_values_loads_no_graphics_library() -> None:
    shown = [path for path in sources() if is_within(path, ("games/present/", "games/server/"))]
    assert len(shown) > 30
    assert not loaded([f"teeter.{module_of(path)}" for path in shown]) & {"panda3d", "direct", "websockets"}


CEILINGS = {
    "models": 6340,
    "scenes": 5436,
    "engine": 34380,
    "games/server": 2018,
    "games/present": 7921,
    "games/ui": 924,
    "games/host": 2784,
    "games": 37928,
}
"""Lines of Python that a folder may have: what a folder gains, another part of it loses."""
SCRIPT_CEILING = 5749
"""Lines of TypeScript."""


@pytest.mark.parametrize("folder", sorted(CEILINGS))
def test_a_folder_grows_no_further(folder: str) -> None:
    lines = sum(
        path.read_text(encoding="utf-8").count("\n") for path in sorted((ROOT / folder).rglob("*.py"))
    )
    assert lines <= CEILINGS[folder], f"{folder} has {lines} lines: find what it does twice"


def test_the_page_grows_no_further() -> None:
    scripts = sorted((ROOT / "engine" / "view" / "page" / "src").glob("*.ts"))
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in scripts)
    assert 0 < lines <= SCRIPT_CEILING, f"the page has {lines} lines of TypeScript"


def test_the_menu_is_seen_before_anything_slow_is_loaded() -> None:
    code = """
import teeter.games.ui.app, sys
from teeter.games.present import menu
from teeter.games.server import setup
from teeter.games.present.pages import Pages
from teeter.games.present.settings import load_settings
from teeter.games.registry import GAMES
assert menu.panels(menu.of_game(GAMES[0].name), Pages(load_settings()), (), ())
print(*{name.split('.')[0] for name in sys.modules}, *(name for name in sys.modules if name == 'teeter.models.build'))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {"panda3d", "numpy"} < set(done.stdout.split())
    slow = SIMULATORS - {"panda3d", "numpy"} | {"teeter.models.build"}
    assert not slow & set(done.stdout.split())
