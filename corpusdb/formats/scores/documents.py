"""JSON of scores: what sacrebleu, comet-score --to_json and `corpusdb score` write, whole or a line for each row."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from corpusdb.errors import InputError
from corpusdb.formats.scores.programs import leading_number, named_by_file, system_in
from corpusdb.formats.scores.score_file import Collected, ScoreFile, score_of
from corpusdb.formats.scores.tables import segment_number
from corpusdb.formats.segments import base_name

__all__ = ["read_document"]

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
        _add(found, item, _system(item, path), path, line)
    return found.file(first, [named_by_file(path)] if is_unnamed else [])


def _system(item: Mapping[str, Any], path: Path) -> str:
    """What the item is of: of the file, where it names none; sacrebleu names files of outputs, others systems."""
    system = str(item.get("system", base_name(path)))
    return system if "score" in item else system_in(system)


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
        raise InputError(f"{value!r} is no score: a finite number is expected", path=path, line=line)
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
    except (json.JSONDecodeError, RecursionError) as error:
        # What is cut off is missed behind the last line.
        place = min(error.pos, len(text.rstrip()) - 1) if isinstance(error, json.JSONDecodeError) else at
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "too many brackets"
        raise InputError(f"cannot be read as JSON: {reason}", path=path, line=_line(text, place)) from error


def _behind_space(text: str, at: int) -> int:
    return at if (found := _SPACE.match(text, at)) is None else found.end()


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
