"""The kinds of files that hold scores: tables, JSON, what programs print, and what people marked and rated."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isfinite
from pathlib import Path
from typing import Any, Final

from corpusdb.base.errors import InputError, UsageError, there_are
from corpusdb.corpus.formats.score_file import Collected, ScoreFile, score_of
from corpusdb.corpus.formats.segments import base_name
from corpusdb.corpus.formats.tables import Row

# Tables of scores: a line for each system, or for each segment of each, under a header that names the columns.
# ``system`` is always there; metrics are columns, or named in the column ``metric`` beside ``score``, as `corpusdb
# score` writes them.

SYSTEM: Final = ("system", "sys")
SEGMENT: Final = ("segment", "seg", "globalsegid", "global_seg_id", "seg_id", "segid", "segment_id")
_NO_SCORE: Final = re.compile(
    r"n|n_.*|num_.*|count|wins|clusters?|rank|.*_ranks?|sid|id|.*id|doc.*|line|rater|annotator|seed|year|.*length"
)
"""Columns that count, number or name something: their numbers are no scores unless somebody says so."""


def has_header(cells: Sequence[str]) -> bool:
    """Whether a line names the columns of a table of scores."""
    return len(cells) > 1 and any(cell.strip().casefold() in SYSTEM for cell in cells)


def as_records(header: Sequence[str], rows: Iterable[Row], path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each line by the names of its columns. Raises InputError for another number of cells than there are names."""
    for name in header:
        if not name.strip() or header.count(name) > 1:
            reason = f"two columns are called {name!r}" if name.strip() else "a column has no name"
            raise InputError(reason, path=path, line=1)
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            raise InputError("a blank line in a table of scores", path=path, line=number)
        if len(cells) != len(header):
            raise InputError(f"{len(cells)} fields under {len(header)} names", path=path, line=number)
        yield number, dict(zip(header, cells, strict=True))


def read_table(
    header: Sequence[str], rows: Iterable[Row], path: Path, *, also: Sequence[str] = (), first: int | None = None
) -> ScoreFile:
    """The scores of a table; columns that look like counts or names of something are none unless they are in ``also``.

    Raises InputError, with the line, for what is no score or number of a segment, and for a second score.
    """
    names = {name.strip().casefold(): name for name in header}
    system = next(names[each] for each in SYSTEM if each in names)
    segment = next((names[each] for each in SEGMENT if each in names), None)
    if segment is None and "sid" in names:
        reason = "SID numbers the segments by the ids of their documents, which says not which line of a text is meant"
        raise InputError(f"{reason}: a column segment is needed", path=path, line=1)
    records = as_records(header, rows, path)
    found = Collected(path, usual_first=0, hint="" if segment else "; scores of segments need a column segment")
    if {"metric", "score"} <= names.keys():
        for line, record in records:
            number = None if segment is None else segment_number(record[segment], path, line)
            value = score_of(record[names["score"]], path, line)
            found.add(record[names["metric"]].strip(), record[system], number, value, line)
        return found.file(first)
    kept = list(records)
    columns = [name for name in header if name not in (system, segment)]
    numeric = [name for name in columns if name in also or any(_is_number(record[name]) for _, record in kept)]
    metrics = [name for name in numeric if name in also or not _NO_SCORE.fullmatch(name.strip().casefold())]
    if not metrics or not kept:
        raise InputError("no column holds scores", path=path)
    for line, record in kept:
        number = None if segment is None else segment_number(record[segment], path, line)
        for name in metrics:
            found.add(name, record[system], number, score_of(record[name], path, line), line)
    return found.file(first, left_columns=[name for name in numeric if name not in metrics])


def segment_number(text: str, path: Path, line: int) -> int:
    """The number of a segment as a file gives it. Raises InputError for anything else."""
    if not (text.isascii() and text.strip().isdigit() and len(text) < 10):
        raise InputError(f"{text!r} is not a segment number", path=path, line=line)
    return int(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# What programs print for people to read, and people keep: comet-score and sacrebleu.

_COMET: Final = re.compile(
    r"(?P<file>[^\t]+)(?:\tSegment (?P<segment>[0-9]+))?\tscore: (?P<score>[^\t]+)(?:\tvariance: [^\t]+)?"
)
_COMET_TALK: Final = "Predictions saved in: "
_SACREBLEU: Final = re.compile(r"\s*(?P<metric>[^|\s]+)\|\S+ = (?P<score>\S+)(?: .*)?")
_BASELINE: Final = "Baseline: "
_GRID: Final = "╒"
_LEADING: Final = re.compile(r"[^\s(]+(?=\s*(?:\(|$))")


def system_in(file: str) -> str:
    """The system of which a program scored a file: the name of the file, as of outputs that are scored here."""
    return base_name(Path(file.strip().removeprefix(_BASELINE)))


def is_comet(line: str) -> bool:
    """Whether comet-score printed it."""
    return _COMET.fullmatch(line) is not None


def read_comet(lines: Iterable[tuple[int, str]], path: Path, first: int | None = None) -> ScoreFile:
    """``FILE TAB Segment N TAB score: X`` for each segment of each file, and ``FILE TAB score: X`` for each file."""
    found = Collected(path, usual_first=0)
    for number, line in lines:
        if line.startswith(_COMET_TALK):
            continue
        read = _COMET.fullmatch(line)
        if read is None:
            reason = "no line of comet-score: FILE TAB Segment N TAB score: NUMBER is expected"
            raise InputError(reason, path=path, line=number)
        segment = None if read["segment"] is None else int(read["segment"][:9])
        found.add("COMET", system_in(read["file"]), segment, score_of(read["score"], path, number), number)
    return found.file(first)


def is_sacrebleu(line: str) -> bool:
    """Whether sacrebleu printed it: a metric with its signature, and a score."""
    return _SACREBLEU.fullmatch(line) is not None


def named_by_file(path: Path) -> str:
    """What is told of a file that names no system."""
    return f"{path.name} names no system, and is taken for scores of {base_name(path)}"


def read_sacrebleu(lines: Iterable[tuple[int, str]], path: Path) -> ScoreFile:
    """``BLEU|signature = score ...``: of the system that the file is named for, or a line for each of its segments."""
    read: list[tuple[int, str, float]] = []
    for number, line in lines:
        match = _SACREBLEU.fullmatch(line)
        if match is None:
            reason = "no line of sacrebleu: METRIC|SIGNATURE = NUMBER is expected"
            raise InputError(reason, path=path, line=number)
        read.append((number, match["metric"], score_of(match["score"], path, number)))
    found = Collected(path)
    counted = Counter(metric for _, metric, _ in read)
    for number, metric, value in read:
        if counted[metric] > 1:
            found.add_next(metric, base_name(path), value, number)
        else:
            found.add(metric, base_name(path), None, value, number)
    return found.file(notes=[named_by_file(path)])


def is_grid(line: str) -> bool:
    """Whether it begins the table that sacrebleu prints of several systems."""
    return line.startswith(_GRID)


def read_grid(lines: Iterable[tuple[int, str]], path: Path) -> ScoreFile:
    """The table of sacrebleu: a system in each row and a metric in each column, with intervals or not."""
    found = Collected(path)
    metrics: Sequence[str] = ()
    for number, line in lines:
        if not line.strip():
            break  # signatures follow
        if not line.startswith("│"):
            continue
        cells = [cell.strip() for cell in line.strip("│").split("│")]
        if not metrics:
            metrics = [leading_number(cell) for cell in cells[1:]]
            continue
        if len(cells) != len(metrics) + 1:
            raise InputError(f"{len(cells)} cells under {len(metrics) + 1} names", path=path, line=number)
        if not cells[0]:
            continue  # p-values of the row above
        for metric, cell in zip(metrics, cells[1:], strict=True):
            found.add(metric, system_in(cells[0]), None, score_of(leading_number(cell), path, number), number)
    return found.file()


def leading_number(cell: str) -> str:
    """What stands before a bracket: ``37.1 (35.6 ± 9.2)`` is a score with its interval."""
    found = _LEADING.match(cell.strip())
    return found[0] if found else cell


# JSON of scores: what sacrebleu, comet-score --to_json and `corpusdb score` write, whole or a line for each row.

_SPACE: Final = re.compile(r"[\s,:]*")
_DECODER: Final = json.JSONDecoder()
_UNKNOWN: Final = "no scores of sacrebleu, comet-score or corpusdb: a system or a metric with its score is expected"


def read_document(text: str, path: Path, first: int | None = None) -> ScoreFile:
    """The scores in a JSON document, or in a document on each line.

    Raises InputError, with the line, for what is no JSON, and for what has other keys.
    """
    items = list(_items(text, path))
    if not items:
        raise InputError("holds no scores", path=path)
    if all("system" not in item and "score" not in item for _, item in items):
        if len(items) > 1:
            raise InputError(_UNKNOWN, path=path, line=items[0][0])
        return _comet(text, path)
    found = Collected(path, usual_first=None if any("segments" in item for _, item in items) else 0)
    is_unnamed = False
    for line, item in items:
        is_unnamed |= "system" not in item
        # Of the file, where it names none; sacrebleu names files of outputs, others systems.
        system = str(item.get("system", base_name(path)))
        _add(found, item, system if "score" in item else system_in(system), path, line)
    return found.file(first, [named_by_file(path)] if is_unnamed else [])


def _add(found: Collected, item: Mapping[str, Any], system: str, path: Path, line: int) -> None:
    """A metric of a system, or, where it names none, all that it has numbers of."""
    if "score" not in item:
        for metric, value in item.items():
            if metric != "system":
                of_paired_test = value.get("score") if isinstance(value, dict) else value
                found.add(metric, system, None, _number(of_paired_test, path, line), line)
        return
    named = item.get("name") or item.get("metric")
    if not isinstance(named, str):
        raise InputError(_UNKNOWN, path=path, line=line)
    segment = item.get("segment")
    at = None if segment is None else segment_number(str(segment), path, line)
    found.add(named, system, at, _number(item["score"], path, line), line)
    values = item.get("segments")
    for value in values if isinstance(values, list) else ():
        found.add_next(named, system, _number(value, path, line), line)


def _number(value: object, path: Path, line: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str | None):
        raise InputError(f"{value!r} is not a score: a finite number is expected", path=path, line=line)
    return score_of("" if value is None else leading_number(str(value)), path, line)


def _comet(text: str, path: Path) -> ScoreFile:
    """By file, a list of its segments in their order, each with its text and its score."""
    found = Collected(path)
    at = _behind_space(text, text.index("{") + 1)
    while text[at] != "}":
        file, at = _decoded(text, at, path)
        at = _behind_space(text, at)
        line = _line(text, at)
        if text[at] != "[":
            raise InputError(_UNKNOWN, path=path, line=line)
        for line, item, after in _elements(text, at, path):
            at = after
            if not isinstance(item, dict) or "COMET" not in item:
                raise InputError(f"a segment of {file} has no COMET", path=path, line=line)
            found.add_next("COMET", system_in(str(file)), _number(item["COMET"], path, line), line)
        at = _behind_space(text, text.index("]", at) + 1)
    return found.file()


def _items(text: str, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a list, or those that stand one after the other."""
    at = _behind_space(text, 0)
    if text[at : at + 1] == "[":
        _decoded(text, at, path)
        found = _elements(text, at, path)
    else:
        found = _values(text, at, "", path)
    for line, item, _ in found:
        if not isinstance(item, dict):
            raise InputError(_UNKNOWN, path=path, line=line)
        yield line, item


def _elements(text: str, at: int, path: Path) -> Iterator[tuple[int, Any, int]]:
    """The elements of the list that begins there, each with its line and the place behind it."""
    return _values(text, _behind_space(text, at + 1), "]", path)


def _values(text: str, at: int, end: str, path: Path) -> Iterator[tuple[int, Any, int]]:
    while text[at : at + 1] != end:
        line = _line(text, at)
        value, at = _decoded(text, at, path)
        yield line, value, at
        at = _behind_space(text, at)


def _decoded(text: str, at: int, path: Path) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        place = min(error.pos, len(text.rstrip()) - 1)  # what is cut off is missed behind the last line
        raise InputError(f"cannot be read as JSON: {error.msg}", path=path, line=_line(text, place)) from error
    except (RecursionError, ValueError) as error:
        place, reason = at, "too many brackets" if isinstance(error, RecursionError) else "a number of too many digits"
        raise InputError(f"cannot be read as JSON: {reason}", path=path, line=_line(text, place)) from error


def _behind_space(text: str, at: int) -> int:
    return at if (found := _SPACE.match(text, at)) is None else found.end()


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


# What people marked and rated, one judgement a line: MQM as Google publishes it, ESA and DA as Appraise exports them.
# MQM: Freitag et al. (2021), "Experts, Errors, and Context", whose weights these are; the score of a segment is less
# the sum of its errors, the mean over its raters. ESA: Kocmi et al. (2024), "Error Span Annotation", 0 to 100.

_WMT: Final[Mapping[tuple[str, ...], float]] = {
    ("major",): 5.0,
    ("minor",): 1.0,
    ("neutral",): 0.0,
    ("no-error",): 0.0,
    ("hotw-test",): 0.0,  # errors put in to see whether raters pay attention
    ("non-translation",): 25.0,
    ("minor", "punctuation"): 0.1,
}


@dataclass(frozen=True, slots=True)
class ErrorWeights:
    """What errors of each severity and category count."""

    weights: Mapping[tuple[str, ...], float] = field(default_factory=lambda: dict(_WMT))
    """By the severity, a category, or the severity and a category with its parts; what says most counts."""

    @classmethod
    def parse(cls, text: str | None) -> ErrorWeights:
        """Those of WMT, with others in their place: ``major:10,minor/punctuation:0.5``. Raises UsageError."""
        weights = dict(_WMT)
        for each in (text or "").split(","):
            name, colon, number = each.strip().rpartition(":")
            try:
                weight = float(number)
            except ValueError:
                weight = -1.0
            if each.strip() and not (colon and name.strip() and ":" not in name and isfinite(weight) and weight >= 0):
                raise UsageError(f"weights of errors are given as severity/category:number, unlike {each.strip()!r}")
            if each.strip():
                weights[_parts(name)] = weight
        return cls(weights)

    def weight(self, severity: str, category: str) -> float | None:
        """Of an error; None where nothing is said of its severity or category."""
        (level,), path = _parts(severity)[:1], _parts(category)
        ways = [(level, *path), (level, path[-1]), (level, path[0]), path, path[-1:], path[:1], (level,)]
        return next((self.weights[way] for way in ways if way in self.weights), None)


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip().rstrip("!").casefold() for part in name.split("/"))


_MQM: Final = frozenset({"system", "rater", "category", "severity"})


def is_mqm(header: Sequence[str]) -> bool:
    """Whether a header is that of marked errors."""
    return {name.strip().casefold() for name in header} >= _MQM


def of_rater(header: Sequence[str], rows: Iterable[Row], path: Path, rater: str) -> Iterator[Row]:
    """The rows of marked errors that are one rater's. Raises InputError, with those that there are, for none."""
    column = [name.strip().casefold() for name in header].index("rater")
    others: dict[str, None] = {}
    is_there = False
    for row in rows:
        cells = row[1]
        if len(cells) > column and cells[column] != rater:
            others[cells[column]] = None
        else:
            is_there = True
            yield row
    if not is_there:
        raise InputError(f"there is no rater {rater!r}; {there_are(rater, others)}", path=path)


def read_mqm(
    header: Sequence[str], rows: Iterable[Row], path: Path, weights: ErrorWeights, first: int | None = None
) -> ScoreFile:
    """The MQM scores of segments, all negative or 0: higher is better.

    Raises InputError, with the line, where no column numbers the segments, and for a severity without a weight.
    """
    names = {name.strip().casefold(): name for name in header}
    segment = next((names[each] for each in SEGMENT if each in names), None)
    if segment is None:
        raise InputError("no column numbers the segments: globalSegId, seg_id or segment", path=path, line=1)
    sums: dict[tuple[str, int], dict[str, float]] = {}
    lines: dict[tuple[str, int], int] = {}
    for line, record in as_records(header, rows, path):
        severity, category = record[names["severity"]], record[names["category"]]
        weight = weights.weight(severity, category)
        if weight is None:
            reason = (
                f"an error of severity {severity!r} and category {category!r} has no weight; --mqm-weights gives it"
            )
            raise InputError(reason, path=path, line=line)
        key = record[names["system"]], segment_number(record[segment], path, line)
        raters = sums.setdefault(key, {})
        raters[record[names["rater"]]] = raters.get(record[names["rater"]], 0.0) + weight
        lines.setdefault(key, line)
    found = Collected(path, usual_first=1)
    for (system, number), raters in sums.items():
        found.add("MQM", system, number, 0.0 - fsum(raters.values()) / len(raters), lines[system, number])
    return found.file(first)


_COLUMNS: Final = {11: "DA", 12: "ESA"}
"""By the number of cells: annotator, system, segment, type, source and target language, score, document, whether it is
complete, the spans of errors (ESA alone), begin, end."""
_JUDGED: Final = "TGT"
_TYPES: Final = frozenset({_JUDGED, "BAD", "REF", "CHK", "SRC"})


def is_appraise(cells: Sequence[str]) -> bool:
    """Whether a line is a judgement as Appraise exports it, without a header."""
    return len(cells) in _COLUMNS and cells[3] in _TYPES


def read_appraise(rows: Iterable[Row], path: Path, first: int | None = None, languages: str | None = None) -> ScoreFile:
    """The ratings of segments, the mean where one was rated more than once; only of ``languages``, where some are said.

    Tutorials, and what is there to see whether annotators pay attention, are left out. Raises InputError, with the
    line, for another number of cells, what is no rating, and a second pair of languages where none is said.
    """
    ratings: dict[tuple[str, int], list[float]] = {}
    lines: dict[tuple[str, int], int] = {}
    left: Counter[str] = Counter()
    before, size = None, 0
    for line, cells in rows:
        if not is_appraise(cells) or len(cells) != (size or len(cells)):
            raise InputError(f"{len(cells)} cells, unlike a judgement that Appraise exports", path=path, line=line)
        size = len(cells)
        pair = "-".join(cells[4:6])
        if languages not in (None, pair):
            continue
        if (before := before or pair) != pair:
            reason = f"ratings of {pair}, and before of {before}; --language-pair says which are meant"
            raise InputError(reason, path=path, line=line)
        if cells[3] != _JUDGED or "tutorial" in cells[7]:
            left["tutorial" if "tutorial" in cells[7] else cells[3]] += 1
            continue
        value = score_of(cells[6], path, line)
        if not 0 <= value <= 100:
            raise InputError(f"{cells[6]!r} is not a rating: 0 to 100 is expected", path=path, line=line)
        key = cells[1], segment_number(cells[2], path, line)
        ratings.setdefault(key, []).append(value)
        lines.setdefault(key, line)
    if languages is not None and before is None:
        raise InputError(f"holds no ratings of {languages}", path=path)
    found = Collected(path, usual_first=0)
    for (system, number), values in ratings.items():
        found.add(_COLUMNS[size], system, number, fsum(values) / len(values), lines[system, number])
    told = ", ".join(f"{count:,} {name}" for name, count in left.items())
    return found.file(first, [f"left out of {path.name}, no ratings of outputs: {told}"] if left else [])
