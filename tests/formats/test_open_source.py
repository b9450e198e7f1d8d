"""Recognition of formats, and the samples of real and damaged files, each by its name in their manifest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats import FORMATS, Item, Options, Record, Rejected, open_source, open_sources
from corpusdb.corpus.formats.format import Reader
from corpusdb.corpus.formats.jsonl import JsonlSource
from corpusdb.corpus.formats.moses import MosesSource
from corpusdb.corpus.formats.tables import CsvSource, TsvSource
from corpusdb.corpus.formats.tatoeba import TatoebaSource

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"

FILES = {
    "pairs.tsv": "one\tun\n",
    "pairs.txt": "one\tun\n",
    "more.tsv": "two\tdeux\n",
    "corpus.en": "one\n",
    "corpus.fr": "un\n",
    "sentences.csv": "1\teng\tone\n2\tfra\tun\n",
    "links.csv": "1\t2\n",
    "eng_sentences.tsv": "1\teng\tone\n2\tfra\tun\n",
    "sheet.csv": "one,un\n",
    "second.csv": "two;deux\n",
    "units.jsonl": '{"en": "one", "fr": "un"}\n',
    "units.ndjson": '{"en": "one", "fr": "un"}\n',
    "sample.tmx": "<tmx/>\n",
    "sample.sgm.gz": "<srcset/>\n",
    "sample.xml": "<dataset/>\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["pairs.tsv"], TsvSource),
        (["pairs.txt"], TsvSource),
        (["corpus.en", "corpus.fr"], MosesSource),
        (["sentences.csv", "links.csv"], TatoebaSource),
        (["links.csv", "sentences.csv"], TatoebaSource),
        (["eng_sentences.tsv", "links.csv"], TatoebaSource),
        (["sheet.csv"], CsvSource),
        (["units.jsonl"], JsonlSource),
        (["units.ndjson"], JsonlSource),
    ],
)
def test_the_format_is_recognised(folder: Path, names: list[str], expected: type) -> None:
    source = open_source(None, [folder / name for name in names], Options(("en", "fr")))

    assert isinstance(source, expected)
    assert source.languages == ("eng", "fra")
    assert sorted(path.name for path in source.paths) == sorted(names)
    assert [item.texts for item in source.items() if isinstance(item, Record)] == [("one", "un")]
    assert len(source.digest()) == 64


@pytest.mark.parametrize(
    ("format", "names", "expected"),
    [
        (None, ["pairs.tsv", "more.tsv", "pairs.txt"], ["pairs.tsv", "more.tsv", "pairs.txt"]),
        ("tsv", ["pairs.tsv", "pairs.txt"], ["pairs.tsv", "pairs.txt"]),
        (None, ["sheet.csv", "second.csv"], ["sheet.csv", "second.csv"]),
        (None, ["units.jsonl", "units.ndjson"], ["units.jsonl", "units.ndjson"]),
        (None, ["corpus.en", "corpus.fr"], ["corpus.en corpus.fr"]),
        (None, ["sentences.csv", "links.csv"], ["sentences.csv links.csv"]),
        (None, ["sentences.csv"], ["sentences.csv"]),
        (None, ["sample.tmx", "sample.tmx"], ["sample.tmx", "sample.tmx"]),
        (None, ["sample.xml", "sample.xml"], ["sample.xml", "sample.xml"]),
        (None, ["sample.sgm.gz", "sample.sgm.gz"], ["sample.sgm.gz sample.sgm.gz"]),
    ],
)
def test_which_files_are_read_together(folder: Path, format: str | None, names: list[str], expected: list[str]) -> None:
    sources = open_sources(format, [folder / name for name in names], Options(("en", "fr")))

    assert [" ".join(path.name for path in source.paths) for source in sources] == expected


def test_a_tab_separated_file_may_be_called_csv(folder: Path) -> None:
    assert isinstance(open_source(None, [folder / "sentences.csv"], Options(("eng", "fra"))), TsvSource)


@pytest.mark.parametrize(
    ("format", "names", "languages", "error", "reason"),
    [
        (None, [], ("eng", "fra"), UsageError, "no file"),
        (None, ["-", "-"], ("eng", "fra"), UsageError, "given twice"),
        (None, ["pairs.tsv", "more.tsv"], ("eng", "fra"), UsageError, "one at a time"),
        ("tsv", ["pairs.tsv", "more.tsv"], ("eng", "fra"), UsageError, "one at a time"),
        (None, ["pairs.tsv", "corpus.en"], ("eng", "fra"), UsageError, "one format at a time"),
        (None, ["pairs.tsv", "sheet.csv"], ("eng", "fra"), UsageError, "different formats"),
        (None, ["sheet.csv"], (), UsageError, "needs its languages"),
        (None, ["sample.tmx", "pairs.tsv"], ("eng", "fra"), UsageError, "different formats"),
        (
            "xls",
            ["pairs.tsv"],
            ("eng", "fra"),
            UsageError,
            "format 'xls' cannot be read; there are conllu, csv, jsonl, moses, ",
        ),
        (None, ["pairs.tsv"], (), UsageError, "needs its languages"),
        ("moses", ["corpus.en"], ("eng", "fra"), UsageError, "1 parallel files for 2 languages"),
        ("tatoeba", ["corpus.en", "corpus.fr"], (), UsageError, "one file of links"),
        (None, ["pairs.tsv"], ("eng", "xyz"), InputError, "unknown language code 'xyz'"),
        (None, ["corpus.en", "missing"], ("eng", "fra"), InputError, "no such file"),
    ],
)
def test_what_makes_no_sense_is_refused(
    folder: Path, format: str | None, names: list[str], languages: tuple[str, ...], error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        open_source(format, [name if name == "-" else folder / name for name in names], Options(languages))


@pytest.mark.parametrize(("name", "format"), [("sample.tmx", "tmx"), ("sample.sgm.gz", "sgm"), ("sample.xml", "wmt")])
def test_formats_with_an_extension_of_their_own_are_never_taken_for_tsv(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, format: str
) -> None:
    opened: list[tuple[Path, ...]] = []

    def opener(paths: tuple[Path, ...], options: Options) -> MosesSource:
        opened.append(paths)
        return MosesSource(paths, options.languages)

    monkeypatch.setitem(FORMATS, format, replace(FORMATS[format], reader=Reader(opener)))
    open_source(None, [folder / name], Options(("eng",)))

    assert opened == [(folder / name,)]


def _read(*names: str, **options: object) -> list[Item]:
    languages = ("jpn", "eng") if len(names) > 1 else ("eng", "fra")
    return list(open_source(None, [DATA / "formats" / name for name in names], Options(languages, **options)).items())  # type: ignore[arg-type]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "columns", "records", "rejected"),
    [
        ("tsv/valid/sample.tsv", None, range(2, 17), []),
        ("tsv/valid/sample-noheader.tsv", None, range(1, 16), []),
        ("tsv/valid/sample-quotes.tsv", None, range(2, 5), []),
        ("tsv/malformed/crlf-bom.tsv", None, range(2, 17), []),
        ("tsv/malformed/embedded-newline.tsv", None, range(2, 18), []),
        ("tsv/malformed/duplicate-ids.tsv", None, range(2, 17), []),
        ("tsv/malformed/duplicate-ids.tsv", (2, 3), range(2, 17), []),
        ("tsv/malformed/duplicate-ids.tsv", ("english", "french"), range(2, 17), []),
    ],
)
def test_tsv_samples_that_are_read(
    name: str, columns: tuple[int, ...] | None, records: list[int], rejected: list[Rejected]
) -> None:
    items = _read(name, columns=columns)

    assert [item.line for item in items if isinstance(item, Record)] == list(records)
    assert [item for item in items if isinstance(item, Rejected)] == rejected


@pytest.mark.data
def test_damage_to_line_ends_and_ids_leaves_the_texts_alone() -> None:
    texts = [item.texts for item in _read("tsv/valid/sample.tsv") if isinstance(item, Record)]

    assert texts[2] == ("Put the book back where it was.", "Remettez le livre où il était.")
    for name in ("tsv/valid/sample-noheader.tsv", "tsv/malformed/crlf-bom.tsv", "tsv/malformed/duplicate-ids.tsv"):
        assert [item.texts for item in _read(name) if isinstance(item, Record)] == texts
    odd = [item.texts for item in _read("tsv/malformed/embedded-newline.tsv") if isinstance(item, Record)]
    assert odd[0] == ("Is\u2028this the dictionary you're looking for?", texts[0][1])
    assert odd[-1] == ("A line\x0bwith vertical tab", "Une ligne\x0cavec saut de page")
    quotes = [item.texts for item in _read("tsv/valid/sample-quotes.tsv") if isinstance(item, Record)]
    assert quotes[-1] == ('\'Tis "odd""', '"C\'est "" bizarre')


@pytest.mark.data
@pytest.mark.parametrize(
    ("names", "line", "reason"),
    [
        (["tsv/malformed/truncated.tsv"], 11, "has 1 column, 2 needed"),
        (["tsv/malformed/utf16-bom.tsv"], 1, "looks like UTF-16"),
        (["tsv/malformed/latin1.tsv"], 3, "invalid UTF-8: byte 0xE9"),
        (["tsv/malformed/nul-bytes.tsv"], 3, "NUL byte"),
        (["tsv/malformed/single-line-5mb.tsv.gz"], 1, "longer than 1,048,576 bytes"),
        (["tsv/malformed/missing-column.tsv"], 6, "has 1 column, 2 needed"),
        (["tsv/malformed/ragged.tsv"], 7, "has 5 columns, the header 3"),
        (["plain/valid/sample.src.ja.txt", "plain/malformed/ref-one-short.en.txt"], 14, "has 13 lines"),
        (["plain/valid/sample.src.ja.txt", "plain/malformed/hyp-one-long.en.txt"], 15, "has 15 lines"),
        (["plain/valid/sample.src.ja.txt", "plain/malformed/ref-utf16.en.txt"], 1, "looks like UTF-16"),
    ],
)
def test_samples_that_are_refused(names: list[str], line: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _read(*names)

    assert caught.value.line == line


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "rejected"),
    [
        ("plain/valid/sample.ref.en.txt", []),
        ("plain/valid/sample.hyp.en.txt", []),
        ("plain/malformed/hyp-u2028.en.txt", []),
        ("plain/malformed/ref-no-final-newline.en.txt", []),
        ("plain/malformed/hyp-blank-line.en.txt", [Rejected(4, "empty text in hyp-blank-line.en.txt (eng)")]),
    ],
)
def test_plain_samples_that_are_read(name: str, rejected: list[Rejected]) -> None:
    items = _read("plain/valid/sample.src.ja.txt", name)

    assert [item.line for item in items] == list(range(1, 15))
    assert [item for item in items if isinstance(item, Rejected)] == rejected


@pytest.mark.data
def test_every_tsv_and_plain_file_of_the_manifest_is_named_above() -> None:
    rows = [line.split("\t") for line in (DATA / "formats" / "manifest.tsv").read_text("utf-8").split("\n")[1:-1]]
    here = Path(__file__).read_text("utf-8")

    assert [row[0] for row in rows if row[1] in ("tsv", "plain") and f'"{row[0]}"' not in here] == []


@pytest.mark.data
@pytest.mark.parametrize(
    # Pairs as data/tatoeba/README.md counts them.
    ("language", "pairs"),
    [
        pytest.param("fra", 167_130, marks=pytest.mark.slow),
        pytest.param("deu", 169_813, marks=pytest.mark.slow),
        ("jpn", 76_428),
        ("cmn", 24_818),
    ],
)
def test_the_tatoeba_pairs_are_read_whole(language: str, pairs: int) -> None:
    source = open_source(None, [DATA / "tatoeba" / f"eng-{language}.tsv.gz"], Options(("eng", language)))

    assert sum(1 for item in source.items() if isinstance(item, Record)) == pairs
    assert sum(1 for item in source.items() if isinstance(item, Rejected)) == 0
