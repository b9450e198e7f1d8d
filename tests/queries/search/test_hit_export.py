"""Hits in files: all of them, whole, and either a complete file or none."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import import_rows, new_store

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.queries.translations import sentence_detail
from corpusdb.corpus.store import Store
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries.concordance import ExportFormat, HitExport, arrange_lines, export_hits
from corpusdb.search.queries.search import Hits, Search, Searcher

ROWS = [("a cat", "un chat"), ("a cat", "chat, oui"), ('"the" cat', "le chat"), ("a dog", "un chien")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        import_rows(store, ROWS)
        yield store


def cats(store: Store) -> Hits:
    return Searcher(store).find(Search("eng", Pattern("cat")))


def written(store: Store, path: Path, format: ExportFormat, *, kwic: bool = False) -> str:
    hits = cats(store)
    export = HitExport(path, format, ("fra",))
    assert finished(export_hits(store, finished(arrange_lines(hits)) if kwic else hits, export)).hits == 2
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("format", "kwic", "cells"),
    [
        ("tsv", False, [["text"], ["a cat"], ['"the" cat']]),
        ("csv", False, [["text"], ["a cat"], ['"the" cat']]),
        ("tsv", True, [["left", "match", "right"], ["a ", "cat", ""], ['"the" ', "cat", ""]]),
    ],
)
def test_tables(store: Store, tmp_path: Path, format: ExportFormat, kwic: bool, cells: list[list[str]]) -> None:
    text = written(store, tmp_path / "hits", format, kwic=kwic)
    if format == "csv":
        rows = list(csv.reader(text.splitlines(keepends=True)))
    else:
        rows = [line.split("\t") for line in text.splitlines()]
    assert [row[2:-2] for row in rows] == cells
    assert [row[-2] for row in rows] == ["fra", "un chat | chat, oui", "le chat"]
    assert [row[-1].count(" | ") for row in rows[1:]] == [1, 0]


def test_json_lines(store: Store, tmp_path: Path) -> None:
    first, second = map(json.loads, written(store, tmp_path / "hits", "jsonl").splitlines())
    assert (first["text"], second["text"]) == ("a cat", '"the" cat')
    assert first["translations"]["fra"] == [
        {"text": "un chat", "distance": 1, "via": None},
        {"text": "chat, oui", "distance": 1, "via": None},
    ]
    assert [place["line"] for place in first["places"]] == [1, 2]


def test_a_file_that_is_there_stays(store: Store, tmp_path: Path) -> None:
    (tmp_path / "hits").write_text("mine")
    with pytest.raises(UsageError, match="already"):
        written(store, tmp_path / "hits", "tsv")
    assert (tmp_path / "hits").read_text() == "mine"


def test_what_is_stopped_leaves_nothing(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    job = export_hits(store, cats(store), HitExport(folder / "hits", "tsv", ()))
    next(job)
    assert len(list(folder.iterdir())) == 1
    job.close()
    assert not list(folder.iterdir())


def test_a_folder_that_is_not_there(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        finished(export_hits(store, cats(store), HitExport(tmp_path / "no" / "hits", "tsv", ())))


def test_what_is_known_of_a_sentence(store: Store) -> None:
    sentence = int(cats(store).sentences[0])
    detail = sentence_detail(store, sentence)
    assert [(each.text, each.distance) for each in detail.translations] == [("un chat", 1), ("chat, oui", 1)]
    assert [place.line for place in detail.places] == [1, 2]
    assert detail.paraphrases == 0
    farther = sentence_detail(store, sentence, ["eng"], 2)
    assert farther.translations == ()
