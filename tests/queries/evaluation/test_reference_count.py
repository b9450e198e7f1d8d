"""Curves for references by origin: which there are, what they are of, and what their signatures say."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpora import data_folder
from labelled import labelled

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.records import ReferenceSet, digest
from corpusdb.corpus.formats.score_reading import HumanJudgements, read_human_scores
from corpusdb.corpus.formats.scoring_input import (
    Output,
    Reference,
    ReferenceTexts,
    Segmentation,
    read_output,
    read_references,
)
from corpusdb.scoring.metrics.registry import settings_for
from corpusdb.scoring.metrics.settings import Settings
from corpusdb.scoring.metrics.signature import Signature
from corpusdb.scoring.queries.reference_count import numbers_of_references, reference_worth
from corpusdb.scoring.reference_count import Resampling

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
    found = reference_worth([HYPOTHESES], labelled(ORIGINS), BLEU, FEW)
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
    found = reference_worth([HYPOTHESES], labelled(ORIGINS), BLEU, FEW)
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
    found = reference_worth([HYPOTHESES], labelled(ORIGINS), BLEU, FEW, human)
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
    settings: Settings,
    human: HumanJudgements | None,
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        reference_worth(outputs, labelled(origins), settings, FEW, human)


@pytest.mark.data
def test_a_second_reference_of_wmt21() -> None:
    """The published bleu-A and bleu-all of automatic.tsv; the correlation by system is that of the ten systems."""
    folder = data_folder("wmt21-ruen")
    origins = {name: read_references([folder / f"ref.{name[-1]}.en"]) for name in ("ref-A", "ref-B")}
    first = origins["ref-A"].segmentation
    outputs = [each for path in sorted((folder / "systems").iterdir()) for each in read_output(path, first)]
    human = read_human_scores(folder / "seg-DA.tsv")
    found = reference_worth(outputs, labelled(origins), settings_for("bleu"), Resampling(1, 2, 50), human)
    one, two = found.curves[-1].points
    at = found.systems.index("Facebook-AI")
    assert [point.scores[at].mean for point in (one, two)] == pytest.approx([42.3473, 57.1252], abs=5e-5)
    assert found.judged == found.systems
    # A point estimate that a human saw reference A of: it agrees better with A than with B.
    assert one.segment_correlation is not None
    other = found.curves[1].points[0].segment_correlation
    assert other is not None
    assert one.segment_correlation.interval.low > other.interval.high
