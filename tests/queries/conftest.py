"""Makes the oracles importable, whatever way pytest imports tests, and an empty database."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "oracles"))

from corpora import new_store

from corpusdb.corpus.store import Store


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    """A database with nothing in it."""
    with new_store(tmp_path) as store:
        yield store
