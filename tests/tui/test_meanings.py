"""Colours mean something, are among the 16 of the terminal, and never tell anything alone."""

from __future__ import annotations

import dataclasses

import pytest
from rich.style import Style
from rich.text import Text

from corpusdb.corpus.model import Finding, Paraphrase
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.origins.registry import ORIGINS
from corpusdb.people.queries.decisions import Decision
from tui.kit import looks as meanings
from tui.kit.looks import QUIET
from tui.people.open_seed import SIGNS, CandidateList
from tui.scoring.segment_screen import CURRENT

_STYLES = [
    *(value for name, value in vars(meanings).items() if name.isupper() and isinstance(value, str)),
    *meanings.ORIGINS.values(),
    *map(meanings.validity_style, (None, 0.0, 0.7, 1.0)),
]


def test_every_colour_is_one_of_the_sixteen_of_the_terminal() -> None:
    for style in filter(None, _STYLES):
        colour = Style.parse(style).color
        assert colour is None or (colour.number is not None and colour.number < 16), style
    values = [value for value in dataclasses.asdict(QUIET).values() if isinstance(value, str) and value != QUIET.name]
    assert [value for value in values if not value.startswith("ansi_")] == []


@pytest.mark.parametrize(("style", "is_reversed"), [(meanings.MATCH, None), (CURRENT, True)])
def test_a_match_is_bold_and_underlined_besides_its_colour(style: str, is_reversed: bool | None) -> None:
    parsed = Style.parse(style)
    assert (parsed.bold, parsed.underline, parsed.reverse) == (True, True, is_reversed)


def test_every_origin_has_a_colour_of_its_own_and_a_legend() -> None:
    assert meanings.ORIGINS.keys() == ORIGINS.keys()
    assert len(set(meanings.ORIGINS.values())) == len(ORIGINS)
    assert {origin.mark for origin in ORIGINS.values()} <= {sign for sign, _ in SIGNS}


def paraphrase(validity: float | None, *origins: str) -> Paraphrase:
    findings = tuple(Finding(name, "text") for name in origins)
    return Paraphrase("text", 1, 3, 3, False, 1, 1, 0.5, 0, validity, 0.5, findings)


def colours(line: Text) -> set[str]:
    """Those of what can be seen."""
    styles = [span.style for span in line.spans if line.plain[span.start : span.end].strip()]
    parsed = (Style.parse(style) if isinstance(style, str) else style for style in styles)
    return {style.color.name for style in parsed if style.color is not None}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((paraphrase(0.99, "detected"), None), (paraphrase(0.99, "analogy"), None)),
        ((paraphrase(0.99, "rule"), None), (paraphrase(0.2, "rule"), None)),
        ((paraphrase(0.7, "rule"), Decision("seed", "text", "accept", False)), (paraphrase(0.7, "rule"), None)),
        (
            (paraphrase(0.99, "rule"), Decision("seed", "text", "accept", False)),
            (paraphrase(0.99, "rule"), Decision("seed", "text", "reject", False)),
        ),
    ],
)
def test_where_colours_differ_the_letters_do_too(
    one: tuple[Paraphrase, Decision | None], other: tuple[Paraphrase, Decision | None]
) -> None:
    lines = []
    for each, decision in (one, other):
        rows = CandidateList(id="rows")
        rows.candidates, rows.kept = [each], NO_FILTER
        rows.decisions = {} if decision is None else {"text": decision}
        lines.append(rows._line(0))
    assert colours(lines[0]) != colours(lines[1])
    assert lines[0].plain != lines[1].plain
