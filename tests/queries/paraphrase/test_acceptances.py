"""What was accepted reads as such in an explanation, not as evidence of the files that the seed stands in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import generated_store

from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.explanation import explain
from corpusdb.people.queries.decisions import accept, apply_session, decide
from corpusdb.people.queries.sessions import create_session, delete_session

SEED, OTHER, OWN = "Two beers.", "Beers, two.", "A pair of beers."
GIVEN = "; its translations are those of the seed"


@pytest.fixture
def beers(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, [(SEED, "Deux bières."), (OTHER, "Deux bières.")]) as store:
        create_session(store, "s", "eng", [SEED])
        yield store


def test_a_wording_of_ones_own_that_was_written(beers: Store) -> None:
    decide(beers, "s", SEED, OWN, "accept")
    assert explain(beers, SEED, OWN, "eng").accepted == ()
    finished(apply_session(beers, "s"))
    found = explain(beers, SEED, OWN, "eng")
    assert found.accepted == (f"accepted in session s{GIVEN}",)
    assert [each.places[0] for each in found.direct] == ["accepted/accepted:1"]
    assert explain(beers, OWN, SEED, "eng").accepted == (
        "the seed was accepted in session s as a paraphrase of it; the translations of the seed are those of it",
    )
    assert explain(beers, OTHER, OWN, "eng").accepted == (
        f"{OWN!r} was accepted in session s; its translations are those of {SEED!r}",
    )
    assert explain(beers, SEED, OTHER, "eng").accepted == ()
    delete_session(beers, "s")
    assert explain(beers, SEED, OWN, "eng").accepted == (f"accepted in session s, which was deleted{GIVEN}",)


def test_what_the_corpus_had_keeps_its_evidence(beers: Store) -> None:
    decide(beers, "s", SEED, OTHER, "accept")
    finished(apply_session(beers, "s"))
    found = explain(beers, SEED, OTHER, "eng")
    assert found.accepted == ("accepted in session s",)
    assert not any(place.startswith("accepted/") for each in found.direct for place in each.places)


def test_without_a_session(beers: Store) -> None:
    finished(accept(beers, SEED, OWN, "eng"))
    assert explain(beers, SEED, OWN, "eng").accepted == (f"accepted with `corpusdb accept`{GIVEN}",)
