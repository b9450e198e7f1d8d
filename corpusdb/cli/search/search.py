"""The command that searches the corpus and shows what it finds, with its translations or as a concordance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, is_terminal, write_json, write_line, write_terminal
from corpusdb.cli.search.hits import by_language, codes_of, emphasised, joined, translation_line

if TYPE_CHECKING:
    from corpusdb.queries.corpus.occurrences import Place
    from corpusdb.queries.corpus.translations import Translation
    from corpusdb.queries.search.search import Hits
    from corpusdb.stoppable.limit import Limit
    from corpusdb.store import Store

__all__ = ["SearchOptions", "search"]

_PAGE = 1000
"""So many hits are looked up at a time."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What `search` takes."""

    pattern: Annotated[str, typer.Argument(help="What to look for; empty for every sentence.")]
    lang: Annotated[str, typer.Option("--lang", metavar="LANG,...", help="In these languages; all if not given.")] = ""
    shown: Annotated[str, typer.Option("--with", metavar="LANG,...", help="Show translations in these languages.")] = ""
    word: Annotated[bool, typer.Option("--word", "-w", help="As whole words.")] = False
    regex: Annotated[bool, typer.Option("--regex", "-e", help="As a regular expression.")] = False
    cqp: Annotated[bool, typer.Option("--cqp", help='As a CQP query, such as \'"I" [] "to"\'.')] = False
    ignore_case: Annotated[bool, typer.Option("--ignore-case", "-i", help="Whatever the case.")] = False
    ignore_width: Annotated[bool, typer.Option("--ignore-width", help="Whatever the width, as in Ａ and A.")] = False
    aligned: Annotated[
        list[str], typer.Option(metavar="LANG:PATTERN", help="With a translation that holds this too.")
    ] = ()  # type: ignore[assignment]
    not_aligned: Annotated[
        list[str], typer.Option(metavar="LANG:PATTERN", help="Without any translation that holds this.")
    ] = ()  # type: ignore[assignment]
    translated: Annotated[str, typer.Option(metavar="LANG,...", help="With translations in all of these.")] = ""
    untranslated: Annotated[str, typer.Option(metavar="LANG,...", help="Without one in any of these.")] = ""
    paraphrased: Annotated[
        bool | None,
        typer.Option("--paraphrased/--unparaphrased", help="With or without detected paraphrases.", show_default=False),
    ] = None
    collection: Annotated[str | None, typer.Option(metavar="NAME", help="Only in this collection.")] = None
    document: Annotated[str | None, typer.Option(metavar="NAME", help="Only in this document or file.")] = None
    length: Annotated[str, typer.Option(metavar="FROM-TO", help="So many words; characters in Japanese ...")] = ""
    distance: Annotated[int, typer.Option(min=1, max=4, help="2: also translations of translations, and so on.")] = 1
    places: Annotated[bool, typer.Option("--places", help="Show where each hit stands.")] = False
    kwic: Annotated[bool, typer.Option("--kwic", help="As a concordance, a line for each match.")] = False
    sort: Annotated[
        Literal["corpus", "left", "right", "match", "random"], typer.Option(help="kwic: order by the words beside it.")
    ] = "corpus"
    sample: Annotated[int | None, typer.Option(min=1, metavar="N", help="kwic: so many lines at random.")] = None
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="kwic: of the random order and choice.")] = 1
    group: Annotated[
        Literal["match", "left", "right", "collection", "document", "translation"] | None,
        typer.Option(help="kwic: count the lines by this instead of showing them."),
    ] = None
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="How many at most; 0 is all.")] = 20


@command("search", answers=True, timed=True)
def search(invocation: Invocation, options: SearchOptions) -> int:
    """Search sentences, or show a concordance (--kwic).

    PATTERN is a string unless --word, --regex or --cqp says what else; the patterns behind --aligned are of the same
    kind. Search tells upper from lower case unless --ignore-case is given. A CQP query is made of tokens, which are
    words and punctuation marks, or characters where the script does not delimit words:

    \b
    "regex"   "Regex"%c   "a.m."%l   a whole token; in any case; as it stands
    [word="un.*" & word!="under"]    conditions on a token; [] is any token
    "a" [] "b"   "a" | "b"   ( )     one behind the other; one of two; a group
    ?   *   +   {2}   {1,3}          how often the token or group before
    <s>   </s>   within 5            the ends of a sentence; five tokens at most
    a:[] [] b:[] :: a.word = b.word  labels, and a condition on them
    :fra "chat"   :fra ! "chat"      a French translation matches; none does
    """
    from corpusdb.cli.search.concordance import show_concordances
    from corpusdb.queries.search.request import search_words, searches
    from corpusdb.queries.search.search import Searcher

    limit = invocation.limit()
    with invocation.reading() as store:
        searcher = Searcher(store)
        with store.snapshot():
            found = [searcher.find(each, limit) for each in searches(store, search_words(asdict(options)))]
            show = show_concordances if options.kwic or options.group else _show_hits
            return show(invocation, store, found, options, limit)


@dataclass(frozen=True, slots=True)
class _Hit:
    id: int
    language: str
    text: str
    spans: list[tuple[int, int]]
    translations: list[Translation]
    places: list[Place]


def _looked_up(store: Store, hits: Hits, wanted: int, options: SearchOptions, limit: Limit) -> Iterator[_Hit]:
    """The first hits with what is to be shown of them."""
    from corpusdb.queries.corpus.occurrences import places_of
    from corpusdb.queries.corpus.translations import translations_of

    shown = codes_of(options.shown)
    for first in range(0, wanted, _PAGE):
        last = min(first + _PAGE, wanted)
        ids = hits.sentences[first:last].tolist()
        translations = translations_of(store, ids, shown, options.distance) if shown or options.distance > 1 else {}
        places = places_of(store, ids) if options.places else {}
        for place, sentence in enumerate(ids, first):
            limit.check(options.pattern)
            spans = hits.spans(place)
            there = translations.get(sentence, []), places.get(sentence, [])
            yield _Hit(sentence, hits.language, hits.text(place), spans, *there)


def _show_hits(
    invocation: Invocation, store: Store, found: Sequence[Hits], options: SearchOptions, limit: Limit
) -> int:
    """Returns how many hits there are, whether shown or not."""
    total = sum(map(len, found))
    hits = _first(store, found, options, limit)
    if invocation.json:
        documents = [asdict(hit) | {"translations": by_language(hit.translations)} for hit in hits]
        write_json({"total": total, "hits": documents})
    elif invocation.format == "table" and is_terminal():
        for hit in hits:
            write_terminal(f"{hit.language}  {emphasised(hit.text, hit.spans)}")
            for translation in hit.translations:
                write_line(translation_line(translation))
            for place in hit.places:
                write_line(f"  in   {place}")
    else:
        languages = sorted(codes_of(options.shown))
        columns = ["id", "language", "text", *(languages or (["translations"] if options.distance > 1 else []))]
        columns += ["places"] if options.places else []
        invocation.show(columns, (_cells(hit, columns) for hit in hits))
    invocation.say(f"{total:,} sentences")
    invocation.say_cut(min(options.limit or total, total), total, "sentences")
    return total


def _first(store: Store, found: Sequence[Hits], options: SearchOptions, limit: Limit) -> Iterator[_Hit]:
    left = options.limit or sum(map(len, found))
    for hits in found:
        wanted = min(left, len(hits))
        yield from _looked_up(store, hits, wanted, options, limit)
        left -= wanted


def _cells(hit: _Hit, columns: Sequence[str]) -> list[Cell]:
    cells: list[Cell] = [hit.id, hit.language, hit.text]
    for column in columns[3:]:
        if column == "places":
            cells.append(" | ".join(map(str, hit.places)))
        else:
            cells.append(joined(each for each in hit.translations if column in ("translations", each.language)))
    return cells
