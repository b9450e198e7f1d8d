"""Lines of a concordance as they are shown, and what a search took its pattern for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from corpusdb.base.cells import cut_left, cut_right, padded
from corpusdb.base.display import Cell, cell_safe
from corpusdb.search.patterns import Mode, has_token_test, meant_mode
from corpusdb.search.queries.request import SearchRequest

if TYPE_CHECKING:
    from corpusdb.search.queries.results import SelectionSummary


class KwicLine(NamedTuple):
    """The three parts of a line, made harmless; whoever shows it marks the match."""

    left: str
    match: str
    right: str


def kwic_line(left: str, match: str, right: str, before: int, after: int | None = None) -> KwicLine:
    """The match with its context in exactly ``before`` cells on its left and at most ``after`` on its right.

    Context that has no room is cut at its far end and marked by an ellipsis; ``after`` None leaves the right as it is.
    """
    shown = cell_safe(right)
    return KwicLine(
        padded(cut_left(cell_safe(left), before), before, right=True),
        cell_safe(match),
        shown if after is None else cut_right(shown, after),
    )


# What a search took its pattern for, in words: three commands count a word in three ways.


_KINDS: Mapping[Mode, str] = {
    "substring": "this string",
    "word": "this as whole words",
    "regex": "a match of this regular expression",
    "cqp": "a match of this CQP query",
}
_CALLED: Mapping[Mode, str] = {
    "substring": "a string",
    "word": "whole words",
    "regex": "a regular expression",
    "cqp": "a CQP query",
}


_CASE_INSIDE = re.compile(r"\(\?[aLmsux]*-?[aLmsux]*i[aiLmsux]*:")
"""Flags of a part of a regular expression: (?i:...)."""


def format_case(*, folds: bool) -> str:
    return "ignoring case" if folds else "case-sensitive"


def format_pattern(request: SearchRequest, *, by_characters: bool = False) -> str:
    """What sentences that were found hold: `` with this string, ignoring case``; nothing where all were wanted.

    ``by_characters``: words that were asked for are characters there.
    """
    text = request.pattern
    if not text:
        return ""
    has_case = request.mode != "cqp" and text.lower() != text.upper()
    if request.regex and _CASE_INSIDE.search(text):  # it says itself where case counts
        has_case = False
    kind = "these characters" if by_characters else _KINDS[request.mode]
    return f" with {kind}" + (f", {format_case(folds=request.folds_case)}" if has_case else "")


def format_meant(request: SearchRequest) -> tuple[Mode, str] | None:
    """Where nothing was found: the kind of pattern that the text looks like, and a sentence that says so."""
    meant = meant_mode(request.pattern, request.mode)
    if meant is None:
        return None
    return meant, f"this looks like {_CALLED[meant]} and was searched as {_CALLED[request.mode]}"


def is_token_test(request: SearchRequest) -> bool:
    """Whether a regular expression has a token of CQP in it, as [word="a"], which finds what nobody meant."""
    return request.mode == "regex" and has_token_test(request.pattern)


def is_cqp_query(word: str) -> bool:
    """Whether what is asked as a word looks like a query over tokens."""
    return meant_mode(word, "word") == "cqp"


SELECTION_COLUMNS = ("name", "language", "sentences", "method", "made of")


def selection_rows(selections: Iterable[SelectionSummary]) -> Iterator[Sequence[Cell]]:
    for each in selections:
        yield (each.name, each.language, each.sentences, str(each.parameters["method"]), format_selection(each))


MEMBER_COLUMNS = ("rank", "score", "text")


def member_rows(members: Iterable[tuple[int, str, float]]) -> list[Sequence[Cell]]:
    """Of what a selection holds, the best first."""
    return [(rank, f"{score:.4f}", text) for rank, (_, text, score) in enumerate(members, 1)]


def format_selection(selection: SelectionSummary) -> str:
    given = selection.parameters
    if given["method"] == "query":
        return str(given["query"])
    if "of" in given:
        return f"{given['method']} of {', '.join(given['of'])}"
    others = "all but " if given.get("others") else ""
    if given["method"] == "profile":
        ends = [f"{word} {given[word]:g}" for word in ("from", "to") if given.get(word) is not None]
        where = " ".join([str(given["scale"]), *ends]) if "scale" in given else str(given.get("seen", ""))
        return f"{others}{given.get('level', 'line')}s with {where}"
    if given["method"] == "outliers":
        inside = f" of {given['collection']}" if given["collection"] else ""
        return f"{others}{given['listed']:,} outlying lines{inside}"
    pool = f" of {', '.join(given['pool'])}" if given.get("pool") else ""
    return f"{100 * given['share']:g} %{pool} for {', '.join(given['task'])}"
