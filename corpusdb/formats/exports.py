"""Every format that units can be written in, and the one way to write it."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.bitext.jsonl import write_jsonl
from corpusdb.formats.bitext.moses import write_moses
from corpusdb.formats.bitext.tatoeba import write_links, write_sentences
from corpusdb.formats.files.reading import STDIN
from corpusdb.formats.records import Record
from corpusdb.formats.selection import Records, languages_of, select
from corpusdb.formats.tables.writing import columns_of, write_csv, write_tsv
from corpusdb.outputs import NEW_ONLY, Guard, check_output, write_files
from corpusdb.spreadsheets import Formulas

__all__ = ["EXPORTS", "Export", "ExportReport", "export_files"]

Content: TypeAlias = Callable[[TextIO], int]
"""Writes one file and returns the number of units in it."""
Files: TypeAlias = Mapping[str, Content]
"""Files of one folder, by their names."""

STDOUT: Final = STDIN
_TOO_FEW: Final = "fewer than two texts in the languages chosen"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written."""

    files: tuple[Path, ...]
    """Empty where it went to standard output."""
    units: int
    left_out: int
    reasons: Mapping[str, int]
    """How many units were left out for what."""
    formulas: Formulas = field(default_factory=Formulas)
    """Cells of CSV that a spreadsheet would run."""


@dataclass(frozen=True, slots=True)
class Export:
    """How to write one format."""

    files: Callable[[_Selected, tuple[str, ...], str], Files]
    """From the units, which name their languages, all of these languages, and the name of the target: what to write.

    Each file is written by a pass of its own over the units, the first one all of those that have a place at all.
    """
    leaves_out: str = ""
    """Which units have no place in the format."""
    target: str = "file"
    """What the target is: the file, the folder of the files, or the prefix of their names."""


def export_files(
    name: str, records: Records, languages: tuple[str, ...], target: Path, guard: Guard = NEW_ONLY
) -> ExportReport:
    """Write units in a format of EXPORTS, in these languages and their order; empty = all, as they come.

    The target is the file; the folder for tatoeba; for moses and sgm the beginning of the names, as in PREFIX.eng and
    PREFIX-src.eng.sgm; or ``-``, standard output, for formats of one file. The files appear under their names when all
    are complete. Units may be without languages of their own where ``languages`` are those of their texts. Raises
    UsageError for an unknown format, for files to standard output, and, before the units are read where the names are
    known by then, for files that ``guard`` does not let be replaced; InputError for what cannot be written.
    """
    if name not in EXPORTS:
        raise UsageError(f"format {name!r} cannot be written; there are {', '.join(sorted(EXPORTS))}")
    export = EXPORTS[name]
    if target == STDOUT and export.target != "file":
        raise UsageError(f"{name} has several files and cannot go to standard output; name a {export.target}")
    selected = _Selected(records, languages)
    folder = target if export.target == "folder" else target.parent
    if target != STDOUT and (languages or export.target != "prefix"):
        _check_all(folder, export.files(selected, languages, target.name), guard)
    languages = languages or languages_of(selected())
    files = export.files(selected, languages, target.name)
    if not languages or not files:
        raise InputError(f"there is no unit that could be written as {name}")
    counts: dict[str, int] = {}
    contents = {file: partial(_count, counts, file, write) for file, write in files.items()}
    if target == STDOUT:
        paths: list[Path] = []
        for write in contents.values():
            _write_to_stdout(write)
    else:
        _check_all(folder, files, guard)
        paths = write_files(folder, contents, guard)
    units = counts[next(iter(files))]
    reasons = {_TOO_FEW: selected.too_few, export.leaves_out: selected.given - units}
    told = {reason: count for reason, count in reasons.items() if count}
    return ExportReport(tuple(paths), units, sum(told.values()), told, selected.formulas)


@dataclass(slots=True)
class _Selected:
    """The units with the texts to be written, and counts of the latest pass over them."""

    records: Records
    languages: tuple[str, ...]
    given: int = field(default=0, init=False)
    too_few: int = field(default=0, init=False)
    formulas: Formulas = field(default_factory=Formulas, init=False)

    def __call__(self) -> Iterator[Record]:
        self.given = self.too_few = 0
        for record in self.records():
            chosen = select(record, self.languages)
            if len(chosen.texts) < 2:
                self.too_few += 1
            else:
                self.given += 1
                yield chosen


def _count(counts: dict[str, int], file: str, write: Content, output: TextIO) -> None:
    counts[file] = write(output)


def _write_to_stdout(write: Callable[[TextIO], object]) -> None:
    if sys.stdout.isatty():  # somebody looks at it
        write(sys.stdout)
        return
    # Whatever the encoding and the line ends of the system: what is written here is a file.
    sys.stdout.flush()
    output = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    try:
        write(output)
        output.flush()
    finally:
        output.detach()


def _check_all(folder: Path, names: Iterable[str], guard: Guard) -> None:
    if folder.exists():  # else it will be made
        for name in names:
            check_output(folder / name, guard)


def _tsv(records: Records, languages: tuple[str, ...], name: str) -> Files:
    return {name: lambda file: write_tsv(records(), columns_of(records(), languages), file)}


def _csv(records: _Selected, languages: tuple[str, ...], name: str) -> Files:
    return {name: lambda file: write_csv(records(), columns_of(records(), languages), file, records.formulas)}


def _jsonl(records: Records, languages: tuple[str, ...], name: str) -> Files:
    return {name: lambda file: write_jsonl(records(), file)}


def _moses(records: Records, languages: tuple[str, ...], name: str) -> Files:
    def content(language: str) -> Content:
        return lambda file: write_moses(records(), languages, language, file)

    return {f"{name}.{language}": content(language) for language in languages}


def _tatoeba(records: Records, languages: tuple[str, ...], name: str) -> Files:
    return {
        "sentences.csv": lambda file: write_sentences(records(), file),
        "links.csv": lambda file: write_links(records(), file),
    }


# The modules for mark-up are loaded when they are needed: most of the time no XML is read or written.


def _tmx(records: Records, languages: tuple[str, ...], name: str) -> Files:
    from corpusdb.formats.bitext.tmx import write_tmx

    return {name: lambda file: write_tmx(records(), languages, file)}


def _wmt(records: Records, languages: tuple[str, ...], name: str) -> Files:
    from corpusdb.formats.test_sets.wmt import write_wmt

    return {name: lambda file: write_wmt(records(), languages, file)}


def _sgm(records: Records, languages: tuple[str, ...], name: str) -> Files:
    from corpusdb.formats.test_sets.bundles import bundles_of
    from corpusdb.formats.test_sets.sgm import Which, write_sgm

    sources, sides = dict[str, None](), dict[tuple[str, str], None]()
    for bundle in bundles_of(records(), languages):
        sources[bundle.language] = None
        sides.update(dict.fromkeys((version.role, language) for version, language in bundle.sides))

    def content(which: Which, target: str | None) -> Content:
        return lambda file: write_sgm(records(), languages, file, which, target)

    stem = re.sub(r"\.sgml?$", "", name, flags=re.IGNORECASE)
    files = {f"{stem}-src.{language}.sgm": content("src", None) for language in islice(sources, 1)}
    files |= {f"{stem}-ref.{code}.sgm": content("ref", code) for role, code in sides if role == "reference"}
    return files | {f"{stem}-tst.{code}.sgm": content("tst", code) for role, code in sides if role == "system"}


_NO_TEST_SEGMENT: Final = "no source text in the first language, or nothing beside it"

EXPORTS: Final[Mapping[str, Export]] = {
    "csv": Export(_csv),
    "jsonl": Export(_jsonl),
    "moses": Export(_moses, "not exactly one text in every language", "prefix"),
    "sgm": Export(_sgm, _NO_TEST_SEGMENT, "prefix"),
    "tatoeba": Export(_tatoeba, "all texts in one language", "folder"),
    "tmx": Export(_tmx),
    "tsv": Export(_tsv),
    "wmt": Export(_wmt, _NO_TEST_SEGMENT),
}
"""Every format that can be written, by its name."""
