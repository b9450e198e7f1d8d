from __future__ import annotations

import random
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.studies.bleu_in_characters.report import write_images
from corpusdb.studies.bleu_in_characters.tables import CandidateScores, Measurement, candidate_scores, equivalence
from corpusdb.studies.images import ImageFormat

pytest.importorskip("matplotlib")

BEGINNINGS: dict[ImageFormat, bytes] = {"svg": b"<?xml", "png": b"\x89PNG"}


@pytest.fixture(scope="module")
def scores() -> CandidateScores:
    rng = random.Random(2)
    references = [[" ".join(rng.choices(["one", "two", "three"], k=8))] for _ in range(20)]
    hypotheses = [" ".join(word for word in each.split() if rng.random() > 0.3) for (each,) in references]
    return candidate_scores({"s": hypotheses}, references, Measurement(4, 20))


@pytest.mark.parametrize("format", BEGINNINGS)
def test_the_same_scores_give_the_same_files(format: ImageFormat, scores: CandidateScores, tmp_path: Path) -> None:
    study = equivalence(scores)
    first, second = (write_images(scores, study, {format: tmp_path / name / "new"}) for name in ("a", "b"))

    assert [path.name for path in first] == [f"figure-1.{format}", f"figure-2.{format}"]
    assert first[0].parent == tmp_path / "a" / "new"
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes().startswith(BEGINNINGS[format])
        assert one.read_bytes() == other.read_bytes()


def test_the_axes_are_named(scores: CandidateScores, tmp_path: Path) -> None:
    study = equivalence(scores, equivalent=9)
    texts = [path.read_text() for path in write_images(scores, study, {"svg": tmp_path})]

    assert all(name in texts[0] for name in ("BLEUw4", "BLEUc9"))
    assert all(name in texts[1] for name in ("BLEUw4", "BLEUw3", "BLEUc9", ">M<"))


def test_a_file_is_no_folder(scores: CandidateScores, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is no folder"):
        write_images(scores, equivalence(scores), {"svg": tmp_path / "file"})
