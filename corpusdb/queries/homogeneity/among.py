"""Which sentences are measured: those of a collection or selection, of a document, or that a saved query finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import I64
from corpusdb.errors import UsageError
from corpusdb.queries.corpus.files import Place, places, result_languages
from corpusdb.queries.corpus.sentences import sentences_of
from corpusdb.queries.search.saved_queries import saved_query, saved_request
from corpusdb.queries.search.search import Searcher
from corpusdb.store import Store

__all__ = ["Among", "among"]


@dataclass(frozen=True)
class Among:
    """Some sentences of a language, and what they were asked for by."""

    name: str
    """In words."""
    sentences: I64
    """Ascending and distinct; those of other languages too, where they stand in the same collection."""
    places: tuple[Place, ...] = ()
    """Where a document was asked for, what has its name."""
    result: str | None = None
    """Where a result or selection was asked for as a collection, its name."""


def among(
    store: Store,
    language: str,
    *,
    collection: str | None = None,
    document: str | None = None,
    query: str | None = None,
) -> Among | None:
    """The sentences for which all of this holds; None where nothing is asked.

    ``collection`` may be a selection; ``query`` is the name of a saved search, of which what was found in the language
    counts. Raises InputError for a name that is not there, and UsageError for a saved query that is no search.
    """
    parts, named = [], []
    if collection is not None or document is not None:
        parts.append(sentences_of(store, collection, document))
        named += [
            f"{what} {name}" for what, name in (("document", document), ("collection", collection)) if name is not None
        ]
    if query is not None:
        parts.append(_found(store, language, query))
        named.append(f"query {query}")
    if not parts:
        return None
    sentences = parts[0] if len(parts) == 1 else np.intersect1d(parts[0], parts[1], assume_unique=True)
    inside = () if document is None else tuple(places(store, () if collection is None else (collection,), document))
    return Among(", ".join(named), sentences, inside, collection if collection in result_languages(store) else None)


def _found(store: Store, language: str, name: str) -> I64:
    saved = saved_query(store, name)
    if saved.command != "search":
        raise UsageError(f"{name!r} is no search, but a call of `corpusdb {saved.command}`")
    return Searcher(store).find(saved_request(store, saved).search(language)).sentences
