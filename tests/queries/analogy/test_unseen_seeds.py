"""Seeds that are not in the corpus get what they would get in it, and leave nothing behind."""

from __future__ import annotations

import random
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from corpora import all_rows, copy_of_corpus, import_rows, new_store, random_rows, tatoeba

from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.derivation import Evidence
from corpusdb.paraphrase.queries.ngram_index import load_ngrams
from corpusdb.paraphrase.queries.seeds import as_if_in_corpus, outside_candidates


def imported_candidates(store: Store, seed: str) -> list[tuple[Any, ...]]:
    """What the seed gets as a sentence of a copy of the corpus, without translations, from an index made anew."""
    with copy_of_corpus(store) as copy:
        with copy.write() as connection:
            connection.execute("insert into sentence (language, text) values ('eng', ?)", (seed,))
        finished(generate(copy, "eng"))
        return copy.connection.execute(
            "select candidate.text, frequency, pivots, languages, probability from candidate"
            " join seed on seed.id = candidate.seed where seed.text = ? order by 1",
            (seed,),
        ).fetchall()


def rows(evidence: list[Evidence]) -> list[tuple[Any, ...]]:
    return [astuple(one) for one in evidence]


@pytest.mark.parametrize("number", range(50))
def test_as_if_it_had_been_imported(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    with new_store(tmp_path) as store:
        import_rows(store, random_rows(chance, chance.randint(5, 25)))
        finished(generate(store, "eng"))
        known = {row[0] for row in store.connection.execute("select text from sentence where language = 'eng'")}
        seeds = {text for text, _ in random_rows(chance, 12, words="abcd")} - known
        ngrams = load_ngrams(store, "eng")
        before = all_rows(store)
        for seed in sorted(seeds)[:3]:
            assert rows(outside_candidates(store, "eng", seed, ngrams)) == imported_candidates(store, seed)
            assert all_rows(store) == before


def test_the_random_seeds_have_candidates(empty: Store) -> None:
    """Without this the property above could hold of nothing."""
    chance = random.Random(1)
    import_rows(empty, random_rows(chance, 25))
    finished(generate(empty, "eng"))
    assert len(outside_candidates(empty, "eng", "b a b c a.", load_ngrams(empty, "eng"))) >= 5


@pytest.mark.data
def test_sentences_taken_out_of_a_real_sample(tmp_path: Path) -> None:
    sample = tatoeba("jpn", 300, 1500)
    out = {row[0] for row in sample[::150]}
    with new_store(tmp_path) as store:
        import_rows(store, [row for row in sample if row[0] not in out], ("eng", "jpn"))
        finished(generate(store, "eng"))
        before, ngrams = all_rows(store), load_ngrams(store, "eng")
        found = 0
        for seed in sorted(out):
            candidates = rows(outside_candidates(store, "eng", seed, ngrams))
            assert candidates == imported_candidates(store, seed)
            found += len(candidates)
        assert found > 0
        assert all_rows(store) == before


def test_an_error_inside_leaves_nothing_behind(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(2), 20))
    finished(generate(empty, "eng"))
    before = all_rows(empty)
    with pytest.raises(ZeroDivisionError), as_if_in_corpus(empty, "eng", "d a.", load_ngrams(empty, "eng")):
        _ = 1 // 0
    assert all_rows(empty) == before
    assert not empty.connection.in_transaction


def test_a_database_that_may_only_be_read_says_so(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(3), 20))
    finished(generate(empty, "eng"))
    with open_store(empty.path, read_only=True) as reader:
        ngrams = load_ngrams(reader, "eng")
        with pytest.raises(DatabaseReadOnly, match="not in the corpus"):
            outside_candidates(reader, "eng", "d a.", ngrams)


@pytest.mark.parametrize("number", range(10))
def test_given_seeds_are_stored_whether_in_the_corpus_or_not(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    with new_store(tmp_path) as store:
        sample = random_rows(chance, 25)
        import_rows(store, sample)
        report = finished(generate(store, "eng", [sample[0][0], "  d a.  ", "a d."]))
        stored = store.connection.execute(
            "select seed.text, seed.sentence is null, count(candidate.id) from seed left join candidate"
            " on candidate.seed = seed.id and fluency is not null group by seed.id order by seed.id"
        ).fetchall()
        assert [row[:2] for row in stored] == [(sample[0][0], 0), ("d a.", 1), ("a d.", 1)]
        assert report.candidates == sum(row[2] for row in stored)
        ngrams = load_ngrams(store, "eng")
        for seed in ("d a.", "a d."):
            found = store.connection.execute(
                "select candidate.text, frequency, pivots, languages, probability from candidate"
                " join seed on seed.id = candidate.seed where seed.text = ? order by 1",
                (seed,),
            ).fetchall()
            assert found == rows(outside_candidates(store, "eng", seed, ngrams))
