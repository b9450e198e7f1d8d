"""Translation by the phrases of a corpus, and the models of words that the decoder is told of."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from corpora import ENGLISH, FRENCH, drawn_pairs, import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base.arrays import I64
from corpusdb.base.char_model_counts import Alphabet, train
from corpusdb.base.char_model_probabilities import model_of, text_bits
from corpusdb.base.errors import DatabaseDamaged, InputError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.translation.examples import ExampleTranslation, Piece, TranslationExample
from corpusdb.translation.phrase_choices import TargetWordModel
from corpusdb.translation.queries.ladder import MethodNotReady, PhraseRung, Translator
from corpusdb.translation.report import evidence_lines

# Translation by the phrases of a corpus: what is answered, what it rests on, and when nothing is.


JAPANESE = [
    ("He ate an apple.", "彼はりんごを食べた。"),
    ("He read a book.", "彼は本を読んだ。"),
    ("She ate bread.", "彼女はパンを食べた。"),
    ("She read a book.", "彼女は本を読んだ。"),
    ("She ate an apple.", "彼女はりんごを食べた。"),
]


def aligned(folder: Path, count: int = 150) -> Store:
    store = new_store(folder)
    import_rows(store, drawn_pairs(random.Random(1), count))
    finished(align_languages(store, "fra", "eng"))
    return store


def opened(store: Store, source: str = "fra", target: str = "eng", within: I64 | None = None) -> PhraseRung:
    return finished(PhraseRung.open(store, source, target, within))


def bare(text: str) -> str:
    return text.replace(" ", "").lower()


@pytest.fixture(scope="module")
def rung(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhraseRung]:
    with aligned(tmp_path_factory.mktemp("aligned")) as store:
        yield opened(store)


def test_words_become_those_that_they_are_linked_with(rung: PhraseRung) -> None:
    (best,) = rung.translations("le chien aime Tom vite.", 1)
    words = best.text.removesuffix(".").lower().split()
    meanings = {
        french: {own for own, other in zip(ENGLISH, FRENCH, strict=True) if other == french} for french in FRENCH
    }
    assert len(words) == 5
    assert {"tom", "likes"} <= set(words)
    assert set(words) & {each.lower() for each in meanings["chien"]}
    assert best.rung == "phrases"
    assert 0 < best.score <= 1


@given(st.lists(st.sampled_from([*FRENCH, "Zorg", "42", "."]), min_size=1, max_size=7))
def test_pieces_cover_the_text_each_once_and_rest_on_a_pair_that_has_them(rung: PhraseRung, words: list[str]) -> None:
    text = " ".join(words)
    for answer in rung.translations(text, 4):
        pieces = [each for each in answer.evidence if isinstance(each, Piece)]
        assert len(pieces) == len(answer.evidence)
        places = sorted((each.start, each.stop) for each in pieces)
        assert "".join(text[start:stop] for start, stop in places).replace(" ", "") == text.replace(" ", "")
        assert all(first[1] <= second[0] for first, second in pairwise(places))
        for each in pieces:
            assert text[each.start : each.stop] == each.source
            if each.example is None:
                assert (each.target.lower(), each.probability, each.count) == (each.source.lower(), 0, 0)
            else:
                assert bare(each.source) in bare(each.example.source)
                assert bare(each.target) in bare(each.example.target)
                assert each.count >= 1
                assert 0 < each.probability <= 1
        assert bare("".join(each.target for each in pieces)) == bare(answer.text)


def test_translations_are_different_and_the_first_is_the_same_for_any_number(rung: PhraseRung) -> None:
    found = [each.text for each in rung.translations("le chien grand aime la maison.", 5)]
    assert len(set(found)) == len(found) > 1
    assert [each.text for each in rung.translations("le chien grand aime la maison.", 1)] == found[:1]


def test_names_and_numbers_are_left_as_they_are(rung: PhraseRung) -> None:
    (best,) = rung.translations("Zorg voit le chien 42.", 1)
    assert "Zorg" in best.text
    assert "42" in best.text


@pytest.mark.parametrize("text", ["Zorg", "xyzzy plugh", "Zorg xyzzy le", "猫は寝る"])
def test_where_most_words_are_unknown_nothing_is_said(rung: PhraseRung, text: str) -> None:
    assert rung.translations(text, 5) == []


def test_languages_that_are_not_aligned_are_named_with_what_aligns_them(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, [("the cat", "le chat")])
        with pytest.raises(InputError, match="corpusdb align --lang fra,eng"):
            opened(store)


def test_without_a_single_link_nothing_is_said(tmp_path: Path) -> None:
    with aligned(tmp_path, 20) as store:
        with store.write() as connection:
            connection.execute("update alignment set links = x'01'")
        assert opened(store).translations("le chien aime Tom.", 3) == []


def test_links_of_other_tokens_are_not_read(tmp_path: Path) -> None:
    with aligned(tmp_path, 20) as store:
        with store.write() as connection:
            connection.execute(
                "update alignment set tokens_digest = x'00' where sentence = (select max(sentence) from alignment)"
            )
        with pytest.raises(DatabaseDamaged, match="other tokens"):
            opened(store)


@pytest.mark.parametrize("links", ["", "00", "03", "0100", "016060"])
def test_damaged_links_are_told(tmp_path: Path, links: str) -> None:
    with aligned(tmp_path, 20) as store:
        with store.write() as connection:
            connection.execute("update alignment set links = ?", (bytes.fromhex(links),))
        with pytest.raises(DatabaseDamaged, match="corpusdb check --repair"):
            opened(store)


def test_only_pairs_of_some_sentences_are_learned_from(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, [("the cat sees Tom", "le chat voit Tom"), ("the dog sees Tom", "le chien voit Tom")] * 2)
        finished(align_languages(store, "fra", "eng"))
        (cat,) = store.connection.execute("select id from sentence where text = 'le chat voit Tom'").fetchone()
        within = opened(store, within=np.array([cat]))
        assert [each.text for each in within.translations("chat", 1)] == ["cat"]
        assert within.translations("chien", 1) == []
        with pytest.raises(InputError, match="nothing that was chosen"):
            opened(store, within=np.array([10_000]))


def test_a_ladder_has_the_rung_where_the_pair_is_aligned_and_says_so_where_not(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, drawn_pairs(random.Random(1), 80))
        assert "corpusdb align" in finished(Translator.open(store, "fra", "eng")).missing["phrases"]
        with pytest.raises(MethodNotReady, match="corpusdb align"):
            finished(Translator.open(store, "fra", "eng", ("phrases",)))
        finished(align_languages(store, "fra", "eng"))
        (answer,) = finished(Translator.open(store, "fra", "eng", ("phrases",))).translate("le chat voit Tom Zorg", 1)
        assert answer.rung == "phrases"
        (told,) = (line for line in evidence_lines("", answer) if line.startswith("Zorg"))
        assert told == "Zorg = Zorg  (left as it is)"


def test_what_was_found_once_was_found_1_time() -> None:
    piece = Piece(0, 1, "a", "b", 0.5, 1, TranslationExample(7, "a", "b"))
    found = [ExampleTranslation("b", "phrases", 0.5, 1, (piece, replace(piece, count=2)))]
    assert [line for each in found for line in evidence_lines("a", each)] == [
        "a = b  0.50  1 time  #7  a = b",
        "a = b  0.50  2 times  #7  a = b",
    ]


@pytest.mark.slow
def test_a_long_text_is_translated_whole(rung: PhraseRung) -> None:
    text = " ".join(["le chien aime la maison ."] * 40)
    (best,) = rung.translations(text, 1)
    assert best.text.count(".") == 40


def test_japanese_is_translated_by_the_tokens_of_its_model(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, JAPANESE * 3, ("eng", "jpn"))
        finished(align_languages(store, "jpn", "eng"))
        (english,) = opened(store, "jpn", "eng").translations("彼はパンを食べた。", 1)
        assert english.text.startswith(("He", "Bread"))
        assert "bread" in english.text.lower()
        (japanese,) = opened(store, "eng", "jpn").translations("She read an apple.", 1)
        assert "りんご" in japanese.text
        assert " " not in japanese.text


# Models of words: what the decoder is told is what the models of characters say of the whole text.


LETTERS = "abcde"
UNSEEN = 7
texts = st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=8)


@given(texts, st.text(f"{LETTERS}z", max_size=7), st.integers(1, 5), st.sampled_from(["wb", "mkn"]))
def test_a_text_word_by_word_costs_what_it_costs_as_a_whole(
    training: list[str], text: str, order: int, smoothing: str
) -> None:
    """Every letter stands for a word; one that was never seen is unknown to both."""
    model = model_of(train(training, Alphabet.of(training), order), smoothing)
    measured = text_bits([model], [text])
    expected = -np.log(2) * float(measured.bits[0, 0] + measured.end_bits[0, 0])
    numbers = np.array([LETTERS.index(letter) for each in training for letter in each], dtype=np.int32)
    lengths = np.array(list(map(len, training)), dtype=np.int64)
    words = [LETTERS.index(letter) if letter in LETTERS else UNSEEN for letter in text]
    of_sentence = TargetWordModel(numbers, lengths, order, smoothing).for_words(words)
    total, state = 0.0, of_sentence.start
    for word in words:
        score, state = of_sentence.follow(state, word)
        total += score
    assert total + of_sentence.end(state) == pytest.approx(expected, rel=1e-5)


def test_a_word_may_be_asked_for_with_nothing_before_it() -> None:
    model = TargetWordModel(np.array([0, 1, 0], dtype=np.int32), np.array([2, 1]), 3, "wb").for_words([0, 1])
    alone, _ = model.follow(-1, 0)
    assert np.exp(alone) == pytest.approx((2 + 3 / 4) / (5 + 3), rel=1e-6)  # 0, 1, 0 and two ends, of four events
