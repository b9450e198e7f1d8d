"""Published scores of WMT: ours are equal to the printed digit, and their correlations are those of scipy."""

from __future__ import annotations

import codecs
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from labelled import labelled

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.stats.system_agreement import pairwise_accuracy
from corpusdb.corpus.formats.score_reading import read_human_scores, read_score_file
from corpusdb.corpus.formats.scoring_input import read_output, read_references
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.queries.agreement import (
    Judged,
    Question,
    VariantChoice,
    agreement,
    computed_scores,
    judged_systems,
)
from corpusdb.scoring.queries.agreement_figures import given_scores
from corpusdb.scoring.queries.imported_scores import human_ratings

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
FOLDERS = sorted(path.parent.name for path in DATA.glob("wmt*/automatic.tsv"))
pytestmark = pytest.mark.data

# Column of automatic.tsv, metric, tokenisation, and endings of the files of references; see the README of each folder.
WMT21 = [
    (f"{name}-{suffix}", metric, None, references)
    for name, metric in (("bleu", "bleu"), ("chrf", "chrf"))
    for suffix, references in (("A", "A"), ("B", "B"), ("all", "AB"))
]
WMT23 = [
    ("bleu_char", "bleu", "char", "A"),
    ("chrf", "chrf", None, "A"),
    ("bleu_mecab_1dp", "bleu", "ja-mecab", "A"),
    ("chrf_1dp", "chrf", None, "A"),
]
CASES = [
    (folder, *column)
    for folder in FOLDERS
    for column in (WMT23 if folder.startswith("wmt23") else WMT21)
    if column[0] in (DATA / folder / "automatic.tsv").read_text(encoding="utf-8").partition("\n")[0].split("\t")
]


@cache
def scipy_stats() -> Any:
    return pytest.importorskip("scipy.stats")


def table(folder: str, column: str) -> dict[str, str]:
    """The figures of one column as they are printed, by system."""
    header, *rows = (
        line.split("\t") for line in (DATA / folder / "automatic.tsv").read_text(encoding="utf-8").splitlines()
    )
    at = header.index(column)
    return {row[0]: row[at] for row in rows if row[at]}


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "column", "metric", "tokenisation", "ends"), CASES)
def test_scores_to_the_printed_digit(
    folder: str, column: str, metric: str, tokenisation: str | None, ends: str
) -> None:
    check_column(
        folder, column, VariantChoice(metrics=[metric], orders=[ORDER[metric]], tokenisations=[tokenisation]), ends
    )


def test_scores_of_one_test_set_to_the_printed_digit() -> None:
    check_column("wmt21-isen", "bleu-A", VariantChoice(), "A")


def as_submitted(output: Output) -> Output:
    """With the byte order mark that AIRC's output begins with, which is no text to us, and was scored as such."""
    if not output.path.read_bytes().startswith(codecs.BOM_UTF8):
        return output
    return replace(output, texts=(f"\ufeff{output.texts[0]}", *output.texts[1:]))


ORDER = {"bleu": 4, "chrf": None}


def check_column(folder: str, column: str, choice: VariantChoice, ends: str) -> None:
    paths = sorted(each for each in (DATA / folder).glob("ref.*") if each.name.split(".")[1] in ends)
    texts = read_references(paths)
    outputs = [
        output
        for path in sorted((DATA / folder / "systems").iterdir())
        for output in read_output(path, texts.segmentation)
    ]
    outputs = [as_submitted(output) for output in outputs]
    try:
        (scores,) = computed_scores(outputs, labelled({"original": texts}), choice)
    except UsageError as error:
        pytest.skip(str(error))
    published = table(folder, column)
    ours = dict(zip((output.system for output in outputs), scores.systems[0].tolist(), strict=True))
    compared = published.keys() & ours.keys()
    assert len(compared) == len(outputs)
    for system in compared:
        printed = Decimal(published[system])
        # Six digits were written, and zeros at the end left out: 27.7 stands for 27.7000.
        digits = printed if column.endswith("_1dp") else Decimal(1).scaleb(printed.adjusted() - 5)
        assert Decimal(ours[system]).quantize(digits) == printed.quantize(digits), system


@pytest.mark.parametrize("folder", FOLDERS)
def test_correlations_of_published_scores_are_those_of_scipy(folder: str) -> None:
    named = [DATA / folder / name for name in ("sys-DA.tsv", "human.tsv")]
    (path,) = (path for path in named if path.exists())
    files, human = read_score_file(DATA / folder / "automatic.tsv").scores(), read_human_scores(path)
    systems = judged_systems(files, human)
    judged = Judged(systems, human_ratings(human, systems, 0), tuple(given_scores(files, systems, None)), 0)
    report = finished(agreement(judged, Question(levels=["system"])))
    names = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
    assert len(report.figures) == 4 * len(judged.scores) >= 20
    for each in report.figures:
        ours = each.scores.systems[0]
        known = np.isfinite(ours)
        both = ours[known], judged.human.systems[known]
        if each.figure.statistic == "pairwise_accuracy":
            assert each.figure.value == pairwise_accuracy(*both)
        else:
            theirs = getattr(scipy_stats(), names[each.figure.statistic])(*both).statistic
            assert each.figure.value == pytest.approx(float(theirs), abs=1e-12)
        assert each.figure.n == np.count_nonzero(known) > 6
        assert each.figure.interval is None  # there is nothing to draw from
