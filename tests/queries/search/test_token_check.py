"""Tests of corpusdb/search/queries/token_index.py through the check that it is a part of."""

from __future__ import annotations

import pytest
from corpora import import_rows

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.store import Store

TOKENS = [
    ("update token_segment set text = cast(replace(text, 'beer', 'bier') as blob)", "other texts or tokens"),
    ("update token_segment set text = x'0aff0a'", "is no UTF-8"),
    ("update token_segment set tokens = substr(tokens, 5)", "tokens that do not fit"),
    ("update token_segment set tokens = zeroblob(length(tokens))", "other texts or tokens"),
    ("update token_segment set sentences = substr(sentences, 9)", "does not hold the sentences"),
    ("update type set text = text || id where language = 'eng'", "other texts or tokens"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "problem"), TOKENS)
def test_tokens_that_are_not_those_of_the_corpus_are_found(empty: Store, change: str, problem: str) -> None:
    import_rows(empty, [("A beer, please.", "Une bière."), ("Thanks.", "Merci.")])
    finished(update_layers(empty))
    assert check(empty).problems == ()
    empty.connection.executescript(change)
    assert problem in "\n".join(check(empty).problems)
