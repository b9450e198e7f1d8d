"""What is stored of sentences, pairs, documents, ids and versions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from corpora import ListedSource, all_rows, drawn_units, import_rows, import_units, new_store
from interrupted import run, run_with_kills

from corpusdb.base.jobs import finished
from corpusdb.chain.queries import importing as file_import
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Item, Record, Rejected
from corpusdb.corpus.formats.records import Document, Version
from corpusdb.corpus.queries.storing import store_pairs, store_sentences
from corpusdb.corpus.store import Store, open_store

# Storing a sentence and pairs: both directions once, with checksums that a check agrees with.


ROWS = [("a", "x"), ("b", "y")]


def number(store: Store, text: str) -> int:
    return int(store.connection.execute("select id from sentence where text = ?", (text,)).fetchone()[0])


def test_a_sentence_is_stored_once(empty: Store) -> None:
    import_rows(empty, ROWS)
    a, y = ("eng", "a"), ("fra", "y")
    there, last = {a: number(empty, "a"), y: number(empty, "y")}, max(number(empty, text) for text in "abxy")
    new = {("fra", "a"): last + 1, ("eng", "y"): last + 2}
    with empty.write() as connection:
        assert store_sentences(connection, [y, ("fra", "a"), a, ("eng", "y")]) == (there | new, last)
        assert store_sentences(connection, [*new, a]) == (new | {a: there[a]}, last + 2)


def test_pairs_are_stored_in_both_directions_and_once(empty: Store) -> None:
    import_rows(empty, ROWS)
    a, b, x, y = (number(empty, text) for text in "abxy")
    (collection, run) = empty.connection.execute("select collection, run from translation").fetchone()
    before = empty.connection.execute("select sentence, translation from translation").fetchall()
    with empty.write() as connection:
        assert store_pairs(connection, collection, run, [(a, y), (x, a), (y, a), (x, b)]) == [1, 2]
    after = set(empty.connection.execute("select sentence, translation from translation"))
    assert after == {*before, (a, y), (y, a), (b, x), (x, b)}


# What is stored of documents inside files, ids of units and versions, and that interruptions do not change it.


NEWS = Document("news.1", (("domain", "news"), ("origlang", "en")))
SPEECH = Document("speech.2")
PAIR = ("eng", "fra")
SOURCE, A, B = Version("source"), Version("reference", "A"), Version("reference", "B")


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    return store.connection.execute(query).fetchall()


def pairs(store: Store) -> set[frozenset[str]]:
    """The texts of each translation; both directions must be there."""
    found = rows(
        store,
        "select a.text, b.text from translation join sentence a on a.id = translation.sentence"
        " join sentence b on b.id = translation.translation",
    )
    assert {(b, a) for a, b in found} == set(found)
    return {frozenset(pair) for pair in found}


def test_plain_units_have_no_rows_of_their_own(empty: Store) -> None:
    import_rows(empty, [("Thanks.", "Merci."), ("No.", "Non.")])
    assert [rows(empty, f"select count(*) from {table}") for table in ("section", "unit", "version")] == [[(0,)]] * 3


@pytest.mark.parametrize(
    ("documents", "sections"),
    [
        ([NEWS, NEWS, SPEECH], [(1, "news.1"), (2, "speech.2")]),
        ([None, NEWS, None, NEWS], [(1, "news.1"), (2, "news.1")]),
        ([NEWS, Document("news.1"), Document("news.1")], [(1, "news.1"), (2, "news.1")]),
        ([NEWS, SPEECH, NEWS], [(1, "news.1"), (2, "speech.2"), (3, "news.1")]),
        (
            [NEWS, Document(" news.1 ", (("domain", "news "), ("genre", " "), ("origlang", "en"))), NEWS],
            [(1, "news.1")],
        ),
        ([None, None], []),
    ],
)
def test_units_of_one_document_that_follow_each_other_are_a_section(
    empty: Store, documents: Sequence[Document | None], sections: list[tuple[int, str]]
) -> None:
    import_units(empty, [Record(n, (f"e{n}", f"f{n}"), PAIR, "", each) for n, each in enumerate(documents, 1)])
    assert rows(empty, "select number, name from section order by number") == sections
    inside = dict(rows(empty, "select unit.line, section.name from unit join section on section.id = unit.section"))
    assert inside == {line: each.name.strip() for line, each in enumerate(documents, 1) if each}
    assert check(empty).problems == ()


def test_what_a_file_says_of_documents_and_units_is_stored(empty: Store) -> None:
    units: list[Item] = [
        Record(1, ("one", "un"), PAIR, "s1", NEWS),
        Rejected(2, "empty text"),
        Record(3, ("two", "deux"), PAIR, "", NEWS),
        Record(4, ("three", "trois"), PAIR, "s3"),
        Record(5, ("four", "quatre"), PAIR),
    ]
    import_units(empty, units)
    assert rows(empty, "select name, attributes from section") == [("news.1", '{"domain": "news", "origlang": "en"}')]
    assert rows(empty, "select line, section, name from unit") == [(1, 1, "s1"), (3, 1, None), (4, None, "s3")]
    assert rows(empty, "select * from version") == []


def test_versions_of_a_text_are_no_translations_of_each_other(empty: Store) -> None:
    texts = ("Thanks.", "Merci.", "Merci bien.", "")
    report = import_units(empty, [Record(1, texts, ("eng", "fra", "fra", "fra"), "7", None, (SOURCE, A, B, A))])
    assert pairs(empty) == {frozenset({"Thanks.", "Merci."}), frozenset({"Thanks.", "Merci bien."})}
    assert (report.translations, report.duplicates) == (2, 0)
    stored = "select number, text, role, name from version join sentence on id = sentence order by number"
    assert rows(empty, stored) == [
        (1, "Thanks.", "source", ""),
        (2, "Merci.", "reference", "A"),
        (3, "Merci bien.", "reference", "B"),
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (1, 2, 0)])
def test_versions_that_agree_are_one_sentence_and_one_translation(empty: Store, order: tuple[int, ...]) -> None:
    """A text that stands in the unit twice has one occurrence and two versions; its translation is no duplicate."""
    texts, languages = ("Thanks.", "Merci.", "Merci. "), ("eng", "fra", "fra")
    unit = Record(1, tuple(texts[n] for n in order), tuple(languages[n] for n in order))
    report = import_units(empty, [unit])
    assert (report.sentences, report.translations, report.duplicates) == (2, 1, 0)
    assert rows(empty, "select count(*) from occurrence") == [(2,)]
    stored = "select text from version join sentence on id = sentence order by number"
    assert rows(empty, stored) == [(texts[n].strip(),) for n in order]


def test_a_language_that_is_left_once_needs_no_versions(empty: Store) -> None:
    import_units(empty, [Record(1, ("Thanks.", "", "Merci."), ("eng", "fra", "fra"))])
    assert rows(empty, "select * from version") == rows(empty, "select * from unit") == []


@pytest.mark.parametrize(
    ("declared", "expected"), [((), "fra,eng,jpn"), (PAIR, "eng,fra,jpn"), (("eng", "fra", "fra"), "eng,fra,jpn")]
)
def test_the_languages_of_a_document(empty: Store, declared: tuple[str, ...], expected: str) -> None:
    """In the order that it is said to have, else in that of its units."""
    units = [Record(1, ("un", "one", ""), ("fra", "eng", "deu")), Record(2, ("two", "二"), ("eng", "jpn"))]
    import_units(empty, units, declared)
    assert rows(empty, "select languages from document") == [(expected,)]


def test_the_original_of_a_version_is_kept(empty: Store) -> None:
    import_units(empty, [Record(1, ("Thanks.", "Une bie\u0300re"), PAIR, "7")])
    assert rows(empty, "select original from occurrence where original is not null") == [("Une bie\u0300re",)]


def test_the_same_pair_the_other_way_round_is_a_duplicate(empty: Store) -> None:
    """Found by test: both were counted as new where they came in one batch."""
    report = import_units(empty, [Record(1, ("one", "un"), PAIR), Record(2, ("un", "one"), ("fra", "eng"))])
    assert (report.translations, report.duplicates) == (1, 1)
    assert rows(empty, "select count(*) from translation") == [(2,)]


@pytest.fixture
def small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_import, "_BATCH", 7)
    monkeypatch.setattr(file_import, "_SECONDS_PER_TRANSACTION", 0.0)


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize("seed", range(8))
def test_stopped_imports_go_on_in_the_same_document(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    checked = finished(check_source(ListedSource(tuple(drawn_units(chance, 150)))))
    with new_store(tmp_path, "whole") as whole, new_store(tmp_path, "parts") as parts:
        finished(import_source(whole, checked, "units"))
        for _ in range(6):
            job = import_source(parts, checked, "units")
            for _ in range(chance.randint(1, 4)):
                next(job)
            job.close()
        finished(import_source(parts, checked, "units"))
        assert all_rows(parts) == all_rows(whole)
        assert check(parts).problems == ()
        assert min(len(all_rows(parts)[table]) for table in ("section", "unit", "version")) > 10


@pytest.mark.usefixtures("small_transactions")
def test_lines_that_are_left_out_may_be_of_another_file(tmp_path: Path) -> None:
    """Found by reading: those of a file of sentences have higher numbers than the links, which were then skipped."""
    listed: list[Item] = [Rejected(1000 + n, "no text") for n in range(20)]
    listed += [Record(n, (f"e{n}", f"f{n}")) for n in range(1, 30)]
    checked = finished(check_source(ListedSource(tuple(listed), PAIR)))
    with new_store(tmp_path) as store:
        job = import_source(store, checked, "units")
        for _ in range(3):
            next(job)
        job.close()
        report = finished(import_source(store, checked, "units"))
    assert (report.read, report.rejected, report.translations) == (29, 20, 29)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A database with 2,000 units, and how many thousand steps their import took."""
    database = tmp_path_factory.mktemp("import") / "units.db"
    steps = run("import units", database)
    assert steps is not None
    return database, steps


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_killed_imports_go_on_in_the_same_document(undisturbed: tuple[Path, int], tmp_path: Path, number: int) -> None:
    whole, steps = undisturbed
    database = tmp_path / "units.db"
    assert run_with_kills("import units", database, 6, steps, random.Random(number)) >= 3
    with open_store(whole) as expected, open_store(database) as found:
        assert all_rows(found) == all_rows(expected)
