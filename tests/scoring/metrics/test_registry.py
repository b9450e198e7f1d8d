"""All metrics behind one face, slow ones in several processes, and a new one that a test adds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from calls import Run
from typer.testing import Result

from corpusdb import __version__
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Progress, finished
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.formats.segments import Output
from corpusdb.guides import guide_text
from corpusdb.scoring.measures import measures, statistics_of_systems
from corpusdb.scoring.metric import Measure, UnitMeasure
from corpusdb.scoring.metric_settings import NO_SMOOTHING, Signature, Smoothing
from corpusdb.scoring.metrics import (
    METRICS,
    counts_errors,
    is_corpus_metric,
    metric_named,
    metric_names,
    settings_for,
    with_ter_options,
)
from corpusdb.scoring.queries.matched_ngrams import trace_score
from corpusdb.scoring.queries.scoring_references import references_from_files

# All metrics behind one face: settings that are filled in, published scores, signatures.


Sample: TypeAlias = tuple[list[str], list[list[str]]]
DIGEST = "0123456789abcdef" * 4
LINE_OF_LEGEND = r"(?m)^  ([\w+]+)  +(.*(?:\n {13}.*)*)"
REFERENCES = [["The cat sat on the mat.", "A cat sat there."], ["Yes!"]]


def measure(references: list[list[str]], **settings: Any) -> Measure:
    (made,) = measures([settings_for(**settings)], references)
    return made


@pytest.mark.parametrize(
    ("given", "label", "filled"),
    [
        ({"metric": "bleu"}, "BLEUw4", ("word", 4, "13a")),
        ({"metric": "bleu", "unit": "char"}, "BLEUc18", ("char", 18, "char")),
        ({"metric": "bleu", "tokenisation": "char", "order": 4}, "BLEUc4", ("char", 4, "char")),
        ({"metric": "nist", "tokenisation": "intl"}, "NISTw5", ("word", 5, "intl")),
        ({"metric": "mwer", "order": 7}, "mWER", ("word", None, "13a")),
        ({"metric": "mwer", "unit": "char"}, "mCER", ("char", None, "char")),
        ({"metric": "chrf", "tokenisation": "13a", "order": 3}, "chrF2", ("char", 6, None)),
        ({"metric": "ter", "unit": "char"}, "TER", ("word", None, None)),
    ],
)
def test_what_is_not_given_is_filled_in(given: dict[str, Any], label: str, filled: tuple[object, ...]) -> None:
    settings = settings_for(**given)

    assert metric_named(settings.metric).label(settings) == label
    assert (settings.unit, settings.order, settings.tokenisation) == filled


def test_the_guide_tells_of_each_metric_what_the_metric_says() -> None:
    section = guide_text("columns").partition("\nScores: ")[2].partition("\n\n")[0]
    legend = {name: " ".join(text.split()) for name, text in re.findall(LINE_OF_LEGEND, section)}
    assert {each.heading: each.told for each in map(metric_named, METRICS)}.items() <= legend.items()


def test_smoothing_is_of_bleu_only() -> None:
    assert settings_for("bleu", smoothing=Smoothing("exp")).smoothing == Smoothing("exp")
    assert all(settings_for(name, smoothing=Smoothing("exp")).smoothing == NO_SMOOTHING for name in list(METRICS)[1:])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metric": "meteor"}, "unknown metric 'meteor'; there are bleu"),
        ({"metric": "bleu", "unit": "byte"}, "unknown unit 'byte'"),
        ({"metric": "bleu", "unit": "char", "tokenisation": "13a"}, "13a makes words"),
        ({"metric": "nist", "order": 0}, "at least 1, not 0"),
    ],
)
def test_settings_that_make_no_sense(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        settings_for(**given)


@pytest.mark.parametrize("metric", METRICS)
def test_equal_and_empty_hypotheses(metric: str) -> None:
    """An empty hypothesis has the worst score, and no warning is given; errors of nothing said are all of them."""
    found = measure(REFERENCES, metric=metric, **({"order": 1} if metric in ("bleu", "nist") else {}))
    perfect, nothing = (found.statistics(texts) for texts in (["The cat sat on the mat.", "Yes!"], ["", ""]))

    best, worst = found.scores(perfect.sum(axis=0)), found.scores(nothing.sum(axis=0))
    assert found.scores(np.stack([perfect, nothing]).astype(np.float64)).shape == (2, 2)
    # TER divides the 4 + 1 edits to the closest references by the mean length of all, 5 + 1.
    assert worst == pytest.approx({"ter": 500 / 6}.get(metric, 1 if found.metric.lower_is_better else 0))
    if found.metric.most is not None or found.metric.lower_is_better:
        assert best == pytest.approx(found.metric.most or 0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"metric": "bleu"}, "metric:bleu|order:4|unit:word|case:mixed|tok:13a|smooth:none|refs:1/1.50/2"),
        (
            {"metric": "bleu", "unit": "char", "lowercase": True, "smoothing": Smoothing("floor", 0.01)},
            "metric:bleu|order:18|unit:char|case:lc|tok:char|smooth:floor[0.01]|refs:1/1.50/2",
        ),
        ({"metric": "mwer"}, "metric:mwer|unit:word|case:mixed|tok:13a|refs:1/1.50/2"),
    ],
)
def test_signatures(given: dict[str, Any], expected: str) -> None:
    signature = measure(REFERENCES, **given).signature(DIGEST)
    assert str(signature) == f"{expected}|set:0123456789abcdef|version:{__version__}"


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["chrf", "chrf++", "ter"])
def test_signatures_have_all_settings_that_those_of_sacrebleu_have(name: str, lowercase: bool) -> None:
    theirs = pytest.importorskip("sacrebleu.metrics")
    options = {"chrf": {}, "chrf++": {"word_order": 2}, "ter": {}}[name]
    case = {"case_sensitive": not lowercase} if name == "ter" else {"lowercase": lowercase}
    metric = getattr(theirs, "TER" if name == "ter" else "CHRF")(**options, **case)
    metric.corpus_score(["a"], [["a"]])
    told = dict(pair.split(":") for pair in metric.get_signature().format().split("|"))
    ours = dict(
        pair.split(":") for pair in str(measure([["a"]], metric=name, lowercase=lowercase).signature(DIGEST)).split("|")
    )
    assert ours.pop("refs") == told.pop("nrefs")
    version = told.pop("version")
    assert version and ours.pop("tok") == ("tercom+sacrebleu-2.6.0" if name == "ter" else "sacrebleu-2.6.0")
    assert told.pop("tok", "tercom") == "tercom"
    assert told.items() <= ours.items()


@pytest.mark.parametrize("name", METRICS)
def test_copies_of_references_count_for_the_metrics_that_say_so(name: str) -> None:
    pytest.importorskip("sacrebleu")
    ragged = [["the cat sat on the mat", "a cat sat down there on its own old mat"], ["he is here", "here he is now"]]
    hypotheses = ["the cat sat on a mat", "he is here now"]
    found = []
    for references in (ragged, [[*ragged[0], ragged[0][1]], [*ragged[1], ragged[1][0], ragged[1][1]]]):
        made = measure(references, metric=name, unit="word", order=2 if name in ("bleu", "nist") else None)
        found.append(float(made.scores(made.statistics(hypotheses).sum(axis=0))))
    assert (found[0] == pytest.approx(found[1], abs=1e-12)) != made.metric.counts_copies


def test_texts_are_cut_once_for_each_way_of_cutting() -> None:
    one, two, three = measures(
        [settings_for("bleu"), settings_for("nist"), settings_for("bleu", unit="char")], REFERENCES
    )
    assert isinstance(one, UnitMeasure) and isinstance(two, UnitMeasure) and isinstance(three, UnitMeasure)
    assert one.references is two.references is not three.references


def test_other_references() -> None:
    made = measure(REFERENCES, metric="bleu")
    drawn = list(made.resampled(20, seed=0))
    assert {each.counts for each in drawn} == {(1, 1), (2, 1)}
    assert [each.counts for each in made.resampled(20, seed=0)] == [each.counts for each in drawn]
    pytest.importorskip("sacrebleu")
    with pytest.raises(UsageError, match="the references of ter cannot be resampled"):
        measure(REFERENCES, metric="ter").resampled(1, seed=0)


@pytest.mark.parametrize("name", METRICS)
def test_metrics_know_their_names(name: str) -> None:
    assert metric_named(name).name == name


@pytest.mark.parametrize("metric", METRICS)
def test_bad_texts(metric: str) -> None:
    pytest.importorskip("sacrebleu")
    for references, message in (([], "no segments"), ([["a"], []], r"^2: "), ([["a"], [" "]], r"^2: ")):
        with pytest.raises(InputError, match=message):
            measure(references, metric=metric)
    with pytest.raises(InputError, match="1 hypotheses"):
        measure(REFERENCES, metric=metric).statistics(["a"])


WORDS = "the a dog man bit has had no one was not is it".split()
SEGMENTS = 130


def texts(seed: int) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, size=draw.integers(1, 12))) for _ in range(SEGMENTS)]


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ter", "chrf", "chrf++", "bleu", "mwer"])
@pytest.mark.parametrize("processes", [1, 2])
def test_the_same_statistics_however_they_are_shared_out(
    monkeypatch: pytest.MonkeyPatch, metric: str, processes: int
) -> None:
    pytest.importorskip("sacrebleu")
    monkeypatch.setattr("corpusdb.scoring.measures._SEGMENTS_A_TASK", 60)
    references = [
        [one, two][: 1 + number % 2] for number, (one, two) in enumerate(zip(texts(1), texts(2), strict=True))
    ]
    (measure,) = measures([settings_for(metric)], references)
    systems = [texts(3), texts(4), texts(5)]
    seen: list[Progress] = []
    found = finished(statistics_of_systems(measure, systems, processes), seen.append)
    assert np.array_equal(found, np.array([measure.statistics(each) for each in systems]))
    if measure.metric.is_slow:
        assert [(step.done, step.total) for step in (seen[0], seen[-1])] == [(0, 390), (390, 390)]
        assert [step.done for step in seen] == sorted({step.done for step in seen})


@pytest.mark.parametrize("processes", [1, 2])
def test_a_text_that_is_too_long_is_told_by_its_segment(monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    monkeypatch.setattr("corpusdb.scoring.measures._SEGMENTS_A_TASK", 60)
    pytest.importorskip("sacrebleu")
    (measure,) = measures([settings_for("ter")], [[each] for each in texts(1)])
    long = texts(2)
    long[100] = "a " * 600
    with pytest.raises(InputError, match=r"^an output of segment 101 has 600 words, too many for TER.*begins 'a a a"):
        finished(statistics_of_systems(measure, [texts(3), long], processes))
    with pytest.raises(InputError, match=r"^a reference of segment 101 has 600 words"):
        measures([settings_for("ter")], [[each] for each in long])


@pytest.mark.parametrize(("mark", "options"), [("!", (False, True)), ("字", (False, True, False, True))])
def test_a_text_without_spaces_is_too_long_by_the_words_that_are_made_of_it(
    mark: str, options: tuple[bool, ...]
) -> None:
    pytest.importorskip("sacrebleu")
    (measure,) = measures([with_ter_options(settings_for("ter"), *options)], [["a"], ["b"]])
    with pytest.raises(InputError, match="an output of segment 2 has 4,500 words, too many for TER"):
        measure.statistics(["a", mark * 4500])


def test_another_number_of_segments_is_refused() -> None:
    pytest.importorskip("sacrebleu")
    (measure,) = measures([settings_for("ter")], [["a b"], ["c"]])
    with pytest.raises(InputError, match="1 hypotheses for the references of 2 segments"):
        finished(statistics_of_systems(measure, [["a b"]], 2))


# A new metric is one module and one line: here the share of words that stand in a reference, by every way there is.

MODULE = '''
import numpy as np

from corpusdb.scoring.metric import UnitMetric


class SharedWords(UnitMetric):
    """The share of words that stand in a reference of their segment, up to 100."""

    name = "shared"
    heading = "SHARED"
    help = "words that stand in a reference, of all"
    most = 100
    decimals = 1

    def statistics(self, hypotheses, references, settings):
        theirs = np.split(references.sequences.units, references.sequences.starts[references.firsts[1:-1]])
        own = np.split(hypotheses.units, hypotheses.starts[1:-1])
        return np.array([(np.isin(mine, known).sum(), len(mine)) for mine, known in zip(own, theirs)])

    def scores(self, statistics, settings):
        return 100 * statistics[..., 0] / np.maximum(statistics[..., 1], 1)

    def details(self, settings, statistics):
        return {"shared_words": int(statistics[0]), "length": int(statistics[1])}


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


@pytest.mark.usefixtures("metric")
def test_what_it_is_made_of_stands_in_a_column_and_below_the_table(run: Run) -> None:
    rows = [line.split("\t") for line in run("score", "good.txt", *OPTIONS, "--format", "tsv").stdout.splitlines()]
    assert rows[0][-2:] == ["shared_words", "signature"]
    assert dict(zip(rows[0], rows[1], strict=True))["shared_words"] == "7"
    told = run("score", "good.txt", *OPTIONS, "--format", "table", "--verbose").stdout
    assert "SHAREDw of good: shared words 7, length 8" in told
    assert metric_named("shared").told == "words that stand in a reference, of all; 0 to 100"
    assert is_corpus_metric("Shared") and not counts_errors("Shared")


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
    assert f"there are {', '.join(METRICS)}" in run("score", "x", "--metric", "y").stderr
    texts = read_references([Path("r1.txt")])
    output = Output("good", Path("good.txt"), tuple(FILES["good.txt"].splitlines()))
    with pytest.raises(UsageError, match="only BLEU can be traced, not shared"):
        trace_score(output, references_from_files(texts, [Path("r1.txt")]), settings_for("shared"), 1)
