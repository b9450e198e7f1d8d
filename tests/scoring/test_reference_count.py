"""Curves over the number of references, of arrays and by origin."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_database import labelled

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats.records import ReferenceSet, digest
from corpusdb.corpus.formats.scoring_input import HumanJudgements
from corpusdb.corpus.formats.segments import Output, Reference, ReferenceTexts, Segmentation
from corpusdb.scoring.metric import References
from corpusdb.scoring.metric_settings import SENTENCE_SMOOTHING, MetricSettings, Signature
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.reference_count import measuring_worth, numbers_of_references
from corpusdb.scoring.reference_count import (
    HumanScores,
    MatchTable,
    ReferenceCountPoint,
    Resampling,
    drawing_worth_curve,
    drawn_orders,
    match_table,
)
from corpusdb.scoring.unit_metrics import bleu_scores, bleu_statistics

# Curves over references: against BLEU with the same references, against NumPy's correlation, and by what must hold.


Sample: TypeAlias = tuple[list[str], list[list[str]]]

ORDER = 4
sentences = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9).map(" ".join)
samples = st.lists(st.tuples(st.just("") | sentences, st.lists(sentences, min_size=1, max_size=4)), min_size=1)


def encoded(references: list[list[str]], *systems: list[str]) -> tuple[References, list[MatchTable]]:
    given = References.of(references, str.split)
    return given, [match_table(given.encode(system), given, ORDER) for system in systems]


def priorities(references: References) -> I64:
    return np.zeros(len(references.segments), dtype=np.int64)


def first_of(references: References, orders: I64, size: int) -> References:
    """Only the first references of an order, chosen one by one."""
    chosen = np.zeros(len(references.segments), dtype=np.bool_)
    for segment, order in enumerate(orders):
        for rank in order[:size]:
            chosen[references.firsts[segment] + rank] = True
    return references.subset(chosen)


@given(samples, st.integers(0, 99))
def test_statistics_are_those_of_bleu_with_the_first_references(
    segments: list[tuple[str, list[str]]], seed: int
) -> None:
    hypotheses = [hypothesis for hypothesis, _ in segments]
    references, (table,) = encoded([texts for _, texts in segments], hypotheses)
    orders = drawn_orders(references, priorities(references), np.random.default_rng(seed))
    sizes = range(1, int(references.counts.max()) + 1)
    for size, statistics in zip(sizes, table.statistics(orders, sizes), strict=True):
        chosen = first_of(references, orders, size)
        assert statistics.tolist() == bleu_statistics(chosen.encode(hypotheses), chosen, ORDER).tolist()


@given(
    st.lists(st.lists(st.integers(-1, 2), min_size=1, max_size=5).map(lambda row: [0, *row]), min_size=1, max_size=6)
)
def test_orders_take_every_reference_once_and_lower_priorities_first(rows: list[list[int]]) -> None:
    references = References.of([["x"] * len(row) for row in rows], str.split)
    orders = drawn_orders(references, np.array([each for row in rows for each in row]), np.random.default_rng(1))
    for row, order in zip(rows, orders.tolist(), strict=True):
        wanted = sorted(each for each in row if each >= 0)
        assert [row[rank] for rank in order[: len(wanted)]] == wanted
        assert len(set(order[: len(wanted)])) == len(wanted)
        assert set(order[len(wanted) :]) <= {order[len(wanted) - 1]}


@pytest.mark.slow
def test_every_order_is_as_likely() -> None:
    references = References.of([["x"] * 3] * 6000, str.split)
    orders = drawn_orders(references, priorities(references), np.random.default_rng(1))
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert (np.abs(counts - 1000) < 150).all()  # five standard deviations


def test_a_segment_without_a_reference_of_the_kind_is_told() -> None:
    references = References.of([["a"], ["b", "c"]], str.split)
    with pytest.raises(InputError, match="2: the segment has no such reference"):
        drawn_orders(references, np.array([0, -1, -1]), np.random.default_rng(1))


def curve(
    references: References, tables: list[MatchTable], human: HumanScores | None = None
) -> list[ReferenceCountPoint]:
    sizes = range(1, int(references.counts.max()) + 1)
    return finished(drawing_worth_curve(tables, references, priorities(references), sizes, Resampling(1, 8, 20), human))


def test_references_that_are_the_hypothesis_score_100_from_the_first_on() -> None:
    references, tables = encoded([["a b c d"] * 3, ["b c d a c"] * 2], ["a b c d", "b c d a c"])
    points = curve(references, tables)
    assert [(point.references, point.mean_references) for point in points] == [(1, 1), (2, 2), (3, 2.5)]
    for point in points:
        (score,), (spread,) = point.scores, point.spreads
        assert (score.mean, score.interval.low, score.interval.high) == pytest.approx((100, 100, 100))
        assert (spread.segments, spread.references) == pytest.approx((0, 0))
        assert point.segment_correlation is point.system_correlation is None


@pytest.fixture
def three_systems() -> tuple[References, list[MatchTable], list[list[str]]]:
    rng = np.random.default_rng(3)
    texts = [[" ".join(rng.choice(list("abcd"), 8)) for _ in range(3)] for _ in range(30)]
    systems = [[" ".join(rng.choice(list("abcde"), 8)) for _ in range(30)] for _ in range(3)]
    references, tables = encoded(texts, *systems)
    return references, tables, systems


def test_with_all_references_there_is_one_score(
    three_systems: tuple[References, list[MatchTable], list[list[str]]],
) -> None:
    references, tables, systems = three_systems
    one, two, three = curve(references, tables)
    for system, (score, spread) in zip(systems, zip(three.scores, three.spreads, strict=True), strict=True):
        statistics = bleu_statistics(references.encode(system), references, ORDER)
        assert score.mean == pytest.approx(100 * float(bleu_scores(statistics.sum(axis=0))[-1]), rel=1e-12)
        assert spread.references == pytest.approx(0, abs=1e-20)
        assert score.interval.low < score.mean < score.interval.high
    assert one.spreads[0].references > 0
    assert one.scores[0].mean < two.scores[0].mean < three.scores[0].mean


def test_correlations_are_those_of_numpy(three_systems: tuple[References, list[MatchTable], list[list[str]]]) -> None:
    references, tables, systems = three_systems
    rng = np.random.default_rng(4)
    segments: F64 = rng.normal(60, 5, size=(3, 30))
    segments[0, :7] = segments[2, 20] = np.nan
    human = HumanScores(np.array([0.3, 0.1, 0.2]), segments)
    last = curve(references, tables, human)[-1]
    statistics = [bleu_statistics(references.encode(system), references, ORDER) for system in systems]
    sentences = np.array([bleu_scores(each, SENTENCE_SMOOTHING)[:, -1] for each in statistics])
    rated = ~np.isnan(segments)
    assert last.segment_correlation is not None
    expected = np.corrcoef(sentences[rated], segments[rated])[0, 1]
    assert last.segment_correlation.mean == pytest.approx(expected, rel=1e-9)
    assert last.segment_correlation.interval.low < expected < last.segment_correlation.interval.high
    assert last.system_correlation is not None
    scores = [each.mean for each in last.scores]
    assert last.system_correlation.mean == pytest.approx(np.corrcoef(scores, human.systems)[0, 1], rel=1e-9)


@pytest.mark.parametrize("systems", [[0.1, 0.2, np.nan], [0.1, np.nan, np.nan], [0.1, 0.1, 0.1]])
def test_no_correlation_of_systems_without_three_different_ones(
    systems: list[float], three_systems: tuple[References, list[MatchTable], list[list[str]]]
) -> None:
    references, tables, _ = three_systems
    assert curve(references, tables, HumanScores(np.array(systems), None))[0].system_correlation is None


@pytest.mark.parametrize("sizes", [[], [0], [4], [1, 9]])
def test_numbers_of_references_that_there_are_not(
    sizes: list[int], three_systems: tuple[References, list[MatchTable], list[list[str]]]
) -> None:
    references, tables, _ = three_systems
    with pytest.raises(UsageError):
        finished(drawing_worth_curve(tables, references, priorities(references), sizes, Resampling(1)))


@pytest.mark.parametrize("resampling", [(1, 0, 1), (1, 1, 0)])
def test_at_least_one_draw_and_one_sample(resampling: tuple[int, int, int]) -> None:
    with pytest.raises(UsageError):
        Resampling(*resampling)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(
    ("system", "a", "b", "both"),
    [("Facebook-AI", 42.3473, 41.6124, 57.1252), ("AFRL", 38.8344, 39.5642, 53.3086)],
)
def test_published_scores_of_wmt21(news: dict[str, Sample], system: str, a: float, b: float, both: float) -> None:
    """bleu-A, bleu-B and bleu-all of automatic.tsv."""
    hypotheses, texts = news[system]
    references = References.of(texts, tokeniser("13a"))
    table = match_table(references.encode(hypotheses), references, ORDER)
    alternate = np.tile([0, 1], len(texts))
    for order, first in ((alternate, a), (1 - alternate, b)):
        points = finished(drawing_worth_curve([table], references, order, [1, 2], Resampling(1, 1, 2)))
        assert [point.scores[0].mean for point in points] == pytest.approx([first, both], abs=5e-5)


# Curves for references by origin: which there are, what they are of, and what their signatures say.


FILE = Path("file")
BLEU = settings_for("bleu", tokenisation="none")
FEW = Resampling(1, 4, 10)


def texts(*segments: list[str]) -> ReferenceTexts:
    references = tuple(tuple(Reference(text, FILE, line) for text in each) for line, each in enumerate(segments, 1))
    return ReferenceTexts(Segmentation(FILE, tuple(range(1, len(segments) + 1))), references)


HYPOTHESES = Output("one", FILE, ("a b c d e", "f g h i"))
ORIGINS = {
    "generated": texts(["a b c d e", "x a b c d"], ["f g h j"]),
    "other": texts(["z z z z"], ["z z z z"]),
    "original": texts(["a b c d"], ["f g h i j"]),
}


@pytest.mark.parametrize(
    ("most", "numbers"),
    [
        (1, [1]),
        (3, [1, 2, 3]),
        (10, list(range(1, 11))),
        (11, [*range(1, 11), 11]),
        (40, [*range(1, 11), 15, 22, 33, 40]),
    ],
)
def test_numbers_of_references(most: int, numbers: list[int]) -> None:
    assert numbers_of_references(most) == numbers


def test_each_origin_and_then_one_after_the_other() -> None:
    found = finished(measuring_worth([HYPOTHESES], labelled(ORIGINS), BLEU, FEW))
    assert (found.systems, found.judged, found.segments) == (("one",), (), 2)
    assert [curve.origins for curve in found.curves] == [
        ("original",),
        ("generated",),
        ("other",),
        ("original", "generated"),
        ("original", "generated", "other"),
    ]
    original, generated, other, both, every = found.curves
    assert [[point.mean_references for point in curve.points] for curve in (generated, both, every)] == [
        [1, 1.5],
        [1, 2, 2.5],
        [1, 2, 3, 3.5],
    ]
    assert both.points[0] == every.points[0]
    assert both.points[0].scores == original.points[0].scores
    assert both.points[-1].scores[0].mean == pytest.approx(100)
    assert other.points[0].scores[0].mean == 0
    assert original.sentence_signature is None


def test_signatures_have_the_digest_of_the_references_of_the_curve() -> None:
    found = finished(measuring_worth([HYPOTHESES], labelled(ORIGINS), BLEU, FEW))
    both = Signature.parse(found.curves[3].signature)
    sets = [
        ReferenceSet("", "", ("a b c d", "a b c d e", "x a b c d")),
        ReferenceSet("", "", ("f g h i j", "f g h j")),
    ]
    assert both.digest == digest(sets)[:16]
    assert (str(both.references), both.seed, both.order) == ("2/2.50/3", 1, 4)
    fewer = [Signature.parse(each) for each in found.curves[3].signatures]
    assert [str(each.references) for each in fewer] == ["1", "2", "2/2.50/3"], "each number says of how many it is"
    assert [str(each.drawn_from) for each in fewer] == ["2/2.50/3", "2/2.50/3", "None"]
    assert [each.draws for each in fewer] == [4, 4, None]
    assert len(set(found.curves[3].signatures)) == 3
    alone = Signature.parse(found.curves[0].signature)
    assert alone.digest == digest([ReferenceSet("", "", each.references[:1]) for each in sets])[:16]


def test_human_scores_of_segments_have_a_signature_of_their_own() -> None:
    human = HumanJudgements({"one": 0.5, "unknown": 1}, {"one": {0: 0.1, 1: 0.9}})
    found = finished(measuring_worth([HYPOTHESES], labelled(ORIGINS), BLEU, FEW, human))
    assert found.judged == ("one",)
    point = found.curves[0].points[0]
    assert point.segment_correlation is not None
    assert abs(point.segment_correlation.mean) == pytest.approx(1)  # two segments
    assert point.system_correlation is None
    told = found.curves[0].sentence_signature
    assert told is not None
    assert Signature.parse(told).smoothing == "exp+effective"


@pytest.mark.parametrize(
    ("outputs", "origins", "settings", "human", "error"),
    [
        ([], ORIGINS, BLEU, None, UsageError),
        ([HYPOTHESES], {}, BLEU, None, UsageError),
        ([HYPOTHESES], ORIGINS, settings_for("nist"), None, UsageError),
        ([HYPOTHESES], {"original": texts(["a"])}, BLEU, None, InputError),
        ([HYPOTHESES], ORIGINS, BLEU, HumanJudgements({"two": 1}, {}), InputError),
        ([HYPOTHESES], ORIGINS, BLEU, HumanJudgements({"one": 1}, {"one": {2: 1.0}}), InputError),
    ],
)
def test_what_cannot_be_studied(
    outputs: list[Output],
    origins: dict[str, ReferenceTexts],
    settings: MetricSettings,
    human: HumanJudgements | None,
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        finished(measuring_worth(outputs, labelled(origins), settings, FEW, human))
