"""Makes what disturbs the program importable, whatever way pytest imports tests, and prepares the corpora for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "disturbing"))

from workbench import Prepared, fallen_behind, prepare


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker run all of these: the corpora are made once, and the program is loaded once."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.xdist_group("attacks"))


@pytest.fixture(scope="session")
def level(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A corpus that everything derived from it has followed."""
    return prepare(tmp_path_factory.mktemp("attacks") / "level")


@pytest.fixture(scope="session")
def behind(level: Prepared) -> Prepared:
    """The same with a last file that was not followed."""
    return fallen_behind(level, level.with_name("behind"))


@pytest.fixture(scope="session")
def disturbed(level: Prepared) -> Path:
    """A folder that is not there, for copies that are disturbed: always the same, so that what is expected is known."""
    return level.with_name("disturbed")
