"""Scores of others in each form that they give them, kept with the outputs of their systems; what does not fit is
refused whole."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from calls import Prepare, Run
from numpy.typing import NDArray

from corpusdb.base.errors import InputError, UsageError
from corpusdb.chain.queries.recomputed import wrong_rows
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import Store, open_store
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.imported_scores import Attachment, all_outputs, import_scores, imported_scores
from corpusdb.scoring.queries.scoring import score_systems
from corpusdb.scoring.queries.scoring_references import references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores

TEXTS = {"A": ("a dog", "a cat", "a cow"), "B": ("dogs", "cats", ""), "C": ("one", "two", "three")}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "corpus.db", create=True) as made:
        keep_outputs(made, tmp_path, TEXTS)
        yield made


def keep_outputs(store: Store, folder: Path, texts: Mapping[str, tuple[str, ...]]) -> None:
    size = len(next(iter(texts.values())))
    path = folder / "ref.txt"
    path.write_text("".join(f"a dog {number}\n" for number in range(size)), encoding="utf-8")
    references = references_from_files(read_references([path]), [path])
    outputs = [Output(system, Path(f"{system}.txt"), lines) for system, lines in texts.items()]
    store_scores(store, outputs, references, score_systems(outputs, references, [settings_for("bleu")]))


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def runs(store: Store) -> int:
    return int(store.connection.execute("select count(*) from run").fetchone()[0])


SEGMENTS = "A\t1\nB\t0.5\nA\t2\nB\tNone\nA\t6\nB\t1.5\n"


def test_segments_and_systems_are_one_score(store: Store, tmp_path: Path) -> None:
    files = [file(tmp_path, "COMET.seg.score", SEGMENTS), file(tmp_path, "COMET.sys.score", "A\t0.75\n")]
    done = import_scores(store, files)
    assert (done.names, done.imported, done.unchanged) == (("COMET",), 2, 0)
    a, b = imported_scores(store)
    assert (a.system, a.name, a.kind, a.value, a.segments) == ("A", "COMET", "metric", 0.75, 3)
    assert (b.system, b.value) == ("B", 1.0)  # the mean of the two that have a score
    assert a.segment_values is not None and b.segment_values is not None
    np.testing.assert_array_equal(a.segment_values, [1, 2, 6])
    np.testing.assert_array_equal(b.segment_values, [0.5, np.nan, 1.5])
    assert (a.file, b.file) == ("COMET.seg.score, COMET.sys.score", "COMET.seg.score")
    assert wrong_rows(store.connection) == []


def test_the_same_file_again_changes_nothing(store: Store, tmp_path: Path) -> None:
    path = file(tmp_path, "COMET.seg.score", SEGMENTS)
    import_scores(store, [path])
    before = runs(store)
    done = import_scores(store, [path])
    assert (done.imported, done.unchanged, done.run) == (0, 2, None)
    assert runs(store) == before


def test_scores_of_metrics_and_of_people_are_two(store: Store, tmp_path: Path) -> None:
    path = file(tmp_path, "z.sys.score", "A\t1\nB\tNone\n")
    import_scores(store, [path])
    done = import_scores(store, [path], human=True)
    assert (done.imported, done.unscored) == (1, ("B",))
    assert [each.kind for each in imported_scores(store)] == ["metric", "human"]
    assert all(each.segment_values is None for each in imported_scores(store))


def test_other_scores_of_the_name_are_replaced_only_when_asked(store: Store, tmp_path: Path) -> None:
    import_scores(store, [file(tmp_path, "COMET.sys.score", "A\t1\nB\t2\n")])
    path = file(tmp_path, "COMET.sys.score", "A\t3\nC\t2\n")
    with pytest.raises(InputError, match="are kept already"):
        import_scores(store, [path])
    assert [each.value for each in imported_scores(store)] == [1, 2]
    assert import_scores(store, [path], attachment=Attachment(replace=True)).imported == 2
    assert {each.system: each.value for each in imported_scores(store)} == {"A": 3, "B": 2, "C": 2}
    assert wrong_rows(store.connection) == []


def test_what_is_not_stored_is_left_out_only_when_asked(store: Store, tmp_path: Path) -> None:
    path = file(tmp_path, "COMET.sys.score", "A\t1\nref-A\t2\n")
    with pytest.raises(InputError, match=r"COMET\.sys\.score:2: no output of 'ref-A' is stored; there are A, B, C"):
        import_scores(store, [path])
    assert imported_scores(store) == []
    assert import_scores(store, [path], attachment=Attachment(skip_unknown=True)).skipped == ("ref-A",)
    assert import_scores(store, [path], attachment=Attachment(system_names={"ref-A": "C"})).imported == 1


def test_the_output_with_as_many_segments_is_meant(store: Store, tmp_path: Path) -> None:
    keep_outputs(store, tmp_path, {"A": ("a dog", "a cat")})
    import_scores(store, [file(tmp_path, "two.seg.score", "A\t1\nA\t2\n")])
    assert imported_scores(store)[0].segments == 2
    path = file(tmp_path, "four.seg.score", "A\t1\n" * 4)
    with pytest.raises(InputError, match=":1: A has 4 segments here and 2 or 3 stored: the scores of another test set"):
        import_scores(store, [path])
    whole = file(tmp_path, "whole.sys.score", "A\t1\n")
    with pytest.raises(InputError, match="2 stored outputs are called A; say --system-names A=A@"):
        import_scores(store, [whole])
    digest = imported_scores(store)[0].output_digest
    import_scores(store, [whole], attachment=Attachment(system_names={"A": f"A@{digest[:8]}"}))
    assert {each.output_digest for each in imported_scores(store)} == {digest}


NUMBERED = "system\tsegment\tCOMET\nA\t{0}\t1\nA\t{1}\t2\n"


@pytest.mark.parametrize(
    ("numbers", "values"),
    [
        ((0, 1), [1, 2]),  # all that there are of the one, and a part of the other: the one is meant
        ((1, 2), [1, 2]),
        ((0, 2), [1, np.nan, 2]),  # only three segments have room for it
        ((1, 3), [1, np.nan, 2]),
    ],
)
def test_segments_by_their_numbers(numbers: tuple[int, int], values: list[float], store: Store, tmp_path: Path) -> None:
    keep_outputs(store, tmp_path, {"A": ("a dog", "a cat")})
    done = import_scores(store, [file(tmp_path, "COMET.tsv", NUMBERED.format(*numbers))])
    told = f"segments numbered from {numbers[0]} in COMET.tsv"
    assert done.notes == (told if numbers[0] else f"{told}, shown from 1",)
    (found,) = imported_scores(store)
    np.testing.assert_array_equal(found.segment_values, values)
    assert found.value == 1.5


def test_a_test_set_is_chosen_and_told(store: Store, tmp_path: Path) -> None:
    keep_outputs(store, tmp_path, {"A": ("a dog", "a cat", "a horse")})
    keep_outputs(store, tmp_path, {"A": ("a dog", "a cat")})
    (first, second, third) = [each for each in all_outputs(store) if each.system == "A"]
    names = {first.id: "test set 1, wmt", second.id: "test set 2, wmt (2)", third.id: "test set 3, small"}
    path = file(tmp_path, "COMET.tsv", NUMBERED.format(0, 2))
    told = (
        rf"COMET\.tsv:2: 2 stored outputs are called A; say --system-names A={first.full_name} \(test set 1, wmt\) or "
        rf"A={second.full_name} \(test set 2, wmt \(2\)\), or --test-set NUMBER"
    )
    with pytest.raises(InputError, match=told):
        import_scores(store, [path], attachment=Attachment(test_sets=names))
    assert import_scores(store, [path], attachment=Attachment(test_sets=names, outputs={second.id})).imported == 1
    assert [each.output for each in imported_scores(store)] == [second.id]
    unsure = file(tmp_path, "unsure.tsv", "system\tsegment\tX\nA\t0\t1\n")
    told = r"unsure\.tsv:2: it has up to 1 segments, and outputs of its systems have 2 \(test set 3, small\) or 3 "
    with pytest.raises(InputError, match=told):
        import_scores(store, [unsure], attachment=Attachment(test_sets=names))
    assert import_scores(store, [unsure], attachment=Attachment(test_sets=names, outputs={third.id})).imported == 1


def test_what_else_is_refused(store: Store, tmp_path: Path) -> None:
    one = file(tmp_path, "COMET.sys.score", "A\t1\nX\t2\n")
    (tmp_path / "more").mkdir()
    two = file(tmp_path / "more", "COMET.sys.score", "A\t1\n")
    with pytest.raises(InputError, match="scores of COMET by system are in"):
        import_scores(store, [one, two])
    with pytest.raises(InputError, match=":2: X and A would be scores of one output, A"):
        import_scores(store, [one], attachment=Attachment(system_names={"X": "A"}))
    with pytest.raises(UsageError, match="no scores of 'BLEURT'; there are COMET"):
        import_scores(store, [one], attachment=Attachment(metrics=["BLEURT"]))
    nobody = file(tmp_path, "nobody.sys.score", "X\t2\n")
    with pytest.raises(InputError, match="no output of its 1 systems is stored"):
        import_scores(store, [nobody], attachment=Attachment(skip_unknown=True))
    with open_store(tmp_path / "empty.db", create=True) as empty, pytest.raises(InputError, match="--store"):
        import_scores(empty, [one])
    assert imported_scores(store) == []


BOTH = {"COMET.seg.score": SEGMENTS, "COMET.sys.score": "A\t0.75\nB\t1.25\n"}


@pytest.mark.parametrize("names", [["COMET.seg.score", "COMET.sys.score"], ["COMET.sys.score", "COMET.seg.score"]])
def test_the_other_level_comes_to_what_is_kept(store: Store, tmp_path: Path, names: list[str]) -> None:
    for name in names:
        assert import_scores(store, [file(tmp_path, name, BOTH[name])]).imported == 2
    one_by_one = [(each.system, each.value, each.file) for each in imported_scores(store)]
    assert one_by_one == [
        (system, value, "COMET.seg.score, COMET.sys.score") for system, value in (("A", 0.75), ("B", 1.25))
    ]
    np.testing.assert_array_equal(
        [each.segment_values for each in imported_scores(store)], [[1, 2, 6], [0.5, np.nan, 1.5]]
    )
    for name in names:
        assert (import_scores(store, [tmp_path / name]).imported, wrong_rows(store.connection)) == (0, [])


@pytest.mark.parametrize(
    ("given", "value", "segments", "gone"),
    [
        (("COMET.sys.score", "A\t9\n"), 9, [1, 2, 6], ()),
        (("COMET.seg.score", "A\t3\nA\tNone\nA\tNone\n"), 0.75, [3, np.nan, np.nan], (2,)),
    ],
)
def test_only_the_level_of_the_file_is_replaced(
    store: Store, tmp_path: Path, given: tuple[str, str], value: float, segments: list[float], gone: tuple[int, ...]
) -> None:
    import_scores(store, [file(tmp_path, own, of_it) for own, of_it in BOTH.items()])
    new = file(tmp_path, *given)
    with pytest.raises(InputError, match="are kept already"):
        import_scores(store, [new])
    done = import_scores(store, [new], attachment=Attachment(replace=True))
    kept = imported_scores(store)[0]
    assert kept.value == value
    np.testing.assert_array_equal(kept.segment_values, segments)
    told = [f"COMET: {count} scores of segments are gone, which the new files do not have" for count in gone]
    assert [each for each in done.remarks if "gone" in each] == told
    assert "COMET: scores of 1 systems are replaced" in done.remarks


def test_what_has_no_score_is_said(store: Store, tmp_path: Path) -> None:
    done = import_scores(store, [file(tmp_path, "COMET.seg.score", SEGMENTS)])
    assert done.remarks == (
        "COMET: of 3 segments have no score: 1 of B",
        "COMET: no scores of C, whose outputs are stored",
    )
    assert import_scores(store, [file(tmp_path, "COMET.sys.score", "C\t1\n")]).remarks == ()
    with pytest.raises(InputError, match=r"no output of 'a' is stored \(A\?\); there are A, B, C"):
        import_scores(store, [file(tmp_path, "X.sys.score", "a\t1\n")])


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "X.tsv",
            "system\tsegment\tX\nA\t0\t1\nA\t1\t1\nA\t2\t1\nB\t0\t1\nB\t3\t1\n",
            ":6: B has a score of segment 3, and",
        ),
        ("X.seg.score", "B\t1\n" * 4 + "A\t1\n" * 3 + "C\t1\n" * 3, ":4: B has 4 segments, A has 3"),
    ],
)
def test_the_score_too_many_is_named(store: Store, tmp_path: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        import_scores(store, [file(tmp_path, name, text)])


# Scores in each form that others give them, good and bad, into agreement, compare and scores import.
#
# tests/corpus/formats/score_files holds a small file of each form, made for the purpose: good.tsv says what each holds,
# bad.tsv what is said of each that is wrong, and where. Three systems have four segments; the values are written out
# below.

Values: TypeAlias = NDArray[np.float64]

FILES = Path(__file__).resolve().parents[1] / "corpus" / "formats" / "score_files"
SYSTEMS = ("one", "two", "three")
HOLE = float("nan")
COMET = np.array([[0.9, 0.8, 0.7, 0.6], [0.5, 0.4, 0.65, 0.3], [0.2, 0.35, 0.1, 0.45]])
VALUES: Mapping[str, Values] = {
    "COMET": COMET,
    "HOLES": np.array([[0.9, 0.8, 0.7, 0.6], [0.5, HOLE, 0.65, 0.3], [0.2, 0.35, 0.1, 0.45]]),
    "PERCENT": 100 * COMET,
    "ROUNDED": np.array([[75.0], [46.2], [27.5]]),
    "Z": np.array([[1, 0.5, 0.25, 0.75], [0, -0.5, 0.5, -0.25], [-1, -0.25, -0.75, 0]]),
    "RATING": np.array([[90.0, 80, 75, 85], [70, 60, 80, 65], [50, 65, 55, 70]]),
    "MQM": -np.array([[0, 0.1, 1, 0.5], [5, 6, 0, 2.5], [25, 10, 11.1, 3]]),
}
FILED_TEXTS = {
    "one": "Good day.\nIt rains a lot.\nHow are you?\nSee you tomorrow!\n",
    "two": "Good day\nIt rains.\nHow are you?\nUntil tomorrow!\n",
    "three": "Day good.\nThere is rain.\nHow goes it?\nTomorrow!\n",
    "ref": "Good day.\nIt is raining a lot.\nHow are you?\nSee you tomorrow!\n",
}


def rows_of(name: str) -> list[dict[str, str]]:
    with (FILES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


GOOD, BAD = rows_of("good.tsv"), rows_of("bad.tsv")
FORMATS = {"DA", "MQM", "ESA", "seg.score", "sys.score", "corpusdb", "COMET", "sacrebleu"}
good_files = pytest.mark.parametrize("row", GOOD, ids=[row["files"].split()[0] for row in GOOD])


def test_every_form_has_good_and_bad_files() -> None:
    assert {row["format"] for row in GOOD} == {row["format"] for row in BAD} == FORMATS
    named = {name for row in GOOD for name in row["files"].split()} | {row["file"] for row in BAD}
    there = {path.relative_to(FILES / path.relative_to(FILES).parts[0]).as_posix() for path in FILES.glob("*/**/*.*")}
    assert named == {name for name in there if (FILES / "good" / name).is_file() or (FILES / "bad" / name).is_file()}


def write_texts(folder: Path) -> Path:
    for name, text in FILED_TEXTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path)


@pytest.fixture
def database(run: Run, prepare: Prepare) -> Path:
    """The outputs are kept."""

    def fill() -> None:
        write_texts(Path())
        result = run("score", "one.txt", "two.txt", "three.txt", "--ref", "ref.txt", "--store")
        assert result.exit_code == 0, result.stderr

    return prepare("agreement", fill)


def answer(run: Run, *arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def paths_of(row: Mapping[str, str]) -> list[str]:
    return [str(FILES / "good" / name) for name in row["files"].split()]


def with_option(option: str, values: list[str]) -> list[str]:
    return [each for value in values for each in (option, value)]


def means(values: Values) -> Values:
    found: Values = np.nanmean(values, axis=1)
    return found


@pytest.fixture(scope="module")
def scipy_stats() -> Any:
    """Independent of what is tested; it has no annotations."""
    return pytest.importorskip("scipy.stats")


@good_files
def test_agreement_is_that_of_scipy(row: Mapping[str, str], run: Run, texts: Path, scipy_stats: Any) -> None:
    paths, values = paths_of(row), VALUES[row["values"]]
    if row["kind"] == "human":
        others, name = COMET, "COMET"
        given = ("--scores", str(FILES / "good" / "COMET.seg.score"), "--human", *paths, "--human-column", row["name"])
    else:
        others, name = VALUES["Z"], row["name"]
        given = (*with_option("--scores", paths), "--human", str(FILES / "good" / "seg-DA.tsv"))
    found = {
        (each["level"], each["statistic"]): each["value"]
        for each in answer(run, "agreement", *given, "--samples", "5")
        if each["metric"] == name
    }
    assert found["system", "pearson"] == pytest.approx(
        scipy_stats.pearsonr(means(values), means(others)).statistic, abs=1e-9
    )
    if row["level"] == "segment":
        both = np.isfinite(values)
        expected = scipy_stats.pearsonr(values[both], others[both]).statistic
        assert found["segment", "pearson"] == pytest.approx(expected, abs=1e-9)
    shown = ", shown from 1" if row["first_segment"] == "0" else ""
    first = [f"segments numbered from {row['first_segment']} in {Path(path).name}{shown}\n" for path in paths]
    stderr = run("agreement", *given, "--samples", "5").stderr
    assert all((told in stderr) == (row["first_segment"] != "-") for told in first)


def called(row: Mapping[str, str]) -> tuple[str, str]:
    """A mean of scores of segments is called one where it is not a score of the system."""
    return row["name"], f"{row['name']} (segments' mean)"


@good_files
def test_compare_shows_them(row: Mapping[str, str], run: Run, texts: Path) -> None:
    scores = with_option("--scores", paths_of(row))
    arguments = ("compare", "one.txt", "two.txt", "--ref", "ref.txt", *scores, "--section", "scores", "--samples", "5")
    (found,) = answer(run, *arguments)
    (difference,) = [each for each in found["scores"] if each["metric"] in called(row) and each["imported"]]
    values = VALUES[row["values"]][:2]
    both = np.isfinite(values).all(axis=0)  # the segments that both systems are scored in
    assert [difference["a"], difference["b"]] == pytest.approx(means(values[:, both]).tolist(), abs=1e-9)


@good_files
def test_what_is_imported_comes_back(row: Mapping[str, str], run: Run, database: Path) -> None:
    human = ["--human"] if row["kind"] == "human" else []
    done = run("scores", "import", *paths_of(row), *human, "--metric", row["name"])
    assert done.exit_code == 0, done.stderr
    values = VALUES[row["values"]]
    listed = answer(run, "scores", "list")
    label = "human" if human else "imported"
    found = {each["system"]: each for each in listed if each["metric"] in called(row) and each["references"] == label}
    assert [found[system]["score"] for system in SYSTEMS] == pytest.approx(means(values).tolist(), abs=1e-9)
    if row["level"] == "system":
        return
    for system, expected in zip(SYSTEMS, values.tolist(), strict=True):
        column = f"{found[system]['metric']} {label}"
        segments = answer(run, "scores", "segments", system, "--column", column, "-n", "0")
        by_number = {each["segment"]: each["score"] for each in segments}
        for number, value in enumerate(expected, 1):
            assert by_number.get(number) == (None if np.isnan(value) else pytest.approx(value, abs=1e-12))


@pytest.mark.parametrize("row", BAD, ids=[row["file"] for row in BAD])
def test_what_is_wrong_is_told_with_its_line(row: Mapping[str, str], run: Run, database: Path) -> None:
    shutil.copy(FILES / "bad" / row["file"], database)
    for arguments in (
        ("agreement", "--scores", row["file"], "--human", str(FILES / "good" / "seg-DA.tsv")),
        ("agreement", "--scores", str(FILES / "good" / "COMET.seg.score"), "--human", row["file"]),
        ("compare", "one.txt", "two.txt", "--ref", "ref.txt", "--scores", row["file"]),
        ("scores", "import", row["file"]),
    ):
        result = run(*arguments)
        assert result.exit_code == 3, result.stderr
        assert f"{row['file']}:{row['line']}: {row['told']}" in result.stderr
        assert result.stdout == ""
