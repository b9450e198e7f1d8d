"""Files that say which segments make a document, good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.segments import Document, read_documents

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
HEADER = "doc\tfirst_segment\tn_segments\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "docs.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_documents_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "first_segment\tdoc\tn_segments\tdomain\n2\tb\t3\tnews\n0\ta\t2\t\n")
    assert read_documents(path, 5) == [Document("b", 2, 3, "news"), Document("a", 0, 2, None)]


def test_documents_that_count_from_1(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}b\t3\t3\na\t1\t2\n")
    assert read_documents(path, 5) == [Document("b", 2, 3), Document("a", 0, 2)]


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
def test_what_is_refused(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read_documents(written(tmp_path, text), 5)


@pytest.mark.data
@pytest.mark.parametrize(("pair", "segments", "documents"), [("ruen", 1000, 107), ("jaen", 1005, 81)])
def test_documents_of_wmt21(pair: str, segments: int, documents: int) -> None:
    assert len(read_documents(DATA / f"wmt21-{pair}" / "docs.tsv", segments)) == documents
