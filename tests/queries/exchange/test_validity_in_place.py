"""What is new in a large corpus: judged by the sums and the model there are, until all is judged again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from corpora import derived_rows, import_rows, new_store, random_rows

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.layers import VALIDITY
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.queries import candidate_update, validity_update
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.decisions import accept

_UNJUDGED = """
select (select count(*) from candidate where validity is null), (select count(*) from paraphrase where validity is null)
"""
_EXCHANGES = "select x, y, pairs, shared, expected from exchange order by 1, 2"
_VALIDITY = """
select seed.text, candidate.text, validity, replacement from candidate join seed on seed.id = seed order by 1, 2
"""


@pytest.fixture
def large(empty: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A small corpus that is taken for a large one."""
    monkeypatch.setattr(validity_update, "_FEW", 0)
    monkeypatch.setattr(validity_update, "_LITTLE", 0.5)
    monkeypatch.setattr(candidate_update, "_SMALL", 0.5)
    import_rows(empty, random_rows(random.Random(7), 40, pivots=8))
    finished(generate(empty, "eng"))
    return empty


def behind(store: Store) -> int:
    state = layer_state(store, "eng", "validity")
    assert state is not None
    assert VALIDITY.behind is not None
    return VALIDITY.behind(store, "eng", state)


def a_pair(store: Store) -> tuple[str, str]:
    """A seed that has translations, with a candidate that the corpus does not hold."""
    query = """
    select seed.text, candidate.text from candidate join seed on seed.id = candidate.seed
    where not exists (select 1 from sentence where sentence.text = candidate.text) order by 1, 2 limit 1
    """
    seed, text = store.connection.execute(query).fetchone()
    return str(seed), str(text)


def test_everything_is_judged_and_the_sums_stay(large: Store) -> None:
    before = large.connection.execute(_EXCHANGES).fetchall()
    assert behind(large) == 0
    finished(accept(large, *a_pair(large), "eng"))
    assert large.connection.execute(_UNJUDGED).fetchone() == (0, 0)
    assert large.connection.execute(_EXCHANGES).fetchall() == before
    assert behind(large) > 0
    assert check(large, full=True).problems == ()


def test_asked_for_all_it_is_as_if_made_at_once(large: Store, tmp_path: Path) -> None:
    seed, text = a_pair(large)
    finished(accept(large, seed, text, "eng"))
    finished(generate(large, "eng"))
    assert behind(large) == 0
    assert check(large, full=True).problems == ()
    with new_store(tmp_path, "other") as other:
        import_rows(other, random_rows(random.Random(7), 40, pivots=8))
        finished(generate(other, "eng"))
        other_accepted = accept(other, seed, text, "eng")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(validity_update, "_FEW", 10**9)  # all is judged again at once
            finished(other_accepted)
        assert derived_rows(other) == derived_rows(large)
        assert other.connection.execute(_VALIDITY).fetchall() == large.connection.execute(_VALIDITY).fetchall()


def test_a_small_corpus_is_judged_again_at_once(empty: Store) -> None:
    import_rows(empty, random_rows(random.Random(7), 40, pivots=8))
    finished(generate(empty, "eng"))
    finished(accept(empty, *a_pair(empty), "eng"))
    assert behind(empty) == 0
    assert empty.connection.execute(_UNJUDGED).fetchone() == (0, 0)


def test_what_stays_keeps_its_validity(large: Store) -> None:
    before = {row[:2]: row[2:] for row in large.connection.execute(_VALIDITY)}
    accepted = a_pair(large)
    finished(accept(large, *accepted, "eng"))
    after = {row[:2]: row[2:] for row in large.connection.execute(_VALIDITY)}
    both = before.keys() & after.keys() - {accepted}
    assert len(both) > 20
    assert after.keys() - before.keys()
    assert {pair: after[pair] for pair in both} == {pair: before[pair] for pair in both}


@pytest.mark.parametrize("few", [0, 10**9])
def test_what_was_accepted_holds(large: Store, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Judged in place or all again, in both directions; other sentences do not change by it."""
    monkeypatch.setattr(validity_update, "_FEW", few)
    seed, text = a_pair(large)
    finished(accept(large, seed, text, "eng"))
    for one, other in ((seed, text), (text, seed)):
        (found,) = [each for each in paraphrases(large, one, "eng", limit=0, kept=DEFAULT_FILTER) if each.text == other]
        assert found.validity == 1.0
    (certain,) = large.connection.execute("select count(*) from paraphrase where validity = 1.0").fetchone()
    assert certain == 2
