"""Sentences as often as they stand in files, and how evenly their words are spread over the documents."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corpusdb.base.arrays import I64
from corpusdb.base.errors import UsageError
from corpusdb.base.ngrams import NgramPlaces, joined_ranges
from corpusdb.corpus.queries.sentences import places, result_languages, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.search.lexical import (
    deviation_of_proportions,
    juilland_d,
    normalised_deviation,
    parts_with,
    reduced_frequencies,
)
from corpusdb.search.token_corpus import Annotated, Attributes, TokenCorpus

# What is said again and again counts again and again, where that is asked.


_OCCURRENCES = """
select occurrence.sentence, coalesce(-unit.section, occurrence.document)
from occurrence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
where occurrence.document = ? and (? is null or unit.section = ?)
"""
_FIRST_SECTIONS = "select -id, -min(id) over (partition by document, name) from section"


def occurrences_of(
    store: Store, sentences: I64, collection: str | None = None, document: str | None = None
) -> tuple[I64, I64]:
    """Every occurrence of some sentences, by their ascending ids, in a collection and document, sentence after
    sentence: the index of the sentence, and the document, by a number that is below 0 for one inside a file.

    Of a result or selection these are all occurrences of its sentences. Raises InputError for a name that is not there.
    """
    is_result = collection is not None and collection in result_languages(store)
    rows: list[tuple[int, int]] = []
    for place in places(store, [] if collection is None or is_result else [collection], document):
        rows += store.connection.execute(_OCCURRENCES, (place.document, place.section, place.section)).fetchall()
    # The lines of one speaker stand in a section of their own, which has the name of their document.
    parts = dict(store.connection.execute(_FIRST_SECTIONS).fetchall())
    rows = [(sentence, parts.get(part, part)) for sentence, part in rows]
    found = np.array(rows, dtype=np.int64).reshape(-1, 2)
    wanted = sentences if not is_result else np.intersect1d(sentences, sentences_of(store, collection))
    found = found[np.isin(found[:, 0], wanted)]
    found = found[np.lexsort((found[:, 1], found[:, 0]))]
    return np.searchsorted(sentences, found[:, 0]), found[:, 1]


def repeated(corpus: TokenCorpus, indexes: I64) -> TokenCorpus:
    """The sentences at some ascending indexes, each as often as its index is among them."""
    lengths = corpus.lengths[indexes]
    chosen = joined_ranges((corpus.ends - corpus.lengths)[indexes], lengths.astype(np.int64))
    annotated = corpus.annotated
    if annotated is not None:
        attributes = annotated.attributes
        gathered = attributes.gathered(chosen) if isinstance(attributes, Attributes) else attributes
        annotated = Annotated(annotated.begins[chosen], annotated.ends[chosen], annotated.sentences[indexes], gathered)
    tokens = corpus.tokens[chosen]
    return replace(corpus, sentences=corpus.sentences[indexes], lengths=lengths, tokens=tokens, annotated=annotated)


# How evenly words are spread.


BLOCK_CELLS = 1 << 22
"""How many frequencies of an n-gram in a part are held at a time."""


@dataclass(frozen=True, slots=True)
class Dispersion:
    range: int
    """In how many it occurs."""
    juilland_d: float
    """1: spread evenly; 0: all in one document."""
    dp: float
    """Gries's deviation of proportions: 0 is spread evenly."""
    dp_norm: float
    """The same over the highest that it can be."""
    arf: float
    """The average reduced frequency, whatever the documents: near 1 where all occurrences are in one place."""


@dataclass(frozen=True)
class Parts:
    """The documents that some sentences stand in; a sentence may stand in several."""

    count: int
    starts: I64
    """For each sentence where its documents begin in ``members``."""
    lengths: I64
    """In how many documents each sentence stands."""
    members: I64
    """The documents, numbered from 0, of one sentence after the other."""


def load_parts(
    store: Store, sentences: I64, collection: str | None, document: str | None, *, occurrences: bool = False
) -> Parts:
    """The documents, of the collection and of that name, in which the sentences, by their ascending ids, stand.

    With ``occurrences`` the sentences come as often as they stand there, each in one document. Raises UsageError where
    the documents are fewer than two, over which nothing can be dispersed.
    """
    if occurrences:
        _, found = occurrences_of(store, np.unique(sentences), collection, document)
        numbers, members = np.unique(found, return_inverse=True)
        _require_several(len(numbers))
        return Parts(len(numbers), np.arange(len(members)), np.ones(len(members), dtype=np.int64), members)
    members, found = occurrences_of(store, sentences, collection, document)
    numbers, documents = np.unique(found, return_inverse=True)
    _require_several(len(numbers))
    return parts_of(sentences, sentences[members], documents, len(numbers))


def parts_of(sentences: I64, placed: I64, parts: I64, count: int) -> Parts:
    """The parts, numbered from 0, in which sentences stand; ``placed`` has those of ``parts`` beside them."""
    owners = np.searchsorted(sentences, placed)
    keys = np.unique(owners * count + parts)  # a sentence counts once in each part
    lengths = np.bincount(keys // count, minlength=len(sentences))
    return Parts(count, np.cumsum(lengths) - lengths, lengths, keys % count)


def dispersions(ngrams: NgramPlaces, owners: I64, parts: Parts, chosen: I64) -> list[Dispersion]:
    """How the chosen n-grams are spread, whose sentences ``owners`` gives for every place of the stream.

    The size of a document is the number of n-grams in it; one that has none does not count. Raises UsageError where
    fewer than two have any.
    """
    sizes = counts_in_parts(ngrams.places, np.zeros_like(ngrams.places), owners, parts, 1)[0]
    occupied = sizes > 0
    if len(chosen):
        _require_several(int(np.count_nonzero(occupied)))
    found: list[Dispersion] = []
    step = max(BLOCK_CELLS // parts.count, 1)
    for first in range(0, len(chosen), step):
        block = chosen[first : first + step]
        lengths = ngrams.counts[block]
        where = ngrams.places[joined_ranges(ngrams.starts[block], lengths)]
        rows = np.repeat(np.arange(len(block), dtype=np.int64), lengths)
        counts = counts_in_parts(where, rows, owners, parts, len(block))[:, occupied]
        columns = (
            parts_with(counts).tolist(),
            juilland_d(counts, sizes[occupied]).tolist(),
            deviation_of_proportions(counts, sizes[occupied]).tolist(),
            normalised_deviation(counts, sizes[occupied]).tolist(),
            reduced_frequencies(where, lengths, len(owners)).tolist(),
        )
        found.extend(map(Dispersion, *columns))
    return found


def counts_in_parts(places: I64, rows: I64, owners: I64, parts: Parts, height: int) -> I64:
    """How often each row stands in each part, given the places and the row of each."""
    sentences = owners[places]
    lengths = parts.lengths[sentences]
    members = parts.members[joined_ranges(parts.starts[sentences], lengths)]
    cells = np.bincount(np.repeat(rows, lengths) * parts.count + members, minlength=height * parts.count)
    return cells.reshape(height, parts.count)


def _require_several(documents: int) -> None:
    if documents < 2:
        raise UsageError(f"dispersion is over two documents or more, and these sentences stand in {documents}")
