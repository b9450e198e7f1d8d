"""The import of several files into one collection."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import collection_name, import_files
from corpusdb.chain.queries.overview import overview, recent_runs
from corpusdb.corpus.formats import Options, Source, open_sources
from corpusdb.corpus.store import Store

FILES = {
    "one.tsv": "One.\tUn.\nTwo.\tDeux.\nBroken.\t\n",
    "two.tsv": "One.\tUn.\nThree.\tTrois.\n\tRien.\n",
}


def sources(folder: Path, files: dict[str, str]) -> list[Source]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return open_sources("tsv", [folder / name for name in files], Options(languages=("eng", "fra"), header="no"))


def test_all_files_are_added_up(empty: Store, tmp_path: Path) -> None:
    report = finished(import_files(empty, sources(tmp_path, FILES), "numbers", "CC0"))
    assert replace(report, seconds=0.0, first_rejected=(), first_duplicates=()) == replace(
        report, read=4, sentences=6, translations=3, duplicates=1, rejected=2, seconds=0.0, first_rejected=(),
        first_duplicates=(),
    )  # fmt: skip
    assert [(Path(file).name, line) for file, line, _ in report.first_rejected] == [("one.tsv", 3), ("two.tsv", 3)]
    assert [(Path(file).name, line) for file, line in report.first_duplicates] == [("two.tsv", 1)]
    (collection,) = overview(empty).collections
    assert (collection.name, collection.documents, collection.licence) == ("numbers", 2, "CC0")


def test_the_same_files_again_add_nothing(empty: Store, tmp_path: Path) -> None:
    finished(import_files(empty, sources(tmp_path, FILES), "numbers"))
    again = finished(import_files(empty, sources(tmp_path, FILES), "numbers"))
    assert (again.sentences, again.unchanged) == (0, ("one.tsv", "two.tsv"))


def test_a_bad_file_stops_all_before_the_first_is_stored(empty: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"two\.tsv"):
        finished(import_files(empty, sources(tmp_path, FILES | {"two.tsv": "Alone.\n"}), "numbers"))
    assert overview(empty).collections == ()


@pytest.mark.parametrize(("follow", "operations"), [(True, {"import", "tokenise"}), (False, {"import"})])
def test_what_is_searched_follows_if_wanted(follow: bool, operations: set[str], empty: Store, tmp_path: Path) -> None:
    finished(import_files(empty, sources(tmp_path, FILES), "numbers", follow=follow))
    assert {run.operation for run in recent_runs(empty)} == operations


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a/corpus.tsv", "corpus"),
        ("corpus.en.gz", "corpus"),
        ("corpus.fr.txt", "corpus"),
        ("corpus", "corpus"),
        ("-", "stdin"),
    ],
)
def test_the_name_of_a_collection(file: str, name: str) -> None:
    assert collection_name(Path(file)) == name
