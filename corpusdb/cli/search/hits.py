"""Hits and lines of concordances as the command line writes them, with their translations and where they stand."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corpusdb.cells import cell_width, cut_right, padded
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.options import shell_line
from corpusdb.cli.program.output import is_terminal, write_json, write_line, write_terminal
from corpusdb.display import cell_safe
from corpusdb.queries.search.request import SearchRequest
from corpusdb.reports.wording.amounts import counted
from corpusdb.reports.wording.searches import is_token_test, meant_told, pattern_told

if TYPE_CHECKING:
    from corpusdb.queries.search.concordance import Concordance
    from corpusdb.queries.search.hit_details import HitDetails, Wanted
    from corpusdb.queries.search.search import Hits, Searcher
    from corpusdb.stoppable.limit import Limit
    from corpusdb.store import Store

__all__ = ["say_concordance", "say_nothing_found", "show_hits", "show_lines"]

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_CATEGORY_CELLS = 12
"""Of a longer category the beginning is shown."""


def show_hits(invocation: Invocation, store: Store, found: Sequence[Hits], request: SearchRequest, limit: Limit) -> int:
    """Write sentences that were found. Returns how many there are, whether shown or not."""
    from corpusdb.queries.search.hit_details import Wanted, first_details

    total = sum(map(len, found))
    languages = tuple(sorted(request.shown_languages)) or (() if request.distance > 1 else None)
    are_marked = invocation.json or _is_for_people(invocation)
    wanted = Wanted(languages, request.distance, request.places, are_marked)
    hits = _in_time(first_details(store, found, wanted, request.limit), request, limit)
    if invocation.json:
        write_json({"total": total, "hits": [hit.document() for hit in hits]})
    elif _is_for_people(invocation):
        for hit in hits:
            write_terminal(f"{hit.language}  {_emphasised(hit.texts['text'], hit.spans or ())}")
            _write_details(hit, "")
    else:
        _show_rows(invocation, ["text"], wanted, hits)
    invocation.say(f"{counted(total, 'sentences')}{_pattern_told(request, found)}")
    say_notes(invocation, found)
    say_meant(invocation, total, request)
    invocation.say_cut(min(request.limit or total, total), total, "sentences")
    return total


def show_lines(invocation: Invocation, store: Store, found: Sequence[Concordance], request: SearchRequest) -> int:
    """Write lines of concordances. Returns how many there are, whether chosen and shown or not."""
    from corpusdb.queries.results.line_categories import categories_of, require_category_set
    from corpusdb.queries.search.hit_details import Wanted, first_details, numbered, with_categories

    total, chosen = sum(each.total for each in found), sum(map(len, found))
    wanted = Wanted(tuple(sorted(request.shown_languages)) or None, request.distance, request.places)
    lines = numbered(first_details(store, found, wanted, request.limit))
    texts = ["left", "match", "right"]
    if request.categories:
        require_category_set(store, request.categories)
        categories = categories_of(store, request.categories)
        if not categories:
            invocation.say(f"no line has a category in the set {request.categories!r} any more")
        lines = with_categories(lines, categories)
        texts = ["category", *texts]
    if invocation.json:
        documents = [line.document() for line in lines]
        write_json({"total": total, "sample": request.sample, "seed": request.seed, "hits": documents})
    elif _is_for_people(invocation):
        width = shutil.get_terminal_size().columns
        number_cells = len(str(min(request.limit or chosen, chosen)))
        for line in lines:
            front = f"{line.number:>{number_cells}}  {_category_column(line)}"
            write_terminal(f"{front}{_centred(line, width - cell_width(front))}")
            _write_details(line, "  ")
    else:
        _show_rows(invocation, texts, wanted, lines, ["line"])
    say_concordance(invocation, found, request)
    invocation.say_cut(min(request.limit or chosen, chosen), chosen, "lines")
    return total


def say_concordance(invocation: Invocation, found: Sequence[Concordance], request: SearchRequest) -> None:
    """Say how many lines there are, of what, and what there is to be said of the sentences."""
    total, sentences = sum(each.total for each in found), sum(len(each.hits) for each in found)
    if request.pattern:
        told = f"{counted(total, 'lines')} in {counted(sentences, 'sentences')}"
        invocation.say(f"{told}{_pattern_told(request, [each.hits for each in found])}")
        say_meant(invocation, total, request)
    say_notes(invocation, [each.hits for each in found])
    chosen = sum(map(len, found))
    if request.sample is not None and chosen < total:
        invocation.say(f"{chosen:,} of them chosen at random with seed {request.seed}")


def _pattern_told(request: SearchRequest, found: Sequence[Hits]) -> str:
    return pattern_told(request, by_characters=bool(found) and all(each.by_characters for each in found))


def say_meant(invocation: Invocation, total: int, request: SearchRequest) -> None:
    """Say of a pattern that looks like one of another kind with which call it is one, where nothing was found by it.

    And always of [lemma="go"], which as a regular expression is one of these letters.
    """
    if (not total or is_token_test(request)) and (meant := meant_told(request)) is not None:
        mode, told = meant
        invocation.say(f"{told}; `{shell_line('search', request.with_mode(mode))}` takes it for one")


def say_nothing_found(invocation: Invocation, searcher: Searcher, request: SearchRequest, limit: Limit) -> None:
    """Where nothing was found, say what the corpus has instead; of all languages that, in which one was searched."""
    from corpusdb.queries.lexicon.nothing_found import nothing_found
    from corpusdb.queries.search.search import searches

    asked = searches(searcher.store, request)
    for told in nothing_found(searcher, asked[0], limit) if len(asked) == 1 else ():
        invocation.say(told)


def say_notes(invocation: Invocation, found: Sequence[Hits]) -> None:
    """Say what there is to be said of the sentences that were searched."""
    for note in dict.fromkeys(note for each in found for note in each.notes):
        invocation.say(note)


def _is_for_people(invocation: Invocation) -> bool:
    return invocation.format == "table" and is_terminal()


def _in_time(hits: Iterator[HitDetails], request: SearchRequest, limit: Limit) -> Iterator[HitDetails]:
    """The hits; what the pattern matched in them is only found now, and takes its time too."""
    for hit in hits:
        limit.check(request.pattern)
        yield hit


def _show_rows(
    invocation: Invocation,
    texts: Sequence[str],
    wanted: Wanted,
    hits: Iterator[HitDetails],
    first: Sequence[str] = (),
) -> None:
    translations = [] if wanted.languages is None else wanted.languages or ["translations"]
    columns = [*first, "id", "language", *texts, *translations, *(["places"] if wanted.places else [])]
    invocation.show(columns, (hit.cells(columns) for hit in hits))


def _write_details(hit: HitDetails, margin: str) -> None:
    """The translations below their sentence, with their distance where they are not direct, and where it stands."""
    for each in hit.translations:
        distance = f" ({each.distance})" if each.distance > 1 else ""
        write_line(f"{margin}  {each.language}{distance}  {each.text}")
    for place in hit.places:
        write_line(f"{margin}  in   {place}")


def _category_column(line: HitDetails) -> str:
    """The category in front of a line, where categories are shown; all of the same width, whatever they are."""
    if "category" not in line.texts:
        return ""
    return padded(cut_right(cell_safe(line.texts["category"]), _CATEGORY_CELLS), _CATEGORY_CELLS + 2)


def _centred(line: HitDetails, width: int) -> str:
    """The match in the middle of a screen."""
    from corpusdb.reports.kwic import kwic_line

    match = line.texts["match"]
    side = max((width - cell_width(match) - 2) // 2, 8)
    shown = kwic_line(line.texts["left"].rstrip(), match, line.texts["right"], side, side)
    return f"{shown.left} {_emphasised(shown.match, [(0, len(shown.match))])}{shown.right}"


def _emphasised(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Text made harmless for a terminal, with some parts in bold, which is no colour: NO_COLOR allows it."""
    bold, plain = ("", "") if os.environ.get("TERM") == "dumb" else (_BOLD, _PLAIN)
    text, pieces, done = cell_safe(text), [], 0
    for start, stop in spans:
        if stop > max(start, done):  # overlapping matches are one
            start = max(start, done)
            pieces += [text[done:start], bold, text[start:stop], plain]
            done = stop
    return "".join([*pieces, text[done:]])
