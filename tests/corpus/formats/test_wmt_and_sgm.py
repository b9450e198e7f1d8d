"""WMT XML and mteval SGM: documents, versions and ids, tags that are no XML, and sides joined over files."""

from __future__ import annotations

import gzip
import re
from io import StringIO
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.reading import MAX_LINE
from corpusdb.corpus.formats.records import Document, Item, Options, Record, ReferenceSet, Rejected, Version
from corpusdb.corpus.formats.registry import reference_writer_of
from corpusdb.corpus.formats.wmt import (
    SgmSource,
    WmtSource,
    write_sgm,
    write_wmt,
)

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "formats"


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
        ("duplicate-ids.xml", 8, "segment id '2' appears twice"),
        ("unescaped-ampersand.xml", 6, "not well-formed XML"),
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
        (_doc(SOURCE, REFERENCE) * 2, 6, "document id 'd' appears twice"),
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

    (path,) = reference_writer_of("wmt").write(iter(sets), tmp_path)

    assert [(item.name, item.texts) for item in _items(path, ("fra", "eng")) if isinstance(item, Record)] == [
        ("s", ("un", "one", "a")),
        ("t", ("deux", "two", "two")),
    ]


JAPANESE, RUSSIAN = "valid/sample-src.ja.sgm", "valid/sample2-src.ru.sgm"


def _sgm_items(*paths: Path, languages: tuple[str, ...] = ("jpn", "eng"), systems: bool = False) -> list[Item]:
    return list(SgmSource(paths, Options(languages, systems=systems)).items())


def _samples(*names: str, systems: bool = False) -> list[Item]:
    return _sgm_items(*(DATA / "sgm" / name for name in names), systems=systems)


@pytest.mark.data
@pytest.mark.parametrize(
    ("names", "systems", "texts", "rejected"),
    [
        ([JAPANESE, "valid/sample-ref.en.sgm"], False, [2] * 14, []),
        (["valid/sample-ref.en.sgm", JAPANESE, "valid/sample-tst.en.sgm"], False, [2] * 14, []),
        (["valid/sample-ref.en.sgm", JAPANESE, "valid/sample-tst.en.sgm"], True, [3] * 14, []),
        ([RUSSIAN, "valid/sample2-refs.en.sgm"], False, [3] * 14, []),
        ([RUSSIAN, "valid/sample2-refs.en.sgm", "valid/sample2-tsts.en.sgm"], True, [5] * 14, []),
        ([JAPANESE, "valid/sample-upper.en.sgm"], True, [2] * 14, []),
        ([JAPANESE, "valid/sample-unescaped.en.sgm"], True, [2] * 14, []),
        ([JAPANESE, "malformed/crlf-mixed.sgm"], False, [2] * 14, []),
        ([JAPANESE, "malformed/missing-segments.sgm"], False, [2] * 12, [3, 5]),
        ([JAPANESE, "malformed/mismatched-counts.sgm"], True, [2] * 8, [*range(9, 15)]),
    ],
)
def test_samples_of_sgm_that_are_read(names: list[str], systems: bool, texts: list[int], rejected: list[int]) -> None:
    items = _samples(*names, systems=systems)

    assert [len(item.texts) for item in items if isinstance(item, Record)] == texts
    assert [item.line for item in items if isinstance(item, Rejected)] == rejected
    assert [item.line for item in items] == list(range(1, 15))


@pytest.mark.data
def test_texts_of_sgm_are_those_of_the_plain_samples() -> None:
    items = _samples(JAPANESE, "valid/sample-ref.en.sgm")
    columns = zip(*(item.texts for item in items if isinstance(item, Record)), strict=True)

    for column, name in zip(columns, ("src.ja", "ref.en"), strict=True):
        assert list(column) == (DATA / f"plain/valid/sample.{name}.txt").read_text("utf-8").split("\n")[:-1]


@pytest.mark.data
def test_ids_versions_and_blanks() -> None:
    record = _samples(RUSSIAN, "valid/sample2-refs.en.sgm")[7]

    assert isinstance(record, Record)
    assert (record.line, record.name) == (8, "1")
    assert record.document == Document("rt-russian.73319", (("genre", "news"), ("origlang", "ru")))
    assert record.versions == (Version("source"), Version("reference", "A"), Version("reference", "B"))
    assert record.texts[1] == "Stavropol warned about new online credit fraud scheme"


@pytest.mark.data
def test_marks_that_stand_for_themselves() -> None:
    record = _samples(JAPANESE, "valid/sample-unescaped.en.sgm", systems=True)[1]

    assert isinstance(record, Record)
    assert record.texts[1] == 'Asanoyama attacks Takarafuji (front). AT&T < 5 % "q"'


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("truncated.sgm", 22, "cut off inside a segment"),
        ("utf16-bom.sgm", 1, "looks like UTF-16"),
        ("latin1-in-utf8.sgm", 4, "invalid UTF-8: byte 0xE9"),
        ("nul-bytes.sgm", 4, "NUL byte"),
        ("single-line-5mb.sgm.gz", 1, "the segment is longer than 1,048,576 bytes"),
        ("billion-laughs.sgm", 1, "declares entities"),
        ("duplicate-ids.sgm", 9, "segment id '3' appears twice"),
    ],
)
def test_damaged_samples_of_sgm_are_refused(name: str, line: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _samples(JAPANESE, f"malformed/{name}")

    assert caught.value.line == line


@pytest.mark.data
@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ([JAPANESE], "holds a source set and nothing else"),
        (["valid/sample-ref.en.sgm"], "holds references only; give the file with the source set"),
        (["valid/sample-tst.en.sgm"], "holds the output of systems only; give .* ask for systems"),
        ([JAPANESE, "valid/sample-tst.en.sgm"], "the output of systems, which is only read on request"),
        (
            [RUSSIAN, "valid/sample-ref.en.sgm"],
            "document 'shizuoka.*' is not in the source set in .*sample2-src.ru.sgm",
        ),
        ([JAPANESE, JAPANESE], "document 'shizuoka.*' appears twice in the same set"),
    ],
)
def test_sides_that_are_missing_or_too_many(names: list[str], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        _samples(*names)


@pytest.mark.data
def test_every_sgm_file_of_the_manifest_is_named_above() -> None:
    rows = [line.split("\t") for line in (DATA / "manifest.tsv").read_text("utf-8").split("\n")[1:-1]]
    here = Path(__file__).read_text("utf-8")

    assert [row[0] for row in rows if row[1] == "sgm" and f'{Path(row[0]).name}"' not in here] == []


SRCSET = '<srcset srclang="en"><doc docid="d"><seg id="1">one</seg></doc></srcset>'


def _sgm_of(tmp_path: Path, segment: str, before: str = "") -> list[Item]:
    """The items of a source with one segment, in one file with a reference that has this text."""
    reference = f'<refset trglang="fr">\n<doc docid="d" sysid="A"><seg id="1">{segment}</seg></doc></refset>'
    (tmp_path / "a.sgm").write_bytes((before + SRCSET + reference).encode(errors="surrogateescape"))
    return _sgm_items(tmp_path / "a.sgm", languages=())


@pytest.mark.parametrize(
    ("segment", "text"),
    [
        ("a & b < c > d", "a & b < c > d"),
        ("&amp;lt; &lt;&gt;&quot;&apos;", "&lt; <>\"'"),
        ("&#233;&#xE9;&#X1F600;", "éé😀"),
        ("&#0;&#xD800;&#x110000;&eacute;&amp", "&#0;&#xD800;&#x110000;&eacute;&amp"),
        ("<b>a</b> <!-- x -->", "<b>a</b> <!-- x -->"),
        (" \n a\rb \u3000", "a\rb"),
        ("<seg", "<seg"),
        ("x" * 300_000, "x" * 300_000),
    ],
)
def test_texts(tmp_path: Path, segment: str, text: str) -> None:
    (record,) = _sgm_of(tmp_path, segment)

    assert isinstance(record, Record)
    assert record.texts == ("one", text)
    assert record.languages == ("eng", "fra")


@pytest.mark.parametrize(
    "before",
    [
        "\ufeff",
        '<?xml version="1.0"?>\n<!DOCTYPE mteval SYSTEM "mteval.dtd">\n<mteval>',
        "<!-- <srcset> <doc> -->",
        "< 5 & <\n\n",
        "x" * 3_000_000,
    ],
)
def test_what_may_stand_before(tmp_path: Path, before: str) -> None:
    assert isinstance(_sgm_of(tmp_path, "un", before)[0], Record)


@pytest.mark.parametrize(
    ("segment", "before", "line", "reason"),
    [
        ("un", "<!DOCTYPE mteval [", 1, "declares entities"),
        ("un", '<!ENTITY x SYSTEM "file:///etc/passwd">', 1, "declares entities"),
        ("un", "\n<!--" + "x" * (MAX_LINE + 200_000), 2, "the comment is longer"),
        ("un", "\n<!-- ", 2, "cut off inside a comment"),
        ("é" * 600_000, "", 2, "the segment is longer"),
        ('un<seg id="2">', "", 2, 'the segment has no end before <seg id="2">'),
        ("un</doc>", "", 2, "the segment has no end before </doc>"),
        ('un</seg><seg id="1">', "", 2, "segment id '1' appears twice"),
        ('un</seg><seg id="2">', "", 2, "segment '2' of document 'd' is not in the source"),
        ("un</seg><seg>", "", 2, "a segment without an id"),
        ('un</seg><doc docid="e"><seg id="2">', "", 2, "the document has no end before <doc>"),
        ("un", '<seg id="1">x</seg>', 1, "a segment outside of a document"),
        ("un</seg></doc><doc><seg>", "", 2, "a document without a docid"),
        ("un", '<doc docid="d">', 1, "a document outside of srcset, refset and tstset"),
        ("un", '\n<refset trglang="any"><doc docid="d">', 2, "the language of this reference is not told"),
        ("\udcff", "", 2, "invalid UTF-8: byte 0xFF"),
    ],
)
def test_what_is_refused(tmp_path: Path, segment: str, before: str, line: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _sgm_of(tmp_path, segment, before)

    assert caught.value.line == line


def test_a_file_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "a.sgm").write_text("<html><p>x</p></html>")

    with pytest.raises(InputError, match="holds no srcset, refset or tstset"):
        _sgm_items(tmp_path / "a.sgm")


@pytest.mark.parametrize("cut", range(20, 220, 19))
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path, cut: int, pack: type[bytes]) -> None:
    whole = (
        f'{SRCSET}\n<refset trglang="fr">\n<doc docid="d" sysid="A">\n<seg id="1">un</seg></doc>\n</refset>'.encode()
    )
    (tmp_path / "a.sgm").write_bytes(pack(whole[: min(cut, len(whole) - 1)]))

    with pytest.raises(InputError):
        _sgm_items(tmp_path / "a.sgm", languages=())


def test_several_target_languages_and_their_choice(tmp_path: Path) -> None:
    for code, text in (("fr", "un"), ("de", "eins")):
        (tmp_path / f"{code}.sgm").write_text(
            f'<refset trglang="{code}"><doc docid="d" sysid="A"><seg id="1">{text}</seg></doc></refset>'
        )
    (tmp_path / "src.sgm").write_text(SRCSET)
    paths = [tmp_path / f"{name}.sgm" for name in ("src", "fr", "de")]

    for languages, texts in (((), ("one", "un", "eins")), (("eng", "deu"), ("one", "eins"))):
        (record,) = _sgm_items(*paths, languages=languages)
        assert isinstance(record, Record) and record.texts == texts


RECORDS = [
    Record(1, ("one <", "un", "eins"), name="s"),
    Record(2, ("two", "deux", None), name="t"),
    Record(3, ("three", "", "drei"), name="u"),
    Record(4, ("four\nfive", None, None), name="v"),
]


def test_what_is_written() -> None:
    sides = [("src", None, 3), ("ref", None, 3), ("ref", "deu", 3), ("tst", None, 0)]
    texts = []
    for which, target, units in sides:
        file = StringIO()
        assert write_sgm(RECORDS, ("eng", "fra", "deu"), file, which, target) == units  # type: ignore[arg-type]
        # As mteval-v13a reads them.
        texts.append(re.findall(r'<seg id="(.*?)">(.*?)</seg>', file.getvalue()))
        assert re.search(rf'^<{which}set setid="corpusdb" srclang="en"', file.getvalue())

    assert texts == [
        [("s", "one &lt;"), ("t", "two"), ("u", "three")],
        [("s", "un"), ("t", "deux")],
        [("s", "eins"), ("u", "drei")],
        [],
    ]


def test_references_need_a_language() -> None:
    with pytest.raises(UsageError, match="language of the references is unknown"):
        write_sgm(RECORDS, ("eng",), StringIO(), "ref")


def test_reference_sets_are_complete_for_every_reference(tmp_path: Path) -> None:
    sets = [ReferenceSet("s", "un", ("one", "a")), ReferenceSet("s", "deux\n", ("two",))]

    paths = reference_writer_of("sgm").write(iter(sets), tmp_path)
    text = paths[1].read_text("utf-8")

    assert [path.name for path in paths] == ["references-src.sgm", "references-ref.sgm"]
    assert re.findall(r'sysid="(.*?)"', text) == ["1", "2"]
    assert re.findall(r'<seg id="(.*?)">(.*?)</seg>', text) == [("1", "one"), ("2", "two"), ("1", "a"), ("2", "two")]
    assert [item.texts for item in _sgm_items(*paths, languages=("fra", "eng")) if isinstance(item, Record)] == [
        ("un", "one", "a"),
        ("deux", "two", "two"),
    ]
