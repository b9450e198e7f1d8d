"""Databases for the tests of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpusdb.corpus.store import Store, open_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be made; with the characters that an address would have to quote."""
    return tmp_path / "corpus #1 50% ?日本.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A new database."""
    with open_store(path, create=True) as opened:
        yield opened
