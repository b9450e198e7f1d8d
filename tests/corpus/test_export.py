"""What goes out of the database, and comes in again as it was."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from corpora import data_folder, drawn_units, filled_store, import_rows, import_units, new_store, tatoeba

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.base.text import normalise
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import ExportReport, Item, Options, Record, export_files, open_sources
from corpusdb.corpus.formats.records import Document, Version
from corpusdb.corpus.queries import export as module
from corpusdb.corpus.queries.export import ExportProgress, Selection, by_sentence, export_units
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.people.queries.decisions import accept

# Export: which units come out, in which order and with which of their texts, and that nothing moves meanwhile.


PAIR = ("eng", "fra")
NEWS = Document("news.1", (("domain", "news"), ("origlang", "en")))
SPEECH = Document("speech.2")
SOURCE, A, B = Version("source"), Version("reference", "A"), Version("reference", "B")
UNITS: Sequence[Item] = (
    Record(1, ("one", "un", "une"), ("eng", "fra", "fra"), "1", NEWS, (SOURCE, A, B)),
    Record(2, ("two", "二"), ("eng", "jpn"), "2", NEWS),
    Record(3, ("trois", "three", "三"), ("fra", "eng", "jpn"), "1", SPEECH),
    Record(4, ("four", "quatre"), PAIR),
)


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Store]:
    """Two collections: one of documents with versions, one of plain rows in another order of languages."""
    with filled_store(tmp_path, fill) as store:
        yield store


def fill(store: Store) -> None:
    import_units(store, UNITS, (), "news", "news.xml")
    import_rows(store, [("un", "one"), ("cinq", "five")], ("fra", "eng"))


def texts(records: Sequence[Record]) -> list[tuple[str | None, ...]]:
    return [record.texts for record in records]


def test_units_come_back_as_they_were_read(corpus: Store) -> None:
    tally = ExportProgress()
    found = list(export_units(corpus, Selection(("news",)), tally))
    # The document's languages are eng, fra, jpn: a unit without versions has its texts in this order.
    third = Record(3, ("three", "trois", "三"), ("eng", "fra", "jpn"), "1", SPEECH)
    assert found == [UNITS[0], UNITS[1], third, UNITS[3]]
    assert tally == ExportProgress(units=4, left_out=0)


def test_all_collections_follow_each_other_and_lines_are_counted_through(corpus: Store) -> None:
    found = list(export_units(corpus, Selection()))
    assert [record.line for record in found] == [1, 2, 3, 4, 5, 6]
    assert found[4:] == [Record(5, ("un", "one"), ("fra", "eng")), Record(6, ("cinq", "five"), ("fra", "eng"))]


@pytest.mark.parametrize(
    ("languages", "expected", "left_out"),
    [
        (("fra", "eng"), [("un", "une", "one"), ("trois", "three"), ("quatre", "four"), ("un", "one"),
                          ("cinq", "five")], 1),
        (("eng", "fra"), [("one", "un", "une"), ("three", "trois"), ("four", "quatre"), ("one", "un"),
                          ("five", "cinq")], 1),
        (("jpn", "eng"), [("二", "two"), ("三", "three")], 4),
        (("fra",), [("un", "une")], 5),
        (("jpn",), [], 6),
    ],
)  # fmt: skip
def test_languages_choose_and_order(
    corpus: Store, languages: tuple[str, ...], expected: list[tuple[str, ...]], left_out: int
) -> None:
    tally = ExportProgress()
    found = list(export_units(corpus, Selection(languages=languages), tally))
    assert texts(found) == expected
    assert all(set(record.languages) <= set(languages) for record in found)
    assert tally == ExportProgress(len(expected), left_out)


@pytest.mark.parametrize(
    ("languages", "expected"),
    [(("fra", "eng"), (A, B, SOURCE)), (("eng", "fra"), (SOURCE, A, B)), (("fra",), (A, B)), ((), (SOURCE, A, B))],
)
def test_versions_go_with_their_texts(corpus: Store, languages: tuple[str, ...], expected: tuple[Version, ...]) -> None:
    assert next(export_units(corpus, Selection(languages=languages))).versions == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [("news.1", [1, 2]), ("speech.2", [3]), ("news.xml", [1, 2, 3, 4]), ("corpus-1.tsv", [5, 6])],
)
def test_a_document_is_a_file_or_inside_one(corpus: Store, document: str, expected: list[int]) -> None:
    everything = texts(list(export_units(corpus, Selection())))
    found = list(export_units(corpus, Selection(document=document)))
    assert texts(found) == [everything[line - 1] for line in expected]


@pytest.mark.parametrize(
    ("selection", "problem"),
    [
        (Selection(("nwes",)), "there is no collection 'nwes'; there are news, rows"),
        (Selection(languages=("eng", "deu")), "there is no text in 'deu'; there are eng, fra, jpn"),
        (Selection(("rows",), ("jpn", "eng")), "there is no text in 'jpn'; there are fra, eng"),
        (Selection(document="news"), "there is no document 'news'; there are news.xml, corpus-1.tsv, news.1, speech.2"),
        (Selection(("rows",), document="news.1"), "there is no document 'news.1'; there are corpus-1.tsv"),
    ],
)
def test_what_is_not_there_is_told_before_the_first_unit(corpus: Store, selection: Selection, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        export_units(corpus, selection)
    assert str(caught.value) == problem


def test_accepted_candidates_stand_in_no_unit(corpus: Store) -> None:
    finished(detect(corpus, "eng"))
    finished(accept(corpus, "one", "a one", "eng"))
    tally = ExportProgress()
    assert list(export_units(corpus, Selection(("accepted",)), tally)) == []
    assert tally == ExportProgress(0, 1)
    with pytest.raises(InputError, match=r"no text in 'fra'; there are eng$"):
        export_units(corpus, Selection(("accepted",), ("eng", "fra")))


@pytest.mark.parametrize("seed", range(8))
def test_whatever_was_imported_comes_out_again(empty: Store, seed: int) -> None:
    """Brute force: each record by itself, its texts in the order that is documented."""
    listed = drawn_units(random.Random(seed), 120)
    import_units(empty, listed)
    records = [item for item in listed if isinstance(item, Record)]
    ((names,),) = empty.connection.execute("select languages from document")
    order = names.split(",")
    expected = []
    for number, record in enumerate(records, 1):
        versions = record.versions or (Version(),) * len(record.texts)
        members = list(zip(record.languages, record.texts, versions, strict=True))
        if not record.versions and len(set(record.languages)) == len(members):
            members.sort(key=lambda member: order.index(member[0]))
        stored = tuple(normalise(text or "") for _, text, _ in members)
        told = tuple(version for *_, version in members) if record.versions else ()
        languages = tuple(language for language, *_ in members)
        expected.append(Record(number, stored, languages, record.name, record.document, told))
    assert list(export_units(empty, Selection())) == expected


@pytest.mark.parametrize("seed", range(5))
def test_what_comes_out_goes_in_and_comes_out_the_same(tmp_path: Path, seed: int) -> None:
    with new_store(tmp_path, "first") as first, new_store(tmp_path, "second") as second:
        import_units(first, drawn_units(random.Random(seed), 200))
        once = list(export_units(first, Selection()))
        import_units(second, once)
        assert list(export_units(second, Selection())) == once


@pytest.mark.parametrize("name", ["_OF_FILE", "_OF_SECTION", "_TRANSLATED"])
def test_nothing_is_sorted_or_collected(corpus: Store, name: str) -> None:
    query = getattr(module, name)
    values = {"language": "eng", "collections": "[]"} if name == "_TRANSLATED" else (1,)
    plan = " ".join(row[3] for row in corpus.connection.execute(f"explain query plan {query}", values))
    assert "SEARCH" in plan
    assert "TEMP B-TREE" not in plan


def test_an_import_between_two_passes_is_not_seen(corpus: Store) -> None:
    with open_store(corpus.path, read_only=True) as reader, reader.snapshot():
        before = list(export_units(reader, Selection()))
        import_rows(corpus, [("six", "six")])
        assert list(export_units(reader, Selection())) == before
        with reader.snapshot():
            assert len(list(by_sentence(reader, "eng"))) == 5
    with open_store(corpus.path, read_only=True) as reader:
        assert len(list(export_units(reader, Selection()))) == len(before) + 1


def test_one_unit_for_each_sentence_with_all_its_translations(corpus: Store) -> None:
    import_rows(corpus, [("one", "eins"), ("two", "zwei"), ("one", "ein")], ("eng", "deu"))
    tally = ExportProgress()
    found = list(by_sentence(corpus, "eng", ("fra", "deu"), (), tally))
    assert found == [
        Record(1, ("one", "un", "une", "ein", "eins"), ("eng", "fra", "fra", "deu", "deu")),
        Record(2, ("two", "zwei"), ("eng", "deu")),
        Record(3, ("three", "trois"), PAIR),
        Record(4, ("four", "quatre"), PAIR),
        Record(5, ("five", "cinq"), PAIR),
    ]
    assert tally == ExportProgress(5, 0)


@pytest.mark.parametrize(
    ("language", "languages", "collections", "expected", "left_out"),
    [
        ("eng", (), (), [("one", "un", "une"), ("two", "二"), ("three", "trois", "三"), ("four", "quatre"),
                         ("five", "cinq")], 0),
        ("eng", ("jpn",), (), [("two", "二"), ("three", "三")], 3),
        ("eng", ("eng", "fra"), ("rows",), [("one", "un"), ("five", "cinq")], 0),
        ("fra", ("eng",), ("news",), [("un", "one"), ("une", "one"), ("trois", "three"), ("quatre", "four")], 0),
        ("jpn", ("fra",), ("news",), [("三", "trois")], 1),
    ],
)  # fmt: skip
def test_sentences_by_languages_and_collections(
    corpus: Store,
    language: str,
    languages: tuple[str, ...],
    collections: tuple[str, ...],
    expected: list[tuple[str, ...]],
    left_out: int,
) -> None:
    tally = ExportProgress()
    assert texts(list(by_sentence(corpus, language, languages, collections, tally))) == expected
    assert tally == ExportProgress(len(expected), left_out)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("deu",), "no text in 'deu'; there are eng, fra, jpn"),
        (("eng", ("deu",)), "no text in 'deu'"),
        (("eng", ("fra",), ("none",)), "no collection 'none'; there are news, rows"),
    ],
)
def test_sentences_of_what_is_not_there(corpus: Store, arguments: tuple[str, ...], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        by_sentence(corpus, *arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(5))
def test_units_by_sentence_are_the_same_in_whatever_order_they_were_read(tmp_path: Path, seed: int) -> None:
    with new_store(tmp_path, "first") as first, new_store(tmp_path, "second") as second:
        import_units(first, drawn_units(random.Random(seed), 200))
        once = list(by_sentence(first, "eng"))
        import_units(second, once)
        assert list(by_sentence(second, "eng")) == once


# Files to database to files: what was written is written again to the byte, from a database that read only that.


FORMATS = ("tmx", "wmt", "sgm", "jsonl", "tsv", "csv")
SAMPLES = {
    "tmx/valid/sample-inline.tmx": (),
    "tmx/valid/sample-multilang.tmx": (),
    "tmx/valid/sample-omegat.tmx": (),
    "tmx/valid/sample-utf16le-declared.tmx": (),
    "tmx/valid/sample-bom-crlf.tmx": (),
    "tmx/valid/sample-oneline.tmx": (),
    "tmx/malformed/uneven-variants.tmx": (),
    "wmtxml/valid/sample.all.xml": (),
    "wmtxml/valid/sample.src-ref.xml": (),
    "wmtxml/valid/sample22.all.xml": (),
    "wmtxml/valid/sample-testsuite.xml": (),
    "sgm/valid/sample-src.ja.sgm sgm/valid/sample-ref.en.sgm sgm/valid/sample-tst.en.sgm": ("jpn", "eng"),
    "sgm/valid/sample2-src.ru.sgm sgm/valid/sample2-refs.en.sgm sgm/valid/sample2-tsts.en.sgm": ("rus", "eng"),
    "tsv/valid/sample.tsv": ("eng", "fra"),
    "tsv/valid/sample-noheader.tsv": ("eng", "fra"),
    "tsv/valid/sample-quotes.tsv": ("eng", "fra"),
}
"""Files that are read together, with the languages where the files do not tell."""
FIRST = list({names.partition("/")[0]: names for names in SAMPLES}.values())
"""One of each format."""


def read(store: Store, paths: Sequence[Path], languages: tuple[str, ...] = ()) -> None:
    has_systems = paths[0].suffix in (".xml", ".sgm")
    for source in open_sources(None, paths, Options(languages, systems=has_systems)):
        finished(import_source(store, finished(check_source(source)), "files"))


def write(format: str, records: Callable[[], Iterable[Record]], folder: Path) -> ExportReport:
    return export_files(format, records, (), folder / f"corpus.{format.replace('wmt', 'xml')}")


def contents(report: ExportReport) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in report.files}


def assert_is_written_again(first: ExportReport, format: str, folder: Path) -> None:
    """From an empty database that reads the files of ``first``, the same files come out."""
    with new_store(folder, "again") as store:
        read(store, first.files)
        assert check(store).problems == ()
        with store.snapshot():
            second = write(format, lambda: export_units(store, Selection()), folder / "again")
    assert contents(second) == contents(first)
    assert (second.units, second.left_out) == (first.units, 0)


# By default, one file of each format in every format, and every file in one; all in all are slow.
PAIRS = [
    pytest.param(names, format, marks=() if format == "jsonl" or names in FIRST else pytest.mark.slow)
    for format in FORMATS
    for names in SAMPLES
]


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("names", "format"), PAIRS)
def test_files_of_every_format_in_every_format(tmp_path: Path, names: str, format: str) -> None:
    folder = data_folder("formats")
    with new_store(tmp_path) as store:
        read(store, [folder / name for name in names.split()], SAMPLES[names])
        first = write(format, lambda: export_units(store, Selection()), tmp_path / "once")
    assert first.units > 0
    assert_is_written_again(first, format, tmp_path)


PAIRS_OF_EACH = 1_000
"""Of English with each other language."""


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Twice as many English sentences and more, with translations in four languages."""
    with new_store(tmp_path_factory.mktemp("tatoeba")) as store:
        for language in ("fra", "deu", "jpn", "cmn"):
            import_rows(store, tatoeba(language, 2000, PAIRS_OF_EACH), ("eng", language))
        yield store


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("format", FORMATS)
def test_sentences_in_five_languages(sentences: Store, tmp_path: Path, format: str) -> None:
    """One unit for each of the English sentences, with its versions in four languages."""
    first = write(format, lambda: by_sentence(sentences, "eng", ("fra", "deu", "jpn", "cmn")), tmp_path / "once")
    assert first.units > PAIRS_OF_EACH
    assert_is_written_again(first, format, tmp_path)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("format", FORMATS)
def test_pairs_of_several_files(sentences: Store, tmp_path: Path, format: str) -> None:
    first = write(format, lambda: export_units(sentences, Selection()), tmp_path / "once")
    assert first.units == 4 * PAIRS_OF_EACH
    assert_is_written_again(first, format, tmp_path)
