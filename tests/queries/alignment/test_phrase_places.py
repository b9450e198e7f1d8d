"""The places of phrase pairs, found again in the sentences, against the counts that were made of all of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from aligned import drawn_pairs
from corpora import import_rows, new_store, tatoeba

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.phrase_places import AlignedPhrase, PhrasePlaces, phrase_places
from corpusdb.alignment.queries.phrases import phrase_key, shown
from corpusdb.base.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store, open_store
from corpusdb.search.queries.search import Searcher


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        rows = drawn_pairs(random.Random(3), 120)
        rows += [("I don't know, don't I?", "Je ne sais pas, l'eau."), ("The the THE", "le Le la")]
        import_rows(opened, rows)
        import_rows(opened, rows[:30])  # the same pairs in another document count once
        finished(align_languages(opened, "eng", "fra"))
        yield opened


_PAIRS = """
select source.text, target.text, count from phrase_pair
join phrase source on source.id = phrase_pair.source join phrase target on target.id = phrase_pair.target
"""
_WORDS = """
select language, text, unlinked from phrase_count join phrase on phrase.id = phrase_count.phrase
where text not like '% %'
"""


def assert_all_places_are_found(store: Store) -> None:
    """Every stored count, from both sides."""
    searcher = Searcher(store)

    def places(language: str, text: str, translation: str | None) -> PhrasePlaces:
        other = "fra" if language == "eng" else "eng"
        return phrase_places(store, searcher, AlignedPhrase(language, text, other, translation))

    rows = store.connection.execute(_PAIRS).fetchall()
    assert len(rows) > 50
    for source, target, count in rows:
        found = places("eng", shown(source), shown(target))
        assert (found.places, found.is_all) == (count, True)
        for pair in found.pairs:
            assert {phrase_key(pair.text[begin:end]) for begin, end in pair.marks} == {source}
            assert {phrase_key(pair.translation[begin:end]) for begin, end in pair.translation_marks} == {target}
        turned = places("fra", shown(target), shown(source))
        assert turned.places == count
        assert sorted((pair.translation, pair.text) for pair in turned.pairs) == sorted(
            (pair.text, pair.translation) for pair in found.pairs
        )
    for language, text, unlinked in store.connection.execute(_WORDS).fetchall():
        assert places(language, shown(text), None).places == unlinked


def test_all_counted_places_are_found(store: Store) -> None:
    assert_all_places_are_found(store)


@pytest.mark.data
def test_all_counted_places_are_found_in_real_sentences(tmp_path: Path) -> None:
    with new_store(tmp_path) as opened:
        import_rows(opened, tatoeba("fra", 5_000, 250))
        finished(align_languages(opened, "eng", "fra"))
        assert_all_places_are_found(opened)


def test_a_limit_leaves_the_shortest_of_some(store: Store) -> None:
    searcher = Searcher(store)
    asked = AlignedPhrase("eng", "the", "fra", None)
    everything = phrase_places(store, searcher, asked)
    some = phrase_places(store, searcher, asked, 2)
    assert len(everything.pairs) > 3
    assert (some.pairs, some.is_all, everything.is_all) == (everything.pairs[:2], False, True)
    sizes = [len(pair.spans) + len(pair.translation_spans) for pair in everything.pairs]
    assert sizes == sorted(sizes)
    assert phrase_places(store, searcher, asked, len(everything.pairs)).is_all


@pytest.mark.parametrize("text", ["l'", "qu’", "jusqu'", "l'eau", "l'eau d'", "n't", "'s", "dogs'", "'", "o'clock"])
def test_what_is_shown_is_found_again(text: str) -> None:
    key = phrase_key(text)
    assert phrase_key(shown(key)) == key


@pytest.mark.parametrize("text", ["l'", "qu’", "jusqu'", "L'", "de l'"])
def test_a_clitic_that_stands_alone_is_the_word_that_it_is_before_its_host(text: str) -> None:
    assert phrase_key(f"{text}eau") == f"{phrase_key(text)} eau"


@pytest.mark.parametrize("word", ["the", "THE"])
def test_case_does_not_matter(store: Store, word: str) -> None:
    found = phrase_places(store, Searcher(store), AlignedPhrase("eng", word, "fra", "le"))
    texts = {pair.text[begin:end] for pair in found.pairs for begin, end in pair.marks}
    assert len({text.lower() for text in texts}) == 1 < len(texts)


def test_what_is_not_there_has_no_places(store: Store) -> None:
    searcher = Searcher(store)
    for text, translation in (("nowhere", "le"), ("the", "nowhere"), ("the cat", None), ("the " * 40, "le")):
        assert phrase_places(store, searcher, AlignedPhrase("eng", text, "fra", translation)).pairs == ()
    with pytest.raises(UsageError, match="at least one word"):
        phrase_places(store, searcher, AlignedPhrase("eng", " ", "fra", "le"))
    with pytest.raises(InputError, match="no sentences in deu"):
        phrase_places(store, searcher, AlignedPhrase("eng", "the", "deu", "le"))


def test_links_of_other_tokens_are_refused(store: Store) -> None:
    with store.write() as connection:
        connection.execute("update alignment set tokens_digest = zeroblob(8)")
    with open_store(store.path) as again, pytest.raises(DatabaseDamaged, match="other tokens"):
        phrase_places(again, Searcher(again), AlignedPhrase("eng", "the", "fra", None))
