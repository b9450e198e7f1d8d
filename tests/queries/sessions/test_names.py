"""Sessions that are renamed, deleted and brought back, with what was decided in them."""

from __future__ import annotations

import pytest

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.queries.names import names_beginning
from corpusdb.corpus.store import Store
from corpusdb.people.queries.decisions import decide, decisions
from corpusdb.people.queries.sessions import (
    create_session,
    delete_session,
    deleted_sessions,
    rename_session,
    restore_session,
    session_name,
    session_standing,
    sessions,
)


@pytest.fixture
def store(empty: Store) -> Store:
    """With two sessions, in one of which something was decided."""
    create_session(empty, "work", "eng", ["a.", "b."])
    create_session(empty, "other", "eng", ["c."])
    decide(empty, "work", "a.", "b.", "accept")
    return empty


def names(store: Store) -> set[str]:
    return {each.name for each in sessions(store)}


def test_a_session_under_another_name_is_the_same(store: Store) -> None:
    before = session_standing(store, "work")
    after = rename_session(store, "work", " play ")
    assert names(store) == {"play", "other"}
    assert (after.seeds, after.accepted, after.made) == (before.seeds, before.accepted, before.made)
    assert [each.text for each in decisions(store, "play")] == ["b."]
    assert rename_session(store, "play", "play") == after
    assert check(store, full=True).problems == ()


def test_a_deleted_session_is_in_no_list_and_comes_back_as_it_was(store: Store) -> None:
    before = session_standing(store, "work")
    assert delete_session(store, "work") == before
    assert names(store) == {"other"}
    with pytest.raises(InputError, match="there is no session 'work'; there are: other"):
        session_standing(store, "work")
    assert check(store, full=True).problems == ()
    assert restore_session(store, "work") == before
    assert [each.text for each in decisions(store, "work")] == ["b."]
    assert names(store) == {"work", "other"}
    assert check(store, full=True).problems == ()


def test_the_name_of_a_deleted_session_is_free(store: Store) -> None:
    delete_session(store, "work")
    create_session(store, "work", "fra", ["d."])
    with pytest.raises(UsageError, match="there is a session 'work' already"):
        restore_session(store, "work")
    delete_session(store, "work")
    assert restore_session(store, "work").language == "fra"  # the newest of that name
    rename_session(store, "work", "french")
    assert restore_session(store, "work").language == "eng"
    with pytest.raises(InputError, match="no session 'work' was deleted"):
        restore_session(store, "work")


def test_the_last_that_was_deleted_comes_back_first(store: Store) -> None:
    with pytest.raises(InputError, match="no session was deleted"):
        restore_session(store)
    for name in ("other", "work"):
        delete_session(store, name)
    assert [(each.name, each.seeds, each.decisions) for each in deleted_sessions(store)] == [
        ("work", 2, 1),
        ("other", 1, 0),
    ]
    assert names_beginning(store, "session", "", 9) == []
    assert (restore_session(store).name, restore_session(store).name) == ("work", "other")
    delete_session(store, "other")  # which is now the last one, though it began before
    delete_session(store, "work")
    assert restore_session(store).name == "work"


def test_its_number_follows_a_session(store: Store) -> None:
    number = session_standing(store, "work").id
    rename_session(store, "work", "play")
    assert session_name(store, number) == "play"
    delete_session(store, "play")
    with pytest.raises(InputError, match=r"deleted elsewhere; `corpusdb session restore play` brings it back"):
        session_name(store, number)


@pytest.mark.parametrize(
    ("name", "new", "error", "message"),
    [
        ("work", "other", UsageError, "there is a session 'other' already"),
        ("work", " ", UsageError, "is no name for a session"),
        ("no", "new", InputError, "there is no session 'no'"),
    ],
)
def test_what_is_no_other_name(store: Store, name: str, new: str, error: type[CorpusError], message: str) -> None:
    with pytest.raises(error, match=message):
        rename_session(store, name, new)
    assert names(store) == {"work", "other"}
