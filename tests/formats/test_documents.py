"""Tables of documents, good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.errors import InputError
from corpusdb.formats.documents import Document, read_documents

HEADER = "doc\tfirst_segment\tn_segments\n"
DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "wmt21-ruen"


def written(folder: Path, text: str) -> Path:
    path = folder / "docs.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_segment_has_its_document(tmp_path: Path) -> None:
    path = written(tmp_path, "n_segments\tdoc\tfirst_segment\n2\tb\t1\n1\ta\t0\n")
    assert read_documents(path, 3) == [Document("b", 1, 2), Document("a", 0, 1)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("doc\tfirst_segment\na\t0\n", ":1: no column 'n_segments'"),
        (f"{HEADER}a\t0\n", ":2: 2 fields under 3 names"),
        (f"{HEADER}a\t0\tmany\n", ":2: first_segment and n_segments are numbers, unlike 0 and many"),
        (f"{HEADER}a\t-1\t4\n", ":2: first_segment and n_segments are numbers, unlike -1 and 4"),
        (f"{HEADER}a\t0\t99999999999\n", ":2: first_segment and n_segments are numbers"),
        (f"{HEADER}a\t0\t1\na\t1\t2\n", ":3: two documents are called 'a'"),
        (f"{HEADER}a\t0\t4\n", ":2: a ends with segment 3, and there are 3"),
        (f"{HEADER}a\t0\t2\nb\t1\t2\n", ":3: b overlaps with a: segment 1 is in both"),
        (f"{HEADER}a\t0\t1\nb\t2\t1\n", ":3: segments? 1 to 1 between a and b are in no document"),
        (f"{HEADER}a\t0\t1\n", "segments 1 to 2, the last, are in no document"),
        (HEADER, "segments 0 to 2, the last, are in no document"),
    ],
)
def test_what_is_refused(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read_documents(written(tmp_path, text), 3)


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="no WMT21 data beside the checkout")
def test_the_documents_are_those_of_the_human_scores() -> None:
    documents = [each.name for each in read_documents(DATA / "docs.tsv", 1000) for _ in range(each.segments)]
    rows = (line.split("\t") for line in (DATA / "seg-DA.tsv").read_text(encoding="utf-8").splitlines()[1:])
    assert {(int(row[1]), row[6]) for row in rows} <= set(enumerate(documents))
