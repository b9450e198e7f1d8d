"""Options as fields: their descriptions and bounds, and what is restored of values that were kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import (
    LARGEST,
    FormLine,
    Option,
    described,
    format_p_value,
    format_probability,
    format_share,
    number_of,
    options_from_json,
    options_to_json,
    record_from_json,
    rounded_probability,
)


@dataclass(frozen=True, slots=True)
class Options:
    """Some described fields and some that are not."""

    text: str
    several: Annotated[tuple[str, ...], Option("Several."), FormLine("Several", "a;b")] = ()
    newer: Annotated[int | None, Option("Not always there.")] = None
    folder: Path = Path()


def test_a_field_has_what_it_is_described_with() -> None:
    assert described(Options, Option) == {"several": Option("Several."), "newer": Option("Not always there.")}
    assert described(Options, FormLine) == {"several": FormLine("Several", "a;b")}
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
    with pytest.raises(UsageError, match="its options are not a JSON object"):
        options_from_json(Options, document)


@pytest.mark.parametrize(
    "change", [{"several": "b"}, {"several": [1]}, {"newer": "3"}, {"newer": True}, {"text": None}]
)
def test_values_of_another_type(change: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="another version of corpusdb"):
        options_from_json(Options, options_to_json(Options("a")) | change)


@pytest.mark.parametrize(
    ("digits", "number"),
    [
        *(("0", 0), ("007", 7), ("2147483646", LARGEST - 1), ("2147483647", LARGEST), ("2147483648", LARGEST)),
        *(("9" * 5000, LARGEST), ("0" * 5000, 0), ("0" * 5000 + "12", 12), ("٣", 3)),
    ],
)
def test_a_number_of_any_length_is_read(digits: str, number: int) -> None:
    assert number_of(digits) == number


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.95649, 3, 0.956), (0.9996, 3, 0.9996), (0.99999, 3, 0.9999), (0.99999, 4, 0.9999),
        (1.0, 3, 1.0), (1.0, 4, 1.0), (0.9994, 3, 0.999), (0.0, 3, 0.0),
    ],
)  # fmt: skip
def test_the_last_step_to_1_is_not_made(value: float, digits: int, shown: float) -> None:
    assert rounded_probability(value, digits) == shown


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.0, "< 0.001"), (1 / 1001, "< 0.001"), (0.001, "= 0.001"), (0.0123, "= 0.012"), (0.9999, "= 1.000")],
)
def test_a_p_value_has_one_form_and_is_never_0(value: float, told: str) -> None:
    assert format_p_value(value) == told


@given(st.floats(0, 1), st.sampled_from([3, 4]))
def test_only_1_is_shown_as_1(value: float, digits: int) -> None:
    assert (rounded_probability(value, digits) == 1) == (value == 1)
    assert abs(rounded_probability(value, digits) - value) <= 0.5 * 10**-3
    assert (float(format_probability(value)) == 1) == (value == 1)
    assert len(format_probability(value)) <= len("0.9999")
    assert (format_share(value) == "100.0%") == (value == 1)


@pytest.mark.parametrize(("value", "told"), [(0.9968, "99.7%"), (0.9996, ">99.9%"), (1.0, "100.0%"), (0.9994, "99.9%")])
def test_shares(value: float, told: str) -> None:
    assert format_share(value) == told
