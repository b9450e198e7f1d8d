"""What errors that people marked weigh."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.score_kinds import ErrorWeights
from corpusdb.corpus.formats.score_reading import ScoreReading, read_score_file


@pytest.mark.parametrize(
    ("severity", "category", "weight"),
    [
        ("Major", "Accuracy/Mistranslation", 5),
        ("minor", "Style/Awkward", 1),
        ("Minor", "Fluency/Punctuation", 0.1),
        ("Major", "Fluency/Punctuation", 5),
        ("Neutral", "Fluency/Punctuation", 0),
        ("Major", "Non-translation!", 25),
        ("Minor", "Non-translation", 25),
        ("No-error", "No-error", 0),
        ("Critical", "Accuracy/Omission", None),
    ],
)
def test_those_of_wmt(severity: str, category: str, weight: float | None) -> None:
    """Freitag et al. (2021), section 3: major 5, minor 1, minor punctuation 0.1, non-translation 25, neutral 0."""
    assert ErrorWeights().weight(severity, category) == weight


@pytest.mark.parametrize(
    ("given", "severity", "category", "weight"),
    [
        ("major:10", "Major", "Accuracy/Omission", 10),
        ("major:10", "Major", "Non-translation!", 25),
        ("major:10,critical:25", "Critical", "Accuracy/Omission", 25),
        ("minor/fluency/punctuation:1", "Minor", "Fluency/Punctuation", 1),
        ("minor/punctuation:1", "Minor", "Fluency/Punctuation", 1),
        ("minor/fluency:0.5", "Minor", "Fluency/Grammar", 0.5),
        ("minor/fluency:0.5", "Minor", "Fluency/Punctuation", 0.1),
        ("minor/style:0.5", "Minor", "Style/Awkward", 0.5),
        ("minor/style:0.5", "Minor", "Accuracy/Addition", 1),
        ("style:0", "Major", "Style/Awkward", 0),
        ("", "Minor", "Style/Awkward", 1),
    ],
)
def test_others(given: str, severity: str, category: str, weight: float) -> None:
    assert ErrorWeights.parse(given).weight(severity, category) == weight


@pytest.mark.parametrize("given", ["major", "major:", ":5", "major:-1", "major:nan", "major:5;minor:1"])
def test_what_is_no_weight(given: str) -> None:
    with pytest.raises(UsageError, match="weights of errors are given as severity/category:number"):
        ErrorWeights.parse(given)


def test_ratings_of_one_pair_of_languages(tmp_path: Path) -> None:
    path = tmp_path / "esa.csv"
    rows = [("A", "eng", "jpn", 90), ("A", "eng", "zho", 50), ("B", "eng", "jpn", 80)]
    text = "".join(f"a1,{name},1,TGT,{one},{two},{score},news,False,[],1.5,2.5\n" for name, one, two, score in rows)
    path.write_text(text, encoding="utf-8")
    (found,) = read_score_file(path, ScoreReading(languages="eng-jpn")).scores()
    assert {system: float(row[0]) for system, row in found.scores.items()} == {"A": 90, "B": 80}
    with pytest.raises(InputError, match=r"esa\.csv: holds no ratings of eng-ces"):
        read_score_file(path, ScoreReading(languages="eng-ces"))


def test_the_score_is_the_mean_of_the_raters(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    rows = [("r1", "Major"), ("r1", "Minor"), ("r2", "Minor"), ("r3", "No-error")]
    text = "".join(f"A\t1\t{rater}\tStyle/Awkward\t{severity}\n" for rater, severity in rows)
    path.write_text(f"system\tglobalSegId\trater\tcategory\tseverity\n{text}", encoding="utf-8")
    (found,) = read_score_file(path).scores()
    assert found.scores["A"].tolist() == [pytest.approx(-(6 + 1 + 0) / 3)]
    (found,) = read_score_file(path, ScoreReading(ErrorWeights.parse("major:10"))).scores()
    assert found.scores["A"].tolist() == [pytest.approx(-(11 + 1 + 0) / 3)]
