"""The chain on Spark gives the rows of the database's own chain, however the rows are divided."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from corpora import Row, generated_store
from distributed_runs import compared_rows, load_into, run_on, source_of

from corpusdb.queries.distributed.running import Request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORDS = ("a", "b", "no", "don't", "東", "京", "か\u3099", "𠮷", "🙂", "e\u0301")
"""Of several scripts, some outside of the first plane and some that normalisation changes."""


def drawn_rows(chance: random.Random, count: int) -> list[Row]:
    """Rows over so few words and translations that contexts, fillers and paraphrases meet all the time."""

    def sentence() -> str:
        text = " ".join(chance.choice(WORDS[: chance.randint(2, len(WORDS))]) for _ in range(chance.randint(1, 4)))
        return text + chance.choice(["", ".", " 。", "  "])

    return [(sentence(), f"t{chance.randrange(8)}") for _ in range(count)]


@pytest.mark.parametrize("partitions", [1, 3, 7])
def test_rows_do_not_depend_on_partitions(session: SparkSession, tmp_path: Path, partitions: int) -> None:
    _compare(session, tmp_path, drawn_rows(random.Random(partitions), 120), partitions)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_rows_of_other_corpora(session: SparkSession, tmp_path: Path, seed: int) -> None:
    _compare(session, tmp_path, drawn_rows(random.Random(100 + seed), 200), (1, 3, 7)[seed % 3])


def _compare(session: SparkSession, folder: Path, rows: list[Row], partitions: int) -> None:
    request = Request("eng", folder / "run", "rows", partitions=partitions)
    report = run_on(session, [source_of(folder / "rows.tsv", rows)], request)
    loaded, _ = load_into(folder / "loaded.db", folder / "run")
    with loaded, generated_store(folder, rows) as generated:
        expected = compared_rows(generated)
        assert compared_rows(loaded) == expected
        assert expected["candidate"] and expected["commutation"]
        assert report.candidates == len(expected["candidate"])
        assert any(unicodedata.category(char) == "Lo" for row in expected["candidate"] for char in str(row))
