"""A corpus with its candidates, from which references are made, and a database with scores."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import Row, generated_store
from score_database import fill

from corpusdb.corpus.store import Store, open_store

ROWS: list[Row] = [
    ("I'd like a beer, please.", "ビールが欲しい。"),
    ("A beer, please.", "ビールをください。"),
    ("Can I have a beer?", "ビールをください。"),
    ("A beer, please.", "ビールを一つ。"),
    ("I'd like a slice of pizza, please.", "ピザが欲しい。"),
    ("A slice of pizza, please.", "ピザをください。"),
    ("One slice of pizza, please.", "ピザを一切れ。"),
    ("A slice of pizza, please.", "ピザを一切れ。"),
]


@pytest.fixture
def pizza_rows() -> list[Row]:
    return ROWS


@pytest.fixture
def pizza(tmp_path: Path, pizza_rows: list[Row]) -> Iterator[Store]:
    with generated_store(tmp_path, pizza_rows, ("eng", "jpn")) as store:
        yield store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(fill(tmp_path)) as store:
        yield store


@pytest.fixture
def phrasebook(finished_phrasebook: Path, tmp_path: Path) -> Iterator[Store]:
    with open_store(Path(shutil.copy(finished_phrasebook, tmp_path / "phrasebook.db"))) as store:
        yield store
