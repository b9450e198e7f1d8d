"""Generation in the demonstration: the whole chain on the built-in phrasebook."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from corpusdb.base.jobs import finished
from corpusdb.corpus.store import open_store
from corpusdb.phrasebook import LANGUAGES, LICENCE
from corpusdb.program.queries.demonstration import SEED, GenerationShown, generate_phrasebook


@pytest.fixture
def shown(demonstration: tuple[Path, GenerationShown], tmp_path: Path) -> tuple[Path, GenerationShown]:
    """A copy of the database, and what was generated in it."""
    path, report = demonstration
    return Path(shutil.copy(path, tmp_path)), report


def test_the_figures(shown: tuple[Path, GenerationShown]) -> None:
    _, report = shown
    assert report.sentences > 1000
    assert 0 < report.detection.sentences <= report.sentences
    generation = report.generation
    assert (
        generation.analogies >= generation.candidates > generation.kept >= generation.distinct >= generation.novel > 0
    )


def test_the_table_has_what_is_kept_what_is_new_and_what_is_struck_out(shown: tuple[Path, GenerationShown]) -> None:
    _, report = shown
    candidates = report.table.candidates
    assert report.table.seed == SEED
    assert [each.frequency for each in candidates] == sorted((each.frequency for each in candidates), reverse=True)
    assert {(each.is_kept, each.is_new) for each in candidates} >= {(True, True), (True, False)}
    assert not all(each.is_kept for each in candidates)
    assert report.example is not None
    assert report.example.text in {each.text for each in candidates if each.is_kept and each.is_new}


def test_the_example_is_an_analogy_of_the_phrasebook(shown: tuple[Path, GenerationShown]) -> None:
    path, report = shown
    assert report.example is not None
    analogy = report.example.analogy
    with open_store(path, read_only=True) as store:
        known = {row[0] for row in store.connection.execute("select text from sentence")}
    assert {analogy.a, analogy.b, analogy.c, analogy.d, analogy.rewording, report.example.shared} <= known
    assert analogy.b.replace(analogy.filler_b, analogy.filler_d) == analogy.d
    assert analogy.rewording.replace(analogy.filler_b, analogy.filler_d) == report.example.text
    assert analogy.d == SEED


def test_the_seed_has_paraphrases_that_pass(shown: tuple[Path, GenerationShown]) -> None:
    path, _ = shown
    with open_store(path, read_only=True) as store:
        kept = store.connection.execute(
            "select count(*) from candidate join seed on seed.id = candidate.seed"
            " where seed.text = ? and fluency >= 20",
            (SEED,),
        ).fetchone()
    assert kept > (0,)


def test_what_is_in_the_database(shown: tuple[Path, GenerationShown]) -> None:
    path, report = shown
    with open_store(path, read_only=True) as store:
        assert store.connection.execute("select name, licence from collection").fetchall() == [("phrasebook", LICENCE)]
        assert {row[0] for row in store.connection.execute("select distinct language from sentence")} == set(LANGUAGES)
        count = "select count(*) from sentence where language = 'eng'"
        assert store.connection.execute(count).fetchone() == (report.sentences,)


def test_running_it_again_gives_the_same(shown: tuple[Path, GenerationShown]) -> None:
    path, report = shown
    with open_store(path) as store:
        again = finished(generate_phrasebook(store))
    assert (again.sentences, again.generation.kept) == (report.sentences, report.generation.kept)
    assert (again.table, again.example) == (report.table, report.example)
