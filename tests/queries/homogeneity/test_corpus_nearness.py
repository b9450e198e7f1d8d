"""How far a test set stands from the corpus: that nothing is measured by a model of itself, and what is found in news
and in held-out sentences beside Tatoeba."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from corpora import data_folder, import_rows, new_store, tatoeba

from corpusdb.base.charlm.costs import folds_of, text_bits
from corpusdb.base.charlm.counts import Alphabet, train
from corpusdb.base.charlm.smoothing import model_of
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.likeness import corpus_nearness, nearness_note
from corpusdb.homogeneity.similarity import Nearness

WORDS = ("cat", "dog", "bird", "tree", "house", "sees", "eats", "likes", "the", "a", "red", "old")


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(12))


def filled(store: Store, count: int = 1500) -> list[str]:
    rng = random.Random(1)
    texts = list(dict.fromkeys(sentence(rng) for _ in range(count)))
    import_rows(store, [(text, f"fra {number}") for number, text in enumerate(texts)])
    return texts


def known(store: Store, texts: list[str]) -> Nearness:
    found = finished(corpus_nearness(store, "eng", texts))
    assert found is not None
    return found


def test_each_line_is_measured_by_a_model_of_the_other_folds(empty: Store) -> None:
    """As one computes it fold by fold, also for lines that stand in the corpus."""
    corpus = filled(empty)
    rng = random.Random(2)
    texts = (
        [sentence(rng) for _ in range(40)] + corpus[:10] + ["Zebras!", "zebras!"]
    )  # which are the same in lower case
    lines = texts[:-1]
    lines[-1] = "zebras!"
    folds, alphabet, bits = folds_of(lines), Alphabet.of(corpus), 0.0
    of_corpus = folds_of(corpus)
    for line, fold in zip(lines, folds.tolist(), strict=True):
        others = [text for text, own in zip(corpus, of_corpus.tolist(), strict=True) if own != fold]
        bits += float(text_bits([model_of(train(others, alphabet, 6), "mkn")], [line]).bits[0, 0])
    found = known(empty, texts)
    assert found.characters == sum(map(len, lines))
    assert found.bits == pytest.approx(bits / found.characters, rel=1e-12)


def test_sentences_of_the_same_kind_are_near_and_others_far(empty: Store) -> None:
    corpus = filled(empty)
    rng = random.Random(3)
    near = known(empty, [sentence(rng) for _ in range(40)])
    again = known(empty, corpus[:40])
    far = known(empty, [sentence(rng)[::-1] for _ in range(40)])
    assert (near.is_far, again.is_far, far.is_far) == (False, False, True)
    assert again.bits == pytest.approx(near.bits, rel=0.1)  # that they stand in the corpus gains them nothing
    assert (nearness_note(near, "eng"), nearness_note(None, "eng")) == (None, None)
    note = nearness_note(far, "eng") or ""
    assert f"{far.bits:.2f} bits" in note and f"{far.low:.2f} to {far.high:.2f}" in note


def test_of_little_text_nothing_is_said(empty: Store) -> None:
    filled(empty, 1500)
    assert finished(corpus_nearness(empty, "eng", ["One sentence."])) is None
    assert finished(corpus_nearness(empty, "eng", [])) is None
    assert finished(corpus_nearness(empty, "deu", ["ein langer satz und " * 100])) is None


ALL = 100_000


def is_held_out(text: str) -> bool:
    return crc32(text.encode()) % 25 == 0


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Tatoeba in English and Japanese, without the sentences that are held out."""
    with new_store(tmp_path_factory.mktemp("near")) as made:
        import_rows(made, [row for row in tatoeba("jpn", 0, ALL) if not is_held_out(row[0])], ("eng", "jpn"))
        yield made


NEWS = (("eng", "wmt21-jaen/ref.A.en"), ("eng", "wmt23-enja/source.en"), ("jpn", "wmt23-enja/ref.A.ja"))


@pytest.mark.data
@pytest.mark.parametrize(("language", "file"), NEWS)
def test_news_stands_far_from_tatoeba(corpus: Store, language: str, file: str) -> None:
    folder, name = file.split("/")
    found = finished(corpus_nearness(corpus, language, (data_folder(folder) / name).read_text("utf-8").split("\n")))
    assert found is not None and found.is_far and found.dearer == 0


@pytest.mark.data
@pytest.mark.parametrize(("language", "column"), [("eng", 0), ("jpn", 1)])
def test_held_out_sentences_stand_near(corpus: Store, language: str, column: int) -> None:
    stored = {row[0] for row in corpus.connection.execute("select text from sentence")}
    held_out = [row[column] for row in tatoeba("jpn", 0, ALL) if row[column] not in stored]
    rng = np.random.default_rng(1)
    for _ in range(5):
        texts = [held_out[place] for place in rng.choice(len(held_out), min(300, len(held_out)), replace=False)]
        found = finished(corpus_nearness(corpus, language, texts))
        assert found is not None and not found.is_far and 0.1 < found.dearer < 0.9


@pytest.mark.data
def test_business_dialogues_stand_far_from_tatoeba_and_near_each_other(corpus: Store, tmp_path: Path) -> None:
    texts = {
        part: [
            line.split("\t")[6]
            for line in (data_folder("dialogue-bsd") / f"{part}.tsv").read_text("utf-8").splitlines()[1:]
        ]
        for part in ("dev", "test")
    }
    apart = finished(corpus_nearness(corpus, "eng", texts["test"]))
    other = new_store(tmp_path)
    with other:
        import_rows(other, [(text, f"{number}") for number, text in enumerate(texts["dev"])])
        beside = finished(corpus_nearness(other, "eng", texts["test"]))
    assert apart is not None and apart.is_far
    assert beside is not None and not beside.is_far
