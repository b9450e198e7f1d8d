"""Every format that is written: it is read back, and there whole or not at all; which texts of a unit are written."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.outputs import Guard
from corpusdb.corpus.formats import ExportReport, Options, export_files, open_source
from corpusdb.corpus.formats.records import Document, Record, Role, Version, languages_of, select
from corpusdb.corpus.formats.registry import FORMATS, writable_formats, writer_of

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"

PAIR = ("eng", "fra")
ANEW = Guard(overwrite=True)
"""Examples write the same files over and over."""
SOURCE, A, B, SYSTEM = Version("source"), Version("reference", "A"), Version("reference", "B"), Version("system", "X")
NEWS = Document("news", (("domain", "press"),))
UNITS = [
    Record(1, ("Put the book back.", "Remettez le livre."), PAIR, "1", NEWS, (SOURCE, A)),
    Record(2, ("I see.", "Je vois.", "Ah bon."), ("eng", "fra", "fra"), "2", NEWS, (SOURCE, A, B)),
    Record(3, ("I see.", "わかった。"), ("eng", "jpn"), "1", Document("talk"), (SOURCE, A)),
    Record(4, ("Non.", "Si."), ("fra", "fra"), "2", Document("talk"), (A, B)),
]


def _read(format: str, paths: Iterable[Path], languages: tuple[str, ...] = ()) -> list[Record]:
    """What is read of files, with languages and without line numbers."""
    options = Options(languages, systems=format in ("wmt", "sgm"))
    source = open_source(format, sorted(paths), options)
    records = [item for item in source.items() if isinstance(item, Record)]
    return [_bare(select(record, () if record.languages else source.languages)) for record in records]


def _bare(record: Record) -> Record:
    return Record(0, record.texts, record.languages, record.name, record.document, record.versions)


def _unordered(record: Record) -> Record:
    """The unit with its texts in the order of their languages, versions and letters."""
    versions = record.versions or (Version(),) * len(record.texts)
    texts = sorted(
        zip(record.languages, versions, record.texts, strict=True), key=lambda each: (each[0], repr(each[1]), each[2])
    )
    return Record(
        0,
        tuple(text for _, _, text in texts),
        tuple(language for language, _, _ in texts),
        record.name,
        record.document,
        tuple(version for _, version, _ in texts),
    )


def _contents(report: ExportReport) -> list[bytes]:
    return [path.read_bytes() for path in report.files]


CHARACTER = st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0\ufeff") | st.sampled_from(
    '",;#:\u2028\x85\x0b '
)
LABEL = st.text(CHARACTER, min_size=1)
TEXT = LABEL.filter(lambda text: not text.isspace())
ROLE: st.SearchStrategy[Role] = st.sampled_from(["", "source", "reference", "system"])
COLUMN = st.tuples(st.sampled_from(["eng", "fra", "ind", "jpn"]), st.builds(Version, ROLE, st.just("") | LABEL))
DOCUMENT = st.builds(
    Document, LABEL, st.dictionaries(LABEL, LABEL, max_size=2).map(lambda pairs: tuple(sorted(pairs.items())))
)


@st.composite
def _units(draw: st.DrawFn, are_plain: bool = False) -> list[Record]:
    """Units whose texts are of a few languages and versions; plain ones have one text a language and nothing else."""
    if are_plain:
        languages = ("eng", "jpn", "fra")
        rows = draw(st.lists(st.lists(TEXT, min_size=3, max_size=3), min_size=1, max_size=4))
        return [Record(0, tuple(row), languages) for row in rows]
    columns = draw(st.lists(COLUMN, min_size=2, max_size=5))
    records = []
    for _ in range(draw(st.integers(1, 4))):
        chosen = [each for each in columns if draw(st.booleans())]
        chosen = chosen if len(chosen) > 1 else columns
        versions = tuple(version for _, version in chosen)
        records.append(
            Record(
                0,
                tuple(draw(st.lists(TEXT, min_size=len(chosen), max_size=len(chosen)))),
                tuple(language for language, _ in chosen),
                draw(st.just("") | LABEL),
                draw(st.none() | DOCUMENT),
                versions if any(version != Version() for version in versions) else (),
            )
        )
    return records


@pytest.mark.parametrize("format", ["csv", "jsonl", "tsv"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(units=_units())
def test_units_are_read_back_with_all_that_they_tell(tmp_path: Path, format: str, units: list[Record]) -> None:
    first = export_files(format, lambda: units, (), tmp_path / "first", ANEW)
    read = _read(format, first.files)
    again = export_files(format, lambda: read, (), tmp_path / "again", ANEW)

    assert (first.units, first.left_out, again.units) == (len(units), 0, len(units))
    # A table has one order of columns for all units; JSONL has one for each.
    assert list(map(_unordered, read)) == list(map(_unordered, units))
    assert format != "jsonl" or read == units
    assert _contents(again) == _contents(first)


@pytest.mark.parametrize("format", ["csv", "jsonl", "moses", "tsv"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(units=_units(are_plain=True))
def test_plain_units_are_read_back(tmp_path: Path, format: str, units: list[Record]) -> None:
    languages = ("jpn", "eng", "fra")
    first = export_files(format, lambda: units, languages, tmp_path / "first", ANEW)
    source = open_source(format, first.files, Options(languages))
    read = [item for item in source.items() if isinstance(item, Record)]
    again = export_files(format, lambda: read, languages, tmp_path / "again", ANEW)

    assert [record.texts for record in read] == [select(unit, languages).texts for unit in units]
    assert _contents(again) == _contents(first)


def _pairs(units: Iterable[Record]) -> set[frozenset[tuple[str, str | None]]]:
    pairs = set()
    for unit in units:
        texts = list(zip(unit.languages, unit.texts, strict=True))
        pairs |= {frozenset((one, other)) for one in texts for other in texts if one[0] != other[0]}
    return pairs


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(units=_units() | _units(are_plain=True))
def test_tatoeba_keeps_the_pairs_of_texts(tmp_path: Path, units: list[Record]) -> None:
    folder = Path(mkdtemp(dir=tmp_path))  # an example finds nothing of another
    if not _pairs(units):
        with pytest.raises(InputError, match="none of the units"):
            export_files("tatoeba", lambda: units, (), folder / "first", ANEW)
        assert not list(folder.rglob("*.csv"))
        return
    first = export_files("tatoeba", lambda: units, (), folder / "first", ANEW)
    read = _read("tatoeba", first.files)
    again = export_files("tatoeba", lambda: read, (), folder / "again", ANEW)

    assert _pairs(read) == _pairs(units)
    assert _contents(again) == _contents(first)
    assert first.left_out == sum(len(set(unit.languages)) == 1 for unit in units)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("format", ["csv", "jsonl", "moses", "tatoeba", "tmx", "tsv", "wmt"])
@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (["tsv/valid/sample.tsv"], PAIR),
        (["tsv/valid/sample-noheader.tsv"], PAIR),
        (["tsv/valid/sample-quotes.tsv"], PAIR),
        (["plain/valid/sample.src.ja.txt", "plain/valid/sample.ref.en.txt"], ("jpn", "eng")),
        (["plain/valid/sample.src.ja.txt", "plain/valid/sample.hyp.en.txt"], ("jpn", "eng")),
    ],
)
def test_samples_are_read_back(tmp_path: Path, format: str, names: list[str], languages: tuple[str, ...]) -> None:
    source = open_source(None, [DATA / "formats" / name for name in names], Options(languages))
    units = [item for item in source.items() if isinstance(item, Record)]
    first = export_files(format, lambda: units, languages, tmp_path / "first", ANEW)
    # In the order of the languages, where the names of files do not tell.
    paths = first.files if format == "moses" else sorted(first.files)
    options = Options(languages if format in ("moses", "tatoeba") else ())
    read = [item for item in open_source(format, paths, options).items() if isinstance(item, Record)]
    again = export_files(format, lambda: read, languages, tmp_path / "again", ANEW)

    assert (first.units, first.left_out) == (len(units), 0)
    assert [set(record.texts) for record in read] == [set(unit.texts) for unit in units]
    assert _contents(again) == _contents(first)


@pytest.mark.parametrize(
    ("format", "languages", "files", "units", "reasons"),
    [
        ("csv", (), ["out"], 4, {}),
        ("csv", PAIR, ["out"], 3, {"fewer than two texts in the languages chosen": 1}),
        ("jsonl", PAIR, ["out"], 3, {"fewer than two texts in the languages chosen": 1}),
        (
            "moses",
            PAIR,
            ["out.eng", "out.fra"],
            1,
            {"fewer than two texts in the languages chosen": 1, "not exactly one text in every language": 2},
        ),
        ("tatoeba", (), ["out/sentences.csv", "out/links.csv"], 3, {"all texts in one language": 1}),
        ("tmx", (), ["out"], 4, {}),
        ("wmt", (), ["out"], 3, {"no source text in the first language, or no other text": 1}),
        (
            "sgm",
            (),
            ["out-src.eng.sgm", "out-ref.fra.sgm", "out-ref.jpn.sgm"],
            3,
            {"no source text in the first language, or no other text": 1},
        ),
    ],
)
def test_what_is_left_out_is_told(
    tmp_path: Path, format: str, languages: tuple[str, ...], files: list[str], units: int, reasons: dict[str, int]
) -> None:
    report = export_files(format, lambda: iter(UNITS), languages, tmp_path / "out")

    assert report == ExportReport(tuple(tmp_path / file for file in files), units, len(UNITS) - units, reasons)
    assert all(path.is_file() for path in report.files)


def test_tatoeba_numbers_sentences_as_the_links_come_to_them(tmp_path: Path) -> None:
    sentences, links = _contents(export_files("tatoeba", lambda: UNITS, (), tmp_path))

    assert sentences.decode().splitlines() == [
        "1\teng\tPut the book back.",
        "2\tfra\tRemettez le livre.",
        "3\teng\tI see.",
        "4\tfra\tJe vois.",
        "5\tfra\tAh bon.",
        "6\tjpn\tわかった。",
    ]
    assert links == b"1\t2\n2\t1\n3\t4\n4\t3\n3\t5\n5\t3\n3\t6\n6\t3\n"


def test_a_test_set_is_read_back_from_its_files(tmp_path: Path) -> None:
    units = [
        Record(1, ("a", "b", "c"), ("eng", "fra", "fra"), "1", Document("d"), (SOURCE, A, SYSTEM)),
        Record(2, ("d", "e", "f"), ("eng", "fra", "fra"), "2", Document("d"), (SOURCE, A, SYSTEM)),
    ]
    report = export_files("sgm", lambda: units, (), tmp_path / "set.sgm")

    assert [path.name for path in report.files] == ["set-src.eng.sgm", "set-ref.fra.sgm", "set-tst.fra.sgm"]
    assert [unit.texts for unit in _read("sgm", report.files)] == [unit.texts for unit in units]


def test_units_may_leave_their_languages_to_the_caller(tmp_path: Path) -> None:
    report = export_files("tsv", lambda: [Record(1, ("a", "", "b"))], ("eng", "jpn", "fra"), tmp_path / "out.tsv")

    assert _contents(report) == [b"eng\tfra\na\tb\n"]


@pytest.mark.parametrize("format", sorted(writable_formats()))
def test_files_appear_only_when_they_are_complete(tmp_path: Path, format: str) -> None:
    passes = 0

    def units() -> Iterator[Record]:
        nonlocal passes
        passes += 1
        yield from UNITS
        if passes > (not languages):
            raise InputError("the disk of the corpus is gone")

    folder = tmp_path / "new"
    languages = ("eng",) if writer_of(format).annotated else ()  # which is asked for, and saves a pass
    with pytest.raises(InputError, match="gone"):
        export_files(format, units, languages, folder / "out")

    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_is_there_stays_as_it_was_until_then(tmp_path: Path) -> None:
    target = tmp_path / "out.tsv"
    target.write_text("precious")
    with pytest.raises(InputError):
        export_files("tsv", lambda: [Record(1, ("a\tb", "c"), PAIR)], (), target, ANEW)
    assert target.read_text() == "precious"

    export_files("tsv", lambda: UNITS[:1], (), target, ANEW)
    assert target.read_text().startswith("id\t")


@pytest.mark.parametrize(
    ("format", "units", "target", "error", "reason"),
    [
        ("xls", UNITS, "out", UsageError, "format 'xls' cannot be written; there are conllu, csv, jsonl, moses, "),
        ("moses", UNITS, "-", UsageError, "cannot go to standard output; name a prefix"),
        ("tatoeba", UNITS, "-", UsageError, "cannot go to standard output; name a folder"),
        ("sgm", UNITS, "-", UsageError, "cannot go to standard output; name a prefix"),
        ("tsv", [], "out", InputError, "no unit that could be written as tsv"),
        ("moses", [Record(1, ("a",), ("eng",))], "out", InputError, "no unit that could be written as moses"),
        ("tsv", UNITS, "folder", UsageError, "is a folder; name a file"),
        ("tsv", UNITS, "file/out", InputError, "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, format: str, units: list[Record], target: str, error: type[Exception], reason: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")

    with pytest.raises(error, match=reason):
        export_files(format, lambda: units, (), Path("-") if target == "-" else tmp_path / target)


@pytest.mark.parametrize("format", ["csv", "jsonl", "tmx", "tsv", "wmt"])
def test_one_file_goes_to_standard_output_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", newline="\r\n"))

    report = export_files(format, lambda: UNITS, (), Path("-"))

    assert report.files == ()
    assert [written.getvalue()] == _contents(export_files(format, lambda: UNITS, (), tmp_path / "out"))


def test_what_is_written_can_be_read() -> None:
    assert all(FORMATS[name].reader for name in writable_formats())


def test_no_xml_library_is_loaded_for_plain_text() -> None:
    program = (
        "import sys, corpusdb.corpus.formats; print([name for name in sys.modules if 'xml' in name or 'expat' in name])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


SELECTION_A, PLAIN = Version("reference", "A"), Version()
NAMED = Record(4, ("a", "b", "c"), ("fra", "eng", "fra"), "x", Document("d"), (SELECTION_A, PLAIN, PLAIN))


@pytest.mark.parametrize(
    ("record", "languages", "texts", "chosen", "versions"),
    [
        (NAMED, (), ("a", "b", "c"), ("fra", "eng", "fra"), (SELECTION_A, PLAIN, PLAIN)),
        (NAMED, PAIR, ("b", "a", "c"), ("eng", "fra", "fra"), (PLAIN, SELECTION_A, PLAIN)),
        (NAMED, ("eng",), ("b",), ("eng",), ()),
        (NAMED, ("jpn",), (), (), ()),
        (Record(1, ("a", "b")), PAIR, ("a", "b"), PAIR, ()),
        (Record(1, ("a", None, " ", "b"), ("eng", "fra", "jpn", "deu")), (), ("a", "b"), ("eng", "deu"), ()),
        (Record(1, ("a", ""), PAIR), PAIR, ("a",), ("eng",), ()),
    ],
)
def test_texts_are_chosen_and_put_in_order(
    record: Record,
    languages: tuple[str, ...],
    texts: tuple[str, ...],
    chosen: tuple[str, ...],
    versions: tuple[Version, ...],
) -> None:
    assert select(record, languages) == Record(record.line, texts, chosen, record.name, record.document, versions)


def test_languages_come_in_the_order_of_their_appearance() -> None:
    assert languages_of([NAMED, Record(1, ("a", "b"), ("deu", "eng"))]) == ("fra", "eng", "deu")
