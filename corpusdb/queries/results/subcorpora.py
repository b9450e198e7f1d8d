"""The part of the corpus that collections, selections, results and a search together mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpusdb.errors import InputError
from corpusdb.queries.corpus.files import check_collections, collection_names
from corpusdb.queries.corpus.sentences import sentences_of
from corpusdb.queries.homogeneity.selections.stored_selections import stored_selections
from corpusdb.queries.results.named_results import found_by
from corpusdb.queries.search.request import SearchRequest
from corpusdb.stoppable.limit import Limit
from corpusdb.store import Store

__all__ = ["PartOfCorpus", "part_of_corpus"]


@dataclass(frozen=True, slots=True)
class PartOfCorpus:
    """Some collections, and of their sentences some."""

    collections: tuple[str, ...]
    """Empty = all."""
    sentences: frozenset[int] | None
    """None = all."""


def part_of_corpus(
    store: Store, names: Sequence[str], request: SearchRequest | None = None, limit: Limit | None = None
) -> PartOfCorpus:
    """The collections among some names, and the sentences that are in one of the selections and that a search finds.

    Raises InputError for a name that there is not, and where the search finds nothing, and as a search does.
    """
    collections = {*collection_names(store)}
    kept = {each.name for each in stored_selections(store)} - collections
    inside = tuple(name for name in names if name not in kept)
    check_collections(store, inside, or_results=True)
    chosen = [name for name in names if name in kept]
    parts: list[frozenset[int]] = []
    if chosen:
        parts.append(frozenset().union(*(sentences_of(store, name).tolist() for name in chosen)))
    if request is not None:
        found = found_by(store, request, limit)
        if not found:
            raise InputError("the query finds nothing")
        parts.append(frozenset().union(*(each.tolist() for each in found.values())))
    return PartOfCorpus(inside, frozenset.intersection(*parts) if parts else None)
