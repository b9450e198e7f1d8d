"""Scores as rows: every system by every metric, with what was asked about chance and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.base.errors import UsageError
from corpusdb.base.stats.estimates import Interval
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.scoring_input import Output
from corpusdb.scoring.metrics.registry import settings_for
from corpusdb.scoring.queries.scoring import Chance, MetricScores, Sampling, score_rows, score_systems, with_numbers
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.report import chance_lines, long_table, significance_mark, wide_table

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


def test_a_row_for_each_metric_of_the_first_system_then_of_the_next(scores: list[MetricScores]) -> None:
    rows = score_rows(OUTPUTS, scores, Chance(sampling=SAMPLING))
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


def test_what_is_asked_about_chance_stands_in_the_rows(scores: list[MetricScores]) -> None:
    chance = Chance(sampling=SAMPLING, intervals=True, test="randomisation", baseline=1, reference_draws=4)
    rows = with_numbers(score_rows(OUTPUTS, scores, chance), scores, [[1, 2, 3], [4, 5, 6]])
    assert [row.stored for row in rows] == [1, 4, 2, 5, 3, 6]
    assert [row.comparison is None for row in rows] == [False, False, True, True, False, False], "the baseline"
    assert all(row.interval and row.interval.low <= row.score <= row.interval.high for row in rows)
    assert all(row.spread is not None for row in rows)
    assert [column for column in long_table(rows)[0] if column.startswith("sd")] == ["sd_segments", "sd_references"]
    assert wide_table(rows)[0] == ["system", "BLEUw1", "mWER"]
    told = list(chance_lines("other", chance))
    assert told[0].startswith("approximate randomisation against other: 40 trials, seed 3; the null hypothesis is")
    assert told[-1] == "deviations over 40 samples of segments, seed 3, and over 4 draws of references"


def test_references_that_a_metric_keeps_to_itself_are_not_drawn() -> None:
    pytest.importorskip("sacrebleu")
    sets = tuple(ReferenceSet(str(number), "", (text,)) for number, text in enumerate(TEXTS, 1))
    found = score_systems(OUTPUTS, ScoringReferences(sets, (("a",),) * 2, "files", {}), [settings_for("ter")])
    with pytest.raises(UsageError, match="the references of ter cannot be resampled"):
        score_rows(OUTPUTS, found, Chance(sampling=SAMPLING, reference_draws=3))


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
