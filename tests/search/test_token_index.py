"""The token stream against cutting every sentence by itself, and the check that it is whole."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import pytest
from corpora import compressed_text, import_rows, new_store, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.jobs import finished
from corpusdb.base.text import unit_ends
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store
from corpusdb.search.queries import token_index as module
from corpusdb.search.queries.token_index import load_text, load_tokens
from corpusdb.search.token_corpus import token_spans, tokenise


def check_stream(store: Store, language: str) -> None:
    corpus, text = load_tokens(store, language), load_text(store, language)
    expected = sentences_after(store, language, 0)
    assert corpus.sentences.tolist() == text.sentences.tolist() == [sentence for sentence, _ in expected]
    assert text.lines == [line for _, line in expected]
    begin = 0
    for (_, line), end in zip(expected, corpus.ends.tolist(), strict=True):
        assert [corpus.types[number] for number in corpus.tokens[begin:end].tolist()] == tokenise(line)
        begin = end
    assert begin == len(corpus.tokens)
    assert len(set(corpus.types)) == len(corpus.types)


def segments(store: Store, language: str) -> list[int]:
    rows = store.connection.execute(
        "select length(lengths) - 1 from token_segment where language = ? order by first_sentence", (language,)
    )
    return [row[0] for row in rows]


@pytest.mark.parametrize("number", range(10))
def test_the_stream_holds_every_sentence_whenever_it_was_followed(
    empty: Store, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(number)
    monkeypatch.setattr(module, "_SENTENCES_PER_SEGMENT", 30)
    for _ in range(6):
        import_rows(empty, random_rows(chance, chance.randint(1, 40), "abé学校'"))
        if chance.random() < 0.6:
            finished(update_layers(empty))
        for language in ("eng", "fra"):
            check_stream(empty, language)
    assert max(segments(empty, "eng")) <= 30


def test_small_segments_are_swallowed(empty: Store) -> None:
    for number in range(16):
        import_rows(empty, [(f"{number} {row}", f"t{number}") for row in range(3)])
        finished(update_layers(empty))
    assert sum(segments(empty, "eng")) == 48
    assert len(segments(empty, "eng")) <= 5
    check_stream(empty, "eng")


def test_a_language_that_is_not_there_has_no_tokens(empty: Store) -> None:
    assert len(load_tokens(empty, "eng").tokens) == 0
    assert load_text(empty, "eng").lines == []


def test_a_part_of_the_corpus(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, [("a b", "x"), ("c", "y"), ("a d e", "z")])
        corpus = load_tokens(store, "eng")
        part = corpus.restricted_to(np.array([corpus.sentences[0], corpus.sentences[2], 999]))
        assert [part.types[number] for number in part.tokens.tolist()] == ["a", "b", "a", "d", "e"]
        assert part.lengths.tolist() == [2, 3]
        assert part.sentence_at(np.array([0, 1, 2, 4])).tolist() == [0, 0, 1, 1]


@given(st.text("ab '\u2019snt.5:\u00a0\u3000\u2028学校\u0301\u200dé", max_size=15))
def test_tokens_are_the_units_without_their_space(text: str) -> None:
    starts = [0, *unit_ends(text)]
    units = [text[start:end].strip() for start, end in itertools.pairwise(starts)]
    assert tokenise(text) == units
    assert all(text[start:end] and not text[start:end].isspace() for start, end in token_spans(text))
    # What is cut once for every run between spaces is what would be cut in the sentence.
    assert [token for run in text.split() for token in tokenise(run)] == units


TOKENS = [
    (f"update token_segment set text = {compressed_text(b'A bier, please.')}", "other texts or tokens"),
    (f"update token_segment set text = {compressed_text(bytes([255]))}", "is not compressed UTF-8"),
    ("update token_segment set text = x'0a'", "is not compressed UTF-8"),
    ("update token_segment set tokens = substr(tokens, 1, length(tokens) - 1)", "tokens that do not fit"),
    ("update token_segment set tokens = cast(x'01' || zeroblob(length(tokens) - 9) as blob)", "other texts or tokens"),
    ("update token_segment set tokens = zeroblob(length(tokens))", "no numbers"),
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
