"""Parquet as input: the units that the same texts give in a table, and refusals in one line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyarrow", reason="the extra spark is not installed")
pytest.importorskip("pyspark", reason="the extra spark is not installed")

import pyarrow as pa
import pyarrow.parquet as pq
from distributed_runs import compared_rows, load_into, run_on, source_of

from corpusdb.base.errors import InputError, UsageError
from corpusdb.cluster.queries import parquet_sources
from corpusdb.cluster.session import Request
from corpusdb.cluster.workspace import ParquetSource
from corpusdb.corpus.formats import Options
from corpusdb.corpus.formats.records import Rejected

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = [
    ("A beer, please.", "Une bière."),
    ("Can I have a beer?", "Une bière."),
    ("A twin, please.", "Un lit."),
    ("Can I have a twin?", "Un lit."),
    ("A 𝒃ed, please.", "Un lit."),
]
PAIR = Options(languages=("eng", "fra"))


def table(path: Path, **columns: object) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def flat(path: Path) -> Path:
    english, french = zip(*ROWS, strict=True)
    return table(path, id=list(range(len(ROWS))), fr=french, en=english)


def nested(path: Path) -> Path:
    return table(path, translation=[{"en": english, "fr": french} for english, french in ROWS])


@pytest.mark.parametrize("make", [flat, nested])
def test_the_rows_are_those_of_a_table(make: object, tmp_path: Path) -> None:
    source = ParquetSource.recognise(make(tmp_path / "a.parquet"), PAIR)  # type: ignore[operator]
    known = source_of(tmp_path / "a.tsv", ROWS)
    assert source.languages == known.languages == ("eng", "fra")
    assert list(source.items()) == list(known.items())
    assert list(source.items()) == list(source.items())  # as often as wanted


def test_rows_without_two_texts_are_rejected(tmp_path: Path) -> None:
    path = table(tmp_path / "a.parquet", eng=["One.", None, " ", "Two."], fra=["Un.", None, "Deux.", "De\0ux."])
    items = list(ParquetSource.recognise(path, Options()).items())
    assert [(each.line, each.reason) for each in items if isinstance(each, Rejected)] == [
        (2, "has no text"),
        (3, "empty text in column eng (eng)"),
        (4, "has a NUL"),
    ]


@pytest.mark.parametrize(
    ("columns", "options", "told"),
    [
        ({"en": ["One."], "n": [1]}, PAIR, "no column of texts is fra; there are en (eng)"),
        ({"en": ["One."], "n": [1]}, Options(), "in two languages are needed; there are en (eng)"),
        ({"en": ["One."], "fr": [1]}, PAIR, "no column of texts is fra; there are en (eng)"),
        ({"en": ["One."], "eng": ["One."], "fr": ["Un."]}, PAIR, "the columns en and eng are both eng"),
    ],
)
def test_what_is_wanted_and_is_not_there(
    columns: dict[str, list[object]], options: Options, told: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=told.replace("(", r"\(").replace(")", r"\)")):
        ParquetSource.recognise(table(tmp_path / "a.parquet", **columns), options)


def test_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    with pytest.raises(InputError, match="no such file"):
        ParquetSource.recognise(path, PAIR)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="is not a Parquet file that can be read"):
        ParquetSource.recognise(path, PAIR)
    with pytest.raises(UsageError, match="Parquet files cannot be mixed"):
        parquet_sources([path, tmp_path / "a.tsv"], PAIR)
    assert parquet_sources([tmp_path / "a.tsv"], PAIR) == []
    (source,) = parquet_sources([flat(path)], Options(languages=("en", "fr")))
    assert source.languages == ("eng", "fra")


def test_a_run_gives_the_rows_of_the_same_texts_in_a_table(session: SparkSession, tmp_path: Path) -> None:
    found = []
    sources = [
        source_of(tmp_path / "a.tsv", ROWS),
        ParquetSource.recognise(nested(tmp_path / "b.parquet"), PAIR),
    ]
    for number, source in enumerate(sources):
        folder = tmp_path / f"run{number}"
        run_on(session, [source], Request("eng", folder, "drinks", partitions=2))
        store, _ = load_into(tmp_path / f"{number}.db", folder)
        with store:
            found.append(compared_rows(store))
    assert found[0] == found[1]
    assert any(found[0].values())
