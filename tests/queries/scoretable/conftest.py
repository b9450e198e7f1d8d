"""A small database with scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from score_database import fill

from corpusdb.corpus.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(fill(tmp_path)) as store:
        yield store
