"""Options as fields: their descriptions, and what is restored of values that were kept."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from corpusdb.errors import UsageError
from corpusdb.options import FormLine, Option, described, description, options_from_json, options_to_json


@dataclass(frozen=True, slots=True)
class Options:
    """Some described fields and some that are not."""

    text: str
    several: tuple[str, ...] = described((), Option("Several."), FormLine("Several", "a;b"))
    newer: int | None = described(None, Option("Not always there.", may_be_missing=True))
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


def test_only_what_may_be_missing_is_taken_for_its_default() -> None:
    document = {"text": "a", "several": [], "folder": "."}
    assert options_from_json(Options, document) == Options("a")
    for name in document:
        with pytest.raises(UsageError, match=f"another version of corpusdb: it does not say what '{name}' is to be"):
            options_from_json(Options, {each: value for each, value in document.items() if each != name})


@pytest.mark.parametrize(
    "change", [{"several": "b"}, {"several": [1]}, {"newer": "3"}, {"newer": True}, {"text": None}]
)
def test_values_of_another_type(change: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="another version of corpusdb"):
        options_from_json(Options, options_to_json(Options("a")) | change)
