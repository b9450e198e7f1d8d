"""The whole study of BLEU in characters: texts whose answer is known, real ones, its pictures, and its command."""

from __future__ import annotations

import json
import random
import statistics
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from calls import Run, document

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.metric_settings import Signature
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.studies.bleu_in_characters import (
    CandidateScores,
    Measurement,
    equivalence,
    length_classes,
    scoring_candidates,
)
from corpusdb.studies.characters_report import (
    CHARACTERS_FIGURES,
    CharactersStudy,
    bleu_in_characters,
    study_lines,
    study_notes,
)
from corpusdb.studies.figures import Folders, ImageFormat, write_figures

Sample: TypeAlias = tuple[list[str], list[list[str]]]


def letters(width: int, *, seed: int = 1) -> CandidateScores:
    """Texts whose words are one of three letters, written ``width`` times."""
    rng = random.Random(seed)
    references = [rng.choices("abc", k=rng.randrange(1, 12)) for _ in range(150)]
    outputs = [[unit if rng.random() < 0.7 else rng.choice("abc") for unit in each] for each in references]

    def text(units: list[str]) -> str:
        return " ".join(unit * width for unit in units)

    systems = {"one": [text(each) for each in outputs], "two": [text(each[1:]) for each in outputs]}
    return finished(scoring_candidates(systems, [[text(each)] for each in references], Measurement(4, 20, "none")))


def test_words_of_one_character_are_equivalent_to_characters() -> None:
    study = equivalence(letters(1))

    for best in study.best:
        assert best.pearson is not None and best.kappa is not None
        assert (best.pearson.order, best.kappa.order) == (best.order, best.order)
        assert (best.pearson.value, best.kappa.value) == pytest.approx((1, 1))
    assert study.ratio == study.word_length == 1
    assert all(row.difference == 0 for row in study.by_system) or study.equivalent != 4
    assert study.best[0].behaviour is None


def test_longer_words_want_higher_orders() -> None:
    narrow, wide = equivalence(letters(1)), equivalence(letters(4))

    assert wide.word_length == 4
    assert wide.equivalent > narrow.equivalent
    assert wide.ratio is not None and wide.ratio > 2


def test_the_order_that_stands_for_words_is_the_median_of_the_three() -> None:
    study = equivalence(letters(3))
    last = study.best[-1]
    assert last.pearson and last.kappa and last.behaviour
    assert study.equivalent == statistics.median([last.pearson.order, last.kappa.order, last.behaviour.order])
    assert not study.is_given


def test_a_given_order_is_taken() -> None:
    scores = letters(2)
    study = equivalence(scores, equivalent=7)

    assert (study.equivalent, study.is_given) == (7, True)
    assert study.by_system[0].corpus_characters in scores.corpus_characters[:, 6]
    for impossible in (0, 21):
        with pytest.raises(UsageError, match="only of 1 to 20"):
            equivalence(scores, equivalent=impossible)


def test_clipping_can_raise_a_score_with_the_order() -> None:
    """Each reference has one a, and together they have all pairs: 3 of 4 words match, and 3 of 3 pairs."""
    scores = finished(
        scoring_candidates({"s": ["a b a c", "a b"]}, [["a b", "b a", "a c"], ["a b"]], Measurement(2, 2, "none"))
    )

    assert equivalence(scores, equivalent=2).words_below == (0.5,)


def test_candidates_that_all_score_alike() -> None:
    """Nothing correlates; only BLEUcM <= BLEUw1 holds, for every M."""
    study = equivalence(finished(scoring_candidates({"s": ["a b", "c d"]}, [["a b"], ["c d"]], Measurement(2, 2))))

    assert (study.best[1].pearson, study.best[1].kappa, study.ratio) == (None, None, None)
    assert study.equivalent == 1


def test_no_order_can_be_found_where_nothing_says_anything() -> None:
    """No word and one character in twenty match: one grade, no variation, and never below the words."""
    scores = finished(scoring_candidates({"s": ["a" + "x" * 19] * 2}, [["a"]] * 2, Measurement(2, 1)))
    with pytest.raises(InputError, match="do not vary"):
        equivalence(scores)


@pytest.mark.data
@pytest.mark.slow
def test_the_study_of_ten_systems(news: dict[str, Sample]) -> None:
    """What was found when this was written; the paper has 5, 8, 10, 17 and 5, 9, 14, 18 and 9, 14, 18."""
    references = next(iter(news.values()))[1]
    scores = finished(scoring_candidates({name: sample[0] for name, sample in news.items()}, references))
    study = equivalence(scores, length_classes([10, 20, 30]))

    assert (study.systems, study.segments, study.candidates) == (10, 1000, 10_000)
    assert [best.pearson and best.pearson.order for best in study.best] == [5, 9, 10, 15]
    assert [best.kappa and best.kappa.order for best in study.best] == [4, 8, 12, 16]
    assert [best.behaviour and best.behaviour.order for best in study.best] == [None, 8, 14, 19]
    assert study.pearson[3][17] == pytest.approx(
        statistics.correlation(scores.words[3].tolist(), scores.characters[17].tolist())
    )
    assert study.ratio == pytest.approx(study.word_length, abs=0.5)
    assert study.ranking.reversed == 0


@pytest.mark.slow
@pytest.mark.data
def test_scores_of_a_part_are_those_of_sacrebleu(news: dict[str, Sample]) -> None:
    bleu = pytest.importorskip("sacrebleu.metrics").BLEU
    hypotheses, references = next(iter(news.values()))
    scores = finished(scoring_candidates({"s": hypotheses[:100]}, references[:100]))
    study = equivalence(scores, equivalent=18)

    for tokenise, order, ours in (("13a", 4, study.by_system[0].words), ("char", 18, study.by_system[0].characters)):
        metric = bleu(tokenize=tokenise, max_ngram_order=order, smooth_method="none", force=True)
        pairs = zip(hypotheses[:100], references[:100], strict=True)
        theirs = statistics.fmean(metric.sentence_score(text, own).score for text, own in pairs)
        assert 100 * ours == pytest.approx(theirs, abs=1e-9)


HOW = Measurement(3, 12)


def references(*texts: str) -> ScoringReferences:
    sets = tuple(ReferenceSet(str(number), "", (text,)) for number, text in enumerate(texts, 1))
    return ScoringReferences(sets, (("made",),) * len(texts), "files", {})


def random_texts() -> tuple[list[Output], ScoringReferences]:
    rng = random.Random(5)
    texts = [" ".join(rng.choices(["one", "two", "three"], k=9)) for _ in range(30)]
    outputs = [
        Output(
            name, Path(f"{name}.txt"), tuple(" ".join(w for w in text.split() if rng.random() < kept) for text in texts)
        )
        for name, kept in (("good", 0.9), ("bad", 0.6))
    ]
    return outputs, references(*texts)


def test_the_study_names_what_it_compared() -> None:
    outputs, given = random_texts()
    found = finished(bleu_in_characters(outputs, given, HOW, length_classes([4, 6]), equivalent=7))
    words, characters = map(Signature.parse, found.signatures)
    assert (words.unit, words.order, words.tokenisation) == ("word", 3, "13a")
    assert (characters.unit, characters.order, characters.tokenisation) == ("char", 7, "char")
    assert words.digest == characters.digest == given.digest[:16]
    assert found.scores.words.shape == (3, 60)
    assert np.all(found.equivalence.best[0].order == 1) and found.equivalence.is_given
    assert found.findings
    with_plots, without = study_lines(found), study_lines(found, plots=False)
    assert tuple(with_plots[-2:]) == tuple(without[-2:]) == found.signatures
    assert "Figure 1" in with_plots and "Figure 1" not in without


def test_an_output_that_is_given_twice() -> None:
    outputs, given = random_texts()
    with pytest.raises(UsageError, match="the same output is given twice"):
        finished(bleu_in_characters([outputs[0], outputs[0]], given, HOW, length_classes([4])))


@pytest.mark.parametrize(
    ("text", "tokenisation", "warned"),
    [("こんにちは", "13a", True), ("こんにちは", "zh", False), ("good day", "13a", False)],
)
def test_words_that_no_spaces_tell_apart(text: str, tokenisation: str, warned: bool) -> None:
    outputs = [Output("s", Path("s.txt"), ("x",))]
    notes = list(study_notes(outputs, references(text), Measurement(tokenisation=tokenisation)))
    assert any("a script without spaces" in note for note in notes) == warned


needs_matplotlib = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")

BEGINNINGS: dict[ImageFormat, bytes] = {"svg": b"<?xml", "png": b"\x89PNG"}


@pytest.fixture(scope="module")
def study() -> CharactersStudy:
    """With 9 characters for 4 words."""
    rng = random.Random(2)
    references = [[" ".join(rng.choices(["one", "two", "three"], k=8))] for _ in range(20)]
    hypotheses = [" ".join(word for word in each.split() if rng.random() > 0.3) for (each,) in references]
    scores = finished(scoring_candidates({"s": hypotheses}, references, Measurement(4, 20)))
    return CharactersStudy(scores, equivalence(scores, equivalent=9), (), ())


@pytest.mark.slow
@needs_matplotlib
@pytest.mark.parametrize("format", ["svg", "png"])
def test_the_same_scores_give_the_same_files(format: ImageFormat, study: CharactersStudy, tmp_path: Path) -> None:
    folders: list[Folders] = [{format: tmp_path / name / "new"} for name in ("a", "b")]
    first, second = (write_figures(CHARACTERS_FIGURES, study, each) for each in folders)

    assert [path.name for path in first] == [f"figure-1.{format}", f"figure-2.{format}"]
    assert first[0].parent == tmp_path / "a" / "new"
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes().startswith(BEGINNINGS[format])
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.slow
@needs_matplotlib
def test_the_axes_are_named(study: CharactersStudy, tmp_path: Path) -> None:
    texts = [path.read_text() for path in write_figures(CHARACTERS_FIGURES, study, {"svg": tmp_path})]

    assert all(name in texts[0] for name in ("BLEUw4", "BLEUc9"))
    assert all(name in texts[1] for name in ("BLEUw4", "BLEUw3", "BLEUc9", ">M<"))


@needs_matplotlib
def test_a_file_is_no_folder(study: CharactersStudy, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is not a folder"):
        write_figures(CHARACTERS_FIGURES, study, {"svg": tmp_path / "file"})


STUDY = ("study", "bleu-in-characters")
FILES = ("good.txt", "bad.txt", "--ref", "ref0.txt", "--ref", "ref1.txt")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two systems, 60 segments, two references."""
    rng = random.Random(5)
    vocabulary = ["the", "cat", "sat", "down", "here", "again"]
    first = [rng.choices(vocabulary, k=rng.randrange(2, 13)) for _ in range(60)]
    texts = {"ref0": first, "ref1": [each[::-1] for each in first]}
    for name, loss in (("good", 0.1), ("bad", 0.4)):
        texts[name] = [[word if rng.random() > loss else "dog" for word in each] for each in first]
    for name, segments in texts.items():
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(each) + "\n" for each in segments))
    return tmp_path


def test_the_tables_and_figures_fit_a_terminal(run: Run, files: Path) -> None:
    result = run(*STUDY, *FILES)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "2 systems, 60 segments, 120 candidates"
    for heading in ("Table 1", "Table 2", "Table 3", "Table 4", "What agrees", "Figure 1", "Figure 2, middle"):
        assert sum(line.startswith(heading) for line in lines) == 1
    assert max(len(line) for line in lines if not line.startswith("metric:")) <= 80
    assert [line.split("|")[2] for line in lines if line.startswith("metric:")] == ["unit:word", "unit:char"]
    assert result.stderr == "corpusdb: 2 references for each of 60 segments; 2 systems\n"


def test_json_has_what_the_text_has(run: Run, files: Path) -> None:
    study = document(run(*STUDY, *FILES, "--json", "--max-order-chars", "20", "--lengths", "4,8", "--equivalent", "16"))
    assert (study["candidates"], study["equivalent"], study["is_given"]) == (120, 16, True)
    assert [len(study[name]) for name in ("pearson", "kappa", "below", "best")] == [4] * 4
    assert {len(row) for row in study["pearson"]} == {20}
    assert [row["lengths"] for row in study["by_length"]] == [
        {"least": 0, "most": 4},
        {"least": 5, "most": 8},
        {"least": 9, "most": None},
    ]
    assert [row["system"] for row in study["by_system"]] == ["good", "bad"]
    assert {finding["agrees"] for finding in study["findings"]} <= {True, False, None}
    assert "order:16|unit:char" in study["signatures"][1]


def test_the_numbers_are_those_of_score(run: Run, files: Path) -> None:
    """BLEU of the whole output, and the set of references, as the other command gives them."""
    study = json.loads(run(*STUDY, *FILES, "--json", "--equivalent", "18").stdout)
    for unit, key in (("word", "corpus_words"), ("char", "corpus_characters")):
        scores = json.loads(run("score", *FILES, "--metric", "bleu", "--unit", unit, "--json").stdout)
        ours = {row["system"]: 100 * row[key] for row in study["by_system"]}
        assert ours == pytest.approx({each["system"]: each["score"] for each in scores})
        assert scores[0]["signature"] in study["signatures"]


def test_figures_can_be_left_out(run: Run, files: Path) -> None:
    assert "Figure" not in run(*STUDY, *FILES, "--no-plots", "--quiet").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--lengths", "4,x"), 2, "numbers with commas"),
        (("--lengths", "5,4"), 2, "ascend"),
        (("--equivalent", "31"), 2, "only of 1 to 30"),
        (("--tokenise", "char"), 2, "compared with words"),
        (("--tokenise", "klingon"), 2, "unknown tokenisation"),
        (("--max-order-words", "1"), 2, "max-order-words"),
        (("--ref", "missing.txt"), 3, "missing.txt"),
        (("--ref-from", "corpus"), 2, "in which language are the references? Add it, such as --lang eng"),
        (("--ref", "short.txt"), 3, "has no counterpart"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], code: int, message: str, run: Run, files: Path) -> None:
    (files / "short.txt").write_text("one\n")
    result = run(*STUDY, *FILES, *arguments)
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stdout == ""


def test_one_output_given_twice_is_refused(run: Run, files: Path) -> None:
    result = run(*STUDY, "good.txt", *FILES)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "given twice" in result.stderr


def test_systems_of_one_name_are_told_apart(run: Run, files: Path) -> None:
    (files / "other").mkdir()
    (files / "other" / "good.txt").write_text((files / "bad.txt").read_text())
    study = json.loads(run(*STUDY, "other/good.txt", "good.txt", "--ref", "ref0.txt", "--json").stdout)
    assert {row["system"] for row in study["by_system"]} == {"other/good.txt", "good.txt"}


def test_words_of_a_script_without_spaces_are_warned_of(run: Run, files: Path) -> None:
    (files / "ja.txt").write_text("学校へ行きます。\n水を飲みたいです。\n", encoding="utf-8")
    (files / "hyp.txt").write_text("学校へ行く。\n水を飲みます。\n", encoding="utf-8")
    result = run(*STUDY, "hyp.txt", "--ref", "ja.txt", "--no-plots")
    assert result.exit_code == 0
    assert "ja-mecab" in result.stderr


@pytest.mark.parametrize("option", ["--svg", "--png"])
def test_figures_without_matplotlib_are_refused_before_anything_is_read(
    option: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run(*STUDY, "missing.txt", "--ref", "missing.txt", option, "out")
    assert result.exit_code == 2
    assert "pip install 'corpusdb[plots]'" in result.stderr
