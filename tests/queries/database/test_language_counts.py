"""The counts of languages against counting every row, for documents that tell them and for those that do not."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from corpora import import_rows, new_store, random_rows
from listed import import_units

from corpusdb.base.jobs import finished
from corpusdb.corpus.formats import Record
from corpusdb.corpus.queries.names import LanguageCounts, language_counts
from corpusdb.corpus.store import Store
from corpusdb.people.queries.decisions import accept

_OCCURRENCES = "select language, occurrence.line from occurrence join sentence on sentence.id = occurrence.sentence"
_TRANSLATIONS = "select language, collection from translation join sentence on sentence.id = translation.sentence"


def counted(store: Store) -> LanguageCounts:
    """Row by row."""
    found = LanguageCounts()
    found.occurrences.update(language for language, _ in store.connection.execute(_OCCURRENCES))
    found.translations.update(language for language, _ in store.connection.execute(_TRANSLATIONS))
    return found


def goes_over_rows(store: Store) -> bool:
    """Whether the sentences are gone through with their occurrences."""
    statements: list[str] = []
    store.connection.set_trace_callback(statements.append)
    language_counts(store.connection)
    store.connection.set_trace_callback(None)
    return any("cross join occurrence" in each for each in statements)


def two_files(store: Store) -> None:
    for seed in (1, 2):  # with pairs that are in both
        import_rows(store, random_rows(random.Random(seed), 60))
    import_rows(store, [("a b", "猫"), ("a b", "犬"), ("c", "猫")], ("eng", "jpn"))


def accepted(store: Store) -> None:
    import_rows(store, [("One beer.", "Une bière."), ("A beer.", "Une bière."), ("A beer.", "La bière.")])
    finished(accept(store, "A beer.", "Two beers.", "eng"))
    finished(accept(store, "One beer.", "A beer.", "eng"))
    finished(accept(store, "Une bière.", "Des bières.", "fra"))


def three_languages(store: Store) -> None:
    import_rows(store, [("a", "b", "c"), ("d", "", "f")], ("eng", "fra", "jpn"))


def versions(store: Store) -> None:
    import_units(store, [Record(1, ("a", "b", "x"), ("eng", "eng", "fra")), Record(2, ("c", "y"), ("eng", "fra"))])


def older_version(store: Store) -> None:
    """Whose documents had no counts."""
    two_files(store)
    with store.write() as connection:
        connection.execute("update document set counts = '{}'")


def other_counts(store: Store) -> None:
    two_files(store)
    with store.write() as connection:
        connection.execute("update document set counts = json_set(counts, '$.read', 7)")


@pytest.mark.parametrize(
    ("fill", "over_rows"),
    [
        (two_files, False),
        (accepted, False),
        (three_languages, True),
        (versions, True),
        (older_version, True),
        (other_counts, True),
    ],
)
def test_counts_are_those_of_the_rows(fill: Callable[[Store], None], over_rows: bool, tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        assert language_counts(store.connection) == LanguageCounts()
        fill(store)
        assert language_counts(store.connection) == counted(store)
        assert goes_over_rows(store) == over_rows
