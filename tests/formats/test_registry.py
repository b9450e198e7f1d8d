"""The registry, and a format that is added to it here and used for everything that a format can do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from fnmatch import fnmatch
from pathlib import Path
from typing import TextIO

import pytest
from typer.testing import CliRunner

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.outputs import NEW_ONLY, Guard, write_files
from corpusdb.corpus.formats import FORMATS, Format, Item, Options, Record, Rejected, export_files, open_source
from corpusdb.corpus.formats.format import FileContents, Reader, ReferenceWriter, ScoringReader, Writer
from corpusdb.corpus.formats.reading import digest_of, first_line, read_lines
from corpusdb.corpus.formats.records import ReferenceSet, SelectedUnits, lines_of
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
from corpusdb.program.app import app

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


def write_pairs_references(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    lines = (" = ".join((segment.source, *segment.references)) for segment in sets)
    return write_files(directory, {"references.pairs": lines_of(lines)}, guard)


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
    reference_writer=ReferenceWriter(write_pairs_references, ("references.pairs",)),
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


def test_units_of_an_added_format_are_read_and_written(folder: Path) -> None:
    source = open_source(None, [folder / "phrases.pairs"], Options(("en", "fr")))
    units = [item for item in source.items() if isinstance(item, Record)]
    report = export_files("pairs", lambda: units, (), folder / "out.pairs")

    assert [unit.texts for unit in units] == [
        ("A beer, please.", "Une bière, s'il vous plaît."),
        ("Can I have a beer?", "Une bière, s'il vous plaît."),
    ]
    assert report.units == 2
    assert (folder / "out.pairs").read_text("utf-8") == "".join(LINES.splitlines(keepends=True)[:2])


def test_the_command_line_imports_and_exports_an_added_format(folder: Path) -> None:
    report = json.loads(run("import", "phrases.pairs", "--json"))
    assert (report["collection"], report["read"], report["rejected"]) == ("phrases", 3, 1)
    assert "nothing to do" in CliRunner().invoke(app, ["import", "phrases.pairs", "--format", "pairs"]).stderr

    run("export", "-o", "out.prs")
    assert (folder / "out.prs").read_text("utf-8") == LINES.replace("\n\n", "\n")
    assert run("export", "-o", "-", "--format", "pairs", "--lang", "deu,eng") == "deu: Ach so. = eng: I see.\n"
    run("export", "-o", "out.tsv")
    assert run("import", "out.tsv", "--json") != ""


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
    assert "tmx, wmt, sgm, conllu, vert or pairs; recognised if not given" in shown["import"]
    assert "tsv, csv, moses, tatoeba, conllu and pairs. For moses and sgm FILE is" in shown["export"]
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
