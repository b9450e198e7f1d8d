"""Options as fields: their descriptions, and what is restored of values that were kept."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import (
    FormLine,
    Option,
    described,
    description,
    options_from_json,
    options_to_json,
    record_from_json,
)


@dataclass(frozen=True, slots=True)
class Options:
    """Some described fields and some that are not."""

    text: str
    several: tuple[str, ...] = described((), Option("Several."), FormLine("Several", "a;b"))
    newer: int | None = described(None, Option("Not always there."))
    folder: Path = Path()


def test_a_field_has_what_it_is_described_with() -> None:
    text, several, newer, folder = fields(Options)
    assert description(several, Option) == Option("Several.")
    assert description(several, FormLine) == FormLine("Several", "a;b")
    assert description(newer, FormLine) is None
    assert description(text, Option) is description(folder, Option) is None
    assert Options("a") == Options("a", (), None, Path())


def test_they_come_back_as_they_were_kept() -> None:
    options = Options("a", ("b", "c"), 3, Path("d"))
    document = options_to_json(options)
    assert document == {"text": "a", "several": ["b", "c"], "newer": 3, "folder": "d"}
    assert options_from_json(Options, document) == options


@pytest.mark.parametrize("missing", ["several", "newer", "folder"])
def test_what_is_missing_is_its_default(missing: str) -> None:
    document = options_to_json(Options("a", ("b",), 3, Path("d")))
    del document[missing]
    default = getattr(Options("a"), missing)
    assert options_from_json(Options, document) == replace(Options("a", ("b",), 3, Path("d")), **{missing: default})


def test_what_has_no_default_cannot_be_missing() -> None:
    with pytest.raises(UsageError, match=r"^the query was kept by another version of corpusdb: it does not say what"):
        options_from_json(Options, {"several": []})


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, []),
        ({"x": 1}, ["the query was kept by another version of corpusdb, with an option of no effect now: 'x'"]),
        (
            {"x": 1, "y": []},
            ["the query was kept by another version of corpusdb, with options of no effect now: 'x', 'y'"],
        ),
    ],
)
def test_what_there_is_no_more_is_left_out_and_told(more: dict[str, object], told: list[str]) -> None:
    lines: list[str] = []
    assert options_from_json(Options, {"text": "a"} | more, lines.append) == Options("a")
    assert lines == told


@dataclass(frozen=True, slots=True)
class Outer:
    """A field that is a dataclass itself."""

    inner: Options = Options("a")
    names: list[str] | None = None
    counts: dict[str, int] = field(default_factory=dict)


def test_a_field_may_be_a_dataclass() -> None:
    lines: list[str] = []
    outer = options_from_json(
        Outer, {"inner": {"text": "b", "old": 1}, "names": ["c"], "counts": {"d": 1}}, lines.append, of="the record"
    )
    assert outer == Outer(Options("b"), ["c"], {"d": 1})
    assert lines == ["the record was kept by another version of corpusdb, with an option of no effect now: 'old'"]
    with pytest.raises(InputError, match="'counts' cannot be 'd'"):
        record_from_json(Outer, {"counts": {"d": "d"}}, of="the record")
    with pytest.raises(InputError, match=r"^the record was kept by another version of corpusdb: 'text' cannot be 1$"):
        record_from_json(Outer, {"inner": {"text": 1}}, of="the record")


@pytest.mark.parametrize("document", [None, [], "a", 3])
def test_what_is_no_object(document: object) -> None:
    with pytest.raises(UsageError, match="its options are no JSON object"):
        options_from_json(Options, document)


@pytest.mark.parametrize(
    "change", [{"several": "b"}, {"several": [1]}, {"newer": "3"}, {"newer": True}, {"text": None}]
)
def test_values_of_another_type(change: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="another version of corpusdb"):
        options_from_json(Options, options_to_json(Options("a")) | change)
