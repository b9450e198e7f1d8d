"""Why a node of collocates does not occur, or not as often as somebody may think, as far as other ways tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from corpusdb.cqp import WORD
from corpusdb.errors import CorpusError
from corpusdb.queries.lexicon.collocations import Neighbourhood, node_count
from corpusdb.queries.lexicon.nothing_found import words_like
from corpusdb.queries.lexicon.selection import select_tokens
from corpusdb.queries.search.search import letters_told
from corpusdb.queries.search.token_index import load_text, load_tokens
from corpusdb.stoppable.limit import Limit
from corpusdb.store import Store
from corpusdb.text import normalise
from corpusdb.textsearch.folding import Folding
from corpusdb.textsearch.matches import WordMatching
from corpusdb.textsearch.mistaken_modes import meant_mode
from corpusdb.textsearch.patterns import Pattern

__all__ = ["OtherWay", "absent_words", "other_ways", "told_by_letters"]

Reason: TypeAlias = Literal["case", "attribute", "mode"]


@dataclass(frozen=True, slots=True)
class OtherWay:
    """Another way to ask for a node, by which it occurs."""

    reason: Reason
    """What was otherwise: case counted, an attribute was asked for that is not the word, or the kind of the node."""
    near: Neighbourhood
    nodes: int


def other_ways(store: Store, near: Neighbourhood, time_limit: Limit | None = None) -> list[OtherWay]:
    """The ways by which a node occurs that does not occur as it was asked for; inside a snapshot of the caller."""
    found: list[OtherWay] = []
    for reason, other in _candidates(near):
        try:
            count = node_count(store, other, time_limit)
        except CorpusError:  # what the node is no sensible way to ask for
            continue
        if count:
            found.append(OtherWay(reason, other, count))
    return found


def _candidates(near: Neighbourhood) -> Iterator[tuple[Reason, Neighbourhood]]:
    if near.is_query:
        return
    if not near.tokens.fold_case:
        yield "case", replace(near, tokens=replace(near.tokens, fold_case=True))
    if near.tokens.attribute != WORD:
        # A query, since the collocates are still to be counted by the attribute.
        query = " ".join(json.dumps(part, ensure_ascii=False) + "%c" for part in near.node.split())
        yield "attribute", replace(near, node=query, is_query=True, is_pattern=False)
    meant = meant_mode(near.node, "regex" if near.is_pattern else "word")
    if meant is not None:
        yield "mode", replace(near, is_query=meant == "cqp", is_pattern=meant == "regex")


def absent_words(store: Store, near: Neighbourhood) -> list[str]:
    """The words that look most like a node of one word that does not occur; none of a query or regular expression."""
    if near.is_query or near.is_pattern:
        return []
    return words_like(select_tokens(store, near.tokens), near.node.strip())


def told_by_letters(store: Store, near: Neighbourhood) -> str | None:
    """That regular expressions find another number of sentences of the language with a node of one word, if they do."""
    if near.is_query or near.is_pattern or near.tokens.attribute != WORD or not normalise(near.node):
        return None
    language, pattern = near.tokens.language, Pattern(near.node, "word", Folding(case=near.tokens.fold_case))
    matching = WordMatching(load_text(store, language), load_tokens(store, language), pattern)
    return letters_told(matching, language, near.node)
