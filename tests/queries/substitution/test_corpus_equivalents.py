"""Equivalents from an aligned corpus, held against those of each phrase by itself, and against the texts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from aligned import drawn_pairs
from corpora import import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.equivalents import EquivalentFilter, equivalents_of
from corpusdb.alignment.queries.phrases import phrase_key
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.store import Store
from corpusdb.scoring.queries.recipe import CORPUS
from corpusdb.scoring.queries.reference_equivalents import CorpusEquivalents, Neighbours, corpus_equivalents
from corpusdb.search.token_corpus import tokenise

WIDE = replace(CORPUS, min_count=2, min_pivot=0.01, min_languages=1, context=0, with_parts=True, with_forms=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """English with French, and with German, which has the words of the French turned round."""
    with new_store(tmp_path) as opened:
        rows = drawn_pairs(random.Random(8), 200)
        import_rows(opened, rows)
        import_rows(opened, [(english, french[::-1]) for english, french in rows[:150]], ("eng", "deu"))
        for other in ("fra", "deu"):
            finished(align_languages(opened, "eng", other))
        yield opened


def derived(store: Store, languages: int = 1) -> CorpusEquivalents:
    rows = store.connection.execute(_SENTENCES).fetchall()
    sets = [ReferenceSet(str(number), "", (text,)) for number, (text,) in enumerate(rows, 1)]
    return finished(corpus_equivalents(store, sets, "eng", languages))


_SENTENCES = "select text from sentence where language = 'eng' order by id limit 40"


@pytest.mark.parametrize("languages", [1, 2])
def test_equivalents_are_those_of_each_phrase(store: Store, languages: int) -> None:
    found = derived(store, languages)
    recipe = replace(WIDE, min_languages=languages)
    equivalents, kept = found.equivalents(recipe), EquivalentFilter(2, 0.01, languages, left_out="nothing")
    compared = 0
    for phrase in found.found:
        ours = {" ".join(each.phrase): each.pivot for each in equivalents(phrase)}
        theirs = equivalents_of(store, "eng", " ".join(phrase), kept=kept, limit=0).members
        known = {phrase_key(each.text): each.pivot for each in theirs}
        assert ours.items() <= known.items()
        if languages == 1 and not any(word in {"the", "and", "a"} for word in phrase):
            compared += len(ours)
    assert compared or languages == 2


def test_languages_count_by_their_own_share(store: Store) -> None:
    found = derived(store, 2)
    for phrase, ranked in found.found.items():
        wanted = [each.key for each in ranked if sum(share >= 0.1 for share in each.shares) >= 2 and each.pivot >= 0.1]
        recipe = replace(WIDE, min_pivot=0.1, min_languages=2, left_out="nothing")
        assert [" ".join(each.phrase) for each in found.candidates(recipe)(phrase)] == wanted


def test_the_digest_changes_with_what_is_aligned(store: Store) -> None:
    before = derived(store)
    assert derived(store).digest == before.digest
    import_rows(store, [("the newest cat", "le chat neuf")])
    finished(align_languages(store, "eng", "fra"))
    assert derived(store).digest != before.digest
    assert before.lattices(WIDE).equivalents.split("+")[-2] == before.digest[:16]


def test_too_few_languages_are_refused(store: Store) -> None:
    with pytest.raises(UsageError, match="deu, fra alone"):
        derived(store, 3)
    with pytest.raises(InputError, match="there are no sentences in jpn; there are some in deu, eng, fra"):
        finished(corpus_equivalents(store, [], "jpn"))


@given(st.lists(st.lists(st.sampled_from("a b C d".split()), min_size=1, max_size=5), max_size=6), st.data())
def test_neighbours_are_those_of_the_texts(texts: Sequence[Sequence[str]], data: st.DataObject) -> None:
    found = Neighbours(" ".join(words) for words in texts)
    padded = [("", "", *(token.lower() for token in tokenise(" ".join(words))), "", "") for words in texts]
    pairs = {pair for words in padded for pair in pairwise(words)}
    rows = {row for words in padded for row in zip(words, words[1:], words[2:], strict=False)}
    word = st.sampled_from(["", "a", "b", "c", "d", "e"])
    asked = data.draw(st.tuples(word, word))
    if texts:
        assert found.have(asked) == (asked in pairs)
        row = data.draw(st.one_of(st.tuples(word, word, word), st.sampled_from(sorted(rows))))
        # Where one sentence ends and another begins two empty words stand in a row, and no word of both.
        assert found.have(row) == (row in rows)
    assert found.capitals == {"c"} & {token for words in padded for token in words}
