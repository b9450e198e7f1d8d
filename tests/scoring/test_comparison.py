"""Two systems compared, of files and of the database: the parts sum to the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval
from corpusdb.base.jobs import finished
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.score_file import ExternalScores
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.formats.segments import Output, SegmentDocument
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store
from corpusdb.scoring.comparison_report import comparison_lines
from corpusdb.scoring.metric_settings import SENTENCE_SMOOTHING, MetricSettings
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.attributed import AttributedReference, AttributedSet
from corpusdb.scoring.queries.comparison import (
    ComparisonRequest,
    Likeness,
    PairComparison,
    comparing,
    corpus_likeness,
    in_corpus,
    stored_comparison,
    stored_system,
)
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets
from corpusdb.scoring.queries.score_differences import (
    BetterSegments,
    Bucket,
    ScoreDifference,
    by_segment,
    comparing_origins,
    scores_in_files,
)
from corpusdb.scoring.queries.scoring import Sampling, Significance, score_systems
from corpusdb.scoring.queries.scoring_references import ScoringReferences, references_from_corpus, references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores

# Two systems compared: the parts sum to the whole, and the other way round is the mirror.


METRICS = [settings_for("bleu", order=2), settings_for("mwer"), settings_for("bleu", unit="char", order=3)]
TEXT = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), max_size=6).map(" ".join)
REFERENCE = st.tuples(TEXT.filter(str.strip), st.sampled_from(["original", "detected", "generated", "exchanged"]))
SEGMENTS = st.lists(st.tuples(TEXT, TEXT, st.lists(REFERENCE, min_size=1, max_size=3)), min_size=1, max_size=5)


def references_of(segments: Sequence[Sequence[tuple[str, str]]]) -> ScoringReferences:
    """References with their origins."""
    attributed = tuple(
        AttributedSet("source", tuple(AttributedReference(text, (origin,), "seed") for text, origin in each))
        for each in segments
    )
    sets = tuple(
        ReferenceSet(str(number), "source", tuple(text for text, _ in each)) for number, each in enumerate(segments)
    )
    labels = tuple(tuple(origin for _, origin in each) for each in segments)
    return ScoringReferences(sets, labels, "corpus", {}, attributed)


def output(system: str, texts: Sequence[str]) -> Output:
    return Output(system, Path(system), tuple(texts))


def compare(
    outputs: Sequence[Output],
    references: ScoringReferences,
    metrics: Sequence[MetricSettings],
    asked: ComparisonRequest,
) -> list[PairComparison]:
    return finished(comparing(outputs, references, score_systems(outputs, references, metrics), asked))


def mirrored(found: ScoreDifference) -> ScoreDifference:
    interval = None if found.interval is None else Interval(-found.interval.high, -found.interval.low)
    return replace(
        found,
        a=found.b,
        b=found.a,
        difference=-found.difference,
        interval_a=found.interval_b,
        interval_b=found.interval_a,
        interval=interval,
    )


def mirrored_bucket(found: Bucket) -> Bucket:
    return replace(
        found,
        a=found.b,
        b=found.a,
        difference=-found.difference,
        tally=BetterSegments(found.tally.b, found.tally.equal, found.tally.a),
    )


def asked_of(segments: int, **more: object) -> ComparisonRequest:
    asked = ComparisonRequest(
        sampling=Sampling(20),
        examples=0,
        ngrams=0,
        lengths=(2, 4),
        documents=(
            SegmentDocument("first", 0, 1),
            *([SegmentDocument("rest", 1, segments - 1)] if segments > 1 else []),
        ),
        likeness=Likeness(3, np.linspace(0, 1, segments)),
    )
    return replace(asked, **more)  # type: ignore[arg-type]


TESTS = st.sampled_from(["bootstrap", "randomisation"])


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(SEGMENTS, st.sampled_from(METRICS), TESTS)
def test_the_other_way_round_is_the_mirror(
    segments: list[tuple[str, str, list[tuple[str, str]]]], metric: MetricSettings, test: Significance
) -> None:
    a, b, texts = map(list, zip(*segments, strict=True))
    outputs, references = [output("A", a), output("B", b)], references_of(texts)
    asked = asked_of(len(segments), test=test)
    (there,), (back,) = (compare(each, references, [metric], asked) for each in permutations(outputs))

    assert [*map(mirrored, there.scores)] == [*back.scores]
    assert there.tally == BetterSegments(back.tally.b, back.tally.equal, back.tally.a)
    for here, other in ((there.better_a, back.better_b), (there.better_b, back.better_a)):
        assert [(one.segment, one.a, one.b, -one.difference, one.output_a, one.output_b) for one in here] == [
            (one.segment, one.b, one.a, one.difference, one.output_b, one.output_a) for one in other
        ]
    assert [each.by for each in there.buckets] == [each.by for each in back.buckets]
    for one, another in zip(there.buckets, back.buckets, strict=True):
        assert [mirrored_bucket(each) for each in one.buckets] == [*another.buckets]
    assert (there.origins is None) == (back.origins is None)
    if there.origins is not None and back.origins is not None:
        assert mirrored(there.origins.by_people) == back.origins.by_people
        assert mirrored(there.origins.by_all) == back.origins.by_all
        low, high = there.origins.shift_interval.low, there.origins.shift_interval.high
        assert (-there.origins.shift, Interval(-high, -low)) == (back.origins.shift, back.origins.shift_interval)
        assert [(each.segment, -each.by_people, -each.by_all) for each in there.origins.changed] == [
            (each.segment, each.by_people, each.by_all) for each in back.origins.changed
        ]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(SEGMENTS, st.sampled_from(METRICS))
def test_buckets_sum_to_the_whole(
    segments: list[tuple[str, str, list[tuple[str, str]]]], metric: MetricSettings
) -> None:
    a, b, texts = map(list, zip(*segments, strict=True))
    (found,) = compare(
        [output("A", a), output("B", b)],
        references_of(texts),
        [metric],
        asked_of(len(segments), sections=("buckets",)),
    )
    for each in found.buckets:
        assert len(each.buckets) > 1
        assert sum(bucket.segments for bucket in each.buckets) == len(segments)
        assert (
            BetterSegments(
                *(sum(getattr(bucket.tally, side) for bucket in each.buckets) for side in ("a", "equal", "b"))
            )
            == found.tally
        )
    assert found.tally.a + found.tally.equal + found.tally.b == len(segments)


def test_histograms_count_every_segment_where_it_belongs() -> None:
    """By the reference that is closest in length, and in the last class what is the most."""
    texts = [[("a b c", "original"), ("a b c d e f", "original")], [("a", "original")], [("a b", "original")]]
    a, b = ["a b c d e", "a " * 30, "a b"], ["a b c", "", "c d"]
    (found,) = compare(
        [output("A", a), output("B", b)], references_of(texts), METRICS[:1], ComparisonRequest(sections=("histograms",))
    )
    by_length, by_score = (
        dict(zip(each.names, zip(each.a, each.b, strict=True), strict=True)) for each in found.histograms
    )
    assert {name: counts for name, counts in by_length.items() if any(counts)} == {
        "-1": (1, 1), "0": (1, 2), "20 or more": (1, 0)
    }  # fmt: skip
    assert [sum(each) for each in zip(*by_score.values(), strict=True)] == [3, 3]
    assert by_score["90 to 100"] == (1, 1) and by_score["0 to 10"][1] == 2


@pytest.mark.parametrize(("longer", "last"), [(0, "0.9 to 1.0"), (9, "9 to 10"), (30, "30 to 35"), (95, "90 to 100")])
def test_classes_of_scores_without_a_best_one_are_as_wide_as_they_need_to_be(longer: int, last: str) -> None:
    """mWER, of which all segments would be from 0 to 10."""
    texts = references_of([[("a a a a a a a a a a", "original")], [("a", "original")]])
    outputs = [output("A", ["a a a b b b b b b b", "a"]), output("B", ["", "b " * (longer or 1)])]
    asked = ComparisonRequest(sections=("histograms",))
    (found,) = compare(outputs, texts, METRICS[1:2], asked)
    by_score = dict(zip(found.histograms[1].names, found.histograms[1].b, strict=True))
    assert by_score[last] == (1 if longer else 2) and len(by_score) == 10
    if not longer:
        assert dict(zip(found.histograms[1].names, found.histograms[1].a, strict=True))["0.7 to 0.8"] == 1


def test_a_bucket_has_the_score_of_its_segments_alone() -> None:
    texts = [[("a b c", "original")], [("a a", "original"), ("b b b b", "original")], [("c c c c", "original")]]
    a, b = ["a b d", "a a b", "c c c"], ["b c", "b b", "d c c c"]
    outputs = [output("A", a), output("B", b)]
    (found,) = compare(outputs, references_of(texts), METRICS[:1], asked_of(3, likeness=None))
    lengths, counts, documents = found.buckets
    assert [each.name for each in lengths.buckets] == ["2 to 3", "4 or more"]
    assert [(each.name, each.segments) for each in counts.buckets] == [("1", 2), ("2", 1)]
    for bucket, chosen in zip(documents.buckets, ([0], [1, 2]), strict=True):
        alone = [output(each.system, [each.texts[number] for number in chosen]) for each in outputs]
        smoothed = [replace(METRICS[0], smoothing=SENTENCE_SMOOTHING)]
        (scores,) = score_systems(alone, references_of([texts[number] for number in chosen]), smoothed)
        assert (bucket.a, bucket.b) == tuple(scores.scores)


def test_segments_of_which_less_is_better() -> None:
    texts = references_of([[("a b", "original")], [("b", "original")]])
    outputs = [output("A", ["a b", "b"]), output("B", ["a", "b"])]
    (scores,) = score_systems(outputs, texts, [settings_for("mwer")])
    pair = by_segment(scores)
    assert pair.advantage.tolist() == [0.5, 0]
    assert (pair.leading(5), pair.leading(5, first=False), pair.tally()) == ([0], [], BetterSegments(1, 1, 0))


def test_sides_that_change_with_generated_references() -> None:
    """A has what a person wrote, B what was generated; the second segment is the other way round, the third equal."""
    texts = [
        [("a a a", "original"), ("b b b b", "generated")],
        [("a a", "accepted"), ("c", "exchanged")],
        [("a", "detected"), ("c c", "generated")],
        [("b", "generated")],
    ]
    a, b = ["a a a", "b", "d", "b"], ["b b b b", "a a", "c c", "c"]
    found = finished(
        comparing_origins(
            (output("A", a), output("B", b)),
            references_of(texts),
            settings_for("bleu", order=1),
            "bootstrap",
            Sampling(50),
        )
    )
    assert found is not None
    assert (found.segments, found.left_out, found.people, found.generated) == (3, 1, 3, 3)
    assert (found.changed, found.decided, found.levelled) == ((), 1, 1)
    assert found.shift == found.by_all.difference - found.by_people.difference
    assert found.shift_interval.low <= found.shift <= found.shift_interval.high
    assert (found.by_people.segments, found.by_people.signature != found.by_all.signature) == (3, True)

    outputs = output("A", ["a a d", *a[1:]]), output("B", b)
    swapped = finished(
        comparing_origins(outputs, references_of(texts), settings_for("bleu", order=1), "bootstrap", Sampling(50))
    )
    assert swapped is not None
    (change,) = swapped.changed
    assert (change.segment, change.by_people > 0, change.by_all < 0) == (1, True, True)


def test_nothing_is_said_of_origins_that_are_not_known_or_all_alike() -> None:
    outputs = output("A", ["a"]), output("B", ["b"])
    for references in (
        references_of([[("a", "original"), ("b", "detected")]]),
        references_of([[("a", "generated")]]),
        replace(references_of([[("a", "original")]]), attributed=()),
    ):
        assert finished(comparing_origins(outputs, references, METRICS[0], "bootstrap", Sampling(5))) is None


def external(name: str, scores: dict[str, list[float]], level: str = "segment") -> ExternalScores:
    arrays = {system: np.array(values) for system, values in scores.items()}
    return ExternalScores(name, level, arrays, Path(__file__), dict.fromkeys(arrays, 1))  # type: ignore[arg-type]


def differences(scores: Sequence[ExternalScores], segments: int = 3, test: str = "bootstrap") -> list[ScoreDifference]:
    outputs = [output("A", ["a"] * segments), output("B", ["b"] * segments)]
    asked = asked_of(segments, sections=("scores",), others=tuple(scores_in_files(scores, outputs)), test=test)
    (found,) = compare(outputs, references_of([[("a", "original")]] * segments), METRICS[:1], asked)
    return list(found.scores[1:])


def test_scores_of_others_are_resampled_where_both_have_one() -> None:
    (found,) = differences([external("COMET", {"A": [1, 2, np.nan], "B": [0, 1, 7], "C": [1, 1, 1]})])
    assert (found.a, found.b, found.difference, found.segments) == (1.5, 0.5, 1.0, 2)
    assert found.interval == Interval(1, 1)
    assert found.signature.startswith("imported:COMET|file:test_comparison.py|sha256:")


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ({"A": [1, 2, np.nan], "B": [0, 1, 7]}, "  COMET, imported, 2 of 3 segments that both have"),
        ({"A": [1, 2, 3], "B": [0, 1, 7]}, "  COMET, imported"),
    ],
)
def test_how_many_segments_both_have_is_said(scores: dict[str, list[float]], told: str) -> None:
    outputs = [output("A", ["a"] * 3), output("B", ["b"] * 3)]
    asked = asked_of(3, sections=("scores",), others=tuple(scores_in_files([external("COMET", scores)], outputs)))
    (found,) = compare(outputs, references_of([[("a", "original")]] * 3), METRICS[:1], asked)
    assert told in list(comparison_lines(found, asked))


def test_the_test_of_scores_of_others_is_exact_where_all_signs_can_be_tried() -> None:
    """Of the 2 ** 3 ways to exchange the systems in the segments, 2 give a difference as large."""
    outputs = [output("A", ["a"] * 3), output("B", ["b"] * 3)]
    others = tuple(scores_in_files([external("COMET", {"A": [3, 2, 4], "B": [1, 1, 1]})], outputs))
    asked = ComparisonRequest(sections=("scores",), test="randomisation", sampling=Sampling(4000), others=others)
    (found,) = compare(outputs, references_of([[("a", "original")]] * 3), METRICS[:1], asked)
    assert found.scores[1].p_value == pytest.approx(2 / 8, abs=0.03)


def test_scores_of_whole_systems_have_no_intervals() -> None:
    (found,) = differences([external("COMET", {"A": [1], "B": [0.25]}, "system")])
    assert (found.difference, found.interval, found.p_value, found.segments) == (0.75, None, None, 0)
    assert differences([external("COMET", {"A": [1]}, "system")]) == []


def test_scores_of_systems_and_other_means_of_their_segments_are_two_rows() -> None:
    """As `scores import` keeps them: what the file says of a system, and its segments."""
    files = [external("TER", {"A": [1, 3], "B": [0, 1]}), external("TER", {"A": [1.5], "B": [0.25]}, "system")]
    outputs = [output("A", ["a"] * 2), output("B", ["b"] * 2)]
    (found,) = scores_in_files(files, outputs)
    assert (found.values, list(found.segments)) == ({"A": 1.5, "B": 0.25}, ["A", "B"])
    whole, mean = differences(files, 2)
    assert (whole.metric, whole.segments, whole.a, whole.b, whole.interval) == ("TER", 0, 1.5, 0.25, None)
    assert (mean.metric, mean.segments, mean.lower_is_better) == ("TER (segments' mean)", 2, True)
    assert (mean.a, mean.b) == (2, 0.5)


@pytest.mark.parametrize(
    ("name", "given", "rows"),
    [
        ("COMET", {"A": [2.00001], "B": [0.5]}, ["COMET"]),  # as it is rounded
        ("COMET", {}, ["COMET"]),
        ("BLEUw4", {}, ["BLEUw4 (segments' mean)"]),  # which is no BLEU of a system
        ("BLEURT-20", {}, ["BLEURT-20"]),
    ],
)
def test_a_mean_is_called_one_where_it_is_not_the_score(
    name: str, given: dict[str, list[float]], rows: list[str]
) -> None:
    files = [external(name, {"A": [1, 3], "B": [0, 1]}), *([external(name, given, "system")] if given else [])]
    assert [each.metric for each in differences(files, 2)] == rows


def test_scores_of_another_test_set_are_refused() -> None:
    with pytest.raises(InputError, match=":1: A has 2 segments here, its output 3"):
        differences([external("COMET", {"A": [1, 2], "B": [0, 1]})])
    with pytest.raises(InputError, match=":1: scores none of A, B; it has C"):
        differences([external("COMET", {"C": [1, 2, 3]})])


def test_more_systems_are_compared_with_the_first() -> None:
    texts = references_of([[("a b", "original")]])
    outputs = [output(name, [text]) for name, text in (("A", "a b"), ("B", "a"), ("C", "b"))]
    found = compare(outputs, texts, METRICS, asked_of(1))
    assert [(each.a, each.b, len(each.scores)) for each in found] == [("A", "B", 3), ("A", "C", 3)]
    with pytest.raises(UsageError, match="compare needs two systems, and one is given"):
        compare(outputs[:1], texts, METRICS, asked_of(1))
    with pytest.raises(UsageError, match="A is given twice"):
        compare([*outputs, outputs[0]], texts, METRICS, asked_of(1))


# Systems of the database, with the reference sets that they were scored with, and what the corpus has of these.


BLEU = settings_for("bleu")


def keep(store: Store, references: ScoringReferences, **texts: tuple[str, ...]) -> None:
    outputs = [Output(system, Path(system), lines) for system, lines in texts.items()]
    store_scores(store, outputs, references, score_systems(outputs, references, [BLEU]))


def from_file(folder: Path, *lines: str) -> ScoringReferences:
    path = folder / f"{len(list(folder.iterdir()))}.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return references_from_files(read_references([path]), [path])


def test_the_set_that_both_were_scored_with(phrasebook: Store, tmp_path: Path) -> None:
    one, other = from_file(tmp_path, "a", "b"), from_file(tmp_path, "c", "d")
    keep(phrasebook, one, A=("a", "x"), B=("b", "y"))
    keep(phrasebook, other, A=("a", "x"))
    outputs, references = finished(stored_comparison(phrasebook, ["B", "A"]))
    assert [(each.system, each.texts) for each in outputs] == [("B", ("b", "y")), ("A", ("a", "x"))]
    assert (references.sets, references.digest) == (one.sets, one.digest)

    keep(phrasebook, other, B=("b", "y"))
    with pytest.raises(InputError, match=f"2 reference sets .* --set {one.digest[:16]} .3.txt of .*, 2 segments. or"):
        finished(stored_comparison(phrasebook, ["A", "B"]))
    assert finished(stored_comparison(phrasebook, ["A", "B"], other.digest[:6]))[1].sets == other.sets
    with pytest.raises(InputError, match="no reference set of digest 0000 has scores of all of A, B"):
        finished(stored_comparison(phrasebook, ["A", "B"], "0000"))


def test_the_output_that_a_name_means(phrasebook: Store, tmp_path: Path) -> None:
    keep(phrasebook, from_file(tmp_path, "a", "b"), A=("a", "x"), B=("b", "y"))
    keep(phrasebook, from_file(tmp_path, "a"), A=("z",))
    assert stored_system(phrasebook, "A", 1).texts == ("z",)
    with pytest.raises(InputError, match="the stored output of A has 1 or 2 segments, the references have 3"):
        stored_system(phrasebook, "A", 3)
    with pytest.raises(InputError, match="C is not a file, and no output of this name is stored; there are A, B"):
        stored_system(phrasebook, "C", 2)

    keep(phrasebook, from_file(tmp_path, "a", "b"), A=("other", "x"))
    with pytest.raises(InputError, match="2 stored outputs of 2 segments are called A; say A@") as told:
        stored_system(phrasebook, "A", 2)
    names = str(told.value).partition("say ")[2].split(" or ")
    assert {stored_system(phrasebook, name, 2).texts for name in names} == {("a", "x"), ("other", "x")}


def test_a_set_of_the_corpus_has_its_origins(phrasebook: Store) -> None:
    rows = phrasebook.connection.execute(
        "select distinct sentence.text from seed join sentence on sentence.id = seed.sentence order by seed.id limit 4"
    )
    recipe, sources = Recipe(language="eng"), [row[0] for row in rows]
    references = references_from_corpus(finished(attributed_sets(phrasebook, sources, recipe)), recipe)
    texts = tuple(each.references[0] for each in references.sets)
    keep(phrasebook, references, A=texts, B=tuple(reversed(texts)))
    found = finished(stored_comparison(phrasebook, ["A", "B"]))[1]
    assert (found.sets, found.labels, found.attributed) == (references.sets, references.labels, references.attributed)


def test_likeness_is_that_of_every_sequence_looked_up(phrasebook: Store) -> None:
    corpus = [text for _, text in sentences_after(phrasebook, "eng", 0)]
    references = [[corpus[0], f"{corpus[1][:14]}zzz{corpus[2]}"], ["zzz"], [corpus[3][:4]], [f"zz{corpus[4]}"]]
    found = corpus_likeness(phrasebook, "eng", references)
    assert found is not None
    for texts, share in zip(references, found.shares.tolist(), strict=True):
        sequences = [
            text[at : at + size]
            for text in texts
            for size in [min(found.characters, len(text))]
            for at in range(len(text) - size + 1)
        ]
        assert share == sum(any(each in text for text in corpus) for each in sequences) / len(sequences)
    assert found.shares[1] == 0 and found.shares[2] == 1 and 0 < found.shares[3] < 1


def test_frequencies_are_those_of_the_words_in_the_corpus(phrasebook: Store) -> None:
    tokenise = tokeniser("13a", lowercase=True)
    counts = Counter(unit for _, text in sentences_after(phrasebook, "eng", 0) for unit in tokenise(text))
    found = in_corpus(phrasebook, "eng", [["The ticket"]], [["Where is zzz?"]], [settings_for("bleu", lowercase=True)])
    assert counts["the"] > 0
    assert {unit: found.frequencies[unit] for unit in ("the", "ticket", "where", "is", "zzz", "?", "a")} == {
        unit: counts[unit] * (unit != "a") for unit in ("the", "ticket", "where", "is", "zzz", "?", "a")
    }
    assert in_corpus(phrasebook, "deu", [["a"]], [["b"]], [BLEU]).likeness is None
