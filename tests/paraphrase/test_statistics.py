"""Tests of corpusdb/paraphrase/queries/statistics.py, against values counted by hand and by the standard library."""

from __future__ import annotations

import json
import statistics as standard
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from corpora import generated_store

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.model import GenerationCounts
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.paraphrase.queries.statistics import SeedsOfLength, corpus_statistics, generation_counts
from corpusdb.paraphrase.report import corpus_tables

PAIRS = [
    ("A beer, please.", "Une bière."),
    ("Can I have a beer?", "Une bière."),
    ("I'd like a beer, please.", "Je veux une bière."),
    ("A coffee, please.", "Un café."),
    ("I'd like a coffee, please.", "Je veux un café."),
    ("A tea, please.", "Un thé."),
    ("I'd like a tea, please.", "Je veux un thé."),
    ("Can I have a tea?", "Un thé."),
    ("Thank you.", "Merci."),
    ("Thanks.", "Merci."),
    ("Thank you so much.", "Merci beaucoup."),
    ("Good morning.", "Bonjour."),
]
ENGLISH = [english for english, _ in PAIRS]


def corpus(folder: Path, pairs: list[tuple[str, str]], languages: tuple[str, str] = ("eng", "fra")) -> Store:
    file = folder / "phrases.tsv"
    file.write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    checked = finished(check_source(open_source("tsv", [file], Options(languages=languages, header="no"))))
    store = open_store(folder / "corpus.db", create=True)
    finished(import_source(store, checked, "phrases"))
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A dozen sentences with what is generated from them.

    By hand: a beer, a tea and a coffee commute. From "A beer, please." comes "Can I have a beer?" and back, the same
    for tea, each from one B' and the two other contexts that beer and tea share. From "A coffee, please." comes "Can I
    have a coffee?" by way of beer and of tea, with one other context each; it is not in the corpus, and as no sentence
    there has "e?", its order is 1.
    """
    with generated_store(tmp_path, PAIRS) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize(
    ("order", "sentences", "expected"),
    [
        (20, None, GenerationCounts(5, 10, 5, 4, 4, 4, 0)),
        (2, None, GenerationCounts(5, 10, 5, 4, 4, 4, 0)),
        (1, None, GenerationCounts(5, 10, 5, 5, 5, 5, 1)),
        (0, None, GenerationCounts(5, 10, 5, 5, 5, 5, 1)),
        (1, ["A coffee, please."], GenerationCounts(1, 2, 1, 1, 1, 1, 1)),
        (20, ["A coffee, please."], GenerationCounts(1, 2, 1, 0, 0, 0, 0)),
        (20, ["A tea, please.", " A tea, please. ", "A beer, please."], GenerationCounts(2, 4, 2, 2, 2, 2, 0)),
        (20, ["Good morning.", "Not there."], GenerationCounts(0, 0, 0, 0, 0, 0, 0)),
        (20, [], GenerationCounts(0, 0, 0, 0, 0, 0, 0)),
    ],
)
def test_generation_counts(store: Store, order: int, sentences: list[str] | None, expected: GenerationCounts) -> None:
    assert generation_counts(store, "eng", NSequenceFilter(order), sentences) == expected


def test_other_languages_are_not_counted(store: Store) -> None:
    assert generation_counts(store, "fra") == GenerationCounts(0, 0, 0, 0, 0, 0, 0)


def test_one_text_for_two_seeds_is_distinct_once(store: Store) -> None:
    store.connection.execute("update candidate set text = 'Thanks.', fluency = 30")
    kept = NSequenceFilter(20)
    assert generation_counts(store, "eng", kept) == GenerationCounts(5, 10, 5, 5, 5, 1, 0)
    store.connection.execute("update candidate set text = 'Merci.'")
    assert generation_counts(store, "eng", kept).novel == 1, "it is a sentence, but of another language"


def test_marks_choose_the_order_that_counts(store: Store) -> None:
    store.connection.execute("update candidate set fluency = 3, inner_fluency = 7")
    for order, marks, kept in ((3, True, 5), (4, True, 0), (7, False, 5), (8, False, 0)):
        assert generation_counts(store, "eng", NSequenceFilter(order, marks)).kept == kept
        found = corpus_statistics(store, "eng", NSequenceFilter(order, marks))
        assert found.generated.counts.kept == kept
        assert found.orders == (((3 if marks else 7), 5),)


def test_tables_1_and_2(store: Store) -> None:
    found = corpus_statistics(store, "eng", NSequenceFilter(1))
    kept = ["Can I have a beer?", "A beer, please.", "Can I have a coffee?", "Can I have a tea?", "A tea, please."]
    for sizes, texts in ((found.corpus, ENGLISH), (found.paraphrases, kept)):
        characters, words = [len(text) for text in texts], [len(text.split()) for text in texts]
        assert sizes.texts == len(texts)
        assert sizes.characters == pytest.approx(standard.mean(characters))
        assert sizes.characters_deviation == pytest.approx(standard.pstdev(characters))
        assert sizes.words == pytest.approx(standard.mean(words))
        assert sizes.words_deviation == pytest.approx(standard.pstdev(words))


def test_section_5_and_figure_1(store: Store) -> None:
    found = corpus_statistics(store, "eng", NSequenceFilter(1))
    assert tuple(asdict(found.detected).values()) == (6, 12, 1.0, 0, 1, "A beer, please.")
    assert found.generated.counts == generation_counts(store, "eng", NSequenceFilter(1))
    assert (found.generated.average, found.generated.deviation) == (1.0, 0.0)
    assert found.seeds_by_paraphrases == ((1, 5),)
    assert found.paraphrases_by_length == (SeedsOfLength(3, 3, 1.0, 1), SeedsOfLength(5, 2, 1.0, 1))
    assert (found.orders, found.unlimited) == (((1, 1),), 4)


def test_seeds_with_several_paraphrases(store: Store) -> None:
    seed = store.connection.execute("select id from seed where text = 'A tea, please.'").fetchone()[0]
    for text in ("Tea.", "Tea, please.", "Some tea."):
        row = (seed, text, NO_LIMIT, NO_LIMIT)
        store.connection.execute(
            "insert into candidate (seed, text, frequency, pivots, languages, probability, fluency, inner_fluency, run)"
            " values (?, ?, 1, 1, 1, 0.5, ?, ?, 1)", row)  # fmt: skip
    found = corpus_statistics(store, "eng", NSequenceFilter(1))
    counts = [1, 1, 1, 1, 4]
    assert found.generated.average == pytest.approx(standard.mean(counts))
    assert found.generated.deviation == pytest.approx(standard.pstdev(counts))
    assert found.seeds_by_paraphrases == ((1, 4), (4, 1))
    assert found.paraphrases_by_length[0] == SeedsOfLength(3, 3, 2.0, 4)


@pytest.mark.slow
def test_many_paraphrases_of_one_translation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """102 sentences with one translation have 101 paraphrases each, and so are those with more than 100."""
    monkeypatch.setattr("corpusdb.paraphrase.queries.detection.MAX_SHARING", 102)
    with corpus(tmp_path, [(f"Yes, {number}.", "Oui.") for number in range(102)] + PAIRS) as store:
        finished(generate(store, "eng"))
        detected = corpus_statistics(store, "eng").detected
    pairs = 102 * 101 + 6
    assert tuple(asdict(detected).values()) == (108, 114, pytest.approx(pairs / 108), 102, 101, "Yes, 0.")


def test_words_of_an_undelimited_script_are_characters(tmp_path: Path) -> None:
    with corpus(tmp_path, [("ビール。", "Beer."), ("お茶をください。", "Tea, please.")], ("jpn", "eng")) as store:
        sizes = corpus_statistics(store, "jpn").corpus
    assert (sizes.texts, sizes.characters) == (2, 6.0)
    assert sizes.words == 5.0  # 3 and 7: the marks at the end are no words


def test_a_corpus_without_anything_derived(tmp_path: Path) -> None:
    with corpus(tmp_path, PAIRS) as store:
        found = corpus_statistics(store, "fra")
    assert tuple(asdict(found.detected).values()) == (0, 9, 0.0, 0, 0, None)
    assert asdict(found.paraphrases) == dict.fromkeys(asdict(found.paraphrases), 0)
    assert "none" in corpus_tables(found)


@pytest.mark.parametrize(("language", "order", "error"), [("deu", 20, InputError), ("eng", -1, UsageError)])
def test_what_cannot_be_counted(store: Store, language: str, order: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        corpus_statistics(store, language, NSequenceFilter(order))


def test_it_can_be_written_as_json(store: Store) -> None:
    read = json.loads(json.dumps(asdict(corpus_statistics(store, "eng"))))
    assert read["generated"]["counts"]["analogies"] == 10
    assert read["orders"] == [[1, 1]]


def test_the_report_has_the_numbers(store: Store) -> None:
    report = corpus_tables(corpus_statistics(store, "eng", NSequenceFilter(1)))
    characters = f"{standard.mean(map(len, ENGLISH)):.2f} +- {standard.pstdev(map(len, ENGLISH)):.2f}"
    for expected in ("Table 1", "Table 2", "Figure 1, left", "N = 1", characters, "of: A beer, please."):
        assert expected in report
    rows = [line.split() for line in report.splitlines()]
    assert ["sentences", "with", "a", "paraphrase", "6", "26,079"] in rows
    assert rows.count(["of", "12", "97,769"]) == 2
    assert ["real", "pairs,", "all", "origins", "5", "-"] in rows
    assert ["seeds", "of", "these", "5", "-"] in rows
    assert ["two", "words", "or", "more", "changed", "5", "-"] in rows
    left = report.split("Figure 1, left")[1].split("\n\n")[0].splitlines()[1:]
    assert left == ["  1  5  " + "#" * 72]


def test_the_report_has_the_numbers_of_the_paper_beside(store: Store) -> None:
    """As printed by Lepage and Denoual (2005), Tables 1 and 2 and section 5."""
    report = corpus_tables(corpus_statistics(store, "eng"))
    rows = [" ".join(line.split()) for line in report.splitlines()]
    for published in (
        *("paper 97,769 35.14 +- 18.81 6.86 +- 3.57", "paper 42,249 33.15 +- 9.31 6.44 +- 1.90"),
        *("5.35", "60", "529", "4,495,266", "16,153", "147,708", "8.65 +- 16.98", "42,249"),
    ):
        assert any(row.endswith(published) for row in rows), published
    assert any("BLEU and NIST within a set are 0.11 and 0.39 in the paper" in row for row in rows)
    assert "a seed that its own analogies give again is no candidate" in " ".join(rows)


def test_the_report_fits_80_columns_and_is_safe(store: Store) -> None:
    store.connection.execute(
        "update sentence set text = text || ? where text = 'A beer, please.'", ("麦酒\x1b[31m" * 40,)
    )
    store.connection.execute("update candidate set fluency = id * 9, text = text || ' again' || id")
    report = corpus_tables(corpus_statistics(store, "eng", NSequenceFilter(0)))
    for line in report.splitlines():
        assert sum(2 if character in "麦酒" else 1 for character in line) <= 80
    assert "\x1b" not in report
    assert report.replace("麦", "").replace("酒", "").replace("\N{REPLACEMENT CHARACTER}", "").isascii()
    assert max(map(len, report.splitlines())) == 80, "the longest bar ends at the last column"
