"""A session that is only looked at: shown as one that was just begun, and stored at a position with a filter."""

from __future__ import annotations

import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import filter_at
from corpusdb.people.queries.sessions import seeds_of_session, sessions
from corpusdb.people.queries.views import UnstoredSession

SESSION = UnstoredSession("mine-1", "eng", ("a.", "b.", "c."))


def test_it_is_shown_as_one_just_begun(empty: Store) -> None:
    at = SESSION.standing(2)
    assert (at.name, at.position, at.seed, at.seeds, at.accepted, at.is_stored) == ("mine-1", 2, "b.", 3, 0, False)
    assert [(each.position, each.text) for each in SESSION.seeds()] == [(1, "a."), (2, "b."), (3, "c.")]
    with pytest.raises(InputError, match="the seeds are 1 to 3"):
        SESSION.standing(4)
    assert sessions(empty) == []


def test_it_is_stored_under_a_name_that_is_free(empty: Store) -> None:
    first, second = SESSION.store(empty, 2, filter_at(7)), SESSION.store(empty, 1, filter_at(20))
    assert [(each.name, each.position, each.order, each.is_stored) for each in (first, second)] == [
        ("mine-1", 2, 7, True),
        ("mine-2", 1, 20, True),
    ]
    assert [each.text for each in seeds_of_session(empty, "mine-2")] == list(SESSION.texts)
