"""A small database with scores."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpusdb.store import Store, open_store

sys.path.insert(0, str(Path(__file__).parent))

from scoretable_database import fill


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(fill(tmp_path)) as store:
        yield store
