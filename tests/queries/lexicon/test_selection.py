"""Which tokens are counted."""

from __future__ import annotations

from itertools import pairwise

import pytest
from corpora import import_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.store import Store
from corpusdb.search.queries.token_index import TokenSelection, is_word, require_language, select_tokens

ROWS = [("Do you? Yes, I do.", "a"), ("...", "b"), ("do Do", "c")]


@pytest.mark.parametrize(
    ("fold_case", "words_only", "expected"),
    [
        (False, False, [["Do", "you", "?", "Yes", ",", "I", "do", "."], ["..."], ["do", "Do"]]),
        (True, False, [["do", "you", "?", "yes", ",", "i", "do", "."], ["..."], ["do", "do"]]),
        (False, True, [["Do", "you", "Yes", "I", "do"], [], ["do", "Do"]]),
        (True, True, [["do", "you", "yes", "i", "do"], [], ["do", "do"]]),
    ],
)
def test_folding_and_words(fold_case: bool, words_only: bool, expected: list[list[str]], empty: Store) -> None:
    import_rows(empty, ROWS)
    corpus = select_tokens(empty, TokenSelection("eng", fold_case=fold_case, words_only=words_only))
    texts = [corpus.types[number] for number in corpus.tokens.tolist()]
    starts = [0, *corpus.ends.tolist()]
    assert [texts[a:b] for a, b in pairwise(starts)] == expected
    assert len(corpus.sentences) == len(ROWS)
    if fold_case:
        assert len(set(corpus.types)) == len(corpus.types)


@pytest.mark.parametrize(
    ("token", "expected"),
    [("a", True), ("n't", True), ("5:30", True), ("語", True), ("हि", True), (".", False), ("…", False), ("'", False)],
)
def test_what_is_a_word(token: str, expected: bool) -> None:
    assert is_word(token) is expected


def test_the_language_may_be_left_out_where_there_is_only_one(empty: Store) -> None:
    with pytest.raises(InputError, match="the corpus is empty"):
        require_language(empty, None)
    with empty.write() as connection:
        connection.execute("insert into sentence (language, text) values ('eng', 'one')")
    assert require_language(empty, None) == require_language(empty, "eng") == "eng"
    with pytest.raises(InputError, match="no sentences in fra; there are some in eng"):
        require_language(empty, "fra")
    with empty.write() as connection:
        connection.execute("insert into sentence (language, text) values ('fra', 'un')")
    with pytest.raises(UsageError, match="eng, fra"):
        require_language(empty, None)
