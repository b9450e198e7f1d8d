"""Makes what disturbs the program importable, whatever way pytest imports tests, and prepares the corpora for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "disturbing"))

from workbench import Prepared, prepare


@pytest.fixture(scope="session")
def level(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A corpus that everything derived from it has followed."""
    return prepare(tmp_path_factory.mktemp("attacks") / "level")


@pytest.fixture(scope="session")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A corpus of which the last file was not followed."""
    return prepare(tmp_path_factory.mktemp("attacks") / "behind", behind=True)
