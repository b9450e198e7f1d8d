"""The example of the paper as a corpus with its candidates, from which references are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import Row, generated_store

from corpusdb.corpus.store import Store

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
