"""Seeds that are not in the corpus: generated as if they were, and leaving nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from corpusdb.analogy.derivation import Evidence, candidates
from corpusdb.errors import DatabaseReadOnly
from corpusdb.queries.analogy.candidates import IndexRows
from corpusdb.queries.analogy.ngram_index import NgramIndex
from corpusdb.queries.analogy.slot_index_update import update_slot_index
from corpusdb.store import Store

__all__ = ["as_if_in_corpus", "outside_candidates", "require_writable"]

_INSERT = "insert into sentence (language, text) values (?, ?)"
_BEGIN = "savepoint as_if"
_TAKE_BACK = ("rollback to as_if", "release as_if")


def require_writable(store: Store) -> None:
    """Raise DatabaseReadOnly where nothing may be written, although nothing is in the end."""
    if store.read_only:
        raise DatabaseReadOnly(
            f"{store.path}: a seed that is not in the corpus can be tried only where the file may be written"
        )


@contextmanager
def as_if_in_corpus(store: Store, language: str, text: str, ngrams: NgramIndex) -> Iterator[int]:
    """The number of a sentence that the corpus and its index have inside the block only.

    Raises DatabaseReadOnly where nothing may be written, although nothing is in the end.
    """
    require_writable(store)
    with store.write() as connection:
        connection.execute(_BEGIN)
        try:
            sentence = int(connection.execute(_INSERT, (language, text)).lastrowid or 0)
            update_slot_index(connection, language, [(sentence, text)], ngrams, for_good=False)
            yield sentence
        finally:
            if connection.in_transaction:
                for statement in _TAKE_BACK:
                    connection.execute(statement)


def outside_candidates(store: Store, language: str, text: str, ngrams: NgramIndex) -> list[Evidence]:
    """The candidates that ``text``, which the corpus does not hold, would have if it did; by text.

    ``ngrams`` is the index of the corpus as it is.
    """
    rows = IndexRows(store)
    with as_if_in_corpus(store, language, text, ngrams) as sentence:
        for _, derivations in rows.derivations([sentence]):
            return candidates(text, derivations, rows)
    return []
