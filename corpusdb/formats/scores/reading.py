"""The scores in a file, whichever of the kinds below it is: the name of the file and its first line tell that.

- ``NAME.seg.score``, ``NAME.sys.score`` of mt-metrics-eval (github.com/google-research/mt-metrics-eval): a line
  "system TAB score" for each segment of each system, or for each system; ``None`` where there is no score. A file of
  another name may hold the same.
- tables with a header that names ``system``: tables.py; of marked errors (MQM), and judgements of Appraise (ESA, DA)
  without a header: annotations.py. Cells are delimited by tabs, by commas, or by spaces.
- what comet-score and sacrebleu print (programs.py), and JSON of theirs and ours (documents.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import first_line, read_lines, read_text
from corpusdb.formats.scores.annotations import ErrorWeights, is_appraise, is_mqm, read_appraise, read_mqm
from corpusdb.formats.scores.documents import read_document
from corpusdb.formats.scores.programs import (
    is_comet,
    is_grid,
    is_sacrebleu,
    read_comet,
    read_grid,
    read_sacrebleu,
)
from corpusdb.formats.scores.score_file import Collected, Level, ScoreFile, score_of
from corpusdb.formats.scores.tables import has_header, read_table
from corpusdb.formats.segments import base_name
from corpusdb.formats.tables.csv import CsvSource
from corpusdb.formats.tables.reading import Row

__all__ = ["ScoreReading", "looks_like_scores", "read_score_file"]

_NAMED: Final = re.compile(r"(?P<name>.+)\.(?P<level>seg|sys)\.score")
_NUMBER: Final = re.compile(r"-?[0-9]*\.?[0-9]+(?:e-?[0-9]+)?|None")
_LEVELS: Final[Mapping[str, Level]] = {"seg": "segment", "sys": "system"}


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """What a person says of how files are to be read."""

    weights: ErrorWeights = field(default_factory=ErrorWeights)
    """Of MQM."""
    first_segment: int | None = None
    """The number of the first segment, 0 or 1, where a file does not tell it."""
    languages: str | None = None
    """Of which ratings are meant where a file has more: SOURCE-TARGET, as the file calls them."""
    also: Sequence[str] = ()
    """Columns that hold scores although they do not look like it."""


_AS_USUAL: Final = ScoreReading()


def read_score_file(path: Path, how: ScoreReading = _AS_USUAL) -> ScoreFile:
    """The scores in a file. Raises InputError, with the line where there is one, for whatever is wrong with it."""
    if named := _NAMED.fullmatch(path.name.removesuffix(".gz")):
        return _read_pairs(read_lines(path), path, named["name"], _LEVELS[named["level"]])
    head = first_line(path)
    if head.lstrip()[:1] in ("{", "["):
        return read_document("".join(read_text(path)), path, how.first_segment)
    if is_comet(head):
        return read_comet(read_lines(path), path, how.first_segment)
    if is_sacrebleu(head):
        return read_sacrebleu(read_lines(path), path)
    if is_grid(head):
        return read_grid(read_lines(path), path)
    return _read_rows(path, how, head)


def looks_like_scores(path: Path) -> bool:
    """Whether a file begins like one of scores, and not like texts. Raises InputError for one that cannot be read."""
    head = first_line(path)
    if "\t" not in head:  # commas are more often those of a text
        names = head.split(",")
        return is_sacrebleu(head) or (len(names) > 2 and has_header(names) and not any(map(str.isspace, head)))
    cells = head.split("\t")
    is_pair = len(cells) == 2 and bool(_NUMBER.fullmatch(cells[1].strip()))
    return is_pair or has_header(cells) or is_comet(head) or is_appraise(cells)


def _read_rows(path: Path, how: ScoreReading, head: str) -> ScoreFile:
    """Of lines that are cut into cells."""
    rows = _rows(path, head)
    begin = next(rows)
    if is_appraise(begin[1]):
        return read_appraise(chain([begin], rows), path, how.first_segment, how.languages)
    if is_mqm(begin[1]):
        return read_mqm(begin[1], rows, path, how.weights, how.first_segment)
    if has_header(begin[1]):
        if "\t" not in head and "  " in head.strip():
            reason = "a table that is made for the screen; `--format tsv` writes one that can be read"
            raise InputError(reason, path=path, line=begin[0])
        return read_table(begin[1], rows, path, also=how.also, first=how.first_segment)
    return _read_pairs(read_lines(path), path, base_name(path), None)


def _rows(path: Path, head: str) -> Iterator[Row]:
    """The lines, cut at tabs where the first has one, else at commas, else where spaces are."""
    if "\t" in head:
        return ((number, line.split("\t")) for number, line in read_lines(path))
    if "," in head:
        return CsvSource.rows(path)
    # What Google published as averages has a header with spaces over lines with tabs.
    return ((number, line.split()) for number, line in read_lines(path))


def _read_pairs(lines: Iterable[tuple[int, str]], path: Path, name: str, told: Level | None) -> ScoreFile:
    """Lines of a system and a score.

    The lines of one system stand in the order of its segments, with those of other systems between them or not. Where
    the name of the file does not tell the level, systems that come once each are scored as a whole.
    """
    read: list[tuple[int, str, float]] = []
    for number, line in lines:
        fields = line.split("\t")
        hint = "" if told or number > 1 else "; nor is it a header with a column system"
        if not line.strip():
            raise InputError("a blank line in a table of scores", path=path, line=number)
        if len(fields) != 2:
            raise InputError(f"{len(fields)} fields where system TAB score is expected{hint}", path=path, line=number)
        try:
            read.append((number, fields[0].strip(), score_of(fields[1], path, number)))
        except InputError as error:
            raise (InputError(f"{error.reason}{hint}", path=path, line=number) if hint else error) from error
    systems = {system for _, system, _ in read}
    level = told or ("segment" if len(systems) < len(read) else "system")
    found = Collected(path)
    for number, system, value in read:
        if level == "segment":
            found.add_next(name, system, value, number)
        else:
            found.add(name, system, None, value, number)
    return found.file()
