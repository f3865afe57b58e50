"""Options and fixtures that all tests share."""

from __future__ import annotations

import json
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from layoutcheck.decide import portfolio

DATA = Path(__file__).parent / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the exhaustive and long tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    slow = [item for item in items if "slow" in item.keywords]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if "slow" not in item.keywords]


@pytest.fixture
def fresh_memo() -> Any:
    """No verdict remembered from, or for, another test."""
    portfolio.forget()
    yield
    portfolio.forget()


@pytest.fixture(scope="session")
def published() -> dict[str, Any]:
    """What FlyDSL 0.5.0 publishes."""
    found = json.loads((DATA / "flydsl_published.json").read_text())
    found["mma"] += json.loads((DATA / "flydsl_fma.json").read_text())["mma"]
    found["copy"] = json.loads((DATA / "flydsl_copies.json").read_text())["copy"]
    return found


@pytest.fixture(scope="session")
def hardware() -> dict[str, Any]:
    """What AMD's matrix instruction calculator prints."""
    return json.loads((DATA / "hardware_maps.json").read_text())


@pytest.fixture(scope="session")
def iree_opt() -> str:
    """The path of the real iree-opt."""
    beside = Path(sys.executable).with_name("iree-opt")
    found = str(beside) if beside.exists() else shutil.which("iree-opt")
    if found is None and (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("iree-base-compiler has no wheel here")
    assert found, "iree-opt is missing: install the extra [test]"
    return found
