"""WMT XML: what becomes of documents, versions and ids."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.records import Document, Item, Options, Record, ReferenceSet, Rejected, Version
from corpusdb.corpus.formats.wmt import WmtSource, write_wmt, write_wmt_references

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "formats"


def _items(path: Path, languages: tuple[str, ...] = (), *, systems: bool = False) -> list[Item]:
    return list(WmtSource((path,), Options(languages, systems=systems)).items())


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "texts", "rejected", "with_systems"),
    [
        ("valid/sample.all.xml", [2] * 14, [], [5] * 14),
        ("valid/sample.src.xml", [], [*range(1, 15)], []),
        ("valid/sample.src-ref.xml", [2] * 14, [], [2] * 14),
        ("valid/sample22.all.xml", [3] * 11, [], [5] * 11),
        ("valid/sample-testsuite.xml", [2] * 14, [], [5] * 14),
        ("malformed/crlf-mixed.xml", [2] * 14, [], [5] * 14),
        ("malformed/missing-reference.xml", [2] * 6, [*range(1, 9)], [4] * 8 + [5] * 6),
        ("malformed/mismatched-counts.xml", [2] * 13, [2], [5, 4, 5, 4] + [5] * 10),
    ],
)
def test_samples_that_are_read(name: str, texts: list[int], rejected: list[int], with_systems: list[int]) -> None:
    items = _items(DATA / "wmtxml" / name)
    more = _items(DATA / "wmtxml" / name, systems=True)

    assert [len(item.texts) for item in items if isinstance(item, Record)] == texts
    assert [item.line for item in items if isinstance(item, Rejected)] == rejected
    assert [len(item.texts) for item in more if isinstance(item, Record)] == with_systems
    assert [item.line for item in items] == [item.line for item in more] == list(range(1, len(items) + 1))


@pytest.mark.data
def test_texts_are_those_of_the_plain_samples() -> None:
    records = [item for item in _items(DATA / "wmtxml/valid/sample.all.xml", systems=True) if isinstance(item, Record)]
    columns = list(zip(*(record.texts for record in records), strict=True))

    for column, name in zip(columns, ("src.ja", "ref.en", "hyp.en"), strict=False):
        lines = (DATA / f"plain/valid/sample.{name}.txt").read_text("utf-8").split("\n")[:-1]
        assert list(column) == lines


@pytest.mark.data
def test_the_first_record_of_a_sample() -> None:
    record = _items(DATA / "wmtxml/valid/sample22.all.xml", systems=True)[0]

    assert isinstance(record, Record)
    assert record.document == Document(
        "seattle_times.236488", (("collection", "general"), ("domain", "news"), ("origlang", "en"))
    )
    assert record.name == "1"
    assert record.languages == ("eng", "cmn", "cmn", "cmn", "cmn")
    assert record.versions == (
        Version("source"),
        *(Version("reference", name) for name in "AB"),
        *(Version("system", f"Online-{name}") for name in "AB"),
    )
    assert record.texts[0] == 'Sunday Best: Enter 1880s New York in HBO\'s "The Gilded Age"'


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("truncated.xml", 82, "cut off inside <seg>"),
        ("utf16-declared-utf8.xml", 1, "another encoding"),
        ("latin1-in-utf8.xml", 18, "byte 0xE9"),
        ("nul-bytes.xml", 6, "NUL byte"),
        ("single-line-5mb.xml.gz", 1, "longer than 1,048,576 bytes"),
        ("billion-laughs.xml", 3, "declares entities"),
        ("xxe.xml", 2, "declares entities"),
        ("duplicate-ids.xml", 8, "segment id '2' stands twice"),
        ("unescaped-ampersand.xml", 6, "no well-formed XML"),
    ],
)
def test_damaged_samples_are_refused(name: str, line: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _items(DATA / "wmtxml/malformed" / name)

    assert caught.value.line == line


@pytest.mark.data
def test_every_wmt_file_of_the_manifest_is_named_above() -> None:
    rows = [line.split("\t") for line in (DATA / "manifest.tsv").read_text("utf-8").split("\n")[1:-1]]
    here = Path(__file__).read_text("utf-8")

    assert [row[0] for row in rows if row[1] == "wmtxml" and f'{Path(row[0]).name}"' not in here] == []


def _side(element: str, **segments: str) -> str:
    texts = "".join(f'<p><seg id="{name}">{text}</seg></p>' for name, text in segments.items())
    return f"<{element}>{texts}</{element.split()[0]}>\n"


def _doc(*sides: str, id: str = "d") -> str:
    return f'<doc id="{id}">\n{"".join(sides)}</doc>\n'


SOURCE = _side('src lang="en"', a="one", b="two")
REFERENCE = _side('ref lang="fr"', a="un", b="deux")


def _of(tmp_path: Path, body: str, languages: tuple[str, ...] = ()) -> list[Item]:
    (tmp_path / "a.xml").write_text(f"<dataset>\n{body}</dataset>")
    return _items(tmp_path / "a.xml", languages)


@pytest.mark.parametrize(
    ("body", "languages", "texts"),
    [
        (_doc(REFERENCE, SOURCE), (), [("un", "one"), ("deux", "two")]),
        (_doc(SOURCE, REFERENCE, _side('ref lang="de"', b="zwei")), (), [("one", "un"), ("two", "deux", "zwei")]),
        (_doc(SOURCE, REFERENCE, _side('ref lang="de"', b="zwei")), ("deu", "eng"), [None, ("two", "zwei")]),
        (_doc(SOURCE, _side('ref lang="fr"', b="deux", a=" ")), (), [None, ("two", "deux")]),
        (_doc(_side('src lang="en"', a="", b="two"), REFERENCE), (), [None, ("two", "deux")]),
        (_doc(REFERENCE), (), [None, None]),
        (_doc(_side("src", a="1"), _side('ref lang="any"', a="2")), ("eng", "fra"), [("1", "2")]),
        (f"<collection>{_doc(SOURCE, REFERENCE)}</collection>", (), [("one", "un"), ("two", "deux")]),
        (f"<collection>{_doc(SOURCE)}</collection>{_doc(SOURCE, REFERENCE)}", ("eng",), [None] * 4),
    ],
)
def test_sides_are_joined(
    tmp_path: Path, body: str, languages: tuple[str, ...], texts: list[tuple[str, ...] | None]
) -> None:
    items = _of(tmp_path, body, languages)

    assert [item.texts if isinstance(item, Record) else None for item in items] == texts


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        (_doc(SOURCE, REFERENCE) * 2, 6, "document id 'd' stands twice"),
        (_doc(SOURCE, SOURCE), 4, "document 'd' has a second source"),
        (_doc(SOURCE, _side('ref lang="fr"', c="x")), 4, "segment 'c' of document 'd' is not in the source"),
        (_doc(_side("src", a="1")), 3, "the language of this source is not told"),
        (_doc(_side('src lang="qq"', a="1")), 3, "unknown language code 'qq'"),
        ("<doc/>", 2, "a document without an id"),
        (_doc('<src lang="en"><seg>x</seg></src>'), 3, "a segment without an id"),
    ],
)
def test_what_leaves_the_alignment_open_is_refused(tmp_path: Path, body: str, line: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _of(tmp_path, body)

    assert caught.value.line == line


def _written(records: list[Record], languages: tuple[str, ...] = ("eng", "fra", "deu")) -> tuple[int, str]:
    file = StringIO()
    count = write_wmt(records, languages, file)
    return count, file.getvalue()


def _read_back(tmp_path: Path, text: str) -> list[Record]:
    (tmp_path / "written.xml").write_text(text, encoding="utf-8", newline="\n")
    return [item for item in _items(tmp_path / "written.xml", systems=True) if isinstance(item, Record)]


def test_units_without_documents_and_versions(tmp_path: Path) -> None:
    records = [
        Record(1, ("one", "un", None)),
        Record(2, ("two", "deux", "zwei"), name="x"),
        Record(3, ("", "trois", "drei")),
        Record(4, ("vier", "four", "fünf"), ("deu", "eng", "deu")),
    ]

    count, text = _written(records)
    read = _read_back(tmp_path, text)

    assert count == 3
    assert [record.name for record in read] == ["1", "x", "3"]
    assert {record.document for record in read} == {Document("corpusdb")}
    assert read[2].languages == ("eng", "deu", "deu")
    assert [version.name for version in read[2].versions] == ["", "1", "2"]


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["a", "b"], ["a", "b"]),
        (["", ""], ["1", "2"]),
        (["a", "a", "b"], ["1", "2", "b"]),
        (["2", "", "1"], ["2", "3", "1"]),
        (["3", "", "", "", "5"], ["3", "2", "4", "6", "5"]),
    ],
)
def test_ids_are_kept_where_they_are_unlike(tmp_path: Path, names: list[str], ids: list[str]) -> None:
    _, text = _written([Record(1, ("one", "un", None), name=name) for name in names])

    assert [record.name for record in _read_back(tmp_path, text)] == ids


def test_documents_that_share_an_id_are_told_apart(tmp_path: Path) -> None:
    first, second, apart = (
        Document("d"),
        Document("d", (("id", "9"), ("", "x"), ("_x_", "_x0041_"), ("xml a", "é"))),
        Document("d", (("collection", "c"),)),
    )
    texts = ("one", "un", None)
    _, text = _written([Record(1, texts, document=each) for each in (first, None, second, None, first, apart)])
    read = [record.document for record in _read_back(tmp_path, text)]

    assert [each.name for each in read if each] == ["d", "corpusdb", "d-2", "corpusdb-2", "d-3", "d"]
    assert read[2] == Document("d-2", tuple(sorted(second.attributes)))
    assert read[5] == apart


def test_reference_sets_are_filled_up(tmp_path: Path) -> None:
    sets = [ReferenceSet("s", "un", ("one", "a")), ReferenceSet("t", "deux", ("two",))]

    (path,) = write_wmt_references(iter(sets), tmp_path)

    assert [(item.name, item.texts) for item in _items(path, ("fra", "eng")) if isinstance(item, Record)] == [
        ("s", ("un", "one", "a")),
        ("t", ("deux", "two", "two")),
    ]
