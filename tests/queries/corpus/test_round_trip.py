"""Files to database to files: what was written is written again to the byte, from a database that read only that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from corpora import data_folder, import_rows, new_store, tatoeba

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import ExportReport, Options, Record, export_files, open_sources
from corpusdb.corpus.queries.export import Selection, by_sentence, export_units
from corpusdb.corpus.store import Store

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
    for source in open_sources(None, paths, Options(languages, systems=True)):
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


@pytest.mark.data
@pytest.mark.parametrize(("names", "format"), PAIRS)
def test_files_of_every_format_in_every_format(tmp_path: Path, names: str, format: str) -> None:
    folder = data_folder("formats")
    with new_store(tmp_path) as store:
        read(store, [folder / name for name in names.split()], SAMPLES[names])
        first = write(format, lambda: export_units(store, Selection()), tmp_path / "once")
    assert first.units > 0
    assert_is_written_again(first, format, tmp_path)


@pytest.fixture(scope="module", params=[100, pytest.param(5_000, marks=pytest.mark.slow)])
def pairs(request: pytest.FixtureRequest) -> int:
    """Of English with each other language."""
    return int(request.param)


@pytest.fixture(scope="module")
def sentences(pairs: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Twice as many English sentences and more, with translations in four languages."""
    with new_store(tmp_path_factory.mktemp("tatoeba")) as store:
        for language in ("fra", "deu", "jpn", "cmn"):
            import_rows(store, tatoeba(language, 2000, pairs), ("eng", language))
        yield store


@pytest.mark.data
@pytest.mark.parametrize("format", FORMATS)
def test_sentences_in_five_languages(sentences: Store, pairs: int, tmp_path: Path, format: str) -> None:
    """One unit for each of the English sentences, with its versions in four languages."""
    first = write(format, lambda: by_sentence(sentences, "eng", ("fra", "deu", "jpn", "cmn")), tmp_path / "once")
    assert first.units > pairs
    assert_is_written_again(first, format, tmp_path)


@pytest.mark.data
@pytest.mark.parametrize("format", FORMATS)
def test_pairs_of_several_files(sentences: Store, pairs: int, tmp_path: Path, format: str) -> None:
    first = write(format, lambda: export_units(sentences, Selection()), tmp_path / "once")
    assert first.units == 4 * pairs
    assert_is_written_again(first, format, tmp_path)
