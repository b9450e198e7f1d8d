"""`corpusdb compare` and `corpusdb scores import`: on files, on stored systems, and on what cannot be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from calls import Run

from corpusdb.base.cells import cell_width
from corpusdb.scoring import page_report
from corpusdb.scoring.comparison_report import comparison_lines
from corpusdb.scoring.queries.comparison import ComparisonRequest, PairComparison
from corpusdb.scoring.queries.score_differences import BetterSegments, Breakdown, Bucket

FILES = {
    "s.txt": "Une bière, s'il vous plaît.\nUne part de pizza, s'il vous plaît.\n",
    "a.txt": "A beer, please.\nCan I have some pizza?\n",
    "b.txt": "Beer!\nA slice of pizza, please.\n",
    "r.txt": "A beer, please.\nA slice of pizza, please.\n",
    "short.txt": "A beer, please.\n",
    "COMET.seg.score": "a\t0.9\nb\t0.1\na\t0.2\nb\t0.8\n",
    "docs.tsv": "doc\tfirst_segment\tn_segments\none\t0\t1\nother\t1\t1\n",
}
CORPUS = ("--ref-from", "corpus", "--source", "s.txt", "--lang", "eng", "-N", "0")


@pytest.fixture
def files(run: Run, generated: Path, tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return generated


def test_every_section_of_two_files(run: Run, files: Path) -> None:
    more = ("--source", "s.txt", "--documents", "docs.tsv", "--scores", "COMET.seg.score", "--lang", "eng")
    result = run("compare", "a.txt", "b.txt", "--ref", "r.txt", "--samples", "50", *more)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    for told in (
        "1 reference for each of 2 segments",
        "A  a",
        "Scores",
        "  COMET, imported",
        "  A is better in 1, B in 1, they are equal in 0 of 2",
        "  segment 1: A 100.00, B 0.00, A - B +100.00",
        "    source  Une bière, s'il vous plaît.",
        "Matched n-grams, up to 4",
        "Units by how often they occur in the corpus, in %",
        "Segments by document",
    ):
        assert any(line.startswith(told) for line in lines), told
    assert all(cell_width(line) <= 80 for line in lines if "|" not in line)


def test_how_pairs_were_tried_is_said_once(run: Run, files: Path) -> None:
    Path("c.txt").write_text(FILES["r.txt"], encoding="utf-8")
    call = ("compare", "a.txt", "b.txt", "c.txt", "--ref", "r.txt", "--samples", "50", "--section", "scores")
    shown = run(*call).stdout
    assert [shown.count(told) for told in ("    A - B ", "null hypothesis", "|set:")] == [2, 1, 1]


def test_several_systems_are_compared_in_one_table(run: Run, files: Path) -> None:
    """As `score --pairs` does; with scores of others, which are none of its own, each with the first below it."""
    Path("c.txt").write_text(FILES["r.txt"], encoding="utf-8")
    systems = ("a.txt", "b.txt", "c.txt", "--ref", "r.txt", "--format", "table")
    shown = run("compare", *systems).stdout
    assert shown == run("score", *systems, "--pairs").stdout
    assert "--examples is of the section segments" in run("compare", *systems, "--examples", "2").stderr
    (files.parent / "COMET.seg.score").write_text("a\t0.9\na\t0.2\nb\t0.1\nb\t0.8\nc\t1\nc\t1\n", encoding="utf-8")
    more = run("compare", *systems, "--scores", "COMET.seg.score").stdout
    assert more.startswith(shown) and "  COMET, imported" in more[len(shown) :]


def test_the_document_has_all_of_it(run: Run, files: Path) -> None:
    result = run("compare", "a.txt", "b.txt", "--ref", "r.txt", "--metric", "bleu,mwer", "--samples", "50", "--json")
    (found,) = json.loads(result.stdout)
    assert (found["a"], found["b"], found["segments"], found["tally"]) == ("a", "b", 2, {"a": 1, "equal": 0, "b": 1})
    assert [each["metric"] for each in found["scores"]] == ["BLEUw4", "mWER"]
    assert found["scores"][1]["lower_is_better"] is True
    assert found["words"][0].keys() == {"name", "a", "b"}
    assert found["words"][0]["a"].keys() >= {"matched", "produced", "found", "wanted", "precision", "recall", "f1"}
    only = json.loads(run("compare", "a.txt", "b.txt", "--ref", "r.txt", "--section", "ngrams", "--json").stdout)[0]
    assert (only["scores"], only["words"], only["buckets"], only["origins"]) == ([], [], [], None)
    assert only["ngrams"]["order"] == 4


WORDS = {
    "r": ["the cat saw the dog", "a dog saw", "the end"],
    "a": ["the cat saw a cat", "the dog", "the the end"],
    "b": ["dog the saw", "a a dog saw", ""],
}
"""Of each word its label is its number in the line, so that one word has several."""


def accuracies(label: Callable[[str, int, int], str]) -> dict[str, list[list[int]]]:
    """Matched and produced, found and wanted, of A and of B, by going through the lines; by labels of words."""
    counts: dict[str, list[list[int]]] = {}
    for which, name in enumerate("ab"):
        for segment, (own, theirs) in enumerate(zip(WORDS[name], WORDS["r"], strict=True)):
            for first, side, here, there in ((0, name, own, theirs), (2, "r", theirs, own)):
                left = there.split()
                for place, word in enumerate(here.split()):
                    row = counts.setdefault(label(side, segment, place), [[0] * 4, [0] * 4])[which]
                    row[first + 1] += 1
                    if word in left:
                        left.remove(word)
                        row[first] += 1
    return counts


def accuracies_told(run: Run, *more: str) -> dict[str, list[list[int]]]:
    result = run(
        "compare", "a.en", "b.en", "--ref", "r.en", "--section", "words", "--tokenise", "none", *more, "--json"
    )
    assert result.exit_code == 0, result.stderr
    names = ("matched", "produced", "found", "wanted")
    return {
        row["name"]: [[row[of][name] for name in names] for of in "ab"] for row in json.loads(result.stdout)[0]["words"]
    }


@pytest.fixture
def words(tmp_path: Path) -> Path:
    for name, lines in WORDS.items():
        places = [[str(place) for place, _ in enumerate(line.split())] for line in lines]
        for ending, text in (("en", lines), ("tag", [" ".join(each) for each in places])):
            (tmp_path / f"{name}.{ending}").write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
        links = [" ".join(f"{int(place) % 2}-{place}" for place in each if place != "3") for each in places]
        (tmp_path / f"{name}.links").write_text("".join(f"{line}\n" for line in links), encoding="utf-8")
    (tmp_path / "src.fr").write_text("rare\u2028le\nle le\nle le\n", encoding="utf-8")  # only LF ends a line
    return tmp_path


def test_words_by_label(run: Run, words: Path) -> None:
    found = accuracies_told(run, "--labels", "r.tag", "a.tag", "b.tag")
    assert found == accuracies(lambda side, segment, place: str(place))


def test_words_by_the_frequency_of_the_source_word(run: Run, words: Path) -> None:
    """The rare word stands once, the other five times."""

    def linked(side: str, segment: int, place: int) -> str:
        return "(no link)" if place == 3 else "5-9" if segment or place % 2 else "1"

    found = accuracies_told(run, "--word-links", "r.links", "a.links", "b.links", "--source", "src.fr")
    assert found == accuracies(linked)


def test_words_by_their_frequency_in_a_text(run: Run, words: Path) -> None:
    (words / "train.txt").write_text("the dog\nthe dog a\n", encoding="utf-8")
    seen = {"the": "2", "dog": "2", "a": "1"}
    found = accuracies_told(run, "--frequencies-from", "train.txt")
    texts = {name: [line.split() for line in lines] for name, lines in WORDS.items()}
    assert found == accuracies(lambda side, segment, place: seen.get(texts[side][segment][place], "0"))


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (("--labels", "r.tag", "a.tag"), 2, "3 files are needed, of the reference and of each output, and 2 given"),
        (("--labels", "r.tag", "b.tag", "a.tag"), 3, "b.tag:1: 3 labels, and the text has 5 words"),
        (("--labels", "r.tag", "a.tag", "src.fr"), 3, "src.fr:1: 2 labels, and the text has 3 words"),
        (("--word-links", "r.links", "a.links", "b.links"), 2, "--word-links needs the --source"),
        (
            ("--word-links", "r.tag", "a.links", "b.links", "--source", "src.fr"),
            3,
            "r.tag:1: '0' is no link such as 0-1",
        ),
        (("--labels", "r.tag", "a.tag", "b.tag", "--frequencies-from", "src.fr"), 2, "give one"),
        (("--labels", "r.tag", "a.tag", "none.tag"), 3, "none.tag: no such file"),
    ],
)
def test_classes_of_words_that_do_not_fit(run: Run, words: Path, more: tuple[str, ...], code: int, told: str) -> None:
    result = run("compare", "a.en", "b.en", "--ref", "r.en", "--tokenise", "none", *more)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr


def test_generated_references_stand_beside_those_of_people(run: Run, files: Path) -> None:
    result = run("compare", "a.txt", "b.txt", *CORPUS, "--samples", "50", "--section", "origins")
    assert result.exit_code == 0, result.stderr
    assert "references that people made, and with all" in result.stdout
    assert "  generated references alone move A - B by " in result.stdout
    labelled = run(
        "compare", "a.txt", "b.txt", "--ref", "r.txt", "--ref", "generated:b.txt", "--samples", "50", "--json"
    )
    found = json.loads(labelled.stdout)[0]["origins"]
    assert (found["people"], found["generated"], found["by_all"]["b"]) == (2, 2, pytest.approx(100))


def test_a_document_of_one_segment_has_the_score_of_that_segment(run: Run, files: Path) -> None:
    """It is that of `score -sl`, smoothed; and nobody is shown so small a document unless it is asked for."""
    call = ("compare", "a.txt", "b.txt", "--ref", "r.txt", "--section", "buckets", "--documents", "docs.tsv")
    (found,) = json.loads(run(*call, "--json").stdout)
    by_document = next(each["buckets"] for each in found["buckets"] if each["by"] == "document")
    scored = json.loads(run("score", "a.txt", "b.txt", "--ref", "r.txt", "-sl", "--smoothing", "exp", "--json").stdout)
    for at, bucket in enumerate(by_document):
        assert [bucket["a"], bucket["b"]] == pytest.approx([each["segments"][at] for each in scored])
    assert 0 < by_document[1]["a"] < 100
    told = run(*call).stdout
    assert "  2 of 2 have fewer than 5 segments, and are left out: --min-segments\n" in told
    shown = run(*call, "--min-segments", "1").stdout
    assert "Segments by document, BLEUw4 smoothed by exp+effective\n" in shown
    assert [line.split()[:2] for line in shown.splitlines() if line.startswith(("  one ", "  other "))] == [
        ["one", "1"],
        ["other", "1"],
    ]


def test_names_that_begin_alike_are_told_apart(run: Run, files: Path) -> None:
    """Whole for a program that reads them; for a person cut in the middle."""
    names = [f"a-newspaper-of-some-town.2021-11-{number:02}.{name}" for number, name in ((1, "sports"), (2, "weather"))]
    rows = ["doc\tfirst_segment\tn_segments", *(f"{name}\t{at}\t1" for at, name in enumerate(names))]
    (files.parent / "long.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    call = ("--section", "buckets", "--documents", "long.tsv", "--min-segments", "1")
    told = run("compare", "a.txt", "b.txt", "--ref", "r.txt", *call).stdout
    assert all(f"  {name} " in told for name in names)
    buckets = tuple(Bucket(name, 1, 1.0, 0.0, 1.0, BetterSegments(1, 0, 0)) for name in names)
    found = PairComparison(
        a="A", b="B", segments=2, metric="BLEUw4", scores=(), tally=BetterSegments(2, 0, 0), better_a=(), better_b=(),
        ngrams=None, words_by="the references", words=(),
        buckets=(Breakdown("document", buckets),), histograms=(), origins=None,
    )  # fmt: skip
    asked = ComparisonRequest(sections=("buckets",), least_document=1)
    shown = [line.split()[0] for line in comparison_lines(found, asked) if line.startswith("  a-")]
    assert shown == ["a-newspaper-of-…1-11-01.sports", "a-newspaper-of-…-11-02.weather"]
    assert all(cell_width(line) <= 80 for line in comparison_lines(found, asked))


@pytest.mark.parametrize("samples", [50, 1000])
def test_one_event_has_one_p(run: Run, files: Path, samples: int) -> None:
    """However two commands ask whether the same two systems differ, they write the answer alike."""
    texts = {"good.txt": "A beer, please.\n" * 40, "bad.txt": "Beer?\n" * 40, "ref.txt": "A beer, please.\n" * 40}
    for name, text in texts.items():
        (files.parent / name).write_text(text, encoding="utf-8")
    call = ("good.txt", "bad.txt", "--ref", "ref.txt", "--samples", str(samples))
    compared = re.findall(r"p ([<=] [0-9.]+)", run("compare", *call, "--section", "scores").stdout)[:1]
    table = run("score", *call, "--significance", "bootstrap", "--format", "table").stdout
    scored = re.findall(r"p ([<=] [0-9.]+)", table)
    assert compared == scored[:1] == [{50: "= 0.020", 1000: "< 0.001"}[samples]]


def test_stored_systems_with_the_scores_of_others(run: Run, files: Path) -> None:
    folder = files.parent
    assert run("score", "a.txt", "b.txt", *CORPUS, "--store").exit_code == 0
    result = run("scores", "import", "COMET.seg.score")
    assert (result.exit_code, result.stdout) == (0, "imported\t2\nunchanged\t0\nnames\tCOMET\n")
    again = run("scores", "import", "COMET.seg.score")
    assert (again.exit_code, "nothing changed" in again.stderr) == (0, True)

    kept = run("compare", "a", "b", "--samples", "50")
    assert kept.exit_code == 0, kept.stderr
    assert "  COMET, imported\n" in kept.stdout and "imported:COMET|file:COMET.seg.score|sha256:" in kept.stdout
    given = run("compare", "a.txt", "b.txt", *CORPUS, "--samples", "50", "--scores", "COMET.seg.score")
    assert kept.stdout.partition("Units by")[0] == given.stdout.partition("Units by")[0]  # --lang asks the corpus
    (folder / "MetricX.sys.score").write_text("a\t-1.5\nb\t-2\n", encoding="utf-8")
    whole = run("compare", "a", "b", "--samples", "50", "--section", "scores", "--scores", "MetricX.sys.score")
    assert "MetricX, imported      -1.5000  -2.0000  +0.5000" in whole.stdout
    assert run("scores", "import", "COMET.seg.score", "--human").exit_code == 0
    human = run("compare", "a", "b", "--samples", "50", "--section", "scores").stdout
    assert "  COMET, human\n" in human and "human:COMET|file:COMET.seg.score|sha256:" in human
    mixed = run("compare", "a.txt", "b", "--ref", "r.txt", "--section", "segments")
    assert mixed.exit_code == 0, mixed.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("a.txt", "--ref", "r.txt"), 2, "compare needs two systems, and one is given"),
        (("a.txt", "a.txt", "--ref", "r.txt"), 2, "a.txt is given twice"),
        (("a.txt", "b.txt"), 2, "a.txt is a file; where are its references?"),
        (
            ("a.txt", "b.txt", "--ref", "r.txt", "--section", "score"),
            2,
            "no section 'score'; did you mean 'scores'? There are scores, segments",
        ),
        (("a.txt", "b.txt", "--ref", "r.txt", "--set", "12"), 2, "--set is one of the reference sets that are stored"),
        (("a.txt", "b.txt", "--ref", "r.txt", "--lengths", "a"), 2, "lengths are numbers"),
        (("a.txt", "short.txt", "--ref", "r.txt"), 3, "r.txt:2: has no counterpart: short.txt ends after 1 segments"),
        (("a.txt", "nobody", "--ref", "r.txt"), 3, "nobody is not a file, and no output of this name is stored"),
        (("a", "b"), 3, "a is not a file, and no output of this name is stored; `corpusdb score --store` keeps"),
        (("a.txt", "b.txt", "--ref", "r.txt", "--documents", "r.txt"), 3, "r.txt:1: no column 'doc'"),
        (("a.txt", "b.txt", "--ref", "r.txt", "--section", "words", "--examples", "5"), 2, "--examples is of the sect"),
        (
            ("a.txt", "b.txt", "--ref", "r.txt", "--format", "csv", "--lengths", "5"),
            2,
            "--lengths is of the section",
        ),
        (("a.txt", "b.txt", "--ref", "r.txt", "--min-segments", "2"), 2, "--min-segments is of --documents"),
        (("a", "b", "--min-validity", "0"), 2, "--min-validity chooses references of the corpus"),
        (("a.txt", "r.txt", "--ref", "r.txt", "--scores", "r.txt"), 3, "r.txt:1: 1 fields where system TAB score"),
    ],
)
def test_what_cannot_be_compared(run: Run, files: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    result = run("compare", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("COMET.seg.score",), 3, "COMET.seg.score:1: no output of 'a' is stored; `corpusdb score --store` keeps"),
        (("COMET.seg.score", "--metric", "x"), 2, "the files have no scores of 'x'; there are COMET"),
        (("COMET.seg.score", "--system-names", "a"), 2, "--system-names takes THEIRS=OURS, unlike 'a'"),
        (("COMET.seg.score", "--system-names", "a=b", "--system-names", "a=c"), 2, "maps 'a' twice"),
        (("r.txt",), 3, "r.txt:1: 1 fields where system TAB score is expected"),
    ],
)
def test_scores_that_belong_to_nothing(run: Run, files: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    result = run("scores", "import", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "markdown", "latex"])
def test_the_scores_are_rows_in_the_formats_of_rows(run: Run, files: Path, format: str) -> None:
    call = ("compare", "a.txt", "b.txt", "--ref", "r.txt", "--metric", "bleu,mwer", "--samples", "20")
    (document,) = json.loads(run(*call, "--json").stdout)
    out = run(*call, "--format", format, "--section", "scores").stdout
    if format == "jsonl":
        rows = [json.loads(line) for line in out.splitlines()]
        assert [each["metric"] for each in rows] == [each["metric"] for each in document["scores"]]
        for row, told in zip(rows, document["scores"], strict=True):
            assert [row["score_a"], row["score_b"], row["difference"]] == [told["a"], told["b"], told["difference"]]
            assert [row["low"], row["high"]] == [told["interval"]["low"], told["interval"]["high"]]
            assert row["p"] == told["p_value"]
    for each in document["scores"]:
        assert (each["metric"] if format != "latex" else each["metric"].replace("BLEUw4", "BLEU")) in out
    if format in ("markdown", "latex"):
        (bleu,) = [each for each in document["scores"] if each["metric"] == "BLEUw4"]
        shown = f"\\textbf{{{bleu['b']:.2f}}}" if format == "latex" else f"{bleu['b']:.2f}"
        assert shown in out and "metric & a & b " in out.replace("|", "&"), "its columns are systems, the better bold"
    if format in ("tsv", "csv"):
        separator = {"tsv": "\t", "csv": ","}[format]
        assert len({line.count(separator) for line in out.splitlines()}) == 1
    refused = run(*call, "--format", format, "--section", "words")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"--format {format} has the section scores, which is left out" in refused.stderr


def test_what_is_said_of_stars_stands_in_the_table(run: Run, files: Path) -> None:
    lines = [f"The {word} is on the table ." for word in ("cat", "dog", "cup", "key", "book", "bag", "hat", "pen")] * 5
    for name, texts in (("w.txt", lines), ("v.txt", [line.replace("on", "under") for line in lines])):
        (files.parent / name).write_text("\n".join([*texts, ""]), encoding="utf-8")
    call = ("compare", "w.txt", "v.txt", "--ref", "w.txt", "--samples", "2000", "--section", "scores")
    assert "p < 0.001**" in run(*call).stdout
    assert r"\textless{} 0.001\rlap{$^{**}$} \\" in run(*call, "--format", "latex").stdout
    assert "0.001\\*\\* |" in run(*call, "--format", "markdown").stdout


def test_text_and_json_stay_what_they_are(run: Run, files: Path) -> None:
    call = ("compare", "a.txt", "b.txt", "--ref", "r.txt", "--samples", "20")
    assert run(*call).stdout == run(*call, "--format", "table").stdout
    assert run(*call, "--json").stdout == run(*call, "--format", "json").stdout
    assert run(*call, "-o", "out.txt").stdout == ""
    assert (files.parent / "out.txt").read_text(encoding="utf-8") == run(*call).stdout


def test_a_section_with_nothing_in_it_says_so(run: Run, tmp_path: Path) -> None:
    for name, text in (("x.txt", "a b\n"), ("y.txt", "a c\n"), ("r.txt", "a b c\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    call = ("compare", "x.txt", "y.txt", "--ref", "r.txt")
    for name in ("origins", "buckets"):
        assert f"section {name}: nothing to compare" in run(*call, "--section", name).stderr
        assert f"section {name}" not in run(*call).stderr


class Page(HTMLParser):
    """The names of its elements and attributes, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements, self.attributes, self.texts = set[str](), set[str](), list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


HOSTILE = "<script src=//x.y>alert(1)</script> \"'&amp; \u202e\x1b]0;a\x07"


def test_a_page_has_every_segment_and_nothing_of_its_texts_is_code(run: Run, files: Path) -> None:
    folder = files.parent
    name = "<b onload=x>'\".txt"
    (folder / name).write_text(f"A beer, {HOSTILE}.\nA slice of pizza?\n", encoding="utf-8")
    (folder / "h.txt").write_text(f"A beer, please.\n{HOSTILE}\n", encoding="utf-8")
    more = ("--ref", "r.txt", "--ref", "h.txt", "--source", "s.txt", "--samples", "20", "--examples", "1")
    result = run("compare", "a.txt", name, *more, "--page", "page.html")
    assert result.exit_code == 0, result.stderr
    text = (folder / "page.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not page.elements & {"script", "img", "link", "iframe", "object", "form", "b"}
    assert page.attributes == {*("lang", "charset", "http-equiv", "content", "name", "class", "style", "open")}, (
        page.attributes
    )
    shown = "".join(page.texts)
    assert "<script src=//x.y>alert(1)</script> \"'&amp; \ufffd\ufffd]0;a\ufffd" in shown
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", text)
    found = json.loads(run("compare", "a.txt", name, *more[:-1], "0", "--json").stdout)
    assert shown.count(", A - B ") == sum(len(each["better_a"]) + len(each["better_b"]) for each in found) > 0
    assert "Can I have some pizza?" in shown and "Une part de pizza" in shown
    assert run("compare", "a.txt", "b.txt", "--ref", "r.txt", "--page", "page.html").exit_code == 2
    assert (folder / "page.html").read_text(encoding="utf-8") == text
    assert run("compare", "a.txt", "b.txt", "--ref", "r.txt", "--page", "page.html", "--overwrite").exit_code == 0


def test_a_page_of_many_systems_leads_from_each_pair_to_its_segments(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = files.parent
    (folder / "h.txt").write_text(f"A beer, {HOSTILE}.\nCan I have some pizza?\n", encoding="utf-8")
    call = ("compare", "a.txt", "b.txt", "h.txt", "--ref", "r.txt", "--samples", "20", "--page", "page.html")
    assert run(*call, "-m", "bleu,mwer").exit_code == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not page.elements & {"script", "img", "link", "iframe", "object", "form", "b"}
    targets, links = re.findall(r" id=(\S+?)>", text), re.findall(r"href=#(\S+?)>", text)
    assert sorted(targets) == sorted({*targets}) and {*links} == {*targets} == {"p0-1", "p0-2", "p1-2", "s1", "s2"}
    told = json.loads(run("score", *call[1:8], "--pairs", "-m", "bleu,mwer", "--json").stdout)
    for each in told:
        section = text.split(f"Systems by {each['name']}:")[1].split("</table>")[0]
        rows = [re.findall(r"<td>([^<]*)", row) for row in section.split("<tr>")[2:]]
        assert [(row[0], int(row[2])) for row in rows] == [(x["system"], x["cluster"]) for x in each["systems"]]
    monkeypatch.setattr(page_report, "_MOST_BYTES", len(text) - 100)
    assert run(*call, "--overwrite").exit_code == 0
    less = (folder / "page.html").read_text(encoding="utf-8")
    assert {*re.findall(r"href=#(s\S+?)>", less)} == {*re.findall(r" id=(s\S+?)>", less)} < {"s1", "s2"}


def test_what_is_marked_on_a_page_is_what_a_reference_has(run: Run, files: Path) -> None:
    call = ("compare", "a.txt", "b.txt", "--ref", "r.txt", "--samples", "20", "--page", "page.html")
    assert run(*call, "--metric", "chrf").exit_code == 0
    text = (files.parent / "page.html").read_text(encoding="utf-8")
    marked = re.findall(r"<i class=m(.)>(.*?)</i>", text.split("in a row.")[1])
    references = FILES["r.txt"].splitlines()
    assert ("4", "A beer, please.") in marked and ("4", "A slice of pizza, please.") in marked
    assert all(any(stretch in reference for reference in references) for _, stretch in marked)
