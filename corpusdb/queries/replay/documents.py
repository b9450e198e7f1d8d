"""JSON documents of this program, made again and compared value by value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os.path import commonprefix
from pathlib import Path
from typing import Any, Final

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import read_text
from corpusdb.queries.replay.inputs import MadeFrom

__all__ = ["MADE_FROM", "differences", "read_document", "with_record"]

MADE_FROM: Final = "made_from"
"""The key under which a document says what it was made from; in a list, each of its members does."""
_OF_THE_CALL: Final = frozenset({MADE_FROM, "seconds", "run", "stored", "files"})
"""Keys whose values belong to the one call that was made: times, numbers of rows, names of files that were written."""
_SHOWN = 3
_BEFORE = 12
_MOST = 60


def with_record(value: Any, record: MadeFrom) -> Any:
    """A document, or a list of them, with what it was made from; an empty list stays one."""
    if isinstance(value, list):
        return [each | {MADE_FROM: record.document()} for each in value]
    return value | {MADE_FROM: record.document()}


def read_document(path: Path) -> tuple[Any, MadeFrom]:
    """A document that was written with --json, and what it was made from.

    Raises InputError for what is no JSON, and for JSON that does not say what it was made from.
    """
    try:
        document = json.loads("".join(read_text(path)))
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError("this is no JSON", path=path, line=line) from error
    one = document[0] if isinstance(document, list) and document else document
    if not isinstance(one, dict) or MADE_FROM not in one:
        wanted = "--json of a study, of `references` or of `score`, as this version writes it"
        raise InputError(f"it does not say what it was made from; what can be replayed is {wanted}", path=path)
    return document, MadeFrom.of(one[MADE_FROM], path)


def differences(before: Any, now: Any) -> list[str]:
    """The first values that differ, each with its place in the document; none where all are the same bit for bit."""
    found: list[str] = []
    for place, old, new in _differing(before, now, "$"):
        if len(found) == _SHOWN:
            return [*found, "and more"]
        found.append(f"{place}: {_told(old, new)} then and {_told(new, old)} now")
    return found


class _Missing:
    """That one of the two has no such value."""


_MISSING: Final = _Missing()


def _differing(before: Any, now: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in [*before, *(key for key in now if key not in before)]:
            if key not in _OF_THE_CALL:
                yield from _differing(before.get(key, _MISSING), now.get(key, _MISSING), f"{place}.{key}")
    elif isinstance(before, list) and isinstance(now, list):
        for number in range(max(len(before), len(now))):
            old, new = (each[number] if number < len(each) else _MISSING for each in (before, now))
            yield from _differing(old, new, f"{place}[{number}]")
    elif before is _MISSING or now is _MISSING or json.dumps(before) != json.dumps(now):
        # As JSON: 1 and 1.0 are two documents, and NaN is the same as NaN.
        yield place, before, now


def _told(value: Any, other: Any) -> str:
    """A value as JSON; of a long text, what stands from shortly before the first character that is another."""
    if value is _MISSING:
        return "nothing"
    first = 0
    if isinstance(value, str) and isinstance(other, str):
        first = max(0, len(commonprefix([value, other])) - _BEFORE)
        value = ("..." if first else "") + value[first:]
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST else text[:_MOST] + "..."
