"""The chain on Spark gives the rows of the database's own chain, however the rows are divided.

CORPUSDB_SPARK_EXAMPLES is how many corpora are drawn: a run of each takes many seconds.
"""

from __future__ import annotations

import os
import random
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

import pytest
from corpora import Dump, Row, generated_store
from distributed_runs import compared_rows, load_into, run_on, source_of
from hypothesis import event, given, settings
from hypothesis import strategies as st

from corpusdb.cluster.queries.running import Request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Bitext: TypeAlias = tuple[Sequence[str], list[Row]]
"""Languages, and texts in them."""

EXAMPLES = int(os.environ.get("CORPUSDB_SPARK_EXAMPLES", "4"))
PARTITIONS = (1, 3, 7)
WORDS = ("a", "b", "no", "don't", "東", "京", "か\u3099", "𠮷", "🙂", "e\u0301")
"""Of several scripts, some outside of the first plane and some that normalisation changes."""
FRAMES = ("{} {}.", "{} {} {}", "a {}", "{}{}{}", "{} {} 。", "no {}, a {}  ", "{}")
TRANSLATIONS = ("t0", "t1", "t2", "テスト。", "か\u3099 𠮷", "\U0001d531")


def drawn_rows(chance: random.Random, count: int) -> list[Row]:
    """Rows over so few words and translations that contexts, fillers and paraphrases meet all the time."""

    def sentence() -> str:
        text = " ".join(chance.choice(WORDS[: chance.randint(2, len(WORDS))]) for _ in range(chance.randint(1, 4)))
        return text + chance.choice(["", ".", " 。", "  "])

    return [(sentence(), f"t{chance.randrange(8)}") for _ in range(count)]


@st.composite
def bitexts(draw: st.DrawFn) -> Bitext:
    """Of two or three languages; a few rows are there twice, and a few lack a side."""
    words = st.sampled_from(WORDS)
    sentences = st.builds(str.format, st.sampled_from(FRAMES), words, words, words)
    languages = draw(st.sampled_from((("eng", "fra"), ("eng", "jpn"), ("eng", "fra", "jpn"))))
    sides = [sentences, *([st.sampled_from(TRANSLATIONS)] * (len(languages) - 1))]
    rows: list[Row] = draw(st.lists(st.tuples(*sides), min_size=60, max_size=120, unique=True))
    for row in draw(st.lists(st.sampled_from(rows), max_size=4)):
        rows.insert(draw(st.integers(0, len(rows))), row)
    for row in draw(st.lists(st.sampled_from(rows), max_size=3)):
        side = draw(st.integers(0, len(row) - 1))
        empty = draw(st.sampled_from(("", " ")))
        rows.insert(draw(st.integers(0, len(rows))), (*row[:side], empty, *row[side + 1 :]))
    return languages, rows


@settings(max_examples=EXAMPLES)
@given(bitext=bitexts(), partitions=st.sampled_from(PARTITIONS))
def test_rows_of_any_corpus(session: SparkSession, bitext: Bitext, partitions: int) -> None:
    with TemporaryDirectory() as folder:
        found = _compared(session, Path(folder), bitext, partitions)
    event(f"candidates: {bool(found['candidate'])}")


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_rows_do_not_depend_on_partitions(session: SparkSession, tmp_path: Path, partitions: int) -> None:
    _compare_much(session, tmp_path, drawn_rows(random.Random(partitions), 120), partitions)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_rows_of_other_corpora(session: SparkSession, tmp_path: Path, seed: int) -> None:
    _compare_much(session, tmp_path, drawn_rows(random.Random(100 + seed), 200), PARTITIONS[seed % 3])


def _compare_much(session: SparkSession, folder: Path, rows: list[Row], partitions: int) -> None:
    """The same of a corpus that gives rows of all kinds."""
    found = _compared(session, folder, (("eng", "fra"), rows), partitions)
    assert found["candidate"] and found["commutation"]
    assert any(unicodedata.category(char) == "Lo" for row in found["candidate"] for char in str(row))


def _compared(session: SparkSession, folder: Path, bitext: Bitext, partitions: int) -> Dump:
    """The rows of the database's chain, which those of Spark are found to be."""
    languages, rows = bitext
    request = Request("eng", folder / "run", "rows", partitions=partitions)
    report = run_on(session, [source_of(folder / "rows.tsv", rows, languages)], request)
    loaded, _ = load_into(folder / "loaded.db", folder / "run")
    with loaded, generated_store(folder, rows, languages) as generated:
        expected = compared_rows(generated)
        assert compared_rows(loaded) == expected
        assert report.candidates == len(expected["candidate"])
    return expected
