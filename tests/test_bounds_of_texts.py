"""Texts so long that what is asked of them would never end are refused with a line that says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats import Record
from corpusdb.corpus.queries.storing import check_unit
from corpusdb.paraphrase.equations import LONGEST_TERM, solutions, solve
from corpusdb.scoring.metrics import mwer, trace
from corpusdb.scoring.metrics.measures import measures
from corpusdb.scoring.metrics.registry import settings_for
from corpusdb.scoring.metrics.trace import trace_segment

LONG = "ha " * 20_001


def test_terms_of_an_equation() -> None:
    long = "a" * (LONGEST_TERM + 1)
    assert solve(long, long + "b", "c" + long) is None
    assert solutions(long, long + "b", "c" + long) == []
    assert solve(long, long, "c") == "c"
    assert solve(long, "c", long) == "c"
    assert solve("a" * 900, "a" * 900 + "b", "c" + "a" * 900) == "c" + "a" * 900 + "b"


def edits(hypothesis: str, reference: str) -> None:
    (measure,) = measures([settings_for("mwer", tokenisation="none")], [["ha"], [reference]])
    measure.statistics(["ha", hypothesis])


def moved(hypothesis: str, reference: str) -> None:
    (measure,) = measures([settings_for("ter")], [["ha"], [reference]])
    measure.statistics(["ha", hypothesis])


@pytest.mark.parametrize("metric", [edits, moved])
@pytest.mark.parametrize("texts", [(LONG, "ha"), ("ha", LONG)])
def test_segments_of_metrics(metric: Callable[[str, str], None], texts: tuple[str, str]) -> None:
    with pytest.raises(InputError, match=r"20,001 (units|words) is too long") as caught:
        metric(*texts)
    assert caught.value.line == 2


def test_a_segment_within_the_bound_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mwer, "_LONGEST", 3)
    edits("a b c", "d e f")
    with pytest.raises(InputError, match="4 units"):
        edits("a b c d", "d e f")


def test_a_segment_that_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_LONGEST", 3)
    trace_segment(["a"] * 3, [["b"]], 4)
    with pytest.raises(InputError, match="4 units is too long to be taken apart; 3 are the most"):
        trace_segment(["a"], [["b"] * 4], 4)


@pytest.mark.parametrize(
    ("english", "french", "refused"), [(500, 500, False), (501, 500, True), (250_000, 1, False), (10_000, 0, False)]
)
def test_versions_of_a_unit(english: int, french: int, refused: bool) -> None:
    record = Record(7, ("text",) * (english + french), ("eng",) * english + ("fra",) * french)
    if not refused:
        check_unit(record, ())
        return
    with pytest.raises(InputError, match="a unit of 1,001 texts makes 250,500 pairs; 250,000 are the most") as caught:
        check_unit(record, ())
    assert caught.value.line == 7
