"""Sentences as often as they stand in files: what is said again and again counts again and again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corpusdb.base.arrays import I64
from corpusdb.base.ngrams import joined_ranges
from corpusdb.corpus.queries.sentences import places, result_languages, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.search.token_corpus import Annotated, Attributes, TokenCorpus

_OCCURRENCES = """
select occurrence.sentence, coalesce(-unit.section, occurrence.document)
from occurrence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
where occurrence.document = ? and (? is null or unit.section = ?)
"""


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
    found = np.array(rows, dtype=np.int64).reshape(-1, 2)
    wanted = sentences if not is_result else np.intersect1d(sentences, sentences_of(store, collection))
    found = found[np.isin(found[:, 0], wanted)]
    found = found[np.lexsort((found[:, 1], found[:, 0]))]
    return np.searchsorted(sentences, found[:, 0]), found[:, 1]


def repeated(corpus: TokenCorpus, indexes: I64) -> TokenCorpus:
    """The sentences at some ascending indexes, each as often as its index is among them."""
    lengths = corpus.lengths[indexes]
    places = joined_ranges((corpus.ends - corpus.lengths)[indexes], lengths.astype(np.int64))
    annotated = corpus.annotated
    if annotated is not None:
        attributes = annotated.attributes
        gathered = attributes.gathered(places) if isinstance(attributes, Attributes) else attributes
        annotated = Annotated(annotated.begins[places], annotated.ends[places], annotated.sentences[indexes], gathered)
    tokens = corpus.tokens[places]
    return replace(corpus, sentences=corpus.sentences[indexes], lengths=lengths, tokens=tokens, annotated=annotated)
