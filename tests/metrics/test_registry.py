"""All metrics behind one face: settings that are filled in, published scores, signatures."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest

from corpusdb import __version__
from corpusdb.base.errors import InputError, UsageError
from corpusdb.scoring.metrics.measures import measures
from corpusdb.scoring.metrics.metric import Measure, UnitMeasure
from corpusdb.scoring.metrics.registry import METRICS, metric_named, settings_for
from corpusdb.scoring.metrics.settings import NO_SMOOTHING, Smoothing

Sample: TypeAlias = tuple[list[str], list[list[str]]]
DIGEST = "0123456789abcdef" * 4
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
    if package := metric_named(metric).package:
        pytest.importorskip(package)
    found = measure(REFERENCES, metric=metric, **({"order": 1} if metric in ("bleu", "nist") else {}))
    perfect, nothing = (found.statistics(texts) for texts in (["The cat sat on the mat.", "Yes!"], ["", ""]))

    best, worst = found.scores(perfect.sum(axis=0)), found.scores(nothing.sum(axis=0))
    assert found.scores(np.stack([perfect, nothing]).astype(np.float64)).shape == (2, 2)
    # TER divides the 4 + 1 edits to the closest references by the mean length of all, 5 + 1.
    assert worst == pytest.approx({"mwer": 1, "ter": 500 / 6}.get(metric, 0))
    if metric != "nist":
        assert best == pytest.approx(0 if found.metric.lower_is_better else 100)


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


def test_the_signature_names_the_version_of_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    assert f"|tok:tercom+sacrebleu-{sacrebleu.__version__}|" in str(measure(REFERENCES, metric="ter").signature(DIGEST))


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
    assert ours.pop("tok") == f"{'tercom+' if name == 'ter' else ''}sacrebleu-{told.pop('version')}"
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
    with pytest.raises(UsageError, match="the references of chrf cannot be resampled"):
        measure(REFERENCES, metric="chrf").resampled(1, seed=0)


@pytest.mark.parametrize("name", METRICS)
def test_metrics_know_their_names(name: str) -> None:
    assert metric_named(name).name == name


@pytest.mark.parametrize("metric", ["bleu", "nist", "mwer"])
def test_bad_texts(metric: str) -> None:
    with pytest.raises(InputError, match=r"^2: "):
        measure([["a"], [" "]], metric=metric)
    with pytest.raises(InputError, match="1 hypotheses"):
        measure(REFERENCES, metric=metric).statistics(["a"])
