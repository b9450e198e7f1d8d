"""Agreement of metrics with people: on made-up systems, and on the published scores of WMT."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from score_database import labelled

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval, pearson
from corpusdb.base.jobs import finished
from corpusdb.base.system_agreement import SYSTEM_STATISTICS, Superiority
from corpusdb.corpus.formats.score_file import ExternalScores
from corpusdb.corpus.formats.scoring_input import (
    HumanJudgements,
    read_human_scores,
    read_output,
    read_references,
    read_score_file,
)
from corpusdb.corpus.formats.segments import (
    Output,
    ReferenceTexts,
    SegmentDocument,
    make_reference,
    segmentation_by_line,
)
from corpusdb.homogeneity.scale import Coefficients
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.agreement import (
    AgreementReport,
    JudgedSystems,
    Question,
    agreement,
    chosen_pairs,
    judged_systems,
    ranks_of,
)
from corpusdb.scoring.queries.agreement_figures import Breakdown, parts_by
from corpusdb.scoring.queries.imported_scores import human_ratings
from corpusdb.scoring.queries.reference_count import measuring_worth
from corpusdb.scoring.queries.scoring import Sampling
from corpusdb.scoring.queries.variant_scores import (
    ComputedScores,
    VariantChoice,
    computing_scores,
    given_scores,
    variant_settings,
)
from corpusdb.scoring.reference_count import Resampling, drawn_orders

# Agreement of variants of metrics with people, on made-up systems whose outputs and references are known.

SEGMENTS = 24
SYSTEMS = ("best", "good", "fair", "poor")
SAMPLING = Sampling(samples=30)


def sentences(rng: np.random.Generator, letters: str = "abcde") -> tuple[str, ...]:
    return tuple(" ".join(rng.choice(list(letters), 9)) for _ in range(SEGMENTS))


def texts_of(path: str, *translations: Sequence[str]) -> ReferenceTexts:
    rows = zip(*translations, strict=True)
    made = tuple(
        tuple(make_reference(text, Path(path), line) for text in row if text) for line, row in enumerate(rows, 1)
    )
    return ReferenceTexts(segmentation_by_line(Path(path), SEGMENTS), made)


@pytest.fixture(scope="module")
def origins() -> dict[str, ReferenceTexts]:
    """Two original references of each segment, and a generated one of all, a second one of some."""
    rng = np.random.default_rng(1)
    first, second, third, fourth = (sentences(rng) for _ in range(4))
    some = tuple(text if number % 3 == 0 else "" for number, text in enumerate(fourth))
    return {"generated": texts_of("g", third, some), "original": texts_of("o", first, second)}


@pytest.fixture(scope="module")
def outputs(origins: dict[str, ReferenceTexts]) -> list[Output]:
    """The first reference with more and more words of another alphabet in it."""
    rng = np.random.default_rng(2)
    texts = [row[0].text for row in origins["original"].references]
    made = []
    for name, rate in zip(SYSTEMS, (0.1, 0.3, 0.5, 0.7), strict=True):
        words = (" ".join("x" if rng.random() < rate else word for word in text.split()) for text in texts)
        made.append(Output(name, Path(name), tuple(words)))
    return made


@pytest.fixture(scope="module")
def human() -> HumanJudgements:
    """The better the system the higher, but for some noise; some segments were not scored."""
    rng = np.random.default_rng(3)
    segments = {
        name: {
            number: round(float(rng.normal(level, 2)))
            for number in range(SEGMENTS)
            if rng.random() < 0.9
        }
        for name, level in zip(SYSTEMS, (4, 2, 3, 0), strict=True)
    }  # fmt: skip
    return HumanJudgements({name: sum(row.values()) / len(row) for name, row in segments.items()}, segments)


def measured(
    outputs: Sequence[Output],
    origins: dict[str, ReferenceTexts],
    human: HumanJudgements,
    choice: VariantChoice,
    **asked: object,
) -> AgreementReport:
    names = tuple(output.system for output in outputs)
    scores = tuple(finished(computing_scores(outputs, labelled(origins), choice)))
    judged = JudgedSystems(names, human_ratings(human, names, SEGMENTS), scores, SEGMENTS)
    return finished(agreement(judged, Question(**{"sampling": SAMPLING, **asked})))  # type: ignore[arg-type]


def values(report: AgreementReport, statistic: str, level: str, part: str = "all") -> list[float | None]:
    return [
        each.figure.value
        for each in report.figures
        if (each.figure.statistic, each.figure.level, each.part) == (statistic, level, part)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["word", "char"])
def test_the_study_of_reference_counts_has_the_same_numbers(
    unit: str, outputs: list[Output], origins: dict[str, ReferenceTexts], human: HumanJudgements
) -> None:
    settings = settings_for("bleu", unit=unit, order=3)
    study = finished(measuring_worth(outputs, labelled(origins), settings, Resampling(7, 4, 5), human))
    for curve in study.curves:
        choice = VariantChoice(
            units=[unit], orders=[3], references=(1, 2, None), origins=[curve.origins], draws=4, seed=7
        )
        report = measured(outputs, origins, human, choice)
        points = [curve.points[0], curve.points[1], curve.points[-1]]
        points = points if len(curve.points) > 2 else points[:-1]
        for level, name in (("system", "system_correlation"), ("segment", "segment_correlation")):
            expected = [getattr(point, name).mean for point in points]
            assert values(report, "pearson", level) == pytest.approx(expected, abs=1e-9)
        signatures = {each.scores.signature for each in report.figures}
        assert any(str(signature).split("|set:")[1][:16] in curve.signature for signature in signatures)


def test_other_metrics_with_some_references_are_means_over_the_same_draws(
    outputs: list[Output], origins: dict[str, ReferenceTexts]
) -> None:
    """mWER has no table of matches: its references are chosen and its texts gone through again."""
    references = labelled(origins)
    of_two = VariantChoice(metrics=["mwer", "bleu"], references=(2,), draws=3)
    by_draw = {each.metric: each for each in finished(computing_scores(outputs, references, of_two))}
    rng = np.random.default_rng(1)
    cut = references.texts.cut(settings_for("bleu"))
    for draw in range(3):
        orders = drawn_orders(cut, references.origins, rng)
        chosen = {
            "original": texts_of(
                "o",
                *(
                    [each.references[order[rank]] for each, order in zip(references.sets, orders, strict=True)]
                    for rank in (0, 1)
                ),
            )
        }
        alone = VariantChoice(metrics=["mwer", "bleu"])
        for each in finished(computing_scores(outputs, labelled(chosen), alone)):
            assert by_draw[each.metric].systems[draw].tolist() == pytest.approx(each.systems[0].tolist(), abs=1e-9)


def test_figures_are_those_of_the_scores(
    outputs: list[Output], origins: dict[str, ReferenceTexts], human: HumanJudgements
) -> None:
    report = measured(outputs, origins, human, VariantChoice(metrics=["bleu", "mwer"]))
    for each, value in zip(("bleu", "mwer"), values(report, "pearson", "system"), strict=True):
        ours = []
        for output in outputs:  # over the segments that people scored of this one
            chosen = sorted(human.segments[output.system])
            lines = segmentation_by_line(Path("some"), len(chosen))
            some = {key: ReferenceTexts(lines, tuple(x.references[at] for at in chosen)) for key, x in origins.items()}
            alone = Output(output.system, output.path, tuple(output.texts[at] for at in chosen))
            (scores,) = finished(computing_scores([alone], labelled(some), VariantChoice(metrics=[each])))
            ours.append(float(scores.systems[0, 0]))
        assert value == pytest.approx(pearson(ours, [human.systems[name] for name in SYSTEMS]), abs=1e-12)
        assert value is not None and value > 0.5  # also for errors, of which fewer are better
    for figure in (each.figure for each in report.figures):
        assert figure.value is not None
        assert bounds(figure.interval)[0] <= bounds(figure.interval)[1]
        if figure.statistic == "soft_pairwise_accuracy":
            assert bounds(figure.interval)[0] <= figure.value <= bounds(figure.interval)[1]
        assert figure.document_interval is None
        assert figure.n == (4 if figure.level == "system" else sum(map(len, human.segments.values())))


def bounds(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


def given(path: str, name: str, level: str, rows: dict[str, list[float]]) -> ExternalScores:
    arrays = {system: np.array(row) for system, row in rows.items()}
    return ExternalScores(name, level, arrays, Path(path), dict.fromkeys(rows, 1))  # type: ignore[arg-type]


def test_scores_of_others_agree_as_ours_do(
    outputs: list[Output], origins: dict[str, ReferenceTexts], human: HumanJudgements
) -> None:
    """The segments of chrF, imported; a mean over segments is no corpus score, so that systems differ a little."""
    (scores,) = finished(computing_scores(outputs, labelled(origins), VariantChoice(metrics=["chrf"])))
    rows = dict(zip(SYSTEMS, scores.segments[0].tolist(), strict=True))
    (imported,) = given_scores([given("x.seg.score", "x", "segment", rows)], SYSTEMS, SEGMENTS)
    people = human_ratings(human, SYSTEMS, SEGMENTS)
    question = Question(sampling=SAMPLING, compare=[])
    report = finished(agreement(JudgedSystems(SYSTEMS, people, (scores, imported), SEGMENTS), question))
    for level in ("segment", "segment within systems", "segment within segments"):
        for statistic in ("pearson", "kendall", "acc_eq"):
            ours, theirs = values(report, statistic, level)
            assert ours == pytest.approx(theirs, abs=1e-12)
    intervals = [each.figure.interval for each in report.figures if each.figure.level == "segment"]
    assert intervals[:3] == intervals[3:]
    (compared,) = (each for each in report.comparisons if each.level == "segment")
    assert compared.difference == pytest.approx(0, abs=1e-12)
    assert compared.permuted is not None and compared.permuted.first_better == 1


def test_given_scores_are_of_the_segments_that_people_scored(human: HumanJudgements) -> None:
    """Means of segments, and with them those of the systems that a file has; others are as given, without samples."""
    rng = np.random.default_rng(4)
    rows = {name: rng.normal(size=SEGMENTS).tolist() for name in SYSTEMS}
    wholes = {name: [float(np.mean(row))] for name, row in rows.items()}
    people = human_ratings(human, SYSTEMS, SEGMENTS)
    for more in ([], [given("x.sys.score", "x", "system", wholes)]):
        (scores,) = given_scores([given("x.seg.score", "x", "segment", rows), *more], SYSTEMS, SEGMENTS)
        means = [float(np.mean([rows[name][at] for at in human.segments[name]])) for name in SYSTEMS]
        assert scores.judged(people).systems[0] == pytest.approx(means)
    corpus = [given("x.sys.score", "x", "system", {name: [row[0] + 7] for name, row in wholes.items()})]
    (scores,) = given_scores([given("x.seg.score", "x", "segment", rows), *corpus], SYSTEMS, SEGMENTS)
    assert scores.judged(people) is scores
    assert scores.in_samples(np.ones((1, SEGMENTS))) is scores.contributions is None


def test_equal_metrics_are_of_one_rank(
    outputs: list[Output], origins: dict[str, ReferenceTexts], human: HumanJudgements
) -> None:
    """One metric, computed, and given of systems alone, which has a weaker test, in one file with fewer decimals."""
    computed = finished(computing_scores(outputs, labelled(origins), VariantChoice(metrics=["chrf", "bleu"])))
    ours = computed[0].judged(human_ratings(human, SYSTEMS, SEGMENTS)).systems[0]
    files = []
    for name, digits in (("a", 12), ("b", 1)):
        rows = {system: [round(float(score), digits)] for system, score in zip(SYSTEMS, ours, strict=True)}
        files.append(given(f"{name}.sys.score", name, "system", rows))
    scores = (*computed, *given_scores(files, SYSTEMS, SEGMENTS))
    people = human_ratings(human, SYSTEMS, SEGMENTS)
    question = Question(sampling=SAMPLING, compare=[], levels=["system"], statistics=["pearson"])
    report = finished(agreement(JudgedSystems(SYSTEMS, people, scores, SEGMENTS), question))
    assert {each.statistic for each in report.comparisons} == {"pearson"}
    for p in (1.0, 0.001):  # whatever the tests say of them
        compared = [replace(each, permuted=Superiority(p, p)) for each in report.comparisons]
        ranks = ranks_of(replace(report, comparisons=tuple(compared)))
        assert len({ranks["system", "pearson", name] for name in (computed[0].name, "a", "b")}) == 1
        assert (ranks["system", "pearson", computed[1].name] == ranks["system", "pearson", "a"]) == (p == 1)


@pytest.mark.parametrize(("name", "sign"), [("TER", -1), ("mWER", -1), ("chrF2", 1), ("COMET", 1)])
def test_metrics_of_others_that_count_errors_are_taken_negative(name: str, sign: int) -> None:
    rows = {system: [float(at), float(at) + 1] for at, system in enumerate(SYSTEMS)}
    (found,) = given_scores([given("x.tsv", name, "segment", rows)], SYSTEMS, 2)
    np.testing.assert_array_equal(found.of_segments, sign * np.array(list(rows.values())))
    np.testing.assert_array_equal(found.of_systems, sign * np.array([0.5 + at for at in range(len(SYSTEMS))]))


@pytest.mark.parametrize(
    ("name", "level", "told"),
    [
        ("BLEUw4", "segment", "BLEUw4 (segments' mean)"),
        ("BLEUw4", "system", "BLEUw4, given"),
        ("COMET", "segment", "COMET"),
    ],
)
def test_scores_of_others_are_told_from_ours(name: str, level: str, told: str) -> None:
    rows = {system: [float(at)] for at, system in enumerate(SYSTEMS)}
    (found,) = given_scores([given("x.tsv", name, level, rows)], SYSTEMS, 1, ["BLEUw4"])
    assert (found.name, found.signature) == (told, f"imported:{name}|file:x.tsv")


def test_systems_that_others_did_not_score_are_left_out(human: HumanJudgements) -> None:
    files = [
        given("x.sys.score", "x", "system", {"best": [3.0], "fair": [2.0], "poor": [1.0], "another": [9.0]}),
        given("y.seg.score", "y", "segment", {name: [1.0] * SEGMENTS for name in SYSTEMS}),
    ]
    scores = tuple(given_scores(files, SYSTEMS, SEGMENTS))
    judged = JudgedSystems(SYSTEMS, human_ratings(human, SYSTEMS, SEGMENTS), scores, SEGMENTS)
    report = finished(agreement(judged, Question(sampling=SAMPLING, compare=["x", "y"])))
    found = {(each.scores.name, each.figure.statistic): each.figure for each in report.figures
             if each.figure.level == "system"}  # fmt: skip
    assert (found["x", "pearson"].n, found["y", "pearson"].n) == (3, 4)
    assert found["x", "pearson"].value is not None
    assert found["y", "pearson"].value is None
    assert found["y", "pearson"].reason == "the metric gives all systems the same score"
    assert {each.reason for each in report.comparisons if each.statistic == "pearson" and each.level == "system"} == {
        "y: the metric gives all systems the same score"
    }


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (
            [given("f", "x", "system", {"best": [1.0]}), given("g", "x", "system", {"best": [2.0]})],
            "scores of x by system are in f",
        ),
        ([given("f", "x", "segment", {"best": [1.0]})], "f:1: scores of 1 segments of each system, and there are 24"),
        ([given("f", "x", "system", {"another": [1.0]})], "the scores are of other systems: another"),
    ],
)
def test_scores_that_do_not_belong_to_the_systems(files: list[ExternalScores], told: str) -> None:
    with pytest.raises(InputError, match=told):
        list(given_scores(files, SYSTEMS, SEGMENTS))


def test_documents_have_intervals_of_their_own(
    outputs: list[Output], origins: dict[str, ReferenceTexts], human: HumanJudgements
) -> None:
    single = [SegmentDocument(f"d{number}", number, 1) for number in range(SEGMENTS)]
    report = measured(outputs, origins, human, VariantChoice(), documents=single)
    for each in report.figures:  # every segment is a document
        assert bounds(each.figure.interval) == pytest.approx(bounds(each.figure.document_interval), abs=1e-12)
    halves = [SegmentDocument("a", 0, 12), SegmentDocument("b", 12, 12)]
    report = measured(outputs, origins, human, VariantChoice(), documents=halves, parts=parts_by("document", halves))
    assert {each.part for each in report.figures} == {"all", "document a", "document b"}
    alone = [Output(each.system, each.path, each.texts[:12]) for each in outputs]
    first = {name: ReferenceTexts(segmentation_by_line(Path(name), 12), each.references[:12])
             for name, each in origins.items()}  # fmt: skip
    rows = {name: {at: score for at, score in row.items() if at < 12} for name, row in human.segments.items()}
    people = HumanJudgements({name: sum(row.values()) / len(row) for name, row in rows.items()}, rows)
    (scores,) = finished(computing_scores(alone, labelled(first), VariantChoice()))
    judged = JudgedSystems(SYSTEMS, human_ratings(people, SYSTEMS, 12), (scores,), 12)
    expected = finished(agreement(judged, Question(sampling=SAMPLING)))
    found = [each.figure for each in report.figures if each.part == "document a"]
    for one, other in zip(found, expected.figures, strict=True):
        assert one.value == pytest.approx(other.figure.value, abs=1e-9)
        if one.interval is not None:
            assert bounds(one.interval) == pytest.approx(bounds(other.figure.interval), abs=1e-12)


def test_every_segment_is_in_one_part(outputs: list[Output], origins: dict[str, ReferenceTexts]) -> None:
    documents = [
        SegmentDocument("a", 12, 12, "news"),
        SegmentDocument("b", 0, 5, "chat"),
        SegmentDocument("c", 5, 7, "news"),
    ]
    references = labelled(origins)
    values = np.linspace(0.2, 0.6, SEGMENTS)
    values[::7] = np.nan
    found = Coefficients(values, np.zeros(SEGMENTS, dtype=np.bool_))
    for breakdown in get_args(Breakdown):
        parts = parts_by(breakdown, documents, outputs, references, found)
        together = np.concatenate([part.segments for part in parts])
        assert sorted(together.tolist()) == list(range(SEGMENTS))
        assert len({part.name for part in parts}) == len(parts) > (0 if breakdown == "length" else 1)
    names = {part.name: part.segments.tolist() for part in parts_by("domain", documents)}
    assert names == {"domain news": list(range(5, 24)), "domain chat": list(range(5))}
    by_number = {part.name: part.segments.tolist() for part in parts_by("references", (), outputs, references)}
    assert by_number["4 references"] == list(range(0, SEGMENTS, 3))
    by_coefficient = parts_by("coefficient", (), coefficients=found)
    assert by_coefficient[-1].name == "I undefined"
    assert by_coefficient[-1].segments.tolist() == list(range(0, SEGMENTS, 7))
    bounds = [(values[part.segments].min(), values[part.segments].max()) for part in by_coefficient[:-1]]
    assert [part.name for part in by_coefficient[:-1]] == [f"I {low:.2f}-{high:.2f}" for low, high in bounds]
    assert bounds == sorted(bounds) and len(bounds) == 4


def test_novelty_is_what_no_reference_has() -> None:
    """Outputs of one word, which the reference has or not."""
    reference = {"original": texts_of("r", ["a b"] * SEGMENTS)}
    words = tuple("a" if number % 2 else "x" for number in range(SEGMENTS))
    parts = parts_by("novelty", (), [Output("s", Path("s"), words)], labelled(reference))
    assert {part.name: part.segments[0] for part in parts} == {"novelty 0-0 %": 1, "novelty 100-100 %": 0}


@pytest.mark.parametrize("breakdown", get_args(Breakdown))
def test_a_breakdown_needs_something(breakdown: str) -> None:
    with pytest.raises(UsageError, match=f"--by {breakdown} needs"):
        parts_by(breakdown, ())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="--by domain needs a column domain"):
        parts_by("domain", [SegmentDocument("a", 0, 1)])


def test_scores_of_systems_are_not_drawn_from_segments_whose_means_they_are_not(
    outputs: list[Output], origins: dict[str, ReferenceTexts]
) -> None:
    given = dict(zip(SYSTEMS, (4.0, 3.0, 1.0, 2.0), strict=True))
    said = {name: {segment: float(segment % (place + 2)) for segment in range(9)} for place, name in enumerate(SYSTEMS)}
    reports = [
        measured(outputs, origins, HumanJudgements(systems, segments), VariantChoice(), levels=["system"])
        for systems, segments in (
            (given, said),
            (given, {}),
            ({name: float(np.mean([*said[name].values()])) for name in said}, said),
        )
    ]
    assert [each.human_is_fixed for each in reports] == [True, True, False]
    both, alone, _ = [
        [each.figure for each in report.figures if each.figure.statistic == "pearson"] for report in reports
    ]
    assert [(each.value, each.interval) for each in both] == [(each.value, each.interval) for each in alone]


def test_outliers_are_left_out_beside_all(outputs: list[Output], origins: dict[str, ReferenceTexts]) -> None:
    people = HumanJudgements({"best": 1.0, "good": 1.1, "fair": 1.2, "poor": -50.0}, {})
    report = measured(outputs, origins, people, VariantChoice(), levels=["system"], without_outliers=True)
    assert report.outliers == ("poor",)
    assert report.human_is_fixed
    counts = {each.part: each.figure.n for each in report.figures}
    assert counts == {"all": 4, "without outliers": 3}
    calm = HumanJudgements({"best": 1.0, "good": 1.1, "fair": 1.2, "poor": 0.9}, {})
    report = measured(outputs, origins, calm, VariantChoice(), levels=["system"], without_outliers=True)
    assert (report.outliers, {each.part for each in report.figures}) == ((), {"all"})


@pytest.mark.slow
def test_variants_are_combinations_that_make_sense(outputs: list[Output], origins: dict[str, ReferenceTexts]) -> None:
    choice = VariantChoice(
        metrics=["bleu", "chrf", "mwer"],
        units=["word", "char"],
        orders=[1, 4],
        tokenisations=["13a", "intl"],
        references=(1, 4, None),
        origins=[["original"], ["generated"]],
        draws=2,
    )
    settings = variant_settings(choice)
    assert len(settings) == 6 + 1 + 3
    scores = list(finished(computing_scores(outputs, labelled(origins), choice)))
    names = [each.name for each in scores]
    assert len(set(names)) == len(names) == 2 * 2 * len(settings)
    assert {"BLEUw1 13a original 1 ref", "BLEUw4 intl generated 2 refs = all", "chrF2 original 1 ref"} < set(names)
    assert [len(each.systems) for each in scores[:2]] == [2, 1]


def test_lower_orders_are_parts_of_the_highest(outputs: list[Output], origins: dict[str, ReferenceTexts]) -> None:
    references = labelled(origins)
    together = {
        each.name: each for each in finished(computing_scores(outputs, references, VariantChoice(orders=[1, 2, 4])))
    }
    for order in (1, 2, 4):
        (alone,) = finished(computing_scores(outputs, references, VariantChoice(orders=[order])))
        assert together[alone.name].statistics.tolist() == alone.statistics.tolist()


def test_pairs_by_names_of_metrics_and_variants(outputs: list[Output], origins: dict[str, ReferenceTexts]) -> None:
    choice = VariantChoice(metrics=["bleu", "mwer"], orders=[1, 2])
    scores: list[ComputedScores] = list(finished(computing_scores(outputs, labelled(origins), choice)))

    def named(*names: str) -> list[tuple[str, str]]:
        return [(one.name, other.name) for one, other in chosen_pairs(scores, names)]

    assert named() == named("BLEU", "mwer") == [("BLEUw1", "BLEUw2"), ("BLEUw1", "mWER"), ("BLEUw2", "mWER")]
    assert named("mwer", "bleuw2") == [("mWER", "BLEUw2")]
    assert chosen_pairs(scores, None) == []
    for names, told in ((["ter"], "there is no metric 'ter'"), (["mwer"], "two metrics are needed")):
        with pytest.raises(UsageError, match=told):
            named(*names)


def test_tables_and_files_are_read_as_they_are_imported(tmp_path: Path, human: HumanJudgements) -> None:
    path = tmp_path / "automatic.tsv"
    path.write_text("system\tCOMET\tBLEURT\nbest\t0.9\t\npoor\t0.1\t0.2\ngood\t0.5\t0.3\n", encoding="utf-8")
    scores = list(given_scores(read_score_file(path).scores(), SYSTEMS, None))
    assert [each.name for each in scores] == ["COMET", "BLEURT"]
    assert scores[1].systems[0].tolist() == pytest.approx([np.nan, 0.3, np.nan, 0.2], nan_ok=True)


# Published scores of WMT: ours are equal to the printed digit, and their correlations are those of scipy.

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FOLDERS = sorted(path.parent.name for path in DATA.glob("wmt*/automatic.tsv"))

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


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(("folder", "column", "metric", "tokenisation", "ends"), CASES)
def test_scores_to_the_printed_digit(
    folder: str, column: str, metric: str, tokenisation: str | None, ends: str
) -> None:
    check_column(
        folder, column, VariantChoice(metrics=[metric], orders=[ORDER[metric]], tokenisations=[tokenisation]), ends
    )


@pytest.mark.data
@pytest.mark.parametrize(
    ("folder", "column", "metric", "ends"),
    [("wmt21-isen", "bleu-A", "bleu", "A"), ("wmt21-ruen", "chrf-all", "chrf", "AB")],
)
def test_scores_of_one_test_set_to_the_printed_digit(folder: str, column: str, metric: str, ends: str) -> None:
    check_column(folder, column, VariantChoice(metrics=[metric]), ends)


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
        (scores,) = finished(computing_scores(outputs, labelled({"original": texts}), choice))
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


@pytest.mark.data
@pytest.mark.parametrize("folder", FOLDERS)
def test_correlations_of_published_scores_are_those_of_scipy(folder: str) -> None:
    named = [DATA / folder / name for name in ("sys-DA.tsv", "human.tsv")]
    (path,) = (path for path in named if path.exists())
    files, human = read_score_file(DATA / folder / "automatic.tsv").scores(), read_human_scores(path)
    systems = judged_systems(files, human)
    judged = JudgedSystems(systems, human_ratings(human, systems, 0), tuple(given_scores(files, systems, None)), 0)
    report = finished(agreement(judged, Question(levels=["system"])))
    names = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
    assert len(report.figures) == 4 * len(judged.scores) >= 20
    for each in report.figures:
        ours = each.scores.systems[0]
        known = np.isfinite(ours)
        both = ours[known], judged.human.systems[known]
        if each.figure.statistic == "pairwise_accuracy":
            columns = (scores[:, np.newaxis] for scores in both)
            assert each.figure.value == SYSTEM_STATISTICS["pairwise_accuracy"](*columns)[0]
        else:
            theirs = getattr(scipy_stats(), names[each.figure.statistic])(*both).statistic
            assert each.figure.value == pytest.approx(float(theirs), abs=1e-12)
        assert each.figure.n == np.count_nonzero(known) > 6
        assert each.figure.interval is None  # there is nothing to draw from
