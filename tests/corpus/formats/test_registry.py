"""All formats: a new one that is used for everything, how files are recognised, and files that were mutated."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import TextIO

import pytest
from typer.testing import CliRunner

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.outputs import NEW_ONLY
from corpusdb.corpus.formats import (
    FORMATS,
    Format,
    Item,
    Options,
    Record,
    Rejected,
    open_source,
    open_sources,
)
from corpusdb.corpus.formats.bitexts import MosesSource, TatoebaSource
from corpusdb.corpus.formats.format import FileContents, Reader, ReferenceWriter, ScoringReader, Writer
from corpusdb.corpus.formats.jsonl import JsonlSource
from corpusdb.corpus.formats.reading import digest_of, first_line, read_lines
from corpusdb.corpus.formats.records import ReferenceSet, SelectedUnits
from corpusdb.corpus.formats.registry import format_of_file
from corpusdb.corpus.formats.scoring_input import read_output, read_references
from corpusdb.corpus.formats.segments import (
    Output,
    ReferenceTexts,
    Segmentation,
    check_counts,
    make_reference,
    segmentation_by_line,
)
from corpusdb.corpus.formats.tables import CsvSource, TsvSource
from corpusdb.program.catalogue import app

# The registry, and a format that is added to it here and used for everything that a format can do.


LINES = """\
eng: A beer, please. = fra: Une bière, s'il vous plaît.
eng: Can I have a beer? = fra: Une bière, s'il vous plaît.

eng: I see. = deu: Ach so.
"""


# A format as somebody might add it: `eng: A beer, please. = fra: Une bière.`, a unit a line. In references the source
# stands before the references, and in the output of systems the name before the text; both are one segment a line.


@dataclass(frozen=True, slots=True)
class PairsSource:
    paths: tuple[Path, ...]
    options: Options

    @property
    def languages(self) -> tuple[str, ...]:
        return ()

    def digest(self) -> str:
        return digest_of(self.paths)

    def items(self) -> Iterator[Item]:
        for number, line in read_lines(self.paths[0]):
            sides = [side.split(": ", 1) for side in line.split(" = ") if line]
            wanted = [side for side in sides if side[0] in (self.options.languages or side)]
            if len(wanted) < 2:
                yield Rejected(number, "no pair")
            else:
                yield Record(number, tuple(text for _, text in wanted), tuple(language for language, _ in wanted))


def pairs_files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
    def write(file: TextIO) -> int:
        lines = [
            " = ".join(f"{language}: {text}" for language, text in zip(unit.languages, unit.texts, strict=True)) + "\n"
            for unit in units()
            if len(unit.texts) == 2
        ]
        file.writelines(lines)
        return len(lines)

    return {name: write}


def pairs_references(sets: Iterable[ReferenceSet]) -> Iterator[str]:
    return (" = ".join((segment.source, *segment.references)) + "\n" for segment in sets)


def read_pairs_references(path: Path) -> ReferenceTexts:
    rows = [(line, text.split(" = ")) for line, text in read_lines(path)]
    references = tuple(tuple(make_reference(text, path, line) for text in texts[1:]) for line, texts in rows)
    return ReferenceTexts(segmentation_by_line(path, len(rows)), references, tuple(texts[0] for _, texts in rows))


def read_pairs_outputs(path: Path, segmentation: Segmentation) -> list[Output]:
    rows = [text.split(" = ") for _, text in read_lines(path)]
    check_counts(segmentation, segmentation_by_line(path, len(rows)))
    systems = dict.fromkeys(name.split(": ")[0] for row in rows for name in row)
    return [
        Output(system, path, tuple(text.split(": ")[1] for row in rows for text in row if text.startswith(system)))
        for system in systems
    ]


PAIRS = Format(
    name="pairs",
    extensions=(".pairs", ".prs"),
    reader=Reader(PairsSource),
    writer=Writer(pairs_files, "not exactly two texts"),
    reference_writer=ReferenceWriter(("references.pairs",), lines=pairs_references),
    scoring_reader=ScoringReader(read_pairs_references, read_pairs_outputs),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of the format, which the program knows now."""
    monkeypatch.setitem(FORMATS, PAIRS.name, PAIRS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CORPUSDB_DB", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "phrases.pairs").write_text(LINES, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> str:
    """What a command puts on stdout."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_line_imports_and_exports_an_added_format(folder: Path) -> None:
    report = json.loads(run("import", "phrases.pairs", "--json"))
    assert (report["collection"], report["read"], report["rejected"]) == ("phrases", 3, 1)
    assert "nothing to do" in CliRunner().invoke(app, ["import", "phrases.pairs", "--format", "pairs"]).stderr

    run("export", "-o", "out.prs")
    assert (folder / "out.prs").read_text("utf-8") == LINES.replace("\n\n", "\n")
    assert run("export", "-o", "-", "--format", "pairs", "--lang", "deu,eng") == "deu: Ach so. = eng: I see.\n"
    run("export", "-o", "out.tsv")
    assert run("import", "out.tsv", "--json") != ""


@pytest.mark.slow
def test_the_command_line_scores_with_references_in_an_added_format(folder: Path) -> None:
    run("import", "phrases.pairs")
    run("generate", "--lang", "eng")
    written = ("references", "A beer, please.", "--lang", "eng", "-N", "0", "--format", "pairs", "-o", "out")
    run(*written)
    assert (folder / "out/references.pairs").read_text("utf-8") == (
        "A beer, please. = A beer, please. = Can I have a beer?\n"
    )
    assert CliRunner().invoke(app, written).exit_code == 2  # the file is there

    (folder / "systems.pairs").write_text("X: Can I have a beer? = Y: No beer.\n", encoding="utf-8")
    scores = json.loads(run("score", "systems.pairs", "--ref", "out/references.pairs", "--metric", "bleu", "--json"))
    assert [(each["system"], round(each["score"])) for each in scores] == [("X", 100), ("Y", 0)]


def test_scoring_input_in_an_added_format_is_held_against_other_formats(folder: Path) -> None:
    (folder / "ref.pairs").write_text("un = one = a\ndeux = two\n", encoding="utf-8")
    (folder / "out.txt").write_text("one\ntwo\n", encoding="utf-8")
    (folder / "out.pairs").write_text("X: one\n", encoding="utf-8")
    references = read_references([folder / "ref.pairs", folder / "out.txt"])

    assert [[each.text for each in segment] for segment in references.references] == [["one", "a", "one"], ["two"] * 2]
    assert references.sources == ("un", "deux")
    assert [each.texts for each in read_output(folder / "out.txt", references.segmentation)] == [("one", "two")]
    with pytest.raises(InputError, match="has no counterpart"):
        read_output(folder / "out.pairs", references.segmentation)


def test_help_and_messages_list_an_added_format(folder: Path) -> None:
    shown = {command: " ".join(run(command, "--help").split()) for command in ("import", "export", "score")}
    assert re.search(r"tmx, wmt, sgm, conllu, vert(, \w+)* or pairs; recognised if not given", shown["import"])
    assert "tsv, csv, moses, tatoeba, conllu, vert and pairs. For moses and sgm FILE is" in shown["export"]
    assert ".jsonl, .tsv, .csv, .sgm, .xml, .pairs; or" in shown["score"]
    refused = [("import", "x", "--format", "xls"), ("export", "-o", "x.xls")]
    refused.append(("references", "x", "-o", "x", "--format", "xls"))
    for arguments in refused:
        assert "pairs" in CliRunner().invoke(app, arguments).stderr


def test_an_added_format_of_several_files_is_recognised_before_those_of_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def recognise(files: tuple[Path, ...], named: AbstractSet[str]) -> bool:
        return named == {""} and any(first_line(path).startswith("#pairs\t") for path in files)

    bundle = Format(
        name="bundle", reader=Reader(PairsSource, read_together="the files of a bundle", recognise=recognise)
    )
    monkeypatch.setitem(FORMATS, bundle.name, bundle)
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("#pairs\ttabs\n", encoding="utf-8")
    source = open_source(None, ["a.txt", "b.txt"], Options(("eng", "fra")))

    assert isinstance(source, PairsSource)
    assert source.paths == (Path("a.txt"), Path("b.txt"))
    assert "and the files of a bundle belong together" in " ".join(run("import", "--help").split())
    with pytest.raises(UsageError, match="different formats"):
        open_source(None, ["a.txt", "phrases.pairs"], Options(("eng", "fra")))


def test_every_format_has_a_name_and_extensions_of_its_own() -> None:
    extensions = [extension for format in FORMATS.values() for extension in format.extensions]
    assert [format.name for format in FORMATS.values()] == list(FORMATS)
    assert len(set(extensions)) == len(extensions)
    for format in FORMATS.values():
        for extension in format.extensions:
            assert format_of_file(Path(f"a{extension.upper()}.GZ")) is format
            assert extension != ".txt" and len(extension) > len(".en"), "reading outputs takes these for plain text"


def test_every_option_that_a_format_takes_is_one_of_reading() -> None:
    known = {field.name for field in fields(Options)}
    taken = {option for format in FORMATS.values() if format.reader for option in format.reader.options}
    assert taken <= known
    assert known - taken == {"languages"}


@pytest.mark.parametrize("name", [format.name for format in FORMATS.values() if format.reference_writer])
def test_files_of_references_that_stand_in_the_way_are_known_before_any_is_written(name: str, tmp_path: Path) -> None:
    writer = FORMATS[name].reference_writer
    assert writer is not None
    written = writer.write([ReferenceSet("1", "un", ("one", "a"))], tmp_path)
    assert tmp_path / writer.names[0] in written
    for path in written:
        assert any(fnmatch(path.name, pattern) for pattern in writer.names)
        for other in written:
            other.unlink(missing_ok=True)
        path.write_text("somebody's")
        with pytest.raises(UsageError, match=path.name):
            writer.check_directory(tmp_path, NEW_ONLY)


DATA = Path(__file__).resolve().parents[4] / "shared" / "data"

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
def open_source_folder(tmp_path: Path) -> Path:
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
def test_the_format_is_recognised(open_source_folder: Path, names: list[str], expected: type) -> None:
    source = open_source(None, [open_source_folder / name for name in names], Options(("en", "fr")))

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
def test_which_files_are_read_together(
    open_source_folder: Path, format: str | None, names: list[str], expected: list[str]
) -> None:
    sources = open_sources(format, [open_source_folder / name for name in names], Options(("en", "fr")))

    assert [" ".join(path.name for path in source.paths) for source in sources] == expected


def test_a_tab_separated_file_may_be_called_csv(open_source_folder: Path) -> None:
    assert isinstance(open_source(None, [open_source_folder / "sentences.csv"], Options(("eng", "fra"))), TsvSource)


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
            r"format 'xls' cannot be read; there are (\w+, )*conllu, csv, (\w+, )*jsonl, moses, ",
        ),
        (None, ["pairs.tsv"], (), UsageError, "needs its languages"),
        ("moses", ["corpus.en"], ("eng", "fra"), UsageError, "1 file in parallel for 2 languages"),
        ("moses", ["corpus.en", "corpus.fr"], ("eng",), UsageError, "2 files in parallel for 1 language; texts of one"),
        ("tatoeba", ["corpus.en", "corpus.fr"], (), UsageError, "one file of links"),
        (None, ["pairs.tsv"], ("eng", "xyz"), InputError, "unknown language code 'xyz'"),
        (None, ["corpus.en", "missing"], ("eng", "fra"), InputError, "no such file"),
    ],
)
def test_what_makes_no_sense_is_refused(
    open_source_folder: Path,
    format: str | None,
    names: list[str],
    languages: tuple[str, ...],
    error: type[Exception],
    reason: str,
) -> None:
    with pytest.raises(error, match=reason):
        open_source(format, [name if name == "-" else open_source_folder / name for name in names], Options(languages))


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


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(
    # Pairs as data/tatoeba/README.md counts them.
    ("language", "pairs"),
    [
        ("fra", 167_130),
        ("deu", 169_813),
        ("jpn", 76_428),
        ("cmn", 24_818),
    ],
)
def test_the_tatoeba_pairs_are_read_whole(language: str, pairs: int) -> None:
    source = open_source(None, [DATA / "tatoeba" / f"eng-{language}.tsv.gz"], Options(("eng", language)))

    assert sum(1 for item in source.items() if isinstance(item, Record)) == pairs
    assert sum(1 for item in source.items() if isinstance(item, Rejected)) == 0


BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def attack() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("mutated_files")


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_file_is_read_or_refused_with_its_name(attack: ModuleType, seed: int, tmp_path: Path) -> None:
    kinds, failures = attack.attack_readers(100, 1000 + seed, attack.samples(), tmp_path)
    assert failures == []
    assert kinds["InputError"] > 0 and kinds["read"] > 0


@pytest.mark.slow
def test_the_program_refuses_it_and_leaves_the_database_as_it_was(attack: ModuleType, tmp_path: Path) -> None:
    _, failures = attack.attack_program(4, 5, attack.samples(), tmp_path)
    assert failures == []


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        ("references", b'{"id": ' + b"9" * 5000 + b', "references": ["a"]}\n'),
        ("references", b"[" * 100_000),
        ("settings", b"a = " + b"9" * 5000),
        ("settings", b"a = " + b"[" * 100_000),
        ("settings", b"#" * (1 << 20) + b"\n"),
        ("sheet", b"item\tseed\ttext\tverdict\tcomment\n" + b"9" * 5000 + b"\ta\tb\ty\n"),
        ("sheet", b"item\tseed\ttext\tverdict\tcomment\n99999999999999999999\ta\tb\ty\n"),
        ("human scores", b"system\tsegment\tz\nA\t" + b"9" * 5000 + b"\t1\n"),
        pytest.param("tmx", b"<tmx><body><tu>" + b"<tuv/>" * 340_000, marks=pytest.mark.slow),
        ("sgm", b"<srcset " + b"a" * 900_000 + b">"),
        ("sgm", b"<srcset><doc><seg " + b"a" * 900_000 + b"<"),
        pytest.param("csv", b'one,"' + b'a","\n' * 4_000_000, marks=pytest.mark.slow),
    ],
)
def test_what_nobody_means_is_refused(attack: ModuleType, reader: str, content: bytes, tmp_path: Path) -> None:
    suffix = ".jsonl" if reader == "references" else ".file"
    path = tmp_path / f"attack{suffix}"
    path.write_bytes(content)
    kind, wrong = attack.outcome(attack.readers(tmp_path)[reader], path)
    assert (kind, wrong) == ("InputError", "")
