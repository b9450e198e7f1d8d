"""In which order the sentences of a language stand in their documents."""

from __future__ import annotations

import numpy as np

from corpusdb.store import Store
from corpusdb.textsearch.document_order import DocumentOrder
from corpusdb.textsearch.token_corpus import TokenCorpus

__all__ = ["document_order"]

_OCCURRENCES = """
select occurrence.document, coalesce(unit.section, 0), occurrence.line, occurrence.sentence
from occurrence
cross join sentence on sentence.id = occurrence.sentence and sentence.language = ?
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
order by occurrence.document, occurrence.line
"""


def document_order(store: Store, corpus: TokenCorpus) -> DocumentOrder:
    """The sentences of a corpus as they stand in files, and in the documents inside of these.

    One follows another where it is the next of its language there. Versions of one unit do not follow each other.
    """
    rows = np.array(store.connection.execute(_OCCURRENCES, (corpus.language,)).fetchall(), dtype=np.int64)
    document, section, line, sentence = rows.reshape(-1, 4).T
    places = np.searchsorted(corpus.sentences, sentence)
    follows = np.zeros(len(places), dtype=np.bool_)
    follows[1:] = (np.diff(document) == 0) & (np.diff(section) == 0) & (np.diff(line) > 0)
    return DocumentOrder(places, follows)
