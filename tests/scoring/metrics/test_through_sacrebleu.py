"""chrF and TER: sacrebleu's own scores through our statistics, and the published ones of WMT21."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.scoring.through_sacrebleu import SACREBLEU_METRICS, SacrebleuScorer

Sample: TypeAlias = tuple[list[str], list[list[str]]]
metrics: Any = pytest.importorskip("sacrebleu.metrics")
PUBLISHED = Path(__file__).resolve().parents[4] / "shared" / "data" / "wmt21-ruen" / "automatic.tsv"
HYPOTHESES = ["The cat sat on a mat.", "", "Nothing in common", "on the mat the cat sat"]
REFERENCES = [["The cat sat on the mat.", "a cat is here"], ["empty"], ["xyz"], ["The cat sat on the mat", "x", "y z"]]


@pytest.mark.parametrize(
    ("name", "theirs"),
    [("chrf", metrics.CHRF()), ("chrf++", metrics.CHRF(word_order=2)), ("ter", metrics.TER(case_sensitive=True))],
)
def test_scores_are_those_of_sacrebleu(name: str, theirs: Any) -> None:
    ours = SacrebleuScorer(name, REFERENCES)
    statistics = ours.statistics(HYPOTHESES)
    ranks = [[texts[rank] if rank < len(texts) else None for texts in REFERENCES] for rank in range(3)]

    assert 100 * ours.scores(statistics.sum(axis=0)) == pytest.approx(theirs.corpus_score(HYPOTHESES, ranks).score)
    sentences = [theirs.sentence_score(*pair).score for pair in zip(HYPOTHESES, REFERENCES, strict=True)]
    assert 100 * ours.scores(statistics) == pytest.approx(np.array(sentences))
    assert ours.scores(np.stack([statistics] * 3)).shape == (3, 4)


@pytest.mark.data
@pytest.mark.parametrize("system", ["Facebook-AI", "Online-Y"])
def test_published_chrf_of_wmt21(news: dict[str, Sample], system: str) -> None:
    with PUBLISHED.open(encoding="utf-8") as file:
        published = {row["system"]: row["chrf-all"] for row in csv.DictReader(file, delimiter="\t")}
    hypotheses, references = news[system]
    metric = SacrebleuScorer("chrf", references)

    assert f"{100 * float(metric.scores(metric.statistics(hypotheses).sum(axis=0))):.6g}" == published[system]


def test_case_counts_unless_folded() -> None:
    kept, folded = (SacrebleuScorer("ter", [["a b"]], lowercase=lowercase) for lowercase in (False, True))

    assert kept.scores(kept.statistics(["A B"])).tolist() == [1.0]
    assert folded.scores(folded.statistics(["A B"])).tolist() == [0.0]


def test_chinese_is_edited_in_characters() -> None:
    metric = SacrebleuScorer("ter", [["我们在那里"]], asian=True)

    assert metric.statistics(["我们在这里"]).tolist() == [[1, 5]]


@pytest.mark.parametrize("name", [each.name for each in SACREBLEU_METRICS])
def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)

    with pytest.raises(UsageError, match=rf"^{name.replace('+', '[+]')} needs sacrebleu: pip install 'corpusdb"):
        SacrebleuScorer(name, [["a"]])


@pytest.mark.parametrize(
    ("references", "message"), [([], "no segments"), ([["a"], []], "^2: "), ([["a"], ["b", " "]], "^2: ")]
)
def test_references_that_cannot_be_used(references: list[list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SacrebleuScorer("chrf", references)


def test_bad_calls() -> None:
    with pytest.raises(UsageError, match=r"unknown metric 'chrf3'; sacrebleu's are chrf, chrf\+\+, ter"):
        SacrebleuScorer("chrf3", [["a"]])
    with pytest.raises(InputError, match="2 hypotheses for the references of 1 segments"):
        SacrebleuScorer("chrf", [["a"]]).statistics(["a", "b"])
