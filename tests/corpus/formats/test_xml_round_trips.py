"""Records, written and read again: the same records, and written again the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import normalise
from corpusdb.corpus.formats.records import Document, Options, Record, Role, Version
from corpusdb.corpus.formats.tmx import TmxSource, write_tmx
from corpusdb.corpus.formats.wmt import SgmSource, WmtSource, write_sgm, write_wmt

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "formats"
SYSTEMS = Options(systems=True)
Trip: TypeAlias = Callable[[Sequence[Record], Path], tuple[list[bytes], list[Record]]]


def _read(source: TmxSource | WmtSource | SgmSource) -> list[Record]:
    return [item for item in source.items() if isinstance(item, Record)]


def _save(path: Path, file: StringIO) -> bytes:
    path.write_bytes(file.getvalue().encode())
    return path.read_bytes()


def through_tmx(records: Sequence[Record], folder: Path) -> tuple[list[bytes], list[Record]]:
    file = StringIO()
    assert write_tmx(records, (), file) == len(records)
    return [_save(folder / "a.tmx", file)], _read(TmxSource((folder / "a.tmx",), Options()))


def through_wmt(records: Sequence[Record], folder: Path) -> tuple[list[bytes], list[Record]]:
    file = StringIO()
    assert write_wmt(records, (), file) == len(records)
    return [_save(folder / "a.xml", file)], _read(WmtSource((folder / "a.xml",), SYSTEMS))


def through_sgm(records: Sequence[Record], folder: Path) -> tuple[list[bytes], list[Record]]:
    targets = sorted({language for record in records for language in record.languages[1:]})
    sides = [("src", None), *((which, target) for target in targets for which in ("ref", "tst"))]
    saved, paths = [], []
    for which, target in sides:
        file, path = StringIO(), folder / f"{which}.{target}.sgm"
        write_sgm(records, (), file, which, target)  # type: ignore[arg-type]
        saved.append(_save(path, file))
        paths.append(path)
    return saved, _read(SgmSource(tuple(paths), SYSTEMS))


def _normal(record: Record) -> tuple[object, ...]:
    """What is to survive: everything but the line, texts normalised, versions in any order."""
    versions = record.versions or (Version(),) * len(record.texts)
    texts = [
        (version.role, version.name, language, normalise(text or ""))
        for version, language, text in zip(versions, record.languages, record.texts, strict=True)
    ]
    return record.name, record.document, texts[:1], sorted(texts)


def _check(trip: Trip, records: Sequence[Record], folder: Path) -> None:
    saved, read = trip(records, folder)
    assert [_normal(record) for record in read] == [_normal(record) for record in records]
    assert [record.line for record in read] == list(range(1, len(records) + 1))

    saved_again, read_again = trip(read, folder)
    assert saved_again == saved
    assert read_again == read


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(path.name for path in (DATA / "tmx/valid").glob("*.tmx")))
def test_samples_of_tmx(tmp_path: Path, name: str) -> None:
    _check(through_tmx, _read(TmxSource((DATA / "tmx/valid" / name,), Options())), tmp_path)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("trip", [through_tmx, through_wmt, through_sgm])
@pytest.mark.parametrize("name", ["sample.all.xml", "sample.src-ref.xml", "sample22.all.xml", "sample-testsuite.xml"])
def test_samples_of_wmt_through_every_format(tmp_path: Path, name: str, trip: Trip) -> None:
    _check(trip, _read(WmtSource((DATA / "wmtxml/valid" / name,), SYSTEMS)), tmp_path)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("trip", [through_tmx, through_wmt, through_sgm])
@pytest.mark.parametrize(
    ("languages", "names"),
    [
        (("jpn", "eng"), ["sample-src.ja", "sample-ref.en", "sample-tst.en", "sample-upper.en"]),
        (("jpn", "eng"), ["sample-src.ja", "sample-ref.en", "sample-unescaped.en"]),
        (("rus", "eng"), ["sample2-src.ru", "sample2-refs.en", "sample2-tsts.en"]),
    ],
)
def test_samples_of_sgm_through_every_format(
    tmp_path: Path, languages: tuple[str, ...], names: list[str], trip: Trip
) -> None:
    paths = tuple(DATA / f"sgm/valid/{name}.sgm" for name in names)
    _check(trip, _read(SgmSource(paths, Options(languages, systems=True))), tmp_path)


LEGAL = st.one_of(
    st.text(
        st.characters(
            exclude_categories=["Cs"], exclude_characters="".join(map(chr, [*range(32), 0xFFFE, 0xFFFF])) + "\ufeff"
        )
        | st.sampled_from("\t\n\r"),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["<b>&amp;", "]]>", "&#65;", "</seg>", '"', "'x'", "-->", "_x_", "_x0041_", "id", "xml:lang", " "]),
)
TEXTS = LEGAL.map(normalise).filter(bool)
LANGUAGES = st.sampled_from(["eng", "fra", "cmn", "heb", "fil", "tlh", "nor"])
ATTRIBUTES = st.dictionaries(st.just("") | LEGAL, st.just("") | LEGAL, max_size=3).map(
    lambda d: tuple(sorted(d.items()))
)


@st.composite
def units_of_memories(draw: st.DrawFn) -> Record:
    """Anything that TMX can hold."""
    count = draw(st.integers(2, 4))
    names = st.builds(Version, st.sampled_from(["", "source", "reference", "system"]), st.just("") | LEGAL)
    versions = tuple(draw(names) for _ in range(count))
    return Record(
        draw(st.integers(1, 9)),
        tuple(draw(TEXTS) for _ in range(count)),
        tuple(draw(LANGUAGES) for _ in range(count)),
        draw(st.just("") | LEGAL),
        draw(st.none() | st.builds(Document, st.just("") | LEGAL, ATTRIBUTES)),
        versions if any(each != Version() for each in versions) else (),
    )


@st.composite
def documents_of_sets(draw: st.DrawFn) -> list[Record]:
    """Documents with a source, references and systems, of which a segment may lack some."""
    roles: st.SearchStrategy[Role] = st.sampled_from(["reference", "system"])
    records: list[Record] = []
    for name in draw(st.lists(LEGAL, unique=True, max_size=3)):
        document = Document(name, draw(ATTRIBUTES))
        source = draw(LANGUAGES)
        sides = draw(
            st.lists(st.tuples(st.builds(Version, roles, LEGAL), LANGUAGES), unique=True, min_size=1, max_size=4)
        )
        for segment in draw(st.lists(LEGAL, unique=True, min_size=1, max_size=4)):
            chosen = sorted(draw(st.sets(st.integers(0, len(sides) - 1), min_size=1)))
            versions, languages = zip(*(sides[index] for index in chosen), strict=True)
            texts = tuple(draw(TEXTS) for _ in range(len(chosen) + 1))
            records.append(Record(1, texts, (source, *languages), segment, document, (Version("source"), *versions)))
    return records


@pytest.mark.slow
@given(st.lists(units_of_memories(), max_size=4))
def test_any_unit_survives_tmx(tmp_path_factory: pytest.TempPathFactory, records: list[Record]) -> None:
    _check(through_tmx, records, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("trip", [through_tmx, through_wmt])
@given(records=documents_of_sets())
def test_any_document_survives_wmt(tmp_path_factory: pytest.TempPathFactory, trip: Trip, records: list[Record]) -> None:
    _check(trip, records, tmp_path_factory.getbasetemp())


@given(documents_of_sets().filter(bool))
def test_any_document_survives_sgm(tmp_path_factory: pytest.TempPathFactory, records: list[Record]) -> None:
    _check(through_sgm, records, tmp_path_factory.getbasetemp())


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(normalise).filter(bool))
def test_what_xml_cannot_hold_is_replaced_and_nothing_else(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    record = Record(1, (text, text), ("eng", "fra"), "1", Document("d"), (Version("source"), Version("reference", "A")))
    impossible = {*map(chr, range(32)), "\ufffe", "\uffff"} - set("\t\n\r")
    expected = "".join("\N{REPLACEMENT CHARACTER}" if character in impossible else character for character in text)

    for trip in (through_tmx, through_wmt, through_sgm):
        _, (read,) = trip([record], tmp_path_factory.getbasetemp())
        assert read.texts == (expected, expected)
