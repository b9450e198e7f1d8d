"""Seeds one by one, in the corpus or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.corpus.model import Candidate
from corpusdb.corpus.queries.sentences import sentence_id
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.runs import require_whole
from corpusdb.paraphrase.derivation import Evidence, candidates
from corpusdb.paraphrase.fluency import fluency_of
from corpusdb.paraphrase.queries.candidates import IndexRows
from corpusdb.paraphrase.queries.ngram_index import NgramIndex, shared_ngrams
from corpusdb.paraphrase.queries.slot_index_update import update_slot_index

__all__ = [
    "SeedGenerator",
    "as_if_in_corpus",
    "outside_candidates",
    "require_writable",
]


# Seeds that are not in the corpus: generated as if they were, and leaving nothing behind.


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


# Seeds one by one: what a session keeps in memory, so that each is answered at once.


class SeedGenerator:
    """Generates from single seeds of one language, as its index stands when the session begins."""

    def __init__(self, store: Store, language: str) -> None:
        self._store = store
        self._language = language
        self._rows = IndexRows(store)

    @cached_property
    def ngrams(self) -> NgramIndex:
        """The character n-grams of the language."""
        return shared_ngrams(self._store, self._language)

    def evidence(self, seed: str, outside: Store | None = None) -> list[Evidence]:
        """The candidates of a normalised seed, by text.

        One that is not in the corpus is tried in ``outside``, the same database open for writing, if the session's own
        store is not. Raises DatabaseReadOnly where neither is, and DatabaseIsExtract for a file that holds the rows of
        some seeds only.
        """
        require_whole(self._store, "generating from another seed")
        sentence = sentence_id(self._store, self._language, seed)
        if sentence is None:
            require_writable(outside or self._store)  # before the n-grams are read
            return outside_candidates(outside or self._store, self._language, seed, self.ngrams)
        for _, derivations in self._rows.derivations([sentence]):
            return candidates(seed, derivations, self._rows)
        return []

    def candidates(self, seed: str, outside: Store | None = None) -> list[Candidate]:
        """The same with their fluency by the corpus as it is, without the seed where that is not in it."""
        evidence = self.evidence(seed, outside)
        fluency = fluency_of([one.text for one in evidence], self.ngrams.longest_of_few)
        return [
            Candidate(one.text, one.frequency, one.pivots, one.languages, one.probability, *fluency[one.text][:2])
            for one in evidence
        ]
