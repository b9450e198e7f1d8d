"""Search while somebody types: the conditions stay as they are, and only the pattern changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from corpusdb.queries.search.search import Hits, Search, Searcher
from corpusdb.stoppable.limit import Limit
from corpusdb.store import Store

__all__ = ["LiveSearcher"]

_VERSION = "pragma data_version"


class LiveSearcher:
    """Finds what a Searcher finds, and remembers which sentences fulfil the conditions that were given last.

    What it remembers holds until another connection changes the database. It belongs to the thread of its store.
    """

    def __init__(self, store: Store, searcher: Searcher) -> None:
        self._store = store
        self._searcher = searcher
        self._remembered: tuple[Search, int] | None = None
        self._fulfilling: npt.NDArray[np.int64] = np.empty(0, np.int64)

    def find(self, search: Search, limit: Limit | None = None) -> Hits:
        """The hits of a search. Raises what Searcher.find raises."""
        conditions = replace(search, pattern=None)
        if search.pattern is None or conditions == Search(search.language):
            return self._searcher.find(search, limit)
        with self._store.snapshot() as connection:
            version = connection.execute(_VERSION).fetchone()[0]
            if self._remembered != (conditions, version):
                self._fulfilling = self._searcher.find(conditions, limit).sentences
                self._remembered = (conditions, version)
            return self._searcher.find(Search(search.language, search.pattern), limit).among(self._fulfilling)
