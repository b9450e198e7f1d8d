"""The variation of reference sets, counted by hand and as it stands in the database."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

import pytest
from calls import Run, document
from corpora import generated_store, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval
from corpusdb.base.text import lower_words, usual_words
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats.records import ReferenceSet, exact_digest
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.differences import changed_words
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.scoring.metric_settings import Signature, Smoothing
from corpusdb.studies.queries.reference_sets import (
    Mean,
    Measuring,
    ParaphraseSet,
    Scoring,
    SeedVariation,
    SetSelection,
    figure_2,
    generated_sets,
    hand_made_sets,
    leave_one_out,
    seed_variation,
    variation_report,
)

# The variation of reference sets against counts by hand, sacrebleu and what must hold of any sets.


Sample: TypeAlias = tuple[list[str], list[list[str]]]

PLAIN = Scoring(str.split)
EFFECTIVE = Scoring(str.split, smoothing=Smoothing(effective=True))

sentences = st.lists(st.sampled_from("abc"), min_size=1, max_size=7).map(" ".join)
paraphrase_sets = st.lists(
    st.builds(ParaphraseSet, sentences, st.lists(sentences, min_size=1, max_size=4).map(tuple)), min_size=1, max_size=5
)


def test_the_paraphrases_of_a_seed_are_one_test_set() -> None:
    """Of all their n-grams, 10 of 10, 5 of 8, 3 of 6 and 2 of 4 are those of the seed; there is no penalty."""
    (found,) = seed_variation([ParaphraseSet("a b c d e", ("a b c d e", "a c b d e"))], PLAIN)
    matched = (10 / 10) * ((4 + 1) / 8) * (3 / 6) * (2 / 4)
    assert found.bleu == pytest.approx(matched**0.25, rel=1e-12)
    assert (found.length, found.paraphrases) == (5, 2)


def test_the_weights_of_a_single_seed_make_all_its_words_weigh_the_same() -> None:
    """The five words weigh log2 5 each and their sequences nothing; a sentence with four of five words has 4/5."""
    (found,) = seed_variation([ParaphraseSet("a b c d e", ("a b c d x",))], PLAIN)
    assert found.nist == pytest.approx(4 / 5, rel=1e-12)


@pytest.mark.parametrize("scoring", [PLAIN, EFFECTIVE])
def test_identical_sentences_do_not_vary(scoring: Scoring) -> None:
    same = [ParaphraseSet("a b c d", ("a b c d",) * 3), ParaphraseSet("e f g h i", ("e f g h i",))]
    assert [(each.bleu, each.nist) for each in seed_variation(same, scoring)] == [pytest.approx((1, 1))] * 2
    found = leave_one_out(same, scoring, draws=3, samples=5, seed=1)
    assert (found.bleu, found.nist) == pytest.approx((1, 1))
    assert (found.bleu_interval.low, found.bleu_interval.high) == pytest.approx((1, 1))


def test_bleu_of_a_sentence_that_is_shorter_than_the_order() -> None:
    short = [ParaphraseSet("a b c", ("a b c",))]
    assert leave_one_out(short, PLAIN, seed=1).bleu == 0
    assert leave_one_out(short, EFFECTIVE, seed=1).bleu == pytest.approx(1)
    assert leave_one_out(short, PLAIN, seed=1).nist == pytest.approx(1)


def test_sets_without_a_common_word_score_0() -> None:
    found = leave_one_out([ParaphraseSet("a b c d", ("e f g h", "i j k l"))], PLAIN, seed=1)
    assert (found.bleu, found.bleu_interval, found.nist) == (0, Interval(0, 0), 0)
    assert (found.sets, found.sentences) == (1, 3)


@pytest.mark.slow
def test_many_draws_come_to_the_mean_over_all_pairs() -> None:
    """Of two sentences either is left out half of the time, of three each a third; the mean is over evaluations."""
    sets = [ParaphraseSet("a b c d e", ("a b c d x y",)), ParaphraseSet("a b c d", ("a b c d e f", "b c d e f"))]

    def bleu(one: str, other: str) -> float:
        return seed_variation([ParaphraseSet(other, (one,))], PLAIN)[0].bleu

    pairs = [list(permutations((each.seed, *each.paraphrases), 2)) for each in sets]
    # In a draw the first set has one evaluation and the second two.
    exact = fmean([fmean(bleu(*pair) for pair in pairs[0]), *[fmean(bleu(*pair) for pair in pairs[1])] * 2])
    assert leave_one_out(sets, PLAIN, draws=2000, samples=1, seed=1).bleu == pytest.approx(exact, abs=0.01)


@given(paraphrase_sets, st.integers(0, 9))
def test_scores_are_in_range_and_do_not_depend_on_the_order_of_paraphrases(
    sets: list[ParaphraseSet], seed: int
) -> None:
    found = seed_variation(sets, PLAIN)
    turned = [ParaphraseSet(each.seed, each.paraphrases[::-1]) for each in sets]
    assert [each.bleu for each in found] == pytest.approx([each.bleu for each in seed_variation(turned, PLAIN)])
    assert [each.nist for each in found] == pytest.approx([each.nist for each in seed_variation(turned, PLAIN)])
    assert all(0 <= each.bleu <= 1 + 1e-12 and each.nist >= 0 for each in found)
    table = leave_one_out(sets, PLAIN, draws=2, samples=10, seed=seed)
    assert 0 <= table.bleu_interval.low <= table.bleu_interval.high <= 1 + 1e-12
    assert table == leave_one_out(sets, PLAIN, draws=2, samples=10, seed=seed)


def test_the_graphs_are_means_along_the_axis() -> None:
    points = [SeedVariation(3, 1, 0.2, 0.1), SeedVariation(5, 1, 0.6, 0.2), SeedVariation(3, 4, 0.4, 0.6)]
    by_length, nist_by_length, by_number, _ = figure_2(points)
    assert (by_length.measure, by_length.axis) == ("bleu", "length")
    assert by_length.means == (Mean(3, 2, (0.2 + 0.4) / 2), Mean(5, 1, 0.6))
    assert nist_by_length.means == (Mean(3, 2, (0.1 + 0.6) / 2), Mean(5, 1, 0.2))
    assert by_number.means == (Mean(1, 2, (0.2 + 0.6) / 2), Mean(4, 1, 0.4))
    # By hand: x around its mean is -2/3, 4/3, -2/3 and y is -0.2, 0.2, 0.
    assert by_length.pearson == pytest.approx(0.4 / (8 / 3 * 0.08) ** 0.5)
    assert figure_2([points[0]])[0].pearson is None
    assert figure_2([])[0].means == ()


@pytest.mark.parametrize(
    ("sets", "draws", "error"),
    [
        ([], 1, InputError),
        ([ParaphraseSet("a", ())], 1, InputError),
        ([ParaphraseSet(" ", ("a",))], 1, InputError),
        ([ParaphraseSet("a", ("a",))], 0, UsageError),
    ],
)
def test_what_cannot_be_measured(sets: list[ParaphraseSet], draws: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        leave_one_out(sets, PLAIN, draws=draws, seed=1)


@pytest.mark.slow
@pytest.mark.data
def test_descriptions_of_images_score_what_sacrebleu_gives_on_all_pairs(captions: Sample) -> None:
    metric = pytest.importorskip("sacrebleu.metrics").BLEU(smooth_method="none", effective_order=False)
    first, references = captions
    sets = [
        ParaphraseSet(text, tuple(others[:4])) for text, others in zip(first, references, strict=True) if others[3:]
    ][:60]
    pairs = [pair for each in sets for pair in permutations((each.seed, *each.paraphrases), 2)]
    expected = fmean(metric.sentence_score(one, [other]).score / 100 for one, other in pairs)
    found = leave_one_out(sets, Scoring(tokeniser("13a")), draws=200, seed=1)
    assert found.bleu == pytest.approx(expected, abs=0.002)
    assert found.bleu_interval.low < expected < found.bleu_interval.high


# Generated sets as they stand in the database, sets made by hand, and the report on both.


ALL = SetSelection(kept=NO_FILTER, sample=0)


@pytest.fixture
def reference_variation_corpus(tmp_path: Path) -> Iterator[Store]:
    """Small, but with sets of one to many paraphrases and with candidates that N = 3 refuses."""
    with generated_store(tmp_path, random_rows(random.Random(2), 60)) as store:
        yield store


def by_seed(store: Store, order: int, *, marks: bool = True) -> dict[str, set[str]]:
    """The same from all candidates, one by one."""
    found: dict[str, set[str]] = {}
    query = """
        select seed.text, candidate.text, fluency, inner_fluency
        from candidate join seed on seed.id = candidate.seed"""
    for seed, text, fluency, inner in store.connection.execute(query):
        if text != seed and (fluency if marks else inner) >= order:
            found.setdefault(seed, set()).add(text)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("order", [0, 3])
@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("marks", [True, False])
def test_the_sets_are_those_of_the_candidates_kept(
    reference_variation_corpus: Store, order: int, least: int, marks: bool
) -> None:
    wanted = {
        seed: texts
        for seed, texts in by_seed(reference_variation_corpus, order, marks=marks).items()
        if len(texts) >= least
    }
    sets, count = generated_sets(
        reference_variation_corpus, "eng", SetSelection(NSequenceFilter(order, marks), least, 0)
    )
    assert {each.seed: set(each.paraphrases) for each in sets} == wanted
    assert count == len(sets) == len(wanted) > 0
    assert [each.seed for each in sets] == sorted(wanted)
    assert all(len(each.paraphrases) == len(set(each.paraphrases)) for each in sets)


@pytest.mark.slow
def test_a_sample_is_part_of_all_and_the_same_each_time(reference_variation_corpus: Store) -> None:
    every, count = generated_sets(reference_variation_corpus, "eng", ALL)
    some, of = generated_sets(reference_variation_corpus, "eng", SetSelection(kept=NO_FILTER, sample=5, seed=3))
    assert (len(some), of) == (5, count)
    assert set(some) < set(every)
    assert generated_sets(reference_variation_corpus, "eng", SetSelection(kept=NO_FILTER, sample=5, seed=3))[0] == some
    assert generated_sets(reference_variation_corpus, "eng", SetSelection(kept=NO_FILTER, sample=5, seed=4))[0] != some


@pytest.mark.slow
def test_what_resembles_another_one_is_left_out_of_varied_sets(reference_variation_corpus: Store) -> None:
    every, count = generated_sets(reference_variation_corpus, "eng", ALL)
    some, of = generated_sets(reference_variation_corpus, "eng", replace(ALL, varied=True))
    found = {each.seed: each.paraphrases for each in every}
    assert of == count >= len(some) > 0
    for each in some:
        assert set(each.paraphrases) <= set(found[each.seed])
        for one, other in combinations((each.seed, *each.paraphrases), 2):
            words = [usual_words(lower_words(text), "eng") for text in (one, other)]
            assert changed_words(*words) > max(map(len, words)) / 4
    assert sum(len(each.paraphrases) for each in some) < sum(len(each.paraphrases) for each in every)


def test_without_generated_sets_the_command_that_makes_them_is_told(empty: Store) -> None:
    with pytest.raises(InputError, match="corpusdb generate --lang eng"):
        generated_sets(empty, "eng", ALL)


def test_sets_made_by_hand_are_shuffled_and_need_two_references() -> None:
    segments = [["a", "b", "c"], ["only"], ["d", "d"]] * 20
    sets, count = hand_made_sets(segments)
    assert count == len(sets) == 40
    assert {each.seed for each in sets} == {"a", "b", "c", "d"}
    assert all(sorted((each.seed, *each.paraphrases)) in (["a", "b", "c"], ["d", "d"]) for each in sets)
    some, of = hand_made_sets(segments, sample=7)
    assert (len(some), of) == (7, 40)


def test_the_report_names_the_sets_and_how_they_were_scored() -> None:
    sets = [ParaphraseSet("a b c", ("a b c", "A b c"))]
    report = variation_report("made", sets, 9, Measuring(tokenisation="none", lowercase=True, effective=True, seed=7))
    assert (report.name, report.sets, report.of, report.paraphrases) == ("made", 1, 9, 2)
    assert report.table_7.bleu == pytest.approx(1)
    told = Signature.parse(report.bleu_signature)
    assert (told.metric, told.order, told.case, told.tokenisation, told.seed) == ("bleu", 4, "lc", "none", 7)
    assert told.smoothing == "none+effective"
    assert told.digest == exact_digest([ReferenceSet("", "a b c", ("a b c", "A b c"))])[:16]
    assert Signature.parse(report.nist_signature).order == 5
    cased = variation_report("made", sets, 9, Measuring(tokenisation="none", effective=True))
    assert cased.table_7.bleu < 1


def test_in_characters_white_space_is_no_unit() -> None:
    sets = [ParaphraseSet("abcdefghi jklmnopqrs", ("abc defghijklmnop qrs",))]
    report = variation_report("made", sets, 1, Measuring(unit="char"))
    assert (report.table_7.bleu, report.table_7.nist) == pytest.approx((1, 1))
    assert Signature.parse(report.bleu_signature).order == 18


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two systems, three references of two segments, and human scores."""
    texts = {
        "one.txt": "a b c d e\nf g h i\n",
        "two.txt": "a b x d e\nf g h\n",
        "r1.txt": "a b c d\nf g h i j\n",
        "r2.txt": "a b c d e\nf g h i\n",
        "r3.jsonl": '{"references": ["a b c", "b c d e"]}\n{"references": ["f g"]}\n',
        "human.tsv": "system\tsegment\tz\none\t0\t0.5\none\t1\t0.9\ntwo\t0\t0.1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_generated_sets_and_sets_made_by_hand_beside_the_paper(run: Run, generated: Path, files: Path) -> None:
    arguments = ("study", "reference-sets", "--lang", "eng", "-N", "0", "--ref", "r1.txt", "--ref", "r2.txt")
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[2:5] == [
        "Automatically produced set (paper)          0.11          0.39",
        "Hand-produced set 1 (paper)                 0.10          0.49",
        "Hand-produced set 2 (paper)                 0.11          0.49",
    ]
    assert lines[5].startswith("generated, eng, N = 0 ")
    assert any(line.startswith("by hand ") and "2 of 2 sets, 4 sentences" in line for line in lines)
    assert sum(line.startswith("metric:") for line in lines) == 4
    assert result.stdout == run(*arguments).stdout

    documents = json.loads(run(*arguments, "--json").stdout)
    assert [each["name"] for each in documents] == ["generated, eng, N = 0", "by hand"]
    assert documents[1]["table_7"]["sentences"] == 4
    assert len(documents[1]["figure_2"]) == 4


def test_files_of_one_name_make_one_kind_of_sets(run: Run, files: Path) -> None:
    given = [f"--ref={name}" for name in ("first:r1.txt", "second:r1.txt", "first:r2.txt", "second:r3.jsonl")]
    found = document(run("study", "reference-sets", *given, "--json"))
    assert [(each["name"], each["paraphrases"]) for each in found] == [("first", 1), ("second", 1.5)]


def test_the_worth_of_references(run: Run, files: Path) -> None:
    arguments = ("one.txt", "two.txt", "--ref", "r1.txt", "--ref", "generated:r3.jsonl", "--human", "human.tsv")
    result = run("study", "reference-worth", *arguments, "--draws", "3", "--samples", "5")
    assert result.exit_code == 0, result.stderr
    header, *rows = (line.split("\t") for line in result.stdout.splitlines())
    assert header == [
        *("origins", "references", "mean", "measure", "value", "low", "high"),
        *("sd_segments", "sd_references", "signature"),
    ]
    assert [(row[0], row[1], row[3]) for row in rows if row[0] == "original+generated"] == [
        ("original+generated", number, measure)
        for number in "123"
        for measure in ("BLEU one", "BLEU two", "Pearson segments")
    ]
    assert all(row[-1].startswith("metric:bleu|order:4|unit:word|") for row in rows)

    document = json.loads(run("study", "reference-worth", *arguments, "--draws", "3", "--json").stdout)
    assert document["systems"] == ["one", "two"]
    assert [curve["origins"] for curve in document["curves"]] == [
        ["original"],
        ["generated"],
        ["original", "generated"],
    ]


def test_a_table_has_the_curves_and_the_signatures_below(run: Run, files: Path) -> None:
    arguments = ("study", "reference-worth", "one.txt", "--ref", "r1.txt", "--ref", "other:r2.txt")
    result = run(*arguments, "--format", "table")
    assert result.exit_code == 0, result.stderr
    assert "original+other: metric:bleu|" in result.stdout
    assert "BLEU over references" in result.stdout
    assert "BLEU over references" not in run(*arguments, "--format", "table", "--no-plots").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["reference-sets"], 2, "--lang"),
        (["reference-sets", "--ref", "r1.txt"], 3, "there are no reference sets"),
        (["reference-sets", "--ref", "none.txt"], 3, "none.txt"),
        (["reference-sets", "--ref", "r1.txt", "--ref", "r2.txt", "--unit", "syllable"], 2, "unknown unit"),
        (["reference-sets", "--lang", "eng"], 4, "corpus.db"),
        (["reference-worth", "one.txt", "--ref", "short.txt"], 3, "one.txt:2"),
        (
            ["reference-worth", "one.txt", "--ref", "r1.txt", "--ref", "more:short.txt"],
            3,
            "r1.txt:2: has no counterpart",
        ),
        (["reference-worth", "one.txt", "--ref", "blank.txt"], 3, "blank.txt:2"),
        (["reference-worth", "one.txt", "--ref", "r1.txt", "--human", "r1.txt"], 3, "a header with a column system"),
    ],
)
def test_bad_input_ends_with_its_code(arguments: list[str], code: int, told: str, run: Run, files: Path) -> None:
    (files / "short.txt").write_text("a b\n", encoding="utf-8")
    (files / "blank.txt").write_text("a b\n \n", encoding="utf-8")
    result = run("study", *arguments)
    assert result.exit_code == code, result.stderr
    assert told in result.stderr


def test_systems_without_human_scores_are_told(run: Run, files: Path) -> None:
    (files / "human.tsv").write_text("system\tz\none\t0.5\n", encoding="utf-8")
    result = run("study", "reference-worth", "one.txt", "two.txt", "--ref", "r1.txt", "--human", "human.tsv")
    assert result.exit_code == 0
    assert "no human scores of two" in result.stderr
