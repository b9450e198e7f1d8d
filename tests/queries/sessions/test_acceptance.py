"""Accepting a candidate: the corpus has it with the seed's translations, and everything derived follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import Row, all_rows, copy_of_corpus, derived_rows, generated_store, import_file, import_rows, write_rows

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.model import ACCEPTED
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.decisions import accept

ROWS: list[Row] = [
    ("I'd like a beer, please.", "Je voudrais une bière."),
    ("A beer, please.", "Une bière."),
    ("Can I have a beer?", "Une bière."),
    ("I'd like a slice of pizza, please.", "Je voudrais une pizza."),
    ("A slice of pizza, please.", "Une pizza."),
    ("A slice of pizza, please.", "De la pizza."),
]
SEED, CANDIDATE = "A slice of pizza, please.", "Can I have a slice of pizza?"


@pytest.fixture
def pizza(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, ROWS) as opened:
        yield opened


def translations(store: Store, text: str) -> list[str]:
    rows = store.connection.execute(
        "select distinct other.text from sentence join translation on sentence = sentence.id"
        " join sentence other on other.id = translation where sentence.text = ? order by 1",
        (text,),
    )
    return [row[0] for row in rows]


def without_runs(store: Store) -> dict[str, list[tuple[object, ...]]]:
    return {table: rows for table, rows in all_rows(store).items() if table != "run"}


def test_the_candidate_becomes_a_sentence(pizza: Store) -> None:
    report = finished(accept(pizza, SEED, CANDIDATE, "eng"))
    assert report.translations == 2
    assert translations(pizza, CANDIDATE) == translations(pizza, SEED) == ["De la pizza.", "Une pizza."]
    assert pizza.connection.execute("select text from sentence where id = ?", (report.sentence,)).fetchone() == (
        CANDIDATE,
    )
    place = pizza.connection.execute(
        "select collection.name, document.name, line, lines_done from occurrence"
        " join document on document.id = document join collection on collection.id = collection where sentence = ?",
        (report.sentence,),
    )
    assert place.fetchall() == [(ACCEPTED, ACCEPTED, 1, 1)]
    (found,) = (one for one in paraphrases(pizza, SEED, "eng", kept=NO_FILTER) if one.text == CANDIDATE)
    assert (found.shared, found.in_corpus) == (2, True)
    with copy_of_corpus(pizza) as copy:
        finished(generate(copy, "eng"))
        assert derived_rows(copy) == derived_rows(pizza)


def test_accepting_again_changes_nothing(pizza: Store) -> None:
    first = finished(accept(pizza, SEED, CANDIDATE, "eng"))
    before = without_runs(pizza)
    again = finished(accept(pizza, f" {SEED} ", CANDIDATE, "eng"))
    assert (again.sentence, again.translations) == (first.sentence, 0)
    assert without_runs(pizza) == before


def test_a_sentence_of_the_corpus_gets_the_translations_it_lacks(pizza: Store) -> None:
    report = finished(accept(pizza, "Can I have a beer?", "I'd like a beer, please.", "eng"))
    assert report.translations == 1
    assert translations(pizza, "I'd like a beer, please.") == ["Je voudrais une bière.", "Une bière."]
    assert pizza.connection.execute("select count(*) from sentence where language = 'eng'").fetchone() == (5,)


def test_before_anything_was_derived(empty: Store) -> None:
    import_rows(empty, ROWS)
    finished(accept(empty, SEED, CANDIDATE, "eng"))
    assert translations(empty, CANDIDATE) == ["De la pizza.", "Une pizza."]
    assert empty.connection.execute("select distinct name from layer").fetchall() == [("token",)]


@pytest.mark.parametrize(
    ("seed", "candidate", "reason"),
    [(SEED, "  ", "empty"), ("Not there.", CANDIDATE, "'Not there.' has no translations")],
)
def test_what_cannot_be_accepted(pizza: Store, seed: str, candidate: str, reason: str) -> None:
    before = all_rows(pizza)
    with pytest.raises(InputError, match=reason):
        finished(accept(pizza, seed, candidate, "eng"))
    assert all_rows(pizza) == before


def test_a_file_imported_under_the_same_name_stays_as_it_is(pizza: Store) -> None:
    """Found by test: the line was counted in every document of the collection, and stood in the first."""
    path = write_rows(pizza.path.parent / "more.tsv", [("Thanks.", "Merci."), ("Hello.", "Bonjour.")])
    import_file(pizza, path, ("eng", "fra"), ACCEPTED)
    report = finished(accept(pizza, SEED, CANDIDATE, "eng"))
    rows = pizza.connection.execute(
        "select document.name, lines_done from document join collection on collection.id = collection"
        " where collection.name = ? order by document.id",
        (ACCEPTED,),
    )
    assert rows.fetchall() == [("more.tsv", 2), (ACCEPTED, 1)]
    place = pizza.connection.execute(
        "select document.name, line from occurrence join document on document.id = document where sentence = ?",
        (report.sentence,),
    )
    assert place.fetchall() == [(ACCEPTED, 1)]
    assert import_file(pizza, path, ("eng", "fra"), ACCEPTED).unchanged == ("more.tsv",)
