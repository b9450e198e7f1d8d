"""The command that searches the corpus, and hits and lines of concordances as commands write them."""

from __future__ import annotations

import os
import shlex
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any

from corpusdb.base.cells import cell_width, cut_right, padded
from corpusdb.base.display import Cell, cell_safe, counted
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.options import default_of, names_in, values_of
from corpusdb.commands.command import Resolved, command, settling
from corpusdb.commands.invocation import Invocation, is_terminal, write_json, write_line, write_terminal
from corpusdb.commands.options import shell_line
from corpusdb.search.queries.request import LineKey, SearchRequest, context_width, line_keys
from corpusdb.search.report import format_meant, format_pattern, is_token_test, kwic_line

if TYPE_CHECKING:
    from corpusdb.base.jobs import Limit
    from corpusdb.corpus.store import Store
    from corpusdb.search.queries.concordance import Concordance, Group, HitDetails, Wanted
    from corpusdb.search.queries.distribution import GroupKey
    from corpusdb.search.queries.search import Hits, Searcher


_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_CATEGORY_CELLS = 12
"""Of a longer category the beginning is shown."""
_VALUE_CELLS = 20
"""The same of what is known of the place of a line, which takes as much room as that of the first lines needs."""
_LINES_MEASURED = 100


def show_hits(invocation: Invocation, store: Store, found: Sequence[Hits], request: SearchRequest, limit: Limit) -> int:
    """Write sentences that were found. Returns how many there are, whether shown or not."""
    total = sum(map(len, found))
    languages = _languages_beside(request)
    are_marked = invocation.json or _is_for_people(invocation)
    if are_marked or languages is not None or request.places or request.around:
        _show_details(invocation, store, found, request, languages, limit)
    else:
        rows = chain.from_iterable(each.rows() for each in found)
        invocation.show(("id", "language", "text"), islice(rows, request.limit or None))
    invocation.say(f"{counted(total, 'sentences')}{_format_pattern(request, found)}")
    say_notes(invocation, found)
    say_meant(invocation, total, request)
    if request.document and not request.pattern:
        invocation.say("--kwic shows a document in order; --show speaker adds an attribute of each line")
    invocation.say_cut(min(request.limit or total, total), total, "sentences")
    return total


def _languages_beside(request: SearchRequest) -> tuple[str, ...] | None:
    """Those whose translations are shown; none = all others, None = no translations."""
    is_far = request.distance > 1 and not (request.kwic and request.occurrences)
    return tuple(sorted(request.shown_languages)) or (() if is_far else None)


def _show_details(
    invocation: Invocation,
    store: Store,
    found: Sequence[Hits],
    request: SearchRequest,
    languages: tuple[str, ...] | None,
    limit: Limit,
) -> None:
    """Write sentences with what stands beside them, or with what matched in them marked."""
    from corpusdb.search.queries.concordance import Wanted, first_details, with_context
    from corpusdb.search.queries.distribution import part_within

    are_marked = invocation.json or _is_for_people(invocation)
    part = part_within(store, request.place)
    wanted = Wanted(languages, request.distance, request.places, are_marked, part)
    hits = _in_time(first_details(store, found, wanted, request.limit), request, limit)
    texts = ["text"]
    if request.around:
        hits, texts = with_context(store, hits, request.around, part), ["before", "text", "after"]
    if invocation.json:
        write_json({"total": sum(map(len, found)), "hits": [hit.document() for hit in hits]})
    elif _is_for_people(invocation):
        for hit in hits:
            if hit.texts.get("before"):
                write_line(f"     {hit.texts['before']}")
            write_terminal(f"{hit.language}  {_emphasised(hit.texts['text'], hit.spans or ())}")
            if hit.texts.get("after"):
                write_line(f"     {hit.texts['after']}")
            _write_details(hit, "")
    else:
        _show_rows(invocation, texts, wanted, hits)


def show_lines(invocation: Invocation, store: Store, found: Sequence[Concordance], request: SearchRequest) -> int:
    """Write lines of concordances. Returns how many there are, whether chosen and shown or not."""
    from corpusdb.search.queries.concordance import (
        EVERY_TOKEN,
        Wanted,
        first_details,
        names_of_places,
        number_columns,
        numbered,
        shown_name,
        with_categories,
        with_context,
        with_values,
        with_width,
    )
    from corpusdb.search.queries.distribution import categories_of, part_within

    total, chosen = sum(each.total for each in found), sum(map(len, found))
    part = part_within(store, request.place)
    wanted = Wanted(_languages_beside(request), request.distance, request.places, part=part)
    lines = numbered(first_details(store, found, wanted, request.limit))
    texts = ["left", "match", "right"]
    if request.categories:
        categories = categories_of(store, request.categories)
        if not categories:
            invocation.say(f"no line has a category in the set {request.categories!r} any more")
        lines = with_categories(lines, categories)
        texts = ["category", *texts]
    of_places = names_of_places(store)
    if names := _values_asked_for(request, of_places):
        lines = with_values(store, lines, found, names, part)
        names = [name for name in names if not name.startswith(EVERY_TOKEN)]
        texts += map(shown_name, names)
    if request.around:
        lines = with_context(store, lines, request.around, part)
    if (width := context_width(request.width)) is not None:
        lines = with_width(lines, width)
    if invocation.json:
        documents = [line.document() for line in lines]
        matches = {"matches": sum(each.matches for each in found)} if number_columns(found) else {}
        write_json({"total": total, **matches, "sample": request.sample, "seed": request.seed, "hits": documents})
    elif _is_for_people(invocation):
        before = [shown_name(name) for name in names if name in of_places]
        inside = [shown_name(name) for name in names if name not in of_places]
        _write_centred(lines, len(str(min(request.limit or chosen, chosen))), before, inside)
    else:
        _show_rows(invocation, texts, wanted, lines, ["line", *number_columns(found)])
    say_concordance(invocation, found, request)
    invocation.say_cut(min(request.limit or chosen, chosen), chosen, "lines")
    return total


def _values_asked_for(request: SearchRequest, of_places: Collection[str]) -> list[str]:
    asked = names_in(request.show)
    bare = [name.removeprefix("text_") for name in asked]  # as CWB has it
    return [each if each in of_places else name for each, name in zip(bare, asked, strict=True)]


def say_concordance(invocation: Invocation, found: Sequence[Concordance], request: SearchRequest) -> None:
    total, matches = sum(each.total for each in found), sum(each.matches for each in found)
    chosen = sum(map(len, found))
    sentences = sum(each.sentences if each.arrangement.category else len(each.hits) for each in found)
    if request.pattern:
        place = "at all occurrences of" if request.occurrences else "in"
        told = f"{counted(total, 'lines')} {place} {counted(sentences, 'sentences')}"
        if matches < chosen == total:
            told = f"{counted(matches, 'matches')}, {told}"
        invocation.say(f"{told}{_format_pattern(request, [each.hits for each in found])}")
        say_meant(invocation, total, request)
    say_notes(invocation, [each.hits for each in found])
    if request.sample is not None and chosen < total:
        drawn = f"{chosen:,}" if matches == chosen else f"{counted(matches, 'matches')} with {chosen:,}"
        invocation.say(f"{drawn} of them chosen at random with seed {request.seed}")


def _format_pattern(request: SearchRequest, found: Sequence[Hits]) -> str:
    return format_pattern(request, by_characters=bool(found) and all(each.by_characters for each in found))


def say_meant(invocation: Invocation, total: int, request: SearchRequest) -> None:
    """Say of a pattern that looks like one of another kind with which call it is one, where nothing was found by it.

    And always of [lemma="go"], which as a regular expression is one of these letters.
    """
    if (not total or is_token_test(request)) and (meant := format_meant(request)) is not None:
        mode, told = meant
        invocation.say(f"{told}; `{shell_line('search', request.with_mode(mode))}` takes it for one")


def say_nothing_found(invocation: Invocation, searcher: Searcher, request: SearchRequest, limit: Limit) -> None:
    """Where nothing was found, say what the corpus has instead; of all languages that, in which one was searched."""
    from corpusdb.search.queries.nothing_found import nothing_found
    from corpusdb.search.queries.search import searches

    asked = searches(searcher.store, request)
    for told in nothing_found(searcher, asked[0], limit) if len(asked) == 1 else ():
        invocation.say(told)


def say_notes(invocation: Invocation, found: Sequence[Hits]) -> None:
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


def _write_centred(
    lines: Iterator[HitDetails], number_cells: int, before: Sequence[str], inside: Sequence[str]
) -> None:
    """Lines with the match in the middle: what is known of their places stands before, of its tokens behind it."""
    width = shutil.get_terminal_size().columns
    first = list(islice(lines, _LINES_MEASURED))
    cells = [
        min(max((cell_width(cell_safe(line.texts[name])) for line in first), default=0), _VALUE_CELLS)
        for name in before
    ]
    for line in chain(first, lines):
        values = (cell_safe(line.texts[name]) for name in before)
        columns = "".join(padded(cut_right(value, room), room + 2) for value, room in zip(values, cells, strict=True))
        of = "" if line.of is None else f"{line.of:>{number_cells}}  "
        front = f"{line.number:>{number_cells}}  {of}{_category_column(line)}{columns}"
        write_terminal(f"{front}{_centred(line, width - cell_width(front), inside)}")
        _write_details(line, "  ")


def _centred(line: HitDetails, width: int, names: Sequence[str]) -> str:
    known = " | ".join(line.texts[name] for name in names)
    match = line.texts["match"] + (f" [{known}]" if known else "")
    side = max((width - cell_width(match) - 2) // 2, 8)
    shown = kwic_line(line.texts["left"].rstrip(), match, line.texts["right"], side, side)
    return f"{shown.left} {_emphasised(shown.match, [(0, len(cell_safe(line.texts['match'])))])}{shown.right}"


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


def show_concordances(
    invocation: Invocation, store: Store, found: Sequence[Hits], request: SearchRequest, limit: Limit
) -> int:
    """The concordance of the hits in each language, one after the other, or how its lines are grouped.

    Returns how many lines there are, whether shown or not.
    """
    from corpusdb.search.queries.categories import require_category_set
    from corpusdb.search.queries.concordance import arrange_lines

    if request.categories:
        require_category_set(store, request.categories)
    concordances = [
        finished(arrange_lines(hits, request.arrangement), lambda step: limit.check(request.pattern)) for hits in found
    ]
    if request.group:
        return _show_groups(invocation, store, concordances, request.group, request)
    return show_lines(invocation, store, concordances, request)


_OF_LINES = ("sort", "sample", "seed", "show", "words_only", "width", "categories", "category", "occurrences")
_OF_SHOWN_LINES = ("sort", "show", "categories", "around", "width", "places", "distance")


def check_effects(invocation: Invocation, request: SearchRequest) -> None:
    """Say which options change nothing, since no lines are shown but groups of these.

    Raises UsageError where there are no lines at all: what was asked for, such as a sample, is not what is found.
    """
    names: Sequence[str] = _OF_LINES
    reason = "without --kwic or --group"
    if request.group:
        names, reason = _OF_SHOWN_LINES, "with --group, which shows no lines"
    elif request.kwic:
        names = ("distance",) if request.occurrences else ()
        reason = "with --occurrences: what is beside a line is shown"
    given = [each.name for each, value in values_of(request) if each.name in names and value != default_of(each)]
    if request.category or "category" in (request.group or ""):  # of which set it is has to be said
        given = [name for name in given if name != "categories"]
    if given:
        called = ", ".join("--context" if name == "around" else f"--{name.replace('_', '-')}" for name in given)
        told = f"{called} {'has' if len(given) == 1 else 'have'} no effect {reason}"
        if names is _OF_LINES:
            raise UsageError(told)
        invocation.say(told)


def _format_no_pattern(store: Store, request: SearchRequest) -> str:
    """That a concordance is of a pattern; a result of a query holds sentences, and no lines."""
    from corpusdb.search.queries.results import query_of

    needed = "a concordance needs a pattern: each line has one match in the middle"
    if request.collection is None or (asked := query_of(store, request.collection)) is None:
        return needed
    return (
        f"{needed}; {request.collection!r} holds sentences: their lines are `{lines_again(request.collection, asked)}`"
    )


def lines_again(result: str, asked: str) -> str:
    """The call for the lines of a result: that which found it, in the result instead of a collection."""
    from corpusdb.search.queries.results import SEARCH_CALL

    words = shlex.split(asked.removeprefix(SEARCH_CALL))
    if "--kwic" in words:
        words.remove("--kwic")
    if "--collection" in words:
        del words[(at := words.index("--collection")) : at + 2]
    return f"{SEARCH_CALL} {shlex.join(['--kwic', '--collection', result, *words])}"


_IN_SEVERAL_GROUPS: Mapping[str, str] = {
    "translation": "a line counts under each of its translations",
    "document": "a line counts in each document that has its sentence",
    "collection": "a line counts in each collection that has its sentence",
}
"""What is said beside per cents that may add up to more than 100."""


def _show_groups(
    invocation: Invocation, store: Store, concordances: Sequence[Concordance], by: str, request: SearchRequest
) -> int:
    from corpusdb.search.queries.concordance import ordered_groups

    counts: Counter[GroupKey] = Counter()
    for concordance in concordances:
        for group in concordance.groups(by, store, request.shown_languages):
            counts[group.language, group.key] += group.count
    lines = sum(each.matches for each in concordances)
    groups = ordered_groups(counts, lines, request.shown_languages)
    of_languages = [list(each) for _, each in groupby(groups, lambda group: group.language)]
    shown = [group for each in of_languages for group in each[: request.limit or None]]
    spread = {}
    if "," not in by:
        spread = _spread(store, concordances, line_keys(by)[0], groups)
    if invocation.json:
        write_json({"total": lines, "groups": [_document(group) | spread.get(group.key, {}) for group in shown]})
    elif any(group.language for group in shown):
        # Last, since a translation may be longer than a line of the terminal, and figures behind it would be lost.
        rows = ((each.count, _per_cent(each), each.language, each.key) for each in shown)
        invocation.show(("lines", "per cent", "language", by), rows)
    else:
        more = list(dict.fromkeys(name for each in spread.values() for name in each))
        cells = ([spread.get(each.key, {}).get(name) for name in more] for each in shown)
        rows_of_groups = ((each.key, each.count, _per_cent(each)) for each in shown)
        invocation.show(
            (by, "lines", "per cent", *more), ((*row, *rest) for row, rest in zip(rows_of_groups, cells, strict=True))
        )
    unit = "lines" if lines == sum(map(len, concordances)) else "matches"
    invocation.say(f"{counted(lines, unit)} in {counted(len(groups), 'groups')}")
    if request.occurrences:
        invocation.say("every occurrence of a sentence is counted, with its translations in that place")
    elif in_several := _IN_SEVERAL_GROUPS.get(line_keys(by)[0].kind):
        invocation.say(f"per cent of the lines; {in_several}")
    if any("where" in each for each in spread.values()):
        invocation.say("where: the document from first line to last, with | at these lines")
    say_concordance(invocation, concordances, request)
    invocation.say_cut(len(shown), len(groups), "groups")
    return sum(each.total for each in concordances)


def _spread(
    store: Store, found: Sequence[Concordance], key: LineKey, groups: Sequence[Group]
) -> dict[str, dict[str, Cell]]:
    """For each collection or document how many lines there are for a million of its tokens, and where in it; in the
    part of the corpus that was searched."""
    from corpusdb.search.queries.distribution import part_sizes, part_within, plots

    if key.kind not in ("collection", "document") or not found:
        return {}
    arrangement = found[0].arrangement
    part = part_within(store, arrangement.within)
    corpora = [each.hits.tokens() for each in found]
    sizes = part_sizes(store, key, corpora, part, occurrences=arrangement.occurrences)
    spread: dict[str, dict[str, Cell]] = {}
    for name, count in ((group.key, group.count) for group in groups):
        rate = round(count * 1e6 / sizes[name], 2) if sizes[name] else None
        spread[name] = {"tokens": sizes[name] or None, "per_million": rate}
    if key == LineKey("document"):
        sentences = {line.sentence for each in found for line in each.lines()}
        for name, plot in plots(store, sentences, part).items():
            if name in spread:
                spread[name]["where"] = plot
    return spread


def _per_cent(group: Group) -> float:
    return round(group.share * 100, 2)


def _document(group: Group) -> dict[str, object]:
    language = {"language": group.language} if group.language else {}
    return language | {"key": group.key, "count": group.count, "share": group.share}


def in_usual_language(invocation: Invocation, options: Any) -> Resolved[Any]:
    """The options, dataclasses with a field ``lang``, in the usual language where none is given; and what that is.

    Where they are asked of a result or selection, which has one language, it is that.
    """
    from corpusdb.corpus.queries.meant_language import language_of_results, usual_language

    if options.lang:
        return Resolved(options)
    with invocation.reading() as store:
        asked_of = [getattr(options, name, None) for name in ("collection", "against")]
        usual = language_of_results(store, asked_of) or usual_language(store)
    if usual is None:  # the command itself says that the corpus is empty, or finds nothing
        return Resolved(options)
    settled = replace(options, lang=usual.language)
    others = ", ".join(usual.others)
    return Resolved(settled, f"in {usual}; others with --lang: {others}" if others else "")


@settling(in_usual_language)
@command("search", answers=True, timed=True)
def search(invocation: Invocation, options: SearchRequest) -> int:
    """Search sentences, or show a concordance (--kwic).

    PATTERN is a plain string unless --word, --regex or --cqp is given; patterns after --aligned are of the same kind.
    Without --lang, the language is that of the result given with --collection; otherwise the first language of the
    first import. --lang all searches all.
    Case matters only if the pattern has a capital (other than English I); -s always matches case, -i never does. A
    typed space, apostrophe or hyphen also finds what looks like it, unless -s is given.
    Words are tokens, for --word, CQP and frequencies alike: runs of letters and digits, with an apostrophe inside
    (o'clock); do n't, Tom 's and l' eau are two each; every hyphen and punctuation mark is a token, and every character
    of scripts without spaces between words. Annotated files bring their own tokens (`corpusdb guide annotations`):

    \b
    "regex"   "Regex"%c   "a.m."%l   a whole token; ignoring case; literally
    [word="un.*" & word!="under"]    conditions on a token; [] is any token
    [lemma="go" & pos="V.*"]         other attributes, in annotated sentences
    "a" [] "b"   "a" | "b"   ( )     in sequence; alternatives; a group
    ?   *   +   {2}   {1,3}          how often the preceding token or group
    <s>   </s>   within 5            start, end of a sentence; at most five tokens
    within s   within 2 s            in one sentence; over two: lines with the
                                     same match_number are one match
    within text                      over all of a document, up to 100 sentences
    cut 50                           the first 50 matches
    a:[] [] b:[] :: a.word = b.word  labels, and a condition on them
    <u_who="Bob"> []                 where lines that Bob says begin
    [] :: match.u_who="Bob"          anywhere in them, as --where u_who=Bob
    :fra "chat"   :fra ! "chat"      a French translation matches; none does
    "a" @[] "b"                      the target of --sort and --group
    MU(meet "a" "b" -2 2)            a with b in this window, or s; also union
    """
    from corpusdb.search.queries.search import Searcher, searches

    limit = invocation.limit()
    with invocation.reading() as store:
        searcher = Searcher(store)
        with store.snapshot():
            check_effects(invocation, options)
            if (options.kwic or options.group) and not (options.pattern or (options.kwic and options.document)):
                raise UsageError(_format_no_pattern(store, options))
            asked, options = options.for_lines, replace(options, occurrences=options.for_lines.occurrences)
            found = [searcher.find(each, limit) for each in searches(store, asked)]
            show = show_concordances if options.kwic or options.group else show_hits
            total = show(invocation, store, found, options, limit)
            if not total and options.category and any(map(len, found)):
                invocation.say(f"none of these lines has the category {options.category!r}")
            elif not total:
                say_nothing_found(invocation, searcher, options, limit)
            return total
