"""A new metric is one module and one line: here the share of words that stand in a reference, by every way there is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import Result

from corpusdb import __version__
from corpusdb.base.errors import UsageError
from corpusdb.corpus.formats.scoring_input import Output, read_references
from corpusdb.scoring.metrics.registry import METRICS, settings_for
from corpusdb.scoring.metrics.signature import Signature
from corpusdb.scoring.queries.metric_names import metric_names
from corpusdb.scoring.queries.scoring_references import references_from_files
from corpusdb.scoring.queries.trace import trace_score

Run: TypeAlias = Callable[..., Result]

MODULE = '''
import numpy as np

from corpusdb.scoring.metrics.metric import UnitMetric


class SharedWords(UnitMetric):
    """The share of words that stand in a reference of their segment, up to 100."""

    name = "shared"
    decimals = 1

    def statistics(self, hypotheses, references, settings):
        theirs = np.split(references.sequences.units, references.sequences.starts[references.firsts[1:-1]])
        own = np.split(hypotheses.units, hypotheses.starts[1:-1])
        return np.array([(np.isin(mine, known).sum(), len(mine)) for mine, known in zip(own, theirs)])

    def scores(self, statistics, settings):
        return 100 * statistics[..., 0] / np.maximum(statistics[..., 1], 1)


SHARED = SharedWords()
'''
FILES = {
    "r1.txt": "the cat sat\nyes\nno dogs here\n",
    "r2.txt": "a cat stood\nof course\nnobody came\n",
    "good.txt": "a cat sat\nof course\nnobody here now\n",
    "bad.txt": "one dog ran\nmaybe\nno idea\n",
}
OPTIONS = ("--ref", "r1.txt", "r2.txt", "--metric", "shared,bleu", "--order", "1", "--tokenise", "none")


@pytest.fixture
def metric(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module on the path, and the line in the registry."""
    (tmp_path / "shared_words.py").write_text(MODULE, encoding="utf-8")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(METRICS, "shared", "shared_words:SHARED")


def documents(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("metric")
def test_it_is_scored_with_chance_and_a_signature(run: Run) -> None:
    chance = ("--confidence", "--significance", "bootstrap", "--resample-references", "5", "--samples", "50")
    found = documents(run("score", "good.txt", "bad.txt", *OPTIONS, *chance, "--segments", "--json"))
    good, _, bad, _ = found

    assert (good["system"], good["metric"], good["name"]) == ("good", "shared", "SHAREDw")
    assert (good["score"], bad["score"]) == pytest.approx((100 * 7 / 8, 100 / 6))
    assert good["segments"] == pytest.approx([100, 100, 200 / 3])
    assert good["interval"]["low"] <= good["score"] <= good["interval"]["high"]
    assert bad["test"]["wins"] == 0 and bad["test"]["difference"] == pytest.approx(100 / 6 - 100 * 7 / 8)
    assert good["variance"]["references"] > 0
    signature = Signature.parse(good["signature"])
    assert (signature.metric, signature.order, signature.unit, signature.smoothing) == ("shared", None, "word", None)
    assert str(signature).startswith("metric:shared|unit:word|case:mixed|tok:none|refs:2|set:")
    assert str(signature).endswith(f"|version:{__version__}")


@pytest.mark.usefixtures("metric")
def test_it_stands_in_the_table(run: Run) -> None:
    header, good, bad, *_ = run("score", "good.txt", "bad.txt", *OPTIONS, "--format", "table").stdout.splitlines()
    assert header.split() == ["system", "SHAREDw", "BLEUw1"]
    assert (good.split()[:2], bad.split()[:2]) == (["good", "87.5"], ["bad", "16.7"])


@pytest.mark.usefixtures("metric", "generated")
def test_it_is_stored_and_verified(run: Run, tmp_path: Path) -> None:
    assert [each["stored"] for each in documents(run("score", "good.txt", *OPTIONS, "--store", "--json"))] == [1, 2]
    (verified,) = documents(run("verify", "1", "--json"))
    assert (verified["ok"], verified["again"]) == (True, pytest.approx(100 * 7 / 8))

    (tmp_path / "other.txt").write_text("a cat sat\nof course\nwrong\n", encoding="utf-8")
    result = run("verify", "1", "--hyp", "other.txt", "--ref", "r1.txt", "r2.txt")
    assert result.exit_code == 1
    assert "the score is now 83.3333" in result.stdout


@pytest.mark.usefixtures("metric")
def test_it_is_listed_and_no_bleu_to_be_traced(run: Run) -> None:
    assert metric_names()[-1] == "shared"
    assert "there are bleu, nist, mwer, chrf, chrf++, ter, shared" in run("score", "x", "--metric", "y").stderr
    texts = read_references([Path("r1.txt")])
    output = Output("good", Path("good.txt"), tuple(FILES["good.txt"].splitlines()))
    with pytest.raises(UsageError, match="only BLEU is taken apart, not shared"):
        trace_score(output, references_from_files(texts, [Path("r1.txt")]), settings_for("shared"), 1)
