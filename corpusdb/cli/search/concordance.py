"""Concordances on the screen and in files: every match with its context and the translations of its sentence."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from corpusdb.cells import cell_width, cut_left, cut_right
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, is_terminal, write_json, write_line, write_terminal
from corpusdb.cli.search.hits import (
    by_language,
    codes_of,
    emphasised,
    joined,
    translation_line,
)
from corpusdb.display import cell_safe

if TYPE_CHECKING:
    from corpusdb.cli.search.search import SearchOptions
    from corpusdb.queries.corpus.occurrences import Place
    from corpusdb.queries.corpus.translations import Translation
    from corpusdb.queries.search.concordance import Concordance, GroupBy, Line
    from corpusdb.queries.search.search import Hits
    from corpusdb.stoppable.limit import Limit
    from corpusdb.store import Store

__all__ = ["show_concordances"]

_PAGE = 1000


def show_concordances(
    invocation: Invocation, store: Store, found: Sequence[Hits], options: SearchOptions, limit: Limit
) -> int:
    """The concordance of the hits in each language, one after the other, or how its lines are grouped.

    Returns how many lines there are, whether shown or not.
    """
    from corpusdb.jobs import finished
    from corpusdb.queries.search.concordance import Arrangement, Concordance

    arrangement = Arrangement(options.sort, options.sample, options.seed)
    concordances = [
        finished(Concordance.in_steps(hits, arrangement), lambda step: limit.check(options.pattern)) for hits in found
    ]
    total = sum(each.total for each in concordances)
    if options.group:
        _show_groups(invocation, store, concordances, options.group, options)
    else:
        _show_lines(invocation, store, concordances, options, total)
    return total


@dataclass(frozen=True, slots=True)
class _Shown:
    language: str
    line: Line
    translations: list[Translation]
    places: list[Place]


def _looked_up(store: Store, concordance: Concordance, wanted: int, options: SearchOptions) -> Iterator[_Shown]:
    from corpusdb.queries.corpus.occurrences import places_of
    from corpusdb.queries.corpus.translations import translations_of

    languages = codes_of(options.shown)
    for first in range(0, wanted, _PAGE):
        lines = concordance.lines(first, min(_PAGE, wanted - first))
        ids = [line.sentence for line in lines]
        translations = translations_of(store, ids, languages, options.distance) if languages else {}
        places = places_of(store, ids) if options.places else {}
        for line in lines:
            yield _Shown(
                concordance.hits.language, line, translations.get(line.sentence, []), places.get(line.sentence, [])
            )


def _show_lines(
    invocation: Invocation, store: Store, concordances: Sequence[Concordance], options: SearchOptions, total: int
) -> None:
    chosen = sum(map(len, concordances))
    lines = _first(store, concordances, options)
    if invocation.json:
        documents = [
            {"id": shown.line.sentence, "language": shown.language}
            | {"left": shown.line.left, "match": shown.line.match, "right": shown.line.right}
            | {"translations": by_language(shown.translations), "places": [asdict(place) for place in shown.places]}
            for shown in lines
        ]
        write_json({"total": total, "sample": options.sample, "seed": options.seed, "hits": documents})
    elif invocation.format == "table" and is_terminal():
        width = shutil.get_terminal_size().columns
        for shown in lines:
            write_terminal(_aligned_line(shown.line, width))
            for translation in shown.translations:
                write_line(f"  {translation_line(translation)}")
            for place in shown.places:
                write_line(f"    in   {place}")
    else:
        languages = sorted(codes_of(options.shown))
        columns = ["id", "language", "left", "match", "right", *languages, *(["places"] if options.places else [])]
        invocation.show(columns, (_cells(shown, languages, options) for shown in lines))
    invocation.say(f"{total:,} lines in {sum(len(each.hits) for each in concordances):,} sentences")
    if options.sample is not None and chosen < total:
        invocation.say(f"{chosen:,} of them chosen at random with seed {options.seed}")
    invocation.say_cut(min(options.limit or chosen, chosen), chosen, "lines")


def _first(store: Store, concordances: Sequence[Concordance], options: SearchOptions) -> Iterator[_Shown]:
    left = options.limit or sum(map(len, concordances))
    for concordance in concordances:
        wanted = min(left, len(concordance))
        yield from _looked_up(store, concordance, wanted, options)
        left -= wanted


def _cells(shown: _Shown, languages: Sequence[str], options: SearchOptions) -> list[Cell]:
    line = shown.line
    cells: list[Cell] = [line.sentence, shown.language, line.left, line.match, line.right]
    cells += [joined(each for each in shown.translations if each.language == code) for code in languages]
    return [*cells, " | ".join(map(str, shown.places))] if options.places else cells


def _aligned_line(line: Line, width: int) -> str:
    """The match in the middle of the screen; what has no room is cut and marked by an ellipsis."""
    side = max((width - cell_width(line.match) - 2) // 2, 8)
    left = cut_left(cell_safe(line.left.rstrip()), side)
    padding = " " * (side - cell_width(left))
    right = cut_right(cell_safe(line.right), side)
    space = " " if line.left.endswith(" ") or not line.left else ""
    return f"{padding}{left}{space or ' '}{emphasised(line.match, [(0, len(line.match))])}{right}"


def _show_groups(
    invocation: Invocation, store: Store, concordances: Sequence[Concordance], by: GroupBy, options: SearchOptions
) -> None:
    from corpusdb.queries.search.concordance import Group

    counts: Counter[str] = Counter()
    for concordance in concordances:
        for group in concordance.groups(by, store, codes_of(options.shown)):
            counts[group.key] += group.count
    lines = sum(map(len, concordances))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    groups = [Group(key, count, count / lines) for key, count in ordered]
    shown = groups[: options.limit or None]
    if invocation.json:
        write_json({"total": lines, "groups": [asdict(group) for group in shown]})
    else:
        invocation.show((by, "lines", "per cent"), ((each.key, each.count, each.share * 100) for each in shown))
    invocation.say(f"{lines:,} lines in {len(groups):,} groups")
    invocation.say_cut(len(shown), len(groups), "groups")
