"""Scores that are kept and computed again, and scores as rows."""

from __future__ import annotations

import json
import re
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import corpusdb
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval
from corpusdb.base.jobs import finished
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.records import digest
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import Store
from corpusdb.guides import guide_text
from corpusdb.people.queries.decisions import accept
from corpusdb.scoring.metric_settings import Smoothing
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.paper_report import significance_mark
from corpusdb.scoring.queries.combined_sets import format_precision
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets
from corpusdb.scoring.queries.scoring import Chance, MetricScores, Sampling, making_rows, score_systems, with_numbers
from corpusdb.scoring.queries.scoring_references import ScoringReferences, references_from_corpus, references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores, stored_scores
from corpusdb.scoring.queries.verification import Given, Verification, verify
from corpusdb.scoring.report import FIGURES, chance_lines, figures_of, long_table, wide_table
from corpusdb.scoring.table_report import LONG_COLUMNS

# Scores that are kept and computed again, on the phrasebook; every kind of difference is found.


HYPOTHESES = ("Where can I check in?", "How much luggage have you?", "")
SETTINGS = [
    settings_for("bleu", smoothing=Smoothing("floor", 0.01), lowercase=True),
    settings_for("nist"),
    settings_for("bleu", unit="char"),
]


def sources(store: Store) -> list[str]:
    """Three sentences in Japanese that have several English translations or paraphrases."""
    rows = store.connection.execute(
        "select distinct other.text from paraphrase join translation on translation.sentence = paraphrase.sentence"
        " join sentence other on other.id = translation.translation and other.language = 'jpn'"
        " order by other.id limit 3"
    )
    return [row[0] for row in rows]


def kept(store: Store, recipe: Recipe | None = None) -> tuple[ScoringReferences, list[list[int]]]:
    recipe = recipe or Recipe(language="eng")
    references = references_from_corpus(finished(attributed_sets(store, sources(store), recipe)), recipe)
    first = tuple(each.references[0] for each in references.sets)
    outputs = [Output("same", Path("same.txt"), first), Output("other", Path("other.txt"), HYPOTHESES)]
    scores = score_systems(outputs, references, SETTINGS)
    return references, store_scores(store, outputs, references, scores)


def verified(store: Store, score: int | None = None, given: Given | None = None) -> list[Verification]:
    return finished(verify(store, score, given or Given()))


def test_scores_come_back_as_they_were_stored(phrasebook: Store) -> None:
    references, numbers = kept(phrasebook)
    assert numbers == [[1, 2], [3, 4], [5, 6]]
    found = {each.id: each for each in stored_scores(phrasebook)}

    assert [found[number].settings for number in (1, 3, 5)] == SETTINGS
    assert all(each.sets == references.sets and each.digest == references.digest for each in found.values())
    assert found[2].hypotheses == HYPOTHESES
    assert found[1].value == pytest.approx(100)
    assert found[4].segment_values[2] == 0
    assert found[1].signature.split("|")[-3:-1] == [f"set:{references.digest[:16]}", "from:corpus"]


def test_the_expected_precision_of_the_references_is_kept_with_the_scores(phrasebook: Store) -> None:
    references, _ = kept(phrasebook)
    values = [one.validity for each in references.attributed for one in each.references if one.validity is not None]
    assert references.validity == pytest.approx(sum(values) / len(values))
    assert {each.validity for each in stored_scores(phrasebook)} == {references.validity}
    share = f"{100 * (references.validity or 0):.1f}%"
    assert len(values) == 8
    assert format_precision(references.attributed, references.pivots) == (
        f"of the references of the corpus (4 detected, 4 generated) {share} are expected to hold;"
        " of English pairs that were read 81 to 98% held without a doubt"
    )


def test_nothing_is_expected_of_references_that_people_wrote(phrasebook: Store) -> None:
    references, _ = kept(phrasebook, Recipe(language="eng", origins=("original",)))
    assert (references.validity, format_precision(references.attributed, ())) == (None, None)
    assert {each.validity for each in stored_scores(phrasebook)} == {None}


@pytest.mark.slow
def test_nothing_differs_and_storing_again_adds_nothing(phrasebook: Store) -> None:
    _, numbers = kept(phrasebook)
    assert all(each.ok and each.again == each.stored == each.current for each in verified(phrasebook))
    assert kept(phrasebook)[1] == numbers
    assert [each.id for each in verified(phrasebook)] == [1, 2, 3, 4, 5, 6]


def test_two_recipes_of_one_set_are_two_sets(phrasebook: Store) -> None:
    """They give the same now, and need not when the corpus grows."""
    kept(phrasebook)
    _, numbers = kept(phrasebook, Recipe(language="eng", limit=19))
    assert numbers == [[7, 8], [9, 10], [11, 12]]
    assert phrasebook.connection.execute("select count(*), count(distinct digest) from reference_set").fetchone() == (
        2,
        1,
    )


@pytest.mark.slow
def test_a_corpus_that_grew(phrasebook: Store) -> None:
    references, _ = kept(phrasebook)
    seed = references.sets[0].references[0]
    finished(accept(phrasebook, seed, "Something quite new.", "eng"))
    found = verified(phrasebook, 1)[0]

    assert not found.ok
    assert (found.again, found.stored) == (found.stored, found.again)
    assert found.segments[0].segment == 1
    assert found.segments[0].gained == ("Something quite new.",)
    assert "segments differ" in found.differences[0]
    assert found.current is not None


@pytest.mark.slow
def test_a_reference_that_is_gone(phrasebook: Store) -> None:
    kept(phrasebook)
    with phrasebook.write() as connection:
        text = sources(phrasebook)[0]
        connection.execute(
            "delete from translation where (select id from sentence where language = 'jpn' and text = ?)"
            " in (sentence, translation)",
            (text,),
        )
    found = verified(phrasebook, 1)[0]
    assert found.segments[0].lost
    assert found.segments[0].segment == 1


@pytest.mark.parametrize(
    ("statement", "difference"),
    [
        ("update score set value = value + 1", "the score was"),
        ("update score set segment_values = zeroblob(24)", "the scores of 2 segments differ, the first is 1"),
        ("update score set segment_values = zeroblob(16)", "there were values for 2 segments, and there are 3"),
        ("update reference_set set digest = 'other'", "the reference set that is kept is not that of its digest"),
        ("update system_output set digest = system", "the output that is kept is not that of its digest"),
    ],
)
def test_rows_that_were_changed(statement: str, difference: str, phrasebook: Store) -> None:
    kept(phrasebook)
    with phrasebook.write() as connection:
        connection.execute("drop trigger reference_set_stays")  # as whoever wants to change the set would do
        connection.execute(statement)
    (found,) = verified(phrasebook, 4 if "zeroblob(24)" in statement else 1)
    assert any(each.startswith(difference) for each in found.differences)


@pytest.mark.slow
@pytest.mark.parametrize("change", ["order", "copy", "source"])
def test_texts_that_were_changed_though_the_digest_is_the_same(change: str, phrasebook: Store) -> None:
    references, _ = kept(phrasebook)
    texts = [[each.source, list(each.references)] for each in references.sets]
    first = texts[0][1]
    assert isinstance(first, list)
    if change == "order":
        first.append(first.pop(0))
    elif change == "copy":
        first.append(first[0])
    else:
        texts[0][0] = "別の文"
    sets = [ReferenceSet("", str(source), tuple(others)) for source, others in texts]
    assert digest(sets) == references.digest
    with phrasebook.write() as connection:
        connection.execute("drop trigger reference_set_stays")
        packed = zlib.compress(json.dumps(texts).encode())
        connection.execute("update reference_set set texts = ?", (packed,))
    told = "the reference set that is kept is not that of its digest"
    assert all(told in each.differences for each in verified(phrasebook))


def test_references_from_files(phrasebook: Store, tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in paths:
        path.write_text(f"one {path.stem}\ntwo\nthree\n", encoding="utf-8")
    references = references_from_files(read_references(paths), paths)
    outputs = [Output("other", Path("other.txt"), HYPOTHESES)]
    store_scores(phrasebook, outputs, references, score_systems(outputs, references, SETTINGS[:1]))
    assert verified(phrasebook)[0].ok

    paths[0].write_text("one a\ntwo\nTHREE\n", encoding="utf-8")
    paths[1].unlink()
    (found,) = verified(phrasebook)
    assert found.differences == (f"{paths[0].resolve()} was changed since",)
    assert found.notes == (f"{paths[1].resolve()} is not there to be compared",)


def test_files_that_are_given(phrasebook: Store) -> None:
    references, _ = kept(phrasebook)
    sets = (*references.sets[:2], replace(references.sets[2], references=("Another.",)))
    found = verified(phrasebook, 1, Given(sets=sets))[0]
    assert [each.segment for each in found.segments] == [3]
    assert found.segments[0].gained == ("Another.",)
    assert found.current is not None and found.current < found.stored

    found = verified(phrasebook, 1, Given(hypotheses=HYPOTHESES))[0]
    assert found.differences[0].startswith("the output is another: ")
    with pytest.raises(InputError, match="score 1 is of 3 segments, what is given has 1"):
        verified(phrasebook, 1, Given(hypotheses=("a",)))


@pytest.mark.parametrize("how", ["order", "copies"])
def test_what_no_digest_tells_makes_no_difference(how: str, phrasebook: Store) -> None:
    """NIST counts copies, so that its number is another: that is told, and nothing differs."""
    references, _ = kept(phrasebook)
    sets = tuple(
        replace(each, references=each.references[::-1] if how == "order" else each.references[:1] * 9 + each.references)
        for each in references.sets
    )
    assert sets != references.sets and digest(sets) == references.digest
    for place, settings in enumerate(SETTINGS):
        (found,) = verified(phrasebook, 2 * place + 2, Given(sets=sets))
        assert (found.ok, found.segments) == (True, ())
        assert bool(found.notes) == (how == "copies" and settings.metric == "nist")
    one = (replace(sets[0], references=("New.", *sets[0].references)), *sets[1:])
    (found,) = verified(phrasebook, 1, Given(sets=one))
    assert found.differences == (
        "the reference set is another: 1 of 3 segments differ (1 gained, 0 lost), the first is 1",
    )
    assert [(each.segment, each.gained, each.lost) for each in found.segments] == [(1, ("New.",), ())]


def test_a_score_that_is_not_kept(phrasebook: Store) -> None:
    assert verified(phrasebook) == []
    with pytest.raises(InputError, match="there is no score 7"):
        verified(phrasebook, 7)


def test_values_are_doubles_in_little_endian(phrasebook: Store) -> None:
    kept(phrasebook)
    (blob,) = phrasebook.connection.execute("select segment_values from score where id = 1").fetchone()
    np.testing.assert_array_equal(np.frombuffer(blob, "<f8"), next(iter(stored_scores(phrasebook, 1))).segment_values)


# Scores as rows: every system by every metric, with what was asked about chance and nothing else.


TEXTS = ("the cat sat on the mat", "of course not")
OUTPUTS = [
    Output(name, Path(f"{name}.txt"), texts)
    for name, texts in (("same", TEXTS), ("other", ("the cat sat on a mat", "no")), ("third", ("a mat", "of course")))
]
SAMPLING = Sampling(samples=40, seed=3)


@pytest.fixture(scope="module")
def scores() -> list[MetricScores]:
    sets = tuple(ReferenceSet(str(number), "", (text, "nothing")) for number, text in enumerate(TEXTS, 1))
    references = ScoringReferences(sets, (("a", "b"),) * 2, "files", {})
    return score_systems(OUTPUTS, references, [settings_for("bleu", order=1), settings_for("mwer")])


def test_the_guide_tells_of_each_column_what_the_table_says() -> None:
    section = guide_text("columns").partition("\n  Columns of rows")[2].partition("\n\n")[0]
    told = re.findall(r"(?m)^  (\w+)  +(.*(?:\n {13}.*)*)", section)
    assert [(name, " ".join(text.split())) for name, text in told] == [
        (name, figure.help) for name, figure in FIGURES.items()
    ]


def test_every_column_is_a_figure() -> None:
    [pair] = corpusdb.compare({"a": ["x"], "b": ["y"]}, [["x"]], sections=["scores"], samples=2)
    assert {*LONG_COLUMNS, *pair.rows()[0]} <= set(FIGURES)


def test_what_no_figure_is_stands_before_the_signature() -> None:
    assert figures_of(["signature", "rare", "score", "edits", "low"]) == ["score", "low", "edits", "rare", "signature"]


def test_a_row_for_each_metric_of_the_first_system_then_of_the_next(scores: list[MetricScores]) -> None:
    rows = finished(making_rows(OUTPUTS, scores, Chance(sampling=SAMPLING)))
    assert [(row.system, row.scores.settings.metric) for row in rows] == [
        (output.system, metric) for output in OUTPUTS for metric in ("bleu", "mwer")
    ]
    assert [row.score for row in rows[:2]] == pytest.approx([100, 0])
    assert [row.segments.shape for row in rows] == [(2,)] * 6
    assert {(row.interval, row.comparison, row.spread, row.stored) for row in rows} == {(None,) * 4}
    assert long_table(rows)[0] == [
        *("system", "metric", "score", "precisions", "brevity_penalty", "length", "reference_length", "edits"),
        "signature",
    ]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_scores_as_a_frame(scores: list[MetricScores], library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whatever library is installed; here one that keeps the rows that it is made of."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=f"pip install {library}"):
        scores[0].frame(library)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, library, SimpleNamespace(DataFrame=list))
    bleu = scores[0].frame(library)  # type: ignore[arg-type]
    assert [(row["system"], row["metric"], row["score"]) for row in bleu] == [
        (name, "BLEUw1", value) for name, value in zip(scores[0].systems, scores[0].scores, strict=True)
    ]
    assert all(row["signature"] == scores[0].signature and row["length"] > 0 for row in bleu)
    segments = scores[1].frame(library, segments=True)  # type: ignore[arg-type]
    assert [row["score"] for row in segments] == scores[1].segments.ravel().tolist()
    assert [(row["system"], row["segment"]) for row in segments[:3]] == [("same", 1), ("same", 2), ("other", 1)]


def test_what_is_asked_about_chance_stands_in_the_rows(scores: list[MetricScores]) -> None:
    chance = Chance(sampling=SAMPLING, intervals=True, test="randomisation", baseline=1, reference_draws=4)
    rows = with_numbers(finished(making_rows(OUTPUTS, scores, chance)), scores, [[1, 2, 3], [4, 5, 6]])
    assert [row.stored for row in rows] == [1, 4, 2, 5, 3, 6]
    assert [row.comparison is None for row in rows] == [False, False, True, True, False, False], "the baseline"
    assert all(row.interval and row.interval.low <= row.score <= row.interval.high for row in rows)
    assert all(row.spread is not None for row in rows)
    assert [column for column in long_table(rows)[0] if column.startswith("sd")] == ["sd_segments", "sd_references"]
    assert wide_table(rows)[0] == ["system", "BLEUw1", "mWER"]
    told = list(chance_lines("other", chance))
    assert told[0].startswith(
        "p against other: approximate randomisation (--paired-ar of sacrebleu: 10,000 trials, seed 3)"
    )
    assert told[-1] == "deviations over 40 samples of segments, seed 3, and over 4 draws of references"


@pytest.mark.parametrize(
    ("p_value", "interval", "mark"),
    [
        (0.026, Interval(-0.1951, 2.6938), ""),
        (0.026, Interval(0.1, 2.6), "*"),
        (0.001, Interval(-2.6, -0.1), "**"),
        (0.001, None, "**"),
        (0.06, None, ""),
    ],
)
def test_no_star_stands_beside_an_interval_that_holds_0(p_value: float, interval: Interval | None, mark: str) -> None:
    assert significance_mark(p_value, interval) == mark
