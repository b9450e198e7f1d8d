"""Outputs, references, sources and documents out of files: what they hold, and what is refused."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.columns import COLUMNS
from corpusdb.corpus.formats.records import Options, Record, ReferenceSet, Rejected, digest
from corpusdb.corpus.formats.registry import reference_writer_of
from corpusdb.corpus.formats.scoring_input import read_output, read_plain, read_references, read_sources, read_texts
from corpusdb.corpus.formats.segments import (
    ReferenceTexts,
    Segmentation,
    SegmentDocument,
    read_documents,
    segmentation_by_line,
)
from corpusdb.corpus.formats.tables import CsvSource, TsvSource

SETS = (
    ReferenceSet("1", "un", ("one", "a & b <c>")),
    ReferenceSet("2", "deux", ("two",)),
    ReferenceSet("3", "trois", ("three", "III", "3")),
)
SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "formats"


def file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def texts(references: ReferenceTexts) -> list[tuple[str, ...]]:
    return [tuple(each.text for each in one) for one in references.references]


@pytest.mark.parametrize("name", ["jsonl", "tsv"])
def test_ragged_sets_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    (path,) = reference_writer_of(name).write(SETS, tmp_path)
    found = read_references([path])

    assert texts(found) == [each.references for each in SETS]
    again = [ReferenceSet("", *pair) for pair in zip(found.sources, texts(found), strict=True)]
    assert digest(again) == digest(SETS)


@pytest.mark.parametrize("name", ["sgm", "wmt"])
def test_sets_in_mark_up_come_back_filled_up(name: str, tmp_path: Path) -> None:
    path = reference_writer_of(name).write(SETS, tmp_path)[-1]
    found = read_references([path])

    assert texts(found) == [("one", "a & b <c>", "a & b <c>"), ("two",) * 3, ("three", "III", "3")]
    assert found.segmentation.ids == (("corpusdb", "1"), ("corpusdb", "2"), ("corpusdb", "3"))


def test_one_file_for_each_reference(tmp_path: Path) -> None:
    _, *paths = reference_writer_of("sacrebleu").write(SETS, tmp_path)
    found = read_references(paths)

    assert texts(found) == [("one", "a & b <c>", "a & b <c>"), ("two",) * 3, ("three", "III", "3")]
    assert str(found.references[2][1]) == f"{paths[1]}:3"


def test_packed_files_and_files_of_two_kinds(tmp_path: Path) -> None:
    (jsonl,) = reference_writer_of("jsonl").write(SETS, tmp_path)
    packed = file(tmp_path, "more.jsonl.gz", gzip.compress(jsonl.read_bytes(), mtime=0))
    plain = file(tmp_path, "ref.txt", "x\r\ny\nz")

    assert texts(read_references([plain, packed]))[1] == ("y", "two")
    assert read_references([plain, packed]).sources == ("un", "deux", "trois")


@pytest.mark.data
def test_segments_are_joined_by_their_ids(tmp_path: Path) -> None:
    """Real WMT sets, the output with its documents in another order than the references."""
    folder = SAMPLES / "sgm" / "valid"
    references = read_references([folder / "sample-ref.en.sgm"])
    (output,) = read_output(folder / "sample-tst.en.sgm", references.segmentation)
    document = (folder / "sample-tst.en.sgm").read_text(encoding="utf-8")
    head, *documents = document.removesuffix("</tstset>\n").split("<doc ")
    turned = head + "".join(f"<doc {each}" for each in reversed(documents)) + "</tstset>\n"

    (again,) = read_output(file(tmp_path, "turned.sgm", turned), references.segmentation)
    assert len(documents) > 1
    assert again.texts == output.texts
    assert len(output.texts) == len(references.references)


OUTPUT = """<tstset setid="s" srclang="any" trglang="any"><doc sysid="best" docid="d">
<seg id="2">two</seg><seg id="1"></seg></doc></tstset>
"""
REFERENCE = """<refset setid="s" srclang="any" trglang="any"><doc sysid="A" docid="d">
<seg id="1">one</seg><seg id="2">two</seg></doc>
<doc sysid="B" docid="d"><seg id="2">deux</seg></doc></refset>
"""


def test_a_reference_that_a_translator_lacks_is_missing(tmp_path: Path) -> None:
    found = read_references([file(tmp_path, "ref.sgm", REFERENCE)])
    (output,) = read_output(file(tmp_path, "out.sgm", OUTPUT), found.segmentation)

    assert texts(found) == [("one",), ("two", "deux")]
    assert (output.system, output.texts) == ("best", ("", "two"))


def test_an_empty_hypothesis_is_legal(tmp_path: Path) -> None:
    segmentation = Segmentation(Path("ref"), (1, 2, 3))
    (output,) = read_output(file(tmp_path, "Best.v2.en", "a\n\n \n"), segmentation)

    assert (output.system, output.texts) == ("Best.v2", ("a", "", " "))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.txt", "a\n\nc\n", "r.txt:2: a reference is blank"),
        ("r.txt", "a\n \u3000\nc\n", "r.txt:2: a reference is blank"),
        ("r.txt", "a\nb\n", "r.txt ends after 2 segments, this file has 3"),
        ("r.txt", "a\nb\nc\nd\n", "r.txt:4: has no counterpart: .*h.txt ends after 3 segments, this file has 4"),
        ("r.txt", 'a\n<seg id="1">b</seg>\nc\n', "r.txt:2: markup where plain text is expected: '<seg id=\"1\">'"),
        ("r.txt", '<?xml version="1.0"?>\nb\nc\n', r"r.txt:1: markup .*'<\?xml'"),
        ("r.txt", "  <tu>\nb\nc\n", "r.txt:1: markup .*'<tu>'"),
        ("r.txt", "a\nb\nc\n".encode("utf-16"), "r.txt:1: looks like UTF-16"),
        ("r.txt", b"a\nb\0\nc\n", "r.txt:2: NUL byte"),
        ("r.txt", b"a\n\xff\nc\n", "r.txt:2: invalid UTF-8"),
        ("r.txt", "", "r.txt: the file is empty"),
        ("r.jsonl", '{"references": ["a"]}\n{"references": []}\n{}', "r.jsonl:2: is not an object with a list"),
        ("r.jsonl", '{"references": ["a"]}\n{"references": ["b", " "]}\n', "r.jsonl:2: a reference is blank"),
        ("r.jsonl", '{"references": ["a"]}\n{"refer', "r.jsonl:2: is not JSON"),
        ("r.jsonl", '{"references": ["a"], "source": 1}\n', "r.jsonl:1: the value of 'source' is not a string"),
        ("r.jsonl", '{"references": ["a"]}\n{"references": ["\\ud800"]}\n', "r.jsonl:2: .*'references' holds '.ud800'"),
        ("r.jsonl", '{"references": ["a"], "source": "\\ud800"}\n', "r.jsonl:1: .*'source' holds '.ud800'"),
        ("r.tsv", "a\tb\n", "r.tsv:1: which column has references.*a, b; name one of them reference, ref, "),
        ("r.tsv", "segment\treference\n1\ta\n3\tb\n", "r.tsv:3: segment '3' is where 2 is next"),
        ("r.tsv", "segment\treference\n1\ta\n2\n", "r.tsv:3: 1 columns, and the first line has 2"),
        ("r.tsv", "segment\treference\n1\t \n", "r.tsv:2: a reference is blank"),
        ("r.tsv", "segment\treference\n", "r.tsv:1: holds no reference"),
        ("r.sgm", REFERENCE.replace("deux", " "), "r.sgm:3: the reference of B is blank"),
        ("r.sgm", OUTPUT, "r.sgm:1: holds no reference"),
    ],
)
def test_references_that_are_refused(name: str, content: str | bytes, message: str, tmp_path: Path) -> None:
    path = file(tmp_path, name, content)
    with pytest.raises(InputError, match=message):
        read_output(file(tmp_path, "h.txt", "a\nb\nc\n"), read_references([path]).segmentation)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("h.txt", "a\n", "ref.sgm:1: has no counterpart: .*h.txt ends after 1 segments, this file has 2"),
        ("h.txt", "a\nb\n<doc>\n", "h.txt:3: markup"),
        ("h.sgm", REFERENCE, "h.sgm:1: holds no output of a system"),
        ("h.sgm", OUTPUT.replace('"2"', '"7"'), "h.sgm:1: segment '7' of document 'd' is not in .*ref.sgm"),
        ("h.sgm", OUTPUT.replace('<seg id="2">two</seg>', ""), "ref.sgm:1: has no counterpart"),
    ],
)
def test_outputs_that_are_refused(name: str, content: str, message: str, tmp_path: Path) -> None:
    references = read_references([file(tmp_path, "ref.sgm", REFERENCE)])
    with pytest.raises(InputError, match=message):
        read_output(file(tmp_path, name, content), references.segmentation)


def test_references_turned_the_wrong_way_round(tmp_path: Path) -> None:
    """Three files of two references each, for an output of three segments."""
    paths = [file(tmp_path, f"ref{number}.txt", "a\nb\n") for number in range(3)]
    with pytest.raises(InputError, match="holds one reference of every segment, not all references of one"):
        read_output(file(tmp_path, "h.txt", "a\nb\nc\n"), read_references(paths).segmentation)


def test_sources(tmp_path: Path) -> None:
    one, two = file(tmp_path, "a.txt", "un\ndeux\ntrois\n"), file(tmp_path, "b.txt", "one\ndeux\nthree\n")
    sources = file(tmp_path, "source.txt", "un\ndeux\ntrois\n")
    assert read_sources(sources, read_references([two]))[0] == ["un", "deux", "trois"]
    with pytest.raises(InputError, match=r"a.txt:1: the source is given as a reference: 3 of 3 segments"):
        read_sources(sources, read_references([two, one]))
    with pytest.raises(InputError, match=r"source.txt:2: the source is blank"):
        read_sources(file(tmp_path, "source.txt", "un\n\ntrois\n"))
    with pytest.raises(InputError, match=r"a.txt:3: has no counterpart"):
        read_sources(file(tmp_path, "source.txt", "un\ndeux\n"), read_references([one]))


# Tables as outputs, references and sources: columns are chosen by their header or refused, and never read as text.


TEXTS = st.lists(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=9).filter(str.strip),
    min_size=1,
    max_size=6,
)


def table(folder: Path, name: str, *rows: str) -> Path:
    path = folder / name
    delimiter = "," if name.endswith(".csv") else "\t"
    path.write_text("".join(row.replace("|", delimiter) + "\n" for row in rows), encoding="utf-8")
    return path


def outputs(path: Path, count: int = 2) -> list[tuple[str, tuple[str, ...]]]:
    found = read_output(path, segmentation_by_line(Path("ref.txt"), count))
    return [(each.system, each.texts) for each in found]


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("hyp", "a", "b"), [("out", ("a", "b"))]),
        (("a", "b"), [("out", ("a", "b"))]),
        (("text", "a", "b"), [("out", ("a", "b"))]),
        (("id|Source|Hypothesis", "1|x|a", "2|y|b"), [("out", ("a", "b"))]),
        (("source|target", "x|a", "y|b"), [("out", ("a", "b"))]),
        (("source|target|MT", "x|r|a", "y|s|b"), [("out", ("a", "b"))]),
        (("segment|output", "1|a", "2|"), [("out", ("a", ""))]),
        (("source|hyp1|hyp 2", "x|a|b", "y|c|d"), [("hyp1", ("a", "c")), ("hyp 2", ("b", "d"))]),
        (("fra:source|eng:system:A|eng:reference:B", "x|a|r", "y|b|s"), [("A", ("a", "b"))]),
    ],
)
def test_outputs(tmp_path: Path, extension: str, rows: tuple[str, ...], expected: list[object]) -> None:
    assert outputs(table(tmp_path, f"out.{extension}", *rows)) == expected


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("rows", "references", "sources"),
    [
        (("source|reference", "x|a", "y|b"), [["a"], ["b"]], ("x", "y")),
        (("ref0|ref1|note", "a|b|!", "c||!"), [["a", "b"], ["c"]], ()),
        (("src|target", "x|a", "y|b"), [["a"], ["b"]], ("x", "y")),
        (("target|reference", "x|a", "y|b"), [["a"], ["b"]], ()),
        (("reference|segment", "a|1", "b|1", "c|2"), [["a", "b"], ["c"]], ()),
        (("fra:source|eng:reference:A|eng:reference:B|eng:system:X", "x|a|b|h", "y|c||h"), [["a", "b"], ["c"]],
         ("x", "y")),
        (("a", "b"), [["a"], ["b"]], ()),
    ],
)  # fmt: skip
def test_references(
    tmp_path: Path, extension: str, rows: tuple[str, ...], references: list[list[str]], sources: tuple[str, ...]
) -> None:
    found = read_references([table(tmp_path, f"ref.{extension}", *rows)])
    assert [[each.text for each in segment] for segment in found.references] == references
    assert found.sources == sources


def test_sources_in_tables(tmp_path: Path) -> None:
    path = table(tmp_path, "dev.tsv", "id|source|target", "1|x|a", "2|y|b")
    assert read_sources(path)[0] == read_texts(path) == ["x", "y"]
    assert read_texts(table(tmp_path, "plain.fr", "x", "y")) == ["x", "y"]


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (("a|b", "c|d"), "out:1: which column has an output? The first line has a, b; name one of them hypothesis,"),
        (("source|reference", "x|a"), "out:1: which column has an output? The first line has source, reference;"),
        (("source|hyp", "x|a", "b"), "out:3: 1 columns, and the first line has 2"),
        (("source|hyp", "x|a"), "ref:2: has no counterpart: "),
        (("segment|hyp", "2|a", "1|b"), "out:2: segment '2' is where 1 is next"),
        (("segment|hyp", "1|a", "1|b", "2|c"), "out:3: segment 1 appears again"),
    ],
)
def test_what_is_refused(tmp_path: Path, extension: str, rows: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InputError) as refused:
        outputs(table(tmp_path, f"out.{extension}", *rows))
    assert reason in f"{Path(str(refused.value.path)).stem}:{refused.value.line}: {refused.value.reason}"


@pytest.mark.parametrize(
    ("rows", "is_table"),
    [
        (("source|target", "x|a", "y"), True),
        (("segment|rank|reference",), True),
        (("a|b", "c|d"), True),
        (("a|b", "c"), False),
        (("a|b",), False),
        (("source", "a"), False),
    ],
)
def test_plain_text_is_no_table(tmp_path: Path, rows: tuple[str, ...], is_table: bool) -> None:
    path = table(tmp_path, "out.txt", *rows)
    if not is_table:
        assert read_plain(path) == [row.replace("|", "\t") for row in rows]
        return
    with pytest.raises(InputError, match=r"out.txt:1: is a table of \d columns and no text: one column of it"):
        read_plain(path)


@pytest.mark.slow
@given(texts=TEXTS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_column_holds_what_plain_text_holds(texts: list[str], tmp_path: Path) -> None:
    plain = table(tmp_path, "plain.txt")
    plain.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    tsv = table(tmp_path, "out.tsv")
    tsv.write_text("id\thyp\n" + "".join(f"{n}\t{text}\n" for n, text in enumerate(texts)), encoding="utf-8")
    with (tmp_path / "out.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("hyp", "id"), *((text, n) for n, text in enumerate(texts))])
    count = len(texts)
    (expected,) = (found for _, found in outputs(plain, count))
    assert outputs(tsv, count) == outputs(tmp_path / "out.csv", count) == [("out", expected)]


def test_a_name_means_one_role_before_others() -> None:
    """But for what is a translation, which both outputs and references are."""
    first = [names[0] for names in COLUMNS.values()]
    assert len({name for names in first for name in names}) == sum(map(len, first))


PAIR = Options(("fra", "eng"))


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    "rows",
    [
        ("id|source|target", "1|un|one", "2|deux|two", "3|trois|three"),
        ("source|id|target|score", "un|1|one|0.5", "deux|2|two|0.5", "trois|3|three|0.5"),
        ("id|segment|source|target", "7|1|un|one", "7|2|deux|two", "7|3|trois|three"),
        ("nr|source|target|laser", "1|un|one|x", "2|deux|two|x", "3|trois|three|x"),
        ("english|id|french", "one|1|un", "two|2|deux", "three|3|trois"),
        ("id|French|translation", "1|un|one", "2|deux|two", "3|trois|three"),
        ("text|translation", "un|one", "deux|two", "trois|three"),
        ("no|en_speaker|fr_speaker|en|fr|en_id", "1|A|B|one|un|7", "2|A|B|two|deux|8", "3|A|B|three|trois|9"),
        ("en_name|en-GB|fr_text|fr_no", "A|one|un|1", "A|two|deux|2", "A|three|trois|3"),
    ],
)
def test_an_import_chooses_columns_by_usual_words(tmp_path: Path, extension: str, rows: tuple[str, ...]) -> None:
    source = {"tsv": TsvSource, "csv": CsvSource}[extension]((table(tmp_path, f"dev.{extension}", *rows),), PAIR)
    units = list(source.items())
    assert all(isinstance(unit, Record) for unit in units)
    assert [unit.texts for unit in units if isinstance(unit, Record)] == [
        ("un", "one"), ("deux", "two"), ("trois", "three")
    ]  # fmt: skip


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        (("id|source|target|reference", "1|un|x|one"), 1, "which columns hold fra and eng? The header has id, source,"),
        (("doc|scene|en|ja", "d|s|one|ichi"), 1, "which columns hold fra and eng? The header has doc, scene, en, ja:"),
        (("id|German|translation", "1|eins|one"), 1, "column 2 is headed 'German', not fra; choose the columns"),
        (
            ("nr|one text|another", "1|un|one", "2|deux|two"),
            2,
            "column 1 holds numbers, not fra: choose the columns by",
        ),
        (("1|un|one", "2|deux|two", "3|trois|three"), 2, "column 1 holds numbers, not fra"),
        (("un|0.5|one", "deux|0.25|two", "trois|1|three"), 2, "column 2 holds numbers, not eng"),
    ],
)
def test_an_import_refuses_columns_that_hold_no_text(
    tmp_path: Path, extension: str, rows: tuple[str, ...], line: int, reason: str
) -> None:
    path = table(tmp_path, f"dev.{extension}", *rows)
    source = {"tsv": TsvSource, "csv": CsvSource}[extension]
    with pytest.raises(InputError) as refused:
        list(source((path,), PAIR).items())
    assert str(refused.value).startswith(f"{path}:{line}: {reason}")
    if line == 2:  # what is chosen is taken as it is
        assert list(source((path,), Options(PAIR.languages, columns=(1, 2), header="no")).items())


def test_numbers_that_are_texts_are_read(tmp_path: Path) -> None:
    path = table(tmp_path, "dev.tsv", "1|un", "2|deux", "3|trois")
    assert len(list(TsvSource((path,), PAIR).items())) == 3
    path = table(tmp_path, "short.tsv", "yes|oui", "1|une")
    units = list(TsvSource((path,), PAIR).items())
    assert not any(isinstance(unit, Rejected) for unit in units)
    assert len(units) == 2


@pytest.mark.parametrize("name", ["out.jsonl", "out.tmx", "out.conllu", "out.vert.gz"])
def test_a_format_that_has_no_outputs_is_not_read_as_text(tmp_path: Path, name: str) -> None:
    path = table(tmp_path, name, "a", "b")
    with pytest.raises(InputError, match=r"out\..*: outputs of systems cannot be read from (jsonl|tmx|conllu|vert): "):
        outputs(path)
    with pytest.raises(InputError, match="texts cannot be read from"):
        read_sources(path)


# Files that say which segments make a document, good and bad.


DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
HEADER = "doc\tfirst_segment\tn_segments\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "docs.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_documents_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "first_segment\tdoc\tn_segments\tdomain\n2\tb\t3\tnews\n0\ta\t2\t\n")
    assert read_documents(path, 5) == [SegmentDocument("b", 2, 3, "news"), SegmentDocument("a", 0, 2, None)]


def test_documents_that_count_from_1(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}b\t3\t3\na\t1\t2\n")
    assert read_documents(path, 5) == [SegmentDocument("b", 2, 3), SegmentDocument("a", 0, 2)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("doc\tfirst\tn_segments\na\t0\t5\n", ":1: no column 'first_segment'"),
        (f"{HEADER}a\t0\n", ":2: 2 fields under 3 names"),
        (f"{HEADER}a\t0\tfive\n", ":2: first_segment and n_segments are numbers"),
        (f"{HEADER}a\t-1\t5\n", ":2: first_segment and n_segments are numbers"),
        (f"{HEADER}a\t0\t{'9' * 5000}\n", ":2: first_segment and n_segments are numbers"),
        (f"{HEADER}\t0\t5\n", ":2: the document has no name"),
        (f"{HEADER}a\t0\t0\n", ":2: a has no segments"),
        (f"{HEADER}a\t0\t2\na\t2\t3\n", ":3: two documents are called 'a'"),
        (f"{HEADER}a\t0\t3\nb\t2\t3\n", ":3: b overlaps with a: segment 2 is in both"),
        (f"{HEADER}a\t0\t2\nb\t3\t2\n", ":3: segments 2 to 2 between a and b are in no document"),
        (f"{HEADER}a\t1\t4\n", ":2: segments 0 to 0 between the beginning and a are in no document"),
        (f"{HEADER}a\t0\t4\n", ":2: segments 4 to 4, the last, are in no document"),
        (f"{HEADER}a\t0\t6\n", ":2: a ends with segment 5, and there are 5"),
        (HEADER, "segments 0 to 4, the last, are in no document"),
    ],
)
def test_what_is_refused_of_documents(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read_documents(written(tmp_path, text), 5)


@pytest.mark.data
@pytest.mark.parametrize(("pair", "segments", "documents"), [("ruen", 1000, 107), ("jaen", 1005, 81)])
def test_documents_of_wmt21(pair: str, segments: int, documents: int) -> None:
    assert len(read_documents(DATA / f"wmt21-{pair}" / "docs.tsv", segments)) == documents
