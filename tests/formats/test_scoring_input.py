"""Outputs and references out of files: what they hold, and what is refused with its line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.jsonl import write_jsonl_references
from corpusdb.corpus.formats.moses import write_sacrebleu
from corpusdb.corpus.formats.records import ReferenceSet, digest
from corpusdb.corpus.formats.scoring_input import (
    ReferenceTexts,
    Segmentation,
    read_output,
    read_references,
    read_sources,
)
from corpusdb.corpus.formats.sgm import write_sgm_references
from corpusdb.corpus.formats.tables import write_tsv_references
from corpusdb.corpus.formats.wmt import write_wmt_references

SETS = (
    ReferenceSet("1", "un", ("one", "a & b <c>")),
    ReferenceSet("2", "deux", ("two",)),
    ReferenceSet("3", "trois", ("three", "III", "3")),
)
SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "formats"


def file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def texts(references: ReferenceTexts) -> list[tuple[str, ...]]:
    return [tuple(each.text for each in one) for one in references.references]


@pytest.mark.parametrize("writer", [write_jsonl_references, write_tsv_references])
def test_ragged_sets_come_back_as_they_were(writer: object, tmp_path: Path) -> None:
    (path,) = writer(SETS, tmp_path)  # type: ignore[operator]
    found = read_references([path])

    assert texts(found) == [each.references for each in SETS]
    again = [ReferenceSet("", *pair) for pair in zip(found.sources, texts(found), strict=True)]
    assert digest(again) == digest(SETS)


@pytest.mark.parametrize("writer", [write_sgm_references, write_wmt_references])
def test_sets_in_mark_up_come_back_filled_up(writer: object, tmp_path: Path) -> None:
    path = writer(SETS, tmp_path)[-1]  # type: ignore[operator]
    found = read_references([path])

    assert texts(found) == [("one", "a & b <c>", "a & b <c>"), ("two",) * 3, ("three", "III", "3")]
    assert found.segmentation.ids == (("corpusdb", "1"), ("corpusdb", "2"), ("corpusdb", "3"))


def test_one_file_for_each_reference(tmp_path: Path) -> None:
    _, *paths = write_sacrebleu(SETS, tmp_path)
    found = read_references(paths)

    assert texts(found) == [("one", "a & b <c>", "a & b <c>"), ("two",) * 3, ("three", "III", "3")]
    assert str(found.references[2][1]) == f"{paths[1]}:3"


def test_packed_files_and_files_of_two_kinds(tmp_path: Path) -> None:
    (jsonl,) = write_jsonl_references(SETS, tmp_path)
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
        ("r.jsonl", '{"references": ["a"]}\n{"references": []}\n{}', "r.jsonl:2: is no object with a list"),
        ("r.jsonl", '{"references": ["a"]}\n{"references": ["b", " "]}\n', "r.jsonl:2: a reference is blank"),
        ("r.jsonl", '{"references": ["a"]}\n{"refer', "r.jsonl:2: is no JSON"),
        ("r.jsonl", '{"references": ["a"], "source": 1}\n', "r.jsonl:1: the value of 'source' is no text"),
        ("r.tsv", "a\tb\n", "r.tsv:1: which column has references.*a, b; one is to be called reference, ref, "),
        ("r.tsv", "segment\treference\n1\ta\n3\tb\n", "r.tsv:3: segment '3' stands where 2 is next"),
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
