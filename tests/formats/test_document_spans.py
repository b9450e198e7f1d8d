"""Tables of documents, good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.errors import InputError
from corpusdb.formats.document_spans import read_documents

HEADER = "doc\tfirst_segment\tn_segments\n"
DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "wmt21-ruen"


def written(folder: Path, text: str) -> Path:
    path = folder / "docs.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_segment_has_its_document(tmp_path: Path) -> None:
    path = written(tmp_path, "n_segments\tdoc\tfirst_segment\n2\tb\t1\n1\ta\t0\n")
    assert read_documents(path, 3) == ("a", "b", "b")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("doc\tfirst_segment\na\t0\n", ":1: no column 'n_segments'"),
        (f"{HEADER}a\t0\n", ":2: 2 fields under 3 names"),
        (f"{HEADER}a\t0\tmany\n", ":2: '0' and 'many' are no numbers"),
        (f"{HEADER}a\t-1\t4\n", ":2: '-1' and '4' are no numbers"),
        (f"{HEADER}a\t0\t99999999999\n", "are no numbers"),
        (f"{HEADER}a\t0\t1\na\t1\t2\n", ":3: two documents are called 'a'"),
        (f"{HEADER}a\t0\t4\n", ":2: a ends with segment 4 of 3"),
        (f"{HEADER}a\t0\t2\nb\t1\t2\n", ":3: segment 1 is in a and b"),
        (f"{HEADER}a\t0\t1\nb\t2\t1\n", r"segment 1 \(from 0\) is in no document"),
        (HEADER, r"segment 0 \(from 0\) is in no document"),
    ],
)
def test_what_is_refused(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read_documents(written(tmp_path, text), 3)


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="no WMT21 data beside the checkout")
def test_the_documents_are_those_of_the_human_scores() -> None:
    documents = read_documents(DATA / "docs.tsv", 1000)
    rows = (line.split("\t") for line in (DATA / "seg-DA.tsv").read_text(encoding="utf-8").splitlines()[1:])
    assert {(int(row[1]), row[6]) for row in rows} <= set(enumerate(documents))
