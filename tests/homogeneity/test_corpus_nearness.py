"""How far a test set stands from the corpus, and that every command says so."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from calls import Run, write_files
from corpora import data_folder, import_rows, new_store, tatoeba

from corpusdb.base.char_model_counts import Alphabet, train
from corpusdb.base.char_model_probabilities import folds_of, model_of, text_bits
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.base.options import format_share
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries import likeness as queries_likeness
from corpusdb.homogeneity.queries.likeness import corpus_nearness, nearness_note
from corpusdb.homogeneity.similarity import Nearness

# How far a test set stands from the corpus: that nothing is measured by a model of itself, and what is found in news
# and in held-out sentences beside Tatoeba.


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
def corpus_nearness_corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Tatoeba in English and Japanese, without the sentences that are held out."""
    with new_store(tmp_path_factory.mktemp("near")) as made:
        import_rows(made, [row for row in tatoeba("jpn", 0, ALL) if not is_held_out(row[0])], ("eng", "jpn"))
        yield made


NEWS = (("eng", "wmt21-jaen/ref.A.en"), ("eng", "wmt23-enja/source.en"), ("jpn", "wmt23-enja/ref.A.ja"))


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(("language", "file"), NEWS)
def test_news_stands_far_from_tatoeba(corpus_nearness_corpus: Store, language: str, file: str) -> None:
    folder, name = file.split("/")
    found = finished(
        corpus_nearness(corpus_nearness_corpus, language, (data_folder(folder) / name).read_text("utf-8").split("\n"))
    )
    assert found is not None and found.is_far and found.dearer == 0


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(("language", "column"), [("eng", 0), ("jpn", 1)])
def test_held_out_sentences_stand_near(corpus_nearness_corpus: Store, language: str, column: int) -> None:
    stored = {row[0] for row in corpus_nearness_corpus.connection.execute("select text from sentence")}
    held_out = [row[column] for row in tatoeba("jpn", 0, ALL) if row[column] not in stored]
    rng = np.random.default_rng(1)
    for _ in range(2):
        texts = [held_out[place] for place in rng.choice(len(held_out), min(300, len(held_out)), replace=False)]
        found = finished(corpus_nearness(corpus_nearness_corpus, language, texts))
        assert found is not None and not found.is_far and 0.1 < found.dearer < 0.9


@pytest.mark.data
@pytest.mark.slow
def test_business_dialogues_stand_far_from_tatoeba_and_near_each_other(
    corpus_nearness_corpus: Store, tmp_path: Path
) -> None:
    texts = {
        part: [
            line.split("\t")[6]
            for line in (data_folder("dialogue-bsd") / f"{part}.tsv").read_text("utf-8").splitlines()[1:]
        ]
        for part in ("dev", "test")
    }
    apart = finished(corpus_nearness(corpus_nearness_corpus, "eng", texts["test"]))
    other = new_store(tmp_path)
    with other:
        import_rows(other, [(text, f"{number}") for number, text in enumerate(texts["dev"])])
        beside = finished(corpus_nearness(other, "eng", texts["test"]))
    assert apart is not None and apart.is_far
    assert beside is not None and not beside.is_far


# A test set that stands far from the corpus: every command says so, and what is expected of the references.

FILES = {
    "ref.en": ("A slice of pizza, please.", "Nobody has ever written that."),
    "a.txt": ("Can I have a slice of pizza?", "x"),
    "b.txt": ("A pizza.", "Nobody has written that."),
}
REFERENCES = ("--ref", "ref.en", "--ref-from", "corpus", "-N", "0")
FAR = "the test set is far from the corpus that made its references: 9.00 bits per character"


def standing(monkeypatch: pytest.MonkeyPatch, bits: float) -> None:
    """Every test set costs so many bits, and 95 % of the documents of the corpus 1 to 2."""

    def found(store: Store, language: str, texts: Sequence[str]) -> Job[Nearness | None]:
        yield Progress("measuring", 0, 0)
        return Nearness(bits, 1.0, 2.0, 1.5, 0.0, 40, 1000, 1000)

    monkeypatch.setattr(queries_likeness, "corpus_nearness", found)


@pytest.fixture
def far(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    standing(monkeypatch, 9.0)
    return tmp_path


CALLS = (
    ("score", "a.txt", *REFERENCES),
    ("score", "a.txt", *REFERENCES, "--json"),
    ("references", *REFERENCES, "-o", "out"),
    ("references", *REFERENCES, "-o", "out", "--json"),
    ("compare", "a.txt", "b.txt", *REFERENCES),
    ("compare", "a.txt", "b.txt", *REFERENCES, "--section", "ngrams"),
    ("compare", "a.txt", "b.txt", *REFERENCES, "--json"),
    ("compare", "a.txt", "b.txt", *REFERENCES, "--format", "csv"),
)


@pytest.mark.slow
@pytest.mark.parametrize("words", CALLS)
def test_all_say_the_same_of_a_set_that_is_far(run: Run, far: Path, words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    told = result.stdout + result.stderr
    assert (told.count(FAR), told.count("are expected to hold")) == (1, 1)
    if "--json" in words:
        found = json.loads(result.stdout)
        document = found[0] if isinstance(found, list) else found
        assert document["corpus"]["far"]
        assert "validity" not in document or 0 < document["validity"] <= 1
        assert all(each is None or 0 < each <= 1 for each in document.get("validities", ()))


@pytest.mark.parametrize("words", CALLS)
def test_all_say_the_same_of_a_set_that_is_near(
    run: Run, far: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    standing(monkeypatch, 1.5)
    result = run(*words)
    told = result.stdout + result.stderr
    assert (told.count("are expected to hold"), "is far from" in told) == (1, False)


def test_stored_scores_are_compared_alike(run: Run, far: Path) -> None:
    assert run("score", "a.txt", "b.txt", *REFERENCES, "--store").exit_code == 0
    result = run("compare", "a", "b")
    assert (FAR in result.stderr, "are expected to hold" in result.stdout) == (True, True), result.stderr


def test_of_references_that_are_generated_for_outputs_as_much_is_expected_far_away(run: Run, far: Path) -> None:
    guide = ("generate", "--lang", "eng", "-N", "0", "--for", "a.txt", "b.txt", "--ref", "ref.en", "--dry-run")
    result = run(*guide)
    assert result.exit_code == 0, result.stderr
    assert FAR in result.stderr
    document = json.loads(run(*guide, "--json").stdout)
    assert document["corpus"]["far"] and 0 < document["validity"] <= 1
    assert format_share(document["validity"]) in result.stdout


@pytest.mark.parametrize(("bits", "stands"), [(9.0, "far"), (1.5, "near")])
def test_the_files_of_a_set_say_it_themselves(
    run: Run, far: Path, monkeypatch: pytest.MonkeyPatch, bits: float, stands: str
) -> None:
    """A colleague who gets the files has not seen the line, and filters by the validity."""
    standing(monkeypatch, bits)
    for chosen in ("sacrebleu", "tsv", "jsonl"):
        result = run("references", *REFERENCES, "--format", chosen, "-o", chosen)
        assert result.exit_code == 0, result.stderr
    header, *rows = (far / "sacrebleu" / "provenance.tsv").read_text(encoding="utf-8").splitlines()
    assert header == "segment\trank\torigin\tvalidity\tcorpus\tchange"
    assert {row.split("\t")[-2] for row in rows} == {stands}
    header, *rows = (far / "tsv" / "references.tsv").read_text(encoding="utf-8").splitlines()
    assert header.split("\t")[-4:] == ["origin", "validity", "corpus", "change"]
    assert {row.split("\t")[-2] for row in rows} == {stands}
    units = [json.loads(line) for line in (far / "jsonl" / "references.jsonl").read_text("utf-8").splitlines()]
    assert [unit["corpus"] for unit in units] == [stands, stands]
    column = [row.split("\t")[-3] for row in rows]
    assert any(column), "what is far from the corpus can be sorted by validity, too"
    provenance = (far / "sacrebleu" / "provenance.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert any(row.split("\t")[-3] for row in provenance)
    assert '"validity":[null,0.' in (far / "jsonl" / "references.jsonl").read_text("utf-8")
    # They are read as before.
    digests = {run("verify", "--ref", chosen).stdout.split("\n")[0] for chosen in ("sacrebleu", "tsv", "jsonl")}
    assert len(digests) == 1


@pytest.mark.parametrize("words", [("score", "a.txt"), ("references", "-o", "out")])
def test_it_explains_why_nothing_is_added(run: Run, far: Path, words: tuple[str, ...]) -> None:
    (far / "none.en").write_text("Nobody has ever written that.\n" * 2, encoding="utf-8")
    result = run(*words, "--ref", "none.en", "--ref-from", "corpus")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("the test set is far from the corpus, which adds nothing to it: 9.00 bits") == 1
    assert result.stderr.count("is far from") == 1
