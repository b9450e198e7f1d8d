"""Tests of corpusdb/corpus/queries/sentences.py: sentences by where they stand."""

from __future__ import annotations

import random

import numpy as np
import pytest
from corpora import import_rows
from listed import drawn_units, import_units

from corpusdb.base.errors import InputError
from corpusdb.corpus.queries.sentences import sentences_of
from corpusdb.corpus.store import Store

_BY_HAND = """
select distinct occurrence.sentence from occurrence
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where (:collection is null or collection.name = :collection)
  and (:document is null or :document in (document.name, section.name)) order by 1
"""


@pytest.fixture
def corpus(empty: Store) -> Store:
    import_units(empty, drawn_units(random.Random(1), 100), (), "one", "first.tmx")
    import_units(empty, drawn_units(random.Random(2), 50), (), "two", "d1")
    import_rows(empty, [("eng 1", "fra 2"), ("more", "plus")])
    return empty


@pytest.mark.parametrize("collection", [None, "one", "two", "rows"])
@pytest.mark.parametrize("document", [None, "first.tmx", "d0", "d1", "corpus-2.tsv"])
def test_sentences_of_a_collection_or_document(corpus: Store, collection: str | None, document: str | None) -> None:
    rows = corpus.connection.execute(_BY_HAND, {"collection": collection, "document": document}).fetchall()
    if not rows:
        with pytest.raises(InputError, match=f"there is no document '{document}'"):
            sentences_of(corpus, collection, document)
        return
    found = sentences_of(corpus, collection, document)
    assert found.dtype == np.int64
    assert found.tolist() == [row[0] for row in rows]


def test_a_collection_that_is_not_there(corpus: Store) -> None:
    with pytest.raises(InputError, match="no collection 'three'; there are one, two, rows"):
        sentences_of(corpus, "three")


def test_an_empty_corpus_has_no_sentence(empty: Store) -> None:
    assert sentences_of(empty).tolist() == []
