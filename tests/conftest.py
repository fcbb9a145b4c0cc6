"""Options of the test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--remake-golden",
        action="store_true",
        help="write tests/golden/*.txt anew instead of comparing with them",
    )
