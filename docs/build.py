"""Builds the site: `python docs/build.py SITE [--no-gallery]`. What has its home elsewhere, as READMEs, commands and
clauses, is taken from there: a fact is written once. The program makes the verdicts and the game of the gallery."""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import typer.main
from man import KINDS
from sphinx.cmd.build import build_main
from typer.testing import CliRunner

from teeter.games.cli import app
from teeter.games.game import Game
from teeter.games.registry import GAMES, clauses_of

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "README.md": "index.md",
    "models/README.md": "reference/models.md",
    "engine/README.md": "reference/engine.md",
    "engine/record/README.md": "reference/recordings.md",
    "engine/view/README.md": "reference/pictures.md",
    "scenes/README.md": "reference/scenes.md",
    "games/README.md": "reference/games.md",
    "games/core/README.md": "reference/adding.md",
    "games/host/README.md": "reference/hosting.md",
    "games/learning/README.md": "reference/learning.md",
    "games/ui/README.md": "reference/window.md",
    "tests/research/PEERS.md": "reference/peers.md",
    "CONTRIBUTING.md": "reference/contributing.md",
    "CHANGELOG.md": "reference/changelog.md",
}
"""Which file of the tree is which page. The first page of the site is its own."""
LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
SCENES = ("arch", "bridge_bare")
"""Their verdicts stand in the gallery."""
GAME = ROOT / "tests" / "recordings" / "tower-topple-1.teeter"


def page_of(home: str, page: str, source: Path) -> str:
    """A file of the tree as a page: links to other pages lead there, pictures come along, other links are names."""

    def link(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        path, _, anchor = target.partition("#")
        if not path or "://" in target:
            return found.group()
        there, start = (
            posixpath.normpath(posixpath.join(posixpath.dirname(home), path)),
            posixpath.dirname(page),
        )
        if mark:
            shutil.copy(ROOT / there, source / "pictures")
            return f"![{words}]({posixpath.relpath(f'pictures/{Path(there).name}', start)})"
        if (ROOT / there / "README.md").is_file():
            there = f"{there}/README.md"
        if there in PAGES:
            return f"[{words}]({posixpath.relpath(PAGES[there], start)}{'#' * bool(anchor)}{anchor})"
        return words if words.startswith("`") else f"`{words}`"

    parts = FENCE.split((ROOT / home).read_text(encoding="utf-8"))
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def commands_page() -> str:
    """Every command with its arguments and options, as the program declares them."""
    group: Any = typer.main.get_command(app)
    lines = ["# Commands", "", "`teeter COMMAND --help` prints the same.", ""]
    for name, command in group.commands.items():
        words = [each.name.upper() for each in command.params if each.param_type_name == "argument"]
        lines += [f"## teeter {name}", "", f"`{' '.join(['teeter', name, *words])}`: {command.help}", ""]
        if command.epilog:
            lines += [
                "```console",
                f"$ {command.epilog.partition('Example: ')[2] or command.epilog}",
                "```",
                "",
            ]
        options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
        if options:
            lines += ["| option | |", "|---|---|"]
        for each in options:
            spelled = ", ".join(f"`{word}`" for word in each.opts)
            takes = "" if each.is_flag else each.metavar or KINDS[each.type_descriptor.annotation]
            kind = f" `{takes}`".replace("|", chr(92) + "|") if takes else ""
            default = f" Default: `{each.default}`." if each.default and not each.is_flag else ""
            lines.append(f"| {spelled}{kind} | {(each.help or '').replace('|', chr(92) + '|')}{default} |")
        lines.append("")
    return "\n".join(lines)


def rules_page(game: Game) -> str:
    """Every clause of a game, our decisions marked."""
    lines = [f"# {game.title}", "", "In our own words. Refusals and results cite these ids.", ""]
    for clause in clauses_of(game):
        decision = f" *Our decision: {clause.decision}*" if clause.decision else ""
        lines += [f"**{clause.id}** {clause.text}{decision}", ""]
    return "\n".join(lines)


def gallery(folder: Path) -> None:
    """Writes the pages that the gallery shows."""
    folder.mkdir()
    for scene in SCENES:
        CliRunner().invoke(app, ["check", scene, "--page", str(folder / f"{scene}.html")])
    CliRunner().invoke(app, ["export", str(GAME), "-o", str(folder / "game.html")])
    missing = {f"{name}.html" for name in (*SCENES, "game")} - {path.name for path in folder.iterdir()}
    if missing:
        raise SystemExit(f"the gallery lacks {', '.join(sorted(missing))}")


def build(site: Path, has_gallery: bool = True) -> int:
    """Builds the site into a folder; returns Sphinx's exit code. A warning, such as a link that leads nowhere, is a
    failure."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "pages")
        shutil.copytree(ROOT / "docs" / "pages", source)
        shutil.copytree(ROOT / "docs" / "notebooks", source / "notebooks")
        shutil.copytree(ROOT / "docs" / "cluster", Path(scratch, "cluster"))
        for folder in ("pictures", "rules"):
            (source / folder).mkdir()
        for picture in sorted((ROOT / "games" / "pictures").iterdir()):
            shutil.copy(picture, source / "pictures")
        for home, page in PAGES.items():
            if home != "README.md":
                (source / page).write_text(page_of(home, page, source), encoding="utf-8")
        (source / "reference" / "commands.md").write_text(commands_page(), encoding="utf-8")
        for game in GAMES:
            if clauses_of(game):
                (source / "rules" / f"{game.name}.md").write_text(rules_page(game), encoding="utf-8")
        code = build_main(
            ["-q", "-W", "--keep-going", "-b", "html", "-d", f"{scratch}/trees", str(source), str(site)]
        )
        if code == 0 and has_gallery:
            shutil.rmtree(site / "live", ignore_errors=True)
            gallery(site / "live")
    return code


if __name__ == "__main__":
    raise SystemExit(build(Path(sys.argv[1]), "--no-gallery" not in sys.argv))
