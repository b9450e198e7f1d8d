"""Storing a sentence and pairs: both directions once, with checksums that a check agrees with."""

from __future__ import annotations

from corpora import import_rows

from corpusdb.corpus.queries.storing import store_pairs, store_sentence
from corpusdb.corpus.store import Store

ROWS = [("a", "x"), ("b", "y")]


def number(store: Store, text: str) -> int:
    return int(store.connection.execute("select id from sentence where text = ?", (text,)).fetchone()[0])


def test_a_sentence_is_stored_once(empty: Store) -> None:
    import_rows(empty, ROWS)
    with empty.write() as connection:
        assert store_sentence(connection, "eng", "a") == (number(empty, "a"), False)
        found, is_new = store_sentence(connection, "fra", "a")
        assert (is_new, found not in (number(empty, "x"), number(empty, "b"))) == (True, True)
        assert store_sentence(connection, "fra", "a") == (found, False)


def test_pairs_are_stored_in_both_directions_and_once(empty: Store) -> None:
    import_rows(empty, ROWS)
    a, b, x, y = (number(empty, text) for text in "abxy")
    (collection, run) = empty.connection.execute("select collection, run from translation").fetchone()
    before = empty.connection.execute("select sentence, translation from translation").fetchall()
    with empty.write() as connection:
        assert store_pairs(connection, collection, run, [(a, y), (x, a), (y, a), (x, b)]) == [1, 2]
    after = set(empty.connection.execute("select sentence, translation from translation"))
    assert after == {*before, (a, y), (y, a), (b, x), (x, b)}
