"""A page in Debian's Chromium, without a graphics card, and a log of everything it does besides."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from needs import need
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright

ARGUMENTS = ["--no-sandbox", "--headless=new", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
TIMEOUT_MS = 60_000
"""On a busy machine; a quiet one needs one or two seconds."""


@contextmanager
def started(program: str = "chromium") -> Iterator[Browser]:
    """Chromium, until the end of the block. program: its name, or a script that starts it elsewhere."""
    need("chromium", "libatomic.so.1")
    path = shutil.which(program)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Opened:
    """page: a tab with a page from disk. requests: addresses asked for. faults: errors, dialogs, what was blocked."""

    page: Page
    requests: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(TIMEOUT_MS)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("console", self._hear)
        self.page.on("dialog", self._refuse)

    def _hear(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.faults.append(said.text)

    def _refuse(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def run(self, script: str, given: Any = None) -> Any:
        """What a function of JavaScript returns in the page."""
        return self.page.evaluate(script, given)

    def text(self, selector: str) -> str:
        """The text of an element."""
        return self.page.text_content(selector) or ""


@contextmanager
def opened(
    browser: Browser, file: Path, query: str = "", size: tuple[int, int] = (640, 360)
) -> Iterator[Opened]:
    """A page from disk, once its first picture is drawn."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    found = Opened(page)
    page.goto(f"{file.as_uri()}{query}")
    page.wait_for_selector("html[data-ready], html[data-fault]")
    assert page.get_attribute("html", "data-fault") is None, page.get_attribute("html", "data-fault")
    yield found
    page.close()


def picture(found: Opened) -> NDArray[np.uint8]:
    """(h, w, 3): what a page shows."""
    return np.asarray(Image.open(io.BytesIO(found.page.screenshot())).convert("RGB"))
