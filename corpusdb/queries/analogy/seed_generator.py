"""Seeds one by one: what a session keeps in memory, so that each is answered at once."""

from __future__ import annotations

from functools import cached_property

from corpusdb.analogy.derivation import Evidence, candidates
from corpusdb.charlm import fluency_of
from corpusdb.model import Candidate
from corpusdb.queries.analogy.candidates import IndexRows
from corpusdb.queries.analogy.ngram_index import NgramIndex, shared_ngrams
from corpusdb.queries.analogy.unseen_seeds import outside_candidates, require_writable
from corpusdb.queries.corpus.sentences import sentence_id
from corpusdb.store import Store
from corpusdb.store.extracts import require_whole

__all__ = ["SeedGenerator"]


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
