"""TMX, and what all XML readers refuse."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from calls import Run

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.reading import MAX_LINE, RATIO_VARIABLE
from corpusdb.corpus.formats.records import Document, Item, Options, Record, Rejected, Version
from corpusdb.corpus.formats.tmx import TmxSource, write_tmx

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "formats"


def _items(*paths: Path, languages: tuple[str, ...] = ()) -> list[Item]:
    return list(TmxSource(paths, Options(languages)).items())


def _of(tmp_path: Path, body: str | bytes, languages: tuple[str, ...] = ()) -> list[Item]:
    """The items of a file with these units; whole files begin with <? or <!."""
    data = body.encode() if isinstance(body, str) else body
    path = tmp_path / "file.tmx"
    path.write_bytes(data if data[:2] in (b"<?", b"<!", b"\x1f\x8b") else b"<tmx><body>" + data + b"</body></tmx>")
    return _items(path, languages=languages)


def _tu(*variants: str, inside: str = "") -> str:
    return f"<tu>{inside}{''.join(variants)}</tu>"


def _tuv(language: str, text: str) -> str:
    return f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>'


# The native codes and sub-flows removed, as the file beside the sample has it.
@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    [
        "valid/sample-inline.tmx",
        "valid/sample-utf16le-declared.tmx",
        "valid/sample-bom-crlf.tmx",
        "valid/sample-oneline.tmx",
        "malformed/crlf-mixed.tmx",
    ],
)
def test_samples_give_the_expected_texts(name: str) -> None:
    lines = (DATA / "tmx/valid/sample-inline.expected.tsv").read_text("utf-8").split("\n")[1:-1]
    expected = [tuple(line.split("\t")) for line in lines]

    items = _items(DATA / "tmx" / name)

    assert [(item.name, *item.texts) for item in items if isinstance(item, Record)] == expected
    assert [item.line for item in items] == list(range(1, 16))
    assert {item.languages for item in items if isinstance(item, Record)} == {("eng", "fra")}


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "languages", "texts", "rejected"),
    [
        ("valid/sample-multilang.tmx", ("eng", "fra", "deu", "jpn"), [4] * 15, []),
        ("valid/sample-omegat.tmx", ("eng", "deu"), [2] * 10, []),
        ("malformed/duplicate-ids.tmx", ("eng", "fra"), [2] * 15, []),
        ("malformed/missing-translation.tmx", ("eng", "fra"), [2] * 10, [3, 6, 10, 12, 13]),
        ("malformed/uneven-variants.tmx", ("eng", "eng", "deu"), [3] * 15, []),
    ],
)
def test_odd_samples_are_read(name: str, languages: tuple[str, ...], texts: list[int], rejected: list[int]) -> None:
    items = _items(DATA / "tmx" / name)
    records = [item for item in items if isinstance(item, Record)]

    assert records[0].languages == languages
    assert [len(record.texts) for record in records] == texts
    assert [item.line for item in items if isinstance(item, Rejected)] == rejected


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("truncated.tmx", 49, "cut off inside <tu>, which begins in line 45"),
        ("utf16-declared-utf8.tmx", 1, "another encoding than it declares"),
        ("latin1-in-utf8.tmx", 17, "byte 0xE9"),
        ("nul-bytes.tmx", 12, "NUL byte"),
        ("single-line-5mb.tmx.gz", 1, "the text of <seg> is longer than 1,048,576 bytes"),
        ("billion-laughs.tmx", 3, "declares entities"),
        ("xxe.tmx", 2, "declares entities"),
        ("unescaped-ampersand.tmx", 12, "not well-formed XML.*column 80"),
    ],
)
def test_damaged_samples_are_refused(name: str, line: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _items(DATA / "tmx/malformed" / name)

    assert caught.value.line == line


@pytest.mark.data
def test_every_tmx_file_of_the_manifest_is_named_above() -> None:
    rows = [line.split("\t") for line in (DATA / "manifest.tsv").read_text("utf-8").split("\n")[1:-1]]
    here = Path(__file__).read_text("utf-8")

    assert [row[0] for row in rows if row[1] == "tmx" and Path(row[0]).name not in here] == []


@pytest.mark.parametrize(
    ("unit", "languages", "expected"),
    [
        (_tu(_tuv("en-US", "a"), _tuv("FR", "b")), (), [("eng", "a"), ("fra", "b")]),
        (_tu('<tuv lang="en"><seg>a</seg></tuv>', _tuv("de", "b")), (), [("eng", "a"), ("deu", "b")]),
        (_tu(_tuv("en", "a"), _tuv("fr", "b"), _tuv("de", "c")), ("deu", "eng"), [("deu", "c"), ("eng", "a")]),
        (_tu(_tuv("en", "a"), _tuv("en-GB", "b"), _tuv("fr", "c")), (), [("eng", "a"), ("eng", "b"), ("fra", "c")]),
        (_tu("<tuv><seg>x</seg></tuv>", _tuv("en", "a"), _tuv("fr", "b")), (), [("eng", "a"), ("fra", "b")]),
        (_tu(_tuv("en", "a"), _tuv("xx", "x"), _tuv("fr", "b")), ("eng", "fra"), [("eng", "a"), ("fra", "b")]),
        (_tu(_tuv("en", "<hi>a <hi>b</hi></hi>c"), _tuv("fr", "d")), (), [("eng", "a bc"), ("fra", "d")]),
        (_tu(_tuv("en", "a<bpt>x<sub>y</sub></bpt>b"), _tuv("fr", "d<x>e</x>")), (), [("eng", "ab"), ("fra", "de")]),
        (_tu(_tuv("en", "a<!-- x --><![CDATA[<b>&]]>"), _tuv("fr", "&#233;")), (), [("eng", "a<b>&"), ("fra", "é")]),
        (_tu(_tuv("en", "a\r\nb\rc"), _tuv("fr", "d")), (), [("eng", "a\nb\nc"), ("fra", "d")]),
    ],
)
def test_variants(tmp_path: Path, unit: str, languages: tuple[str, ...], expected: list[tuple[str, str]]) -> None:
    (item,) = _of(tmp_path, unit, languages)

    assert isinstance(item, Record)
    assert list(zip(item.languages, item.texts, strict=True)) == expected
    assert (item.name, item.document, item.versions) == ("", None, ())


@pytest.mark.parametrize(
    ("unit", "languages", "reason"),
    [
        (_tu(_tuv("en", "a")), (), "the unit has a text in eng alone"),
        (_tu(_tuv("en", "a"), _tuv("fr", " \u3000\n")), (), "the unit has a text in eng alone"),
        (_tu(_tuv("en", "a"), "<tuv><seg>b</seg></tuv>"), (), "a text in eng alone; 1 without a language left out"),
        (_tu(_tuv("en", "a"), _tuv("fr", "b")), ("eng", "deu"), "a text in eng alone of eng, deu; it also has fra"),
        ('<tu tuid="7"><note>x</note></tu>', (), "unit '7' has no text"),
    ],
)
def test_units_with_fewer_than_two_texts_are_rejected(
    tmp_path: Path, unit: str, languages: tuple[str, ...], reason: str
) -> None:
    rejected, record = _of(tmp_path, unit + _tu(_tuv("en", "a"), _tuv("fr", "b"), _tuv("de", "c")), languages)

    assert isinstance(rejected, Rejected) and reason in rejected.reason
    assert (rejected.line, record.line) == (1, 2)


def test_units_are_numbered_over_all_files(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.tmx", "b.tmx")]
    for path in paths:
        path.write_text(f"<tmx>{_tu(_tuv('en', 'a'), _tuv('fr', 'b')) * 2}\n{_tu(_tuv('en', 'a'))}</tmx>")

    items = _items(*paths)
    assert [item.line for item in items] == [1, 2, 3, 4, 5, 6]
    # What is left out is told with its line in its file.
    assert [(item.path, item.place) for item in items if isinstance(item, Rejected)] == [(path, 2) for path in paths]


PAIR = _tu(_tuv("en", "a"), _tuv("fr", "b"))


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        ("\n" + _tu(_tuv("xx", "a")), 2, "unknown language code 'xx'"),
        (PAIR + "\n<tu>", 2, "mismatched tag"),
        ("\n" + _tu(_tuv("en", "a &nbsp; b")), 2, "undefined entity"),
        ('<!DOCTYPE tmx SYSTEM "x.dtd">\n<tmx><tu><tuv><seg>&nbsp;</seg></tuv></tu></tmx>', 2, "&nbsp; is not defined"),
        ("<!-- x -->\n<dataset/>", 2, "is a file of <dataset>, not of <tmx>"),
        ("<!-- nothing -->", 1, "holds no XML element"),
        ('<?xml version="1.0" encoding="klingon"?><tmx/>', 1, "encoding cannot be read"),
        ('<?xml version="1.0" encoding="shift_jis"?><tmx/>', 1, "encoding cannot be read"),
        ('<?xml version="1.0" encoding="idna"?><tmx/>', 1, "encoding cannot be read"),
        ("\n" + "<hi>" * 200, 2, "nested more than 100 deep"),
        (f'\n<tu tuid="{"x" * (MAX_LINE + 400_000)}"/>', 2, "a tag or comment is longer than 1,048,576 bytes"),
        pytest.param(
            *(_tu(_tuv("en", "\n" + "<hi>é</hi>" * 300_000)), 1, "the text of <seg> is longer than 1,048,576 bytes"),
            marks=pytest.mark.slow,
        ),
        ("\n" + _tu(_tuv("en", "\x01")), 2, "is not allowed there"),
        (b"\n\xff", 2, "byte 0xFF is not text"),
        (gzip.compress(b"<tmx>\n" + PAIR.encode(), mtime=0)[:-9], 2, "gzip file is cut off"),
    ],
)
def test_what_is_no_tmx_is_refused(tmp_path: Path, data: str | bytes, line: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _of(tmp_path, data)

    assert caught.value.path == str(tmp_path / "file.tmx")
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "empty"), (gzip.compress(b"", mtime=0), "empty"), (b"PK\x03\x04", "zip")]
)
def test_files_that_hold_no_text_at_all(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "file.tmx").write_bytes(data)

    with pytest.raises(InputError, match=reason):
        _items(tmp_path / "file.tmx")


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ' encoding="utf-8"'),
        ("utf-16", ' encoding="UTF-16"'),
        ("cp1252", ' encoding="cp1252"'),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_encodings(tmp_path: Path, encoding: str, declared: str, pack: type[bytes]) -> None:
    text = f'<?xml version="1.0"{declared}?><tmx>{_tu(_tuv("en", "“a”"), _tuv("fr", "é"))}</tmx>'
    (tmp_path / "a.tmx").write_bytes(pack(text.encode(encoding)))

    (item,) = _items(tmp_path / "a.tmx")

    assert isinstance(item, Record) and item.texts == ("“a”", "é")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 6_000
    monkeypatch.setenv(RATIO_VARIABLE, "1000")  # it says little
    path = tmp_path / "large.tmx.gz"
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("<tmx>")
        file.writelines(_tu(_tuv("en", f"{n}" * 500), _tuv("fr", f"{n}" * 500)) for n in range(size))
        file.write("</tmx>")
    tracemalloc.start()
    count = sum(1 for _ in TmxSource((path,), Options()).items())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == size
    assert peak < 4 << 20  # of 23 MB of text


def test_what_is_written() -> None:
    record = Record(
        9, ("<b>&", None, "ab\x01"), ("eng", "fra", "tlh"), 'a"\n', Document("d<", (("x y", "1"),)),
        (Version("source"), Version(), Version("reference", "A")),
    )  # fmt: skip
    file = StringIO()

    assert write_tmx([record, Record(1, ("alone", ""))], ("eng", "fra"), file) == 1
    text = file.getvalue()
    unit = text[text.index("<tu ") : text.index("</body>")]
    assert unit == (
        '<tu tuid="a&quot;&#10;">\n<prop type="x-document">d&lt;</prop>\n<prop type="x-document-x y">1</prop>\n'
        '<tuv xml:lang="en"><prop type="x-version">source:</prop><seg>&lt;b&gt;&amp;</seg></tuv>\n'
        '<tuv xml:lang="tlh"><prop type="x-version">reference:A</prop><seg>ab\ufffd</seg></tuv>\n</tu>\n'
    )
    header = ElementTree.fromstring(text.encode()).find("header")  # another reader of XML takes it
    assert header is not None and header.attrib["srclang"] == "en"


def test_the_licence_of_a_collection_travels(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.tsv").write_text("a cat\tun chat\n", encoding="utf-8")
    assert run("import", "a.tsv", "--lang", "eng,fra", "--header", "no", "--licence", "CC BY & co").exit_code == 0
    assert "licence: CC BY & co" in run("export", "-o", "b.tmx").stderr
    assert run("export", "-o", "b.jsonl").exit_code == 0
    for name in ("a.tmx", "none.tmx", "a.jsonl", "none.jsonl"):
        written = (tmp_path / f"b{Path(name).suffix}").read_text(encoding="utf-8")
        (tmp_path / name).write_text(written if name[0] == "a" else written.replace("licence", "other"))
        assert run("import", name, "--name", name, "--no-follow").exit_code == 0
    found = json.loads(run("info", "--json").stdout)["collections"]
    assert [each["licence"] for each in found] == ["CC BY & co", "CC BY & co", None, "CC BY & co", None]


def test_properties_of_units_are_attributes_of_lines_where_they_are_named(tmp_path: Path) -> None:
    properties = '<prop type="domain">law</prop><prop type="x-client">A</prop><prop type="no name">b</prop>'
    path = tmp_path / "file.tmx"
    path.write_text(f"<tmx><body>{_tu(_tuv('en', 'a'), _tuv('fr', 'b'), inside=properties)}</body></tmx>")
    source = TmxSource((path,), Options())
    assert source.format_columns().startswith("not used of units: domain, client (--attributes")
    assert [item.document for item in source.items() if isinstance(item, Record)] == [None]
    asked = TmxSource((path,), Options(attributes=("client", "domain")))
    (item,) = asked.items()
    assert asked.format_columns() == ""
    assert isinstance(item, Record) and item.document == Document("", (("client", "A"), ("domain", "law")))
    file = StringIO()
    write_tmx([item], (), file)
    path.write_text(file.getvalue(), encoding="utf-8")
    assert [each.document for each in _items(path) if isinstance(each, Record)] == [item.document]
